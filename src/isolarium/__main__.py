"""Makes `python -m isolarium` the same as the `isolarium` command."""

import sys
from pathlib import Path

if not sys.flags.safe_path and Path(sys.path[0]) != Path(__file__).parents[1]:
    del sys.path[0]  # the folder one happens to be in: what lies there is nothing of ours to import

from isolarium.cli import main

sys.exit(main())
