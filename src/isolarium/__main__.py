"""The `isolarium` command, as `python -m isolarium`."""

import sys
from pathlib import Path

if not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[1]:
    del sys.path[0]  # Never import modules from the current folder.

from isolarium.cli import main

sys.exit(main())
