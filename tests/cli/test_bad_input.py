"""Invalid input to a command prints one line, exits with status 2, and writes nothing.

Each command has one table of what it refuses itself. What its parsers refuse stands in their tables, with one case
here to show that the command uses the parser: boards, squares and positions in `tests/game/test_notation.py`, games in
`tests/game/test_record.py`, specs and limits in `tests/spec/test_spec.py`, plans in `tests/arena/test_plan.py`. The
command `course` has a table beside its other tests.
"""

from pathlib import Path

import pytest

from isolarium.cli.app import main
from tests.command import complaints, run_isolarium

pytestmark = pytest.mark.slow

POSITION = "7/7/2A4/3x3/4B2/7/7 a"
SOLVABLE = "5/1A3/5/3B1/5 a"
HARD = "9/9/2A6/9/9/9/9/6B2/9 a"
RANGE = "greedy:aggressive(weight={0..4})"

BAD: dict[str, dict[str, tuple[list[str], str]]] = {
    "": {"no such command": (["plai"], "play")},
    "perft": {
        "a start that is none": (["7x7\n7x7", "2"], "7x7"),
        "no such option": (["7x7", "2", "--jason"], "--jason"),
        "argument missing": (["7x7"], "DEPTH"),
        "argument too many": (["7x7", "2", "3"], "3"),
        "depth is a word": (["7x7", "deep"], "DEPTH 'deep': expected a whole number"),
        "depth is negative": (["7x7", "--", "-1"], "DEPTH"),
        "depth has non-ASCII digits": (["7x7", "٣"], "DEPTH"),
        "depth past the board": (["3x3", "10"], "0 to 9"),
        "depth past everything": (["7x7", "9" * 5000], "DEPTH"),
        "a position that is none": (["7/7/8/7/7/7/7 a", "2"], "row 3"),
    },
    "play": {
        "two starts": (["--board", "7x7", "--position", POSITION], "--board"),
        "a board too small": (["--board", "2x2"], "3 to 13"),
        "a board for a position": (["--position", "7x7"], "position"),
        "a heuristic misspelt": (["--second", "greedy:opne"], "'open'"),
        "a seed in words": (["--seed", "one"], "--seed"),
        "a negative seed": (["--seed", "-1"], "--seed"),
        "a seed of too many bits": (["--first", "random", "--seed", str(2**64)], "seed"),
        "a level that is none": (["--level", "99"], "--level '99': expected at most 7"),
        "a level and both players": (["--level=1", "--first=a", "--second=b"], "two"),
        "a person in JSON": (["--json"], "--json"),
    },
    "match": {
        "one agent": (["alphabeta:stealer"], "Missing argument 'B'. Usage: isolarium match [OPTIONS] A B"),
        "control characters": (["greedy:/a\nb/mine.py:f", "random"], "expected a path without control characters"),
        "the same in a course": (["course:/a\nb/mine.py", "random"], "expected a path without control characters"),
        "no such agent": (["random", "alphabeta:imroved"], "did you mean 'improved'?"),
        "no pairs": (["random", "random", "--pairs", "0"], "--pairs"),
        "normalised without a test": (["random", "random", "--normalised"], "--normalised: needs --test"),
        "test in words": (["random", "random", "--test", "yes"], "such as 0,20"),
        "test upside down": (["random", "random", "--test", "20,0"], "elo0 20 is not below elo1 0"),
        "test too sure": (["random", "random", "--test", "0,20", "--alpha", "0.9"], "between 0 and 0.5"),
        "no time": (["random", "random", "--move-ms", "0"], "move_ms=0"),
        "no such limit": (["random", "mcts", "--limit", "x=1"], "no limit named 'x'"),
        "a depth for one that it does not end": (
            ["alphabeta:open", "mcts", "--limit", "depth=3"],
            "mcts@nodes=8000: a depth alone never ends mcts",
        ),
        "no such file": (["random", "random", "--openings", "nowhere.txt"], "nowhere.txt"),
        "too many plies": (["random", "random", "--plies", "48"], "plies=48"),
        "workers without end": (["random", "random", "--workers", "999"], "--workers"),
    },
    "tournament": {
        "one agent": (["random"], "expected at least 2"),
        "no such field": (["random", "--field", "curse"], "did you mean 'course'?"),
    },
    "sweep": {
        "no place for values": (["mcts", "--values", "1", "--against", "random"], "write the values in braces"),
        "no values": (["mcts(c={})", "--against", "random"], "0 lists of values"),
    },
    "tune": {
        "an impossible range": (["greedy:aggressive(weight={4..0})"], "smaller number first"),
        "an unknown objective": ([RANGE, "--on", "luck"], "games or truth"),
        "no such cluster": ([RANGE, "--cluster", "no.json"], "'no.json'"),
        "no opponent": ([RANGE, "--against", ""], "--against"),
        "one trial": ([RANGE, "--trials", "1"], "--trials"),
    },
    "study": {
        "no such study": (["report-999"], "no study named 'report-999'"),
        "no such part": (["report-000", "--part", "heat"], "report-000 has no part named 'heat'"),
        "limit in words": (["report-000", "--limit", "long"], "limit long"),
        "no scale": (["report-000", "--scale", "0"], "--scale 0"),
        "quick and scaled": (["report-000", "--scale", "2", "--quick"], "--quick and --scale"),
        "two forms": (["report-000", "--json", "--markdown"], "--json and --markdown"),
    },
    "resume": {"no such run": (["nothing"], "no run named 'nothing'")},
    "export": {
        "no such run": (["nothing", "--csv"], "no run named 'nothing'"),
        "no format": (["last"], "choose one of --csv"),
        "two forms": (["last", "--csv", "--json"], "--csv and --json"),
    },
    "report": {"too long a name": (["x" * 300], "shorter name")},
    "analyze": {
        "nothing": ([], "POSITION|GAME|FILE"),
        "an empty target": ([""], "'': nothing given; expected a position such as"),
        "no such file": (["nothing.txt"], "'nothing.txt': No such file or directory; expected"),
        "a folder": (["."], "'.': Is a directory; expected"),
        "an endless file": (["/dev/zero"], "too long"),
        "bytes": (["/bin/true"], "expected a position"),
        "a bad position": (["7/7/2Q4/3x3/4B2/7/7 a"], "row 3: 'Q'"),
        "a bad game": (["7x7: d4 d4"], "move 2 (d4): blocked"),
        "bad JSON": (["{"], "not JSON"),
        "a board too large": (["50x50"], "3 to 13"),
        "an empty agent": (["7x7", "--agent", ""], "agent ''"),
        "the second agent bad": (["7x7", "--agent", "random", "--agent", "x"], "no search named 'x'"),
        "a negative seed": (["7x7", "--seed", "-1"], "--seed"),
    },
    "solve": {
        "nothing": ([], "POSITION"),
        "two things": ([SOLVABLE, "--file", "x"], "one of"),
        "a board alone": (["--board", "5x5"], "--all"),
        "all of no board": (["--all"], "--board"),
        "no such board": (["--board", "2x2", "--all"], "3 to 13"),
        "no position": (["5/5/5"], "a or b"),
        "a game": (["7x7: d4 b3 e6"], "isolarium analyze"),
        "no such file": (["--file", "nowhere"], "nowhere"),
        "a record of a file's positions": (["--file", "-", "--out", "x"], "--all"),
        "how long, with a record": ([SOLVABLE, "--distance", "--out", "x"], "--distance"),
        "a certificate of a file": (["--file", "-", "--certificate", "x"], "POSITION"),
        "how long all starts last": (["--board", "5x5", "--all", "--distance"], "--distance"),
        "no nodes": ([SOLVABLE, "--nodes", "0"], "--nodes"),
        "no time": ([SOLVABLE, "--ms", "0"], "ms=0"),
        "time in words": ([SOLVABLE, "--ms", "soon"], "--ms"),
        "a certificate of the unknown": ([HARD, "--nodes", "9", "--certificate", "x"], "unknown"),
        "a certificate nowhere": ([SOLVABLE, "--certificate", "/nowhere/x"], "/nowhere/x"),
        "a record nowhere": (["--board", "3x3", "--all", "--out", "/nowhere/x"], "/nowhere/x"),
    },
    "engine": {"agent": (["--agent", "alphabeta:opne"], "'open'"), "board": (["--board", "2x2"], "3 to 13")},
    "bench": {"nothing known": (["--only", "everything"], "--only")},
}
"""For each command: the arguments, and a part of the line."""

CASES = [
    pytest.param([command, *arguments] if command else arguments, named, id=f"{command}: {what}")
    for command, table in BAD.items()
    for what, (arguments, named) in table.items()
]


def check_refused(status: int, printed: str, stderr: str, named: str) -> None:
    assert (status, printed) == (2, "")
    (complaint,) = complaints(stderr)
    assert complaint.startswith("isolarium: ")
    assert named in complaint


def written(folder: Path) -> list[Path]:
    """Return what is in a folder, besides an empty folder for runs."""
    return [path for path in folder.rglob("*") if path != folder / "runs"]


@pytest.mark.parametrize(("arguments", "named"), CASES)
def test_one_line_status_2_and_nothing_written(
    arguments: list[str],
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(arguments)
    check_refused(status, *capsys.readouterr(), named)
    assert written(tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize("command", BAD)
def test_the_first_error_of_each_command_in_its_own_process(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments, named = next(iter(BAD[command].values()))
    result = run_isolarium(*filter(None, [command]), *arguments)
    check_refused(result.returncode, result.stdout, result.stderr, named)
    assert written(tmp_path) == []


def test_message_stays_short_for_long_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["perft", "7/" * 30_000, "2"]) == 2
    assert len(capsys.readouterr().err) < 300
