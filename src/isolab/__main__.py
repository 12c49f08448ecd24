"""Makes `python -m isolab` the same as the `isolab` command."""

import sys

from isolab.cli import main

sys.exit(main())
