"""Play the honest agents of the tests, by counted positions and by the clock, and report differences.

    python -m tools.proofs.honest_agents             plays everything; exit status 1 if anything differs
    python -m tools.proofs.honest_agents --record    plays once and writes the games the tests compare with

By counted positions every game is compared move for move with the recorded one, three times. By the clock, at the
150 ms a move of the course, every game must end by the rules of the game. Heuristics from files, including our
catalogue, are compared with their recorded values and searches.
"""

import sys
import time
from collections import Counter
from os import getloadavg

from isolarium.game.position import Reason
from tests.course import honest
from tests.heuristics import file_heuristics

ROUNDS = 3
CLOCK_MS = 150


def main() -> None:
    """Play and print the findings."""
    if sys.argv[1:] == ["--record"]:
        honest.record({k: v for name in honest.AGENTS for k, v in honest.play(name).items()})
        file_heuristics.record(file_heuristics.measured())
        return
    differing = by_positions() + by_the_clock() + heuristics()
    print(f"load {getloadavg()[0]:.1f} at the end")
    sys.exit(bool(differing))


def by_positions() -> int:
    """Play the recorded games again, and return how many differ."""
    expected, differing = honest.recorded(), 0
    began = time.process_time(), time.perf_counter()
    for name in honest.AGENTS:
        wanted = {game: text for game, text in expected.items() if game.split()[0] == name}
        games = [honest.play(name) for _ in range(ROUNDS)]
        wrong = [played for played in games if played != wanted]
        differing += len(wrong)
        print(f"  {name:<26} {'differs' if wrong else 'as recorded'}")
        for played in wrong[:1]:
            for game in wanted.keys() | played.keys():
                if wanted.get(game) != played.get(game):
                    print(f"    {game}\n      recorded {wanted.get(game)}\n      played   {played.get(game)}")
    print(
        f"honest agents by counted positions: {len(honest.AGENTS)} agents, {ROUNDS} rounds of {len(expected)} games in "
        f"{time.perf_counter() - began[1]:.0f} s: {differing} rounds of an agent differ"
    )
    return differing


def by_the_clock() -> int:
    """Play with the clock, and return how many games did not end by the rules."""
    endings = Counter[str]()
    for name in honest.AGENTS:
        spec = f"course:{honest.file_of(name)}@ms={CLOCK_MS}"
        for pairing, game in honest.played(spec, honest.start_of(name)).items():
            endings[str(game.outcome.reason)] += 1
            if game.outcome.reason is not Reason.NO_MOVES:
                print(f"  {name} {pairing}: {game.outcome.reason}: {game.note.rpartition('/')[2]}")
    text = ", ".join(f"{count} ended by {reason}" for reason, count in endings.items())
    print(f"honest agents by the clock at {CLOCK_MS} ms: {endings.total()} games: {text}")
    return endings.total() - endings[Reason.NO_MOVES]


def heuristics() -> int:
    """Evaluate and search with heuristics from files, and return how many differ from what is recorded."""
    expected, found = file_heuristics.recorded(), file_heuristics.measured()
    wrong = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
    for name in wrong:
        print(f"  {name}\n      recorded {expected.get(name)}\n      found    {found.get(name)}")
    print(f"heuristics from files: {len(found)} heuristics, {len(wrong)} differ in values or searches")
    return len(wrong)


if __name__ == "__main__":
    main()
