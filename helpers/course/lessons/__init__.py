"""The lessons: their list, networks, tasks and texts, their state, their training, the reading of files."""
