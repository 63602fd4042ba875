"""Model files of others, and the chat model.

gguf           GGUF files
safetensors    safetensors files
packed         products with matrices of 4 and 8 bits
rows           the same with one scale a row, and attention of one token: for a conversation
tokenizer      GPT-2's pieces of words
smollm2        SmolLM2: its file, its fast forward pass, its recorded answers
writer         what it writes in lessons 24 and 24b: replies, texts of a form, samples
"""
