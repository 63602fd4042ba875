"""The small dict that one lesson passes to the next.

registry         the lessons in order, what each adds to the state, and how it is recomputed
network          the network of Part I: sizes, sentence, draws
names_task       the model of names: its lines, sets and sizes
files            files that trust nothing, and are replaced as a whole
load_and_save    load_state, save_state, and going back to the course's own state
"""
