"""Training, on the course's texts and on the reader's own.

loop           the training loop of lesson 14, with checkpoints
toy_task       the six sentences of lesson 00
stories        the stories of lesson 16: their rule, and the model that learns them
counts         n-grams as language models
parallel       gradients of a batch by several processes
bigram_start   token embeddings from counts, to begin with
own_text       a text of the reader's, as tokens
own_model      a model of that text: sizes, training, judging, its file
own_writing    what such a model writes
hugging_face   such a model as a folder of files. Here and not in models, because it is made here
"""
