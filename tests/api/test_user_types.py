"""`mypy --strict` checks a user's program against our types, as in an installed package."""

import subprocess
import sys
from pathlib import Path

import pytest

CONFIGURATION = """
[mypy]
strict = True

# None of these is needed to know our types, and most take mypy longer than all of ours.
[mypy-IPython.*,altair.*,dask.*,distributed.*,hypothesis.*,narwhals.*,numba.*,optuna.*,polars.*,sqlalchemy.*,tornado.*]
follow_imports = skip
"""

PROGRAM = '''
import isolarium
from isolarium.heuristics import PlainView, heuristic, mobility


@heuristic
def freer(view: PlainView, own: int, opp: int) -> float:
    """Have more moves."""
    return mobility(view, own) - mobility(view, opp)


def low_end(played: isolarium.Match) -> float:
    return played.rate.low + played.elo.low


def replies(text: str) -> list[str]:
    position = isolarium.parse_position(text)
    return [str(move) for move in position.legal_moves()]


played = isolarium.match(freer, "alphabeta:improved", pairs=20, board=isolarium.Board(5, 5))
print(low_end(played), played.records("games")[0]["record"])
best: isolarium.Square | None = isolarium.solve("5x5").move
nodes: int = isolarium.agent("random").choose(isolarium.parse_start("5x5")).report.nodes
held: isolarium.Picture = isolarium.calibrate([freer, "improved"]).chart()
wrong: str = isolarium.survey("3x3").found.starts
isolarium.match(3, "random")
played.records("nothing")
isolarium.nothing
low_end(isolarium.tournament(["random", "mcts"]))
'''


@pytest.mark.slow
def test_a_users_program_is_type_checked(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text(CONFIGURATION)
    (tmp_path / "program.py").write_text(PROGRAM.lstrip())
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", "program.py"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    output = [line for line in checked.stdout.splitlines() if line.startswith("program.py")]
    mistakes = [(line.split(":")[1], line.rpartition("[")[2]) for line in output]
    assert mistakes == [
        ("25", "assignment]"),
        ("26", "arg-type]"),
        ("27", "arg-type]"),
        ("28", "attr-defined]"),
        ("29", "arg-type]"),
    ], checked.stdout
