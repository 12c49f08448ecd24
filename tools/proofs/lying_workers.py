"""Compare runs on a cluster with lying workers to the same runs on one machine.

    python -m tools.proofs.lying_workers [WORKERS]

Each run has one liar of every kind and as many honest workers (2). A liar answers its first two batches honestly. The
run must finish with the same bytes (`isolarium export --json --no-times`) as on this machine, its
results database must be readable, and it must name every liar with the reason. The process that
plays the run must not execute any code from a worker.
"""

import os
import sys
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final

from isolarium.arena import Conditions
from isolarium.arena.cluster.remote_workers import Cluster
from isolarium.arena.plan import Plan, match_plan, tournament_plan
from isolarium.arena.provenance import read_verdicts
from isolarium.arena.run_db import Record
from isolarium.stats import SprtPlan
from tests.arena.clusters import DaskCluster, dask_cluster
from tests.arena.liars import LIES, returning_code
from tests.arena.playing import play

AGENTS: Final = ("alphabeta:improved@nodes=30", "alphabeta:open@nodes=30", "random")
PLANS: Final = {
    "a match of 1,000 pairs": match_plan(*AGENTS[:2], Conditions(pairs=1000, board="5x5")),
    "a match with a test": match_plan(*AGENTS[:2], Conditions(pairs=1000, board="5x5"), SprtPlan(0, 10)),
    "a tournament": tournament_plan(AGENTS, Conditions(pairs=300, board="5x5")),
}
OBJECT: Final = "a pickle that executes code"


def main(honest: int) -> bool:
    """Play everything; return whether all checks passed."""
    held = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for number, (title, plan) in enumerate(PLANS.items()):
            place = folder / str(number)
            place.mkdir()
            expected = play(place / "here", plan)
            with dask_cluster(place / "dask", honest + len(LIES) + 1) as cluster:
                held &= _play(title, plan, place, expected, cluster, honest)
    return held


def _play(title: str, plan: Plan, place: Path, expected: str, cluster: DaskCluster, honest: int) -> bool:
    """Play a plan with every liar; return whether the result is right."""
    created, run = place / "created", place / "run"
    created.mkdir()
    code = f"import os; open({str(created)!r} + f'/{{os.getpid()}}', 'w').close()"
    lies = {OBJECT: returning_code(code), **LIES}
    began = time.monotonic()
    with (
        cluster.several_misbehaving(list(lies.values()), honest=honest) as liars,
        closing(Cluster(cluster.address)) as connected,
    ):
        is_same = play(run, plan, cluster=connected) == expected
        relay = connected.relay.number
    print(f"{title}: {len(lies)} liars, {honest} honest, {time.monotonic() - began:.0f} s")
    print(f"  the same games as on one machine: {_yes(is_same)}")
    by = {int(path.name) for path in created.iterdir()}
    is_safe = os.getpid() not in by
    print(f"  code of a worker executed in the process that plays: {_yes(not is_safe)}")
    print(f"  code of a worker executed in the relay: {_yes(relay in by)}")
    return _print_verdicts(run, dict(zip(lies, liars, strict=True))) and is_same and is_safe


def _print_verdicts(run: Path, liars: Mapping[str, str]) -> bool:
    """Print a run's report of each liar; return whether it names exactly the liars."""
    with closing(Record(run)) as record:
        refused = list(read_verdicts(record).refused)
    named = 0
    for lie, address in liars.items():
        reasons = [why for why in refused if f"{address}: " in why]
        named += len(reasons) == 1
        why = reasons[0].partition(f"{address}: ")[2] if reasons else "NOT NAMED"
        print(f"  {lie:<28} {why}")
    return named == len(liars) == len(refused)


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"


if __name__ == "__main__":
    if main(int(sys.argv[1]) if len(sys.argv) > 1 else 2):
        print("all checks held")
    else:
        sys.exit("some checks failed")
