"""Room: lessons/reading."""
