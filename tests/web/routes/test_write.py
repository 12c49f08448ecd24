"""Heuristics written in the browser, over HTTP: who may write them, what they are worth, and where they are saved."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isolarium import catalogue
from isolarium.game.record import read_game
from tests.web.serving import Server, serving

pytestmark = pytest.mark.slow

GAME = "7x7: d4 b3 c6 d2"
DRAFT = """from isolarium.heuristics import heuristic, mobility


@heuristic
def wary(view, own, opp):
    return mobility(view, own) - 2 * {}
"""
GOOD = DRAFT.format("mobility(view, opp)")


@pytest.fixture(scope="module")
def writing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with a folder to save in."""
    folder = tmp_path_factory.mktemp("writing")
    (folder / "own").mkdir()
    with serving(folder / "runs", "--allow", str(folder / "own")) as server:
        yield server


def values(server: Server, text: str, **others: Any) -> dict[str, Any]:
    answer = server.post("/api/write/values", {"text": text, "game": GAME, **others})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_draft_values_every_move(writing: Server) -> None:
    found = values(writing, GOOD)
    position = read_game(GAME).position
    aggressive = catalogue()["aggressive"]  # the same formula, in the catalogue
    expected = {
        str(move): aggressive(position.play(move), position.to_move, weight=2) for move in position.legal_moves()
    }
    assert {one["move"]: one["value"] for one in found["moves"]} == expected
    assert (found["functions"], found["function"], found["problem"]) == (["wary"], "wary", None)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        (DRAFT.format("mobilty(view, opp)"), 6, "'mobilty' is not defined"),
        (DRAFT.format("mobility(view, opp"), 6, "never closed"),
        (DRAFT.format("mobility(view, opp)[3]"), 6, "not subscriptable"),
        (f"import os\nos.listdir('/')\n{GOOD}", 2, "Permission"),
        ("x = 1\n", None, "no heuristic yet"),
        ("\0", None, "null bytes"),
        ("(" * 5000, None, ""),
    ],
)
def test_a_problem_is_on_its_line(writing: Server, text: str, line: int | None, part: str) -> None:
    problem = values(writing, text)["problem"]
    assert problem["error"]
    assert part in problem["message"]
    assert str(writing.runs) not in problem["message"]
    assert line is None or problem["line"] == line


def test_a_draft_that_is_always_nan_says_why_every_square_is_the_lowest(writing: Server) -> None:
    found = values(writing, DRAFT.format("float('nan')"))
    assert {one["value"] for one in found["moves"]} == {"-inf"}
    assert found["problem"] == {
        "line": None,
        "message": "the value is NaN for every move, and NaN counts as -inf",
        "error": False,
    }


def test_one_of_several_is_shown(writing: Server) -> None:
    text = GOOD + GOOD.partition("\n\n\n")[2].replace("wary", "bold").replace("2 *", "0 *")
    assert values(writing, text)["function"] == "bold"
    assert values(writing, text, function="wary")["moves"] == values(writing, GOOD)["moves"]


def test_a_file_is_saved_in_an_allowed_folder_alone(writing: Server) -> None:
    own = writing.runs.parent / "own"
    (own / "others.py").write_text("# not ours")
    (own / "link.py").symlink_to(own.parent / "elsewhere.py")

    def save(name: str, text: str = GOOD, folder: int = 0) -> int:
        body = {"text": text, "name": name, "folder": folder}
        return writing.post("/api/write/file", body).status_code

    refused = ("others.py", "link.py", "../x.py", "/tmp/x.py", "x.sh", ".py", "a b.py", "x.py\n")
    assert [save(name) for name in refused] == [409] * len(refused)
    assert save("mine.py", folder=1) == 409
    assert [save("mine.py"), save("mine.py", GOOD + "\n")] == [200, 200]  # our own, again
    assert (own / "mine.py").read_text() == GOOD + "\n"
    assert not (own / "mine.py").stat().st_mode & 0o111
    (own / "mine.py").write_text("changed elsewhere")
    assert save("mine.py") == 409
    assert {file.name for file in own.iterdir()} == {"others.py", "link.py", "mine.py"}
    assert not (own.parent / "elsewhere.py").exists()


def test_off_loopback_writing_is_off_unless_allowed(tmp_path: Path) -> None:
    wanted = {"text": GOOD, "game": GAME}
    with serving(tmp_path / "runs", "--allow-host", "lab.example") as server:
        headers = {"X-Isolarium-Token": server.token}
        assert server.get("/api/write").json() == {"allowed": False, "folders": []}
        for path in ("values", "draft", "file"):
            refused = server.post(f"/api/write/{path}", wanted, headers=headers)
            assert refused.status_code in (403, 422)
        refused = server.post("/api/write/values", wanted, headers=headers)
        assert (refused.status_code, "--allow-write" in refused.json()["error"]) == (403, True)
    assert not (tmp_path / "runs" / ".drafts").exists()
    with serving(tmp_path / "runs", "--allow-host", "lab.example", "--allow-write") as server:
        assert server.get("/api/write").json()["allowed"]
        refused = server.post("/api/write/values", wanted)
        assert (refused.status_code, "token" in refused.json()["error"]) == (403, True)
