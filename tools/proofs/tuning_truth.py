"""Simulate tuning with a known response, to check how reliable it is.

    python -m tools.proofs.tuning_truth [RUNS]

For every response, it prints how often the confirmed interval contains the true value of the chosen
settings, how often the chosen settings are within the noise of the best ones, how much less than
the best they score, how much the best trial's own score exaggerates (both in percentage points),
how often a gain is claimed, how often it is claimed falsely, and the number of pairs in a
confirmation.
"""

import sys
from typing import Final

import numpy as np

from tests.studies.simulations import TRUTHS, Simulated, simulations

SETTINGS: Final = {"trials": 40, "round": 8, "pairs": 200, "confirm": 3000}
HEADS: Final = ("holds", "within", "lost", "luck", "claimed", "falsely", "pairs")


def line_of(name: str, found: list[Simulated]) -> str:
    """Return the figures of a response."""
    means = [
        f"{np.mean([one.truth in one.interval for one in found]):.3f}",
        f"{np.mean([one.lost <= one.noise for one in found]):.3f}",
        f"{100 * np.mean([one.lost for one in found]):.2f}",
        f"{100 * np.mean([one.luck for one in found]):+.2f}",
        f"{np.mean([one.is_claimed for one in found]):.3f}",
        f"{np.mean([one.is_claimed_falsely for one in found]):.3f}",
        f"{np.mean([one.pairs for one in found]):,.0f}",
    ]
    return f"{name:<8}" + "".join(f"{mean:>9}" for mean in means)


def main(runs: int = 1000) -> None:
    """Print a line for every response."""
    settings = ", ".join(f"{name} {value:,}" for name, value in SETTINGS.items())
    print(f"{runs:,} simulated tuning runs of each response: {settings}")
    print(f"{'':<8}" + "".join(f"{head:>9}" for head in HEADS), flush=True)
    for name, truth in TRUTHS.items():
        print(line_of(name, simulations(truth, runs, **SETTINGS)), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
