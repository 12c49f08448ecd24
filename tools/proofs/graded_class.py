"""Grade a class of fifty submissions to its end, killed once and resumed, and check everything it writes.

    python -m tools.proofs.graded_class [CALLS] [FOLDER]

Forty submissions are agents written the way students write them, and ten cannot play. CALLS is the number of
positions per move, 100 by default. The command is killed with SIGKILL in the middle of the tournament.
"""

import csv
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.course.class_run import TOURNAMENT
from tests.command import COMMAND
from tests.course.honest import AGENTS, OWN_CLOCK, file_of
from tests.course.misbehaviour import write
from tests.course.student_files import AGENTS as SAMPLES

SUBMISSIONS: Final = 50
SLOW: Final = OWN_CLOCK | {"sleeps", "profiler", "pandas_if_installed", "torch_if_installed"}
"""Honest agents that are left out: their own clock or an import decides how long they take."""
MISBEHAVIOURS: Final = (
    "raises",
    "asks_for_too_much",
    "returns_a_text",
    "resigns",
    "moves_off_the_board",
    "kills_itself",
    "takes_all_memory",
)
BROKEN: Final = ("no file", "syntax", "two agents")
PAIRS: Final = 5
OPPONENTS: Final = 7
WEIGHTS: Final = "float(mobility(game, player) - 0.1 * from_centre(game, player))"


def main() -> int:
    """Print the figures and what is wrong; return 1 if anything is."""
    calls = sys.argv[1] if len(sys.argv) > 1 else "100"
    with tempfile.TemporaryDirectory() as place:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(place)
        bad = write_class(folder / "spring")
        runs = folder / "runs"
        course = [COMMAND, "course", str(folder / "spring"), "--calls", calls, "--pairs", str(PAIRS)]
        began = time.monotonic()
        estimate, games = killed([*course, "--runs", str(runs)], runs)
        print(estimate)
        print(f"killed after {games:,} games of the tournament and {time.monotonic() - began:,.0f} s")
        done = subprocess.run(
            [COMMAND, "resume", "last", "--runs", str(runs), "--json"], stdout=subprocess.PIPE, text=True, check=True
        )
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = f"{time.monotonic() - began:,.0f} s, {used.ru_utime + used.ru_stime:,.0f} s of processor time resumed"
        found = json.loads(done.stdout)
        print(f"played {found['games']:,} games to the end in {seconds}")
        wrong = [*problems(found, bad, games)]
    print(f"wrong: {len(wrong)}", *wrong, sep="\n")
    return int(bool(wrong))


def write_class(folder: Path) -> set[str]:
    """Write the submissions; return the names of those that cannot play."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in BROKEN:
        (folder / name / "one").mkdir(parents=True)
    (folder / "syntax" / "game_agent.py").write_text("def (:\n")
    for place in ("one", "two"):
        (folder / "two agents" / place).mkdir(exist_ok=True)
        (folder / "two agents" / place / "game_agent.py").write_text("")
    for name in MISBEHAVIOURS:
        write(name, folder)
        (folder / name / "my_custom_player.py").unlink(missing_ok=True)
    good = [name for name in AGENTS if name not in SLOW and file_of(name).name == "game_agent.py"]
    for name in good:
        shutil.copytree(file_of(name).parent, folder / name)
    left = SUBMISSIONS - len(BROKEN) - len(MISBEHAVIOURS) - len(good)
    for number in range(left):
        target = folder / f"student {number + 1}"
        shutil.copytree(SAMPLES / "generation_2", target)
        text = (target / "game_agent.py").read_text()
        changed = text.replace(WEIGHTS, WEIGHTS.replace("0.1", f"{number / 4 - 0.5:.2f}"))
        assert changed != text or number == 0
        (target / "game_agent.py").write_text(changed)
    assert sum(1 for _ in folder.iterdir()) == SUBMISSIONS
    return {*BROKEN, *MISBEHAVIOURS}


def killed(command: list[str], runs: Path) -> tuple[str, int]:
    """Start a class and kill it in the middle of its tournament; return its estimate and the games kept."""
    messages = runs.with_name("messages.txt")
    with messages.open("w") as file, subprocess.Popen(command, stderr=file, stdout=subprocess.DEVNULL) as run:
        while (estimate := estimate_in(messages)) is None and run.poll() is None:
            time.sleep(1)
        total = int(str(estimate).partition("has ")[2].split()[0].replace(",", ""))
        while (games := played_games(runs)) < total // 2 and run.poll() is None:
            time.sleep(1)
        run.kill()
    return str(estimate), games


def estimate_in(messages: Path) -> str | None:
    """Return the line with the estimate, if it is printed."""
    return next((line for line in messages.read_text().splitlines() if " qualified; the tournament has " in line), None)


def played_games(runs: Path) -> int:
    """Return how many games of the tournament are stored."""
    for database in runs.glob(f"*/{TOURNAMENT}/{FILE_NAME}"):
        with closing(Record(database.parent)) as record:
            return record.count()
    return 0


def problems(found: dict[str, Any], bad: set[str], before: int) -> Iterator[str]:
    """Yield what is wrong in the results and the pages of a class."""
    folder = Path(found["run"])
    submissions = found["submissions"]
    able = [one for one in submissions if one["qualified"]]
    unable = {one["folder"]: one["problem"] for one in submissions if not one["qualified"]}
    if set(unable) != bad:
        yield f"not qualified: {unable}"
    players = len(able) + OPPONENTS
    if found["games"] != players * (players - 1) * PAIRS or not found["finished"] or found["games"] < before:
        yield f"{found['games']} games of {players} players"
    with (folder / "tables" / "leaderboard.csv").open() as file:
        board = list(csv.DictReader(file))
    if len(board) != players or sum(int(row["games"]) for row in board) != 2 * found["games"]:
        yield f"{len(board)} rows in the leaderboard"
    rates = [float(row["rate"]) for row in board]
    if rates != sorted(rates, reverse=True) or abs(sum(rates) - players / 2) > 0.01 * players:
        yield "the rates of the leaderboard are not in order, or their mean is not a half"
    if not all(float(row["rate_low"]) <= float(row["rate"]) <= float(row["rate_high"]) for row in board):
        yield "a rate is outside its interval"
    for one in submissions:
        page = folder / one["page"]
        grades = json.loads(page.with_name("results.json").read_text())
        if one["name"] not in page.read_text() or grades["tests"][0]["score"] != float(one["qualified"]):
            yield f"{one['name']}: its page or results.json"
        if one["qualified"] and one["games"] != 2 * PAIRS * (players - 1):
            yield f"{one['name']}: {one['games']} games"


if __name__ == "__main__":
    sys.exit(main())
