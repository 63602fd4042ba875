"""`python3 -m helpers COMMAND`, and `python3 path/to/helpers COMMAND` from any other folder."""

import os
import sys

if not __package__:
    # Run by its path, Python puts this folder first on sys.path, where our modules could hide its own.
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))

try:
    from helpers.course.commands import main
except KeyboardInterrupt:
    sys.exit("Stopped.")

if __name__ == "__main__":
    sys.exit(main())
