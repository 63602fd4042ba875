"""How long the commands that CONTRIBUTING names take on this machine, each measured once.

    python3 tests/benchmarks/minutes.py [--all]

With --all, also the two runs of all tests. Nothing else should run meanwhile.
"""

import os
import platform
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMMANDS = ["test 05", "run 05", "test tests/mathematics/test_layers.py tests/pages/test_same_code.py"]
LONG = ["test", "test --all"]


def main(commands):
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {platform.system()}")
    for command in commands:
        began = time.monotonic()
        call = [sys.executable, "-m", "helpers", *command.split()]
        done = subprocess.run(call, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        last = (done.stdout.strip().splitlines() or [""])[-1].strip("= ")
        print(f"{time.monotonic() - began:7.1f} s  {command}: {last}", flush=True)


if __name__ == "__main__":
    main([*COMMANDS, *(LONG if "--all" in sys.argv else [])])
