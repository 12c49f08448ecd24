"""Play 120 games with an agent that lies in each of its games, and read them all.

    python -m tools.proofs.lying_agents [PAIRS]

The tournament has three agents: the liar, which sends one of the tests' lies in each game, and two honest agents. The
run must finish; `export`, `resume` and `report` must read every game; the liar must lose each of its games, with the
reason recorded; and the games between the honest agents must equal those of a run with another agent in its place.
"""

import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path

import isolarium
from isolarium.arena.game import Game
from isolarium.arena.run_db import Record
from isolarium.game.position import Reason
from tests.course.lies import LIES, write_liar_of_all
from tests.course.test_lies import HONEST

BOARD = "5x5"
COMMANDS = (["export", "--csv"], ["export", "--json"], ["export", "--replay"], ["resume"], ["report"])


def main() -> int:
    """Print the results; return 1 if anything was damaged."""
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        liar = write_liar_of_all(folder)
        run = _played(folder / "runs", pairs, liar, *HONEST)
        without = _played(folder / "others", pairs, "random", *HONEST)
        games = list(_games(run))
        wrong = [*_spoiled(games, pairs), *_unread(run, len(games))]
        if _honest(games) != _honest(_games(without)):
            wrong.append("the honest agents' games differ from those without the liar")
        _tell(games)
    print(f"wrong: {len(wrong)}")
    print(*wrong[:20], sep="\n")
    return int(bool(wrong))


def _played(runs: Path, pairs: int, *agents: str) -> Path:
    """Play a tournament with the common seed, and return its folder."""
    played = isolarium.tournament(agents, pairs=pairs, board=BOARD, workers=2, runs=runs, progress=False)
    return played.folder


def _games(run: Path) -> Iterator[Game]:
    with closing(Record(run)) as record:
        yield from record.games()


def _honest(games: Iterable[Game]) -> list[tuple[object, ...]]:
    """Return the games between the honest agents, the last two of three."""
    return [(game.pair, game.leg, game.moves, game.winner, game.reason) for game in games if game.encounter == 2]


def _spoiled(games: list[Game], pairs: int) -> Iterator[str]:
    if len(games) != 6 * pairs:
        yield f"{len(games)} games of {6 * pairs}"
    for game in games:
        is_liars = game.encounter < 2  # those of the first of three
        name = f"game {game.encounter}, {game.pair}, {game.leg}"
        if is_liars and (game.first_won or game.reason is Reason.NO_MOVES or not _lies(game)):
            yield f"{name}: the liar did not lose for its lie: {game.reason}: {game.note}"
        if not is_liars and game.reason is not Reason.NO_MOVES:
            yield f"{name}: {game.reason}: {game.note}"


def _lies(game: Game) -> list[str]:
    """Return the lies that a note mentions."""
    return [name for name, lie in LIES.items() if lie.note in game.note]


def _unread(run: Path, games: int) -> Iterator[str]:
    """Read the run with each command."""
    isolarium_command = Path(sys.executable).with_name("isolarium")
    for command, *options in COMMANDS:
        done = subprocess.run([isolarium_command, command, run, *options], capture_output=True, text=True, check=False)
        if done.returncode:
            yield f"{command}: {done.stderr}"
        elif options == ["--csv"] and len(done.stdout.splitlines()) != games + 1:
            yield f"{command}: {len(done.stdout.splitlines()) - 1} games"


def _tell(games: list[Game]) -> None:
    lost = [game for game in games if game.encounter < 2]
    reasons = Counter(str(game.reason) for game in lost)
    notes = Counter(game.note.partition("@ms=40: ")[2][:90] for game in lost)
    print(
        f"{len(games)} games, {len(lost)} of them with a liar of {len(LIES)} lies, which lost all: "
        + ", ".join(f"{count} by {reason}" for reason, count in reasons.most_common())
    )
    print("export, resume and report read them. The reasons given:")
    for note, count in sorted(notes.items()):
        print(f"{count:>4}  {note}")


if __name__ == "__main__":
    sys.exit(main())
