"""Lesson 11, hidden side. Reading on gives answers away."""

EXERCISES = {}
