"""A study on the screen while it goes on: what `RunDisplay` shows, and what is done before and after the games."""

import sys
import time
from typing import Final

from rich.text import Text

from isolab.cli.run_display import RunDisplay

SAY_EVERY_S: Final = 5.0


class StudyDisplay(RunDisplay):
    """Shows one part of a study."""

    def __init__(self, label: str) -> None:
        super().__init__(label)
        self._said = 0.0

    def say(self, doing: str) -> None:
        """Show what is being done; where there is no terminal, now and then."""
        text = Text(f"{self._label}: {doing}")
        if self._live is not None:
            self._live.update(text)
        elif time.monotonic() - self._said > SAY_EVERY_S:
            self._said = time.monotonic()
            print(text, file=sys.stderr, flush=True)
