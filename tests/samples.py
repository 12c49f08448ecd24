"""Cases of which the tests try a sample, and `make prove` tries all."""

import os
import random
from collections.abc import Iterable
from typing import Final, TypeVar

Case = TypeVar("Case")

ALL: Final = "all"
TRIES_ALL: Final = os.environ.get("ISOLARIUM_TEST_CASES") == ALL
SEED: Final = 28


def how_many(every: int, few: int) -> int:
    """Return how many examples of one kind to try: `few`; `every` one in `make prove`."""
    return every if TRIES_ALL else few


def sample(cases: Iterable[Case], count: int) -> list[Case]:
    """Return `count` of the cases in their order, always the same ones; all of them in `make prove`."""
    found = list(cases)
    if TRIES_ALL:
        return found
    chosen = sorted(random.Random(SEED).sample(range(len(found)), count))
    return [found[place] for place in chosen]
