"""Whoever reads a file that anybody may have written refuses one that is too large, and waits at no pipe."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from isolarium.agents import read_spec
from isolarium.analysis.label_store import BoardJournal
from isolarium.api.results import make_folder, remove_folder
from isolarium.arena.cluster.cluster_worker import UnpackedBundle, bundle_files
from isolarium.arena.openings import openings_from_file
from isolarium.arena.plan import digest_of
from isolarium.arena.provenance import signature
from isolarium.course import client
from isolarium.course.loader import ModuleSet, write_modules
from isolarium.errors import InputError
from isolarium.game.board import Board
from isolarium.heuristics.lookup import find
from isolarium.removal import remove_tree
from isolarium.safe_files import TooLargeError
from isolarium.solver.book import read_book
from isolarium.solver.certificate import verify
from isolarium.solver.proof_tree import SubproblemFile, read_subproblems
from isolarium.solver.survey import SurveyFile, read_survey
from isolarium.spec.parser import parse_call
from isolarium.studies.study_file import read_study
from isolarium.web.agent_policy import FileAgents
from tests.command import run_isolarium
from tests.planted_trees import nested

BOARD = Board(5, 5)
HUGE = 1 << 40
"""Bytes of a file without any content: whoever reads it whole takes as much memory."""

READERS: dict[str, Callable[[Path], object]] = {
    "openings": lambda path: openings_from_file(path, BOARD),
    "study": read_study,
    "opening book": read_book,
    "survey": lambda path: read_survey(path, BOARD),
    "survey to write": lambda path: SurveyFile(path, BOARD),
    "parts": lambda path: read_subproblems(path, BOARD),
    "parts to write": lambda path: SubproblemFile(path, BOARD),
    "heuristic": lambda path: find(f"{path}:mine"),
    "course agent": lambda path: read_spec(f"course:{path}@calls=9"),
}


@pytest.fixture
def sparse(tmp_path: Path) -> Path:
    return make_sparse(tmp_path / "sparse.py")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    path = tmp_path / "pipe.py"
    os.mkfifo(path)
    return path


def make_sparse(path: Path) -> Path:
    with path.open("wb") as file:
        file.truncate(HUGE)
    return path


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_a_huge_file_is_refused_in_one_line(read: Callable[[Path], object], sparse: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(sparse)
    assert re.fullmatch(r".*: too (large|long); expected at most [\d,]+ bytes", str(caught.value))
    assert sparse.stat().st_size == HUGE


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_nobody_waits_at_a_pipe(read: Callable[[Path], object], pipe: Path) -> None:
    with pytest.raises(InputError):
        read(pipe)


@pytest.mark.parametrize("read", [verify, lambda path: digest_of(str(path))])
def test_a_huge_certificate_or_agent_is_not_read(read: Callable[[Path], object], sparse: Path) -> None:
    with pytest.raises(TooLargeError, match=r"sparse\.py: too large; expected at most"):
        read(sparse)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["analyze", "solve", "study", "verify"])
def test_commands_that_are_given_a_huge_file_print_one_line(command: str, sparse: Path) -> None:
    words = ["solve", "--file"] if command == "solve" else [command]
    ended = run_isolarium(*words, str(sparse))
    assert (ended.returncode, ended.stdout) == (2, "")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.slow
def test_stdin_is_read_up_to_a_limit() -> None:
    ended = run_isolarium("analyze", "-", answers="x" * 1_000_001)
    assert ended.returncode == 2
    assert ended.stderr == "isolarium: stdin: expected at most 1,000,000 characters\n"


def test_a_record_of_labels_is_a_regular_file(pipe: Path) -> None:
    with pytest.raises(InputError, match="a pipe; expected a file to write to"):
        BoardJournal(pipe)


def test_a_huge_file_that_a_sandboxed_process_names_is_not_read(sparse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent = sparse.with_name("agent.py")
    agent.touch()
    forged = client.Description(name="A", modules=ModuleSet.FIRST, files=[str(sparse)])
    monkeypatch.setattr(client.CourseProcess, "describe", lambda _: forged)
    with pytest.raises(TooLargeError, match=r"sparse\.py: too large; expected at most"):
        client.load("agent", parse_call(f"{agent}:A"), "agent")


@pytest.mark.slow
def test_a_file_that_has_become_huge_is_loaded_again_and_refused(tmp_path: Path) -> None:
    file, beside = tmp_path / "mine.py", tmp_path / "beside.py"
    file.write_text(
        "import beside\nfrom isolarium.heuristics import heuristic\n\n"
        "@heuristic\ndef mine(view, own, opp):\n    return 1.0\n"
    )
    beside.touch()
    read_spec(f"greedy:{file}:mine")
    make_sparse(beside)
    with pytest.raises(InputError, match=r"beside\.py: too large; expected at most"):
        read_spec(f"greedy:{file}:mine")


@pytest.mark.slow
def test_agents_in_a_server_s_folders_are_looked_for_in_regular_files(tmp_path: Path, pipe: Path, sparse: Path) -> None:
    nested(tmp_path, "d")  # short enough for paths to reach the depth at which recursion ends
    (tmp_path / "agent.py").write_text("class A:\n    def get_move(self): pass\n")
    (tmp_path / "zeros.py").symlink_to("/dev/zero")
    assert FileAgents([tmp_path]).specs() == [f"course:{tmp_path}/agent.py"]
    assert remove_tree(tmp_path)  # too deep for pytest


def test_a_huge_file_is_not_one_of_the_course_s_modules(tmp_path: Path) -> None:
    make_sparse(tmp_path / "sample_players.py")
    with pytest.raises(InputError, match="not Isolarium's; use --force"):
        write_modules(ModuleSet.FIRST, tmp_path)


@pytest.mark.slow
def test_whatever_replaced_a_file_on_its_way_is_replaced_again(tmp_path: Path) -> None:
    name, there = str(tmp_path / "mine.py"), tmp_path / "there"
    Path(name).touch()

    def unpacked() -> Path:
        spec = UnpackedBundle(bundle_files({name: b"text"}, {name}), there).spec_here(f"greedy:{name}:mine")
        return Path(spec.removeprefix("greedy:").removesuffix(":mine"))

    file = unpacked()
    for plant in (make_sparse, os.mkfifo, nested):
        file.unlink()
        if plant is nested:
            file.mkdir()
        plant(file)
        assert unpacked() == file
        assert file.read_bytes() == b"text"


def test_a_key_is_as_long_as_a_key(sparse: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(sparse.parent))
    assert signature("text") != ""
    key = sparse.parent / "isolarium" / "key"
    sparse.rename(key)
    key.chmod(0o600)
    assert signature("text") == ""


@pytest.mark.slow
def test_a_folder_of_a_run_that_was_left_behind_goes_however_deep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "isolarium-run-left"
    left.mkdir()
    (left / "held").touch()
    nested(left)
    made = make_folder()
    assert list(tmp_path.iterdir()) == [made]
    remove_folder(made)
    assert list(tmp_path.iterdir()) == []
