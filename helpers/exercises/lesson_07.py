"""Lesson 07, hidden side. Reading on gives answers away."""

EXERCISES = {}
