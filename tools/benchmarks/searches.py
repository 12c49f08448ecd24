"""Run everything that `isolarium bench` measures, including the student's plain-Python alpha-beta."""

import sys

from isolarium.cli import main

if __name__ == "__main__":
    sys.exit(main(["bench"]))
