"""Room: lessons."""
