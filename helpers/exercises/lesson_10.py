"""Lesson 10, hidden side. Reading on gives answers away."""

EXERCISES = {}
