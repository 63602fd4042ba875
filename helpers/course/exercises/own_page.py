"""The reader's functions on a page that calls many of them: lesson 25.

mine = exercises.YourFunctions()
mine.rope(X, positions, base)   # the reader's my_rope where it has passed, else the course's solution
"""

from collections import Counter

from ..engine import faster, with_names
from . import EXERCISES
from .passed import read_passes
from .yours import Mismatch, passes, stopped, written_in


class YourFunctions:
    """Functions of the exercises by name, without my_; each is looked up when it is first called."""

    def __init__(self):
        self.noted, troubles = read_passes()
        self.whose, self.calls = {}, Counter()
        self.numbers = {EXERCISES[number].solution.__name__: number for number in EXERCISES}
        for number in self.noted:  # two lessons ask for my_swiglu: either will do
            name = EXERCISES[number].solution.__name__
            if self.numbers[name] not in self.noted:
                self.numbers[name] = number
        for trouble in troubles:
            print(trouble)

    def __getattr__(self, name):
        number = self.__dict__.get("numbers", {}).get(f"my_{name}")
        if number is None:
            raise AttributeError(f"There is no exercise in which you write my_{name}.")
        own = self.own(number, f"my_{name}")
        self.whose[name] = "yours" if own else "the course's"
        function = own or with_names(EXERCISES[number].solution, faster())

        def called(*arguments):
            self.calls[name] += 1
            try:
                return function(*arguments)
            except Exception as error:
                if not own:
                    raise
                raise Mismatch(stopped(f"my_{name}", number, error)) from None

        setattr(self, name, called)
        return called

    def own(self, number, name):
        """The reader's function, if it has passed and still passes; else None."""
        if number not in self.noted:
            return None
        function = written_in(self.noted[number].code, faster())[1].get(name)
        if function and passes(function, number):
            return function
        print(f"{name} no longer passes {number}. The course's is in its place.")
        return None

    def __repr__(self):
        own = [name for name in self.calls if self.whose[name] == "yours"]
        return f"{len(own)} of the {len(self.calls)} functions that ran are yours."
