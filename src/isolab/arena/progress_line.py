"""How far a run is, in a line."""

import sys
from typing import Self

from isolab.arena.results import encounter_result
from isolab.arena.runner import Progress
from isolab.text import duration


def describe(progress: Progress) -> str:
    """`1,240 of 2,000 games · 310 a second · 2 s left · 54.3% ± 1.9 · LLR 1.20 of -2.94 to 2.94`."""
    tally = progress.tally
    if progress.stage == "compiling":
        return "loading (what is new is compiled first)"
    parts = [f"{tally.games:,} of {progress.games:,} games"]
    if progress.played:
        parts.append(_rate(progress.rate))
    if progress.seconds_left is not None:
        parts.append(f"{duration(progress.seconds_left)} left")
    if len(tally.plan.encounters) == 1 and tally.pairs:
        parts.append(str(encounter_result(tally, 0).rate))
    if tally.test is not None:
        plan = tally.test.plan
        parts.append(f"LLR {tally.test.llr:.2f} of {plan.lower:.2f} to {plan.upper:.2f}")
    return " · ".join(parts)


def _rate(rate: float) -> str:
    return f"{rate:,.0f} a second" if rate >= 1 else f"{60 * rate:,.0f} a minute"


class ProgressLine:
    """One line on stderr that is written over again and again, and gone at the end."""

    def __init__(self) -> None:
        self._width = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write("")
        print(end="\r", file=sys.stderr, flush=True)

    def show(self, progress: Progress) -> None:
        """Show how far it is."""
        self._write(describe(progress))

    def _write(self, text: str) -> None:
        print("\r" + text.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(text)
