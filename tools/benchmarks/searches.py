"""Everything that `isolarium bench` measures, the student's plain-Python alpha-beta included."""

import sys

from isolarium.cli import main

if __name__ == "__main__":
    sys.exit(main(["bench"]))
