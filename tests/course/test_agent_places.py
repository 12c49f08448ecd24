"""Third-party code plays wherever people keep it: each test puts an agent and a heuristic somewhere and has them meet.

Both read files beside them and import neighbours. A sandbox has to let them do so, wherever Python, its packages, the
run and the files are.
"""

import json
import os
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import pytest

import isolarium
from isolarium.arena.run_db import Record
from isolarium.game.position import Reason
from isolarium.native.cache import FOLDER_VARIABLE, cache_folder
from tests.command import PATIENCE_S, environment, run_isolarium
from tests.course.few_positions import run_quickly
from tests.samples import sample

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def _known_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep compiled code where it is: with another home folder everything would be compiled again."""
    monkeypatch.setenv(FOLDER_VARIABLE, str(cache_folder()))


AGENT = """
import json, os
import numpy as np
from opening import NUMBERS
{imports}

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "book.json"), encoding="utf-8") as f:
    BOOK = json.load(f)
with open(os.path.join(HERE, "data", "squares.txt")) as f:
    SQUARES = f.read().split()
ENTRIES = os.listdir(os.path.join(HERE, "data"))

class CustomPlayer:
    def get_move(self, game, time_left):
        assert NUMBERS == [1, 2] and BOOK == {{"prefer": -1}} and len(SQUARES) == len(ENTRIES) == 1
        moves = np.array(sorted(game.get_legal_moves()))
        return tuple(moves[BOOK["prefer"]].tolist())
"""
PRIVATE = """
from pathlib import Path

for name in (".ssh", ".cache", "Documents"):
    for reads in (Path.iterdir, Path.read_text):
        try:
            path = Path(__file__).parents[1] / name
            list(reads(path if reads is Path.iterdir else path / "private"))
        except PermissionError:
            continue
        raise AssertionError(f"{name} can be read")
"""
HEURISTIC = """
import json
from pathlib import Path
from isolarium.heuristics import heuristic, mobility
from edges import doubled

WEIGHT = json.loads((Path(__file__).parent / "data" / "squares.txt").read_text())

@heuristic
def score(view, own, opp):
    return doubled(view, own) - WEIGHT * mobility(view, opp)
"""
NEIGHBOUR = """
from isolarium.heuristics import helper, mobility

@helper
def doubled(view, square):
    return 2 * mobility(view, square)
"""


def write_files(folder: Path, imports: str = "", data: str = "data") -> None:
    """Write an agent, a heuristic and what they need into a folder."""
    (folder / data).mkdir(parents=True, exist_ok=True)
    agent = AGENT if data else AGENT.replace("ENTRIES = os.listdir", "ENTRIES = [0] or os.listdir")
    (folder / "game_agent.py").write_text(agent.format(imports=imports).replace('"data"', repr(data)))
    (folder / "opening.py").write_text("NUMBERS = [1, 2]\n")
    (folder / "book.json").write_text('{"prefer": -1}')
    (folder / data / "squares.txt").write_text("3\n")
    (folder / "my_heuristic.py").write_text(HEURISTIC.replace('"data"', repr(data)))
    (folder / "edges.py").write_text(NEIGHBOUR)


def players(folder: str | Path) -> tuple[str, str]:
    """Return the specs of the agent and of the heuristic in a folder."""
    return f"course:{folder}/game_agent.py@calls=50", f"alphabeta:{folder}/my_heuristic.py:score@nodes=50"


def match(folder: str | Path, runs: Path) -> tuple[str, ...]:
    """Return the arguments of a match between the agent and the heuristic in a folder."""
    return ("match", *players(folder), "--pairs", "1", "--board", "5x5", "--no-accuracy", "--runs", str(runs))


def assert_played(runs: Path, count: int = 1) -> None:
    """Check that there are so many runs there, all of whose games ended by the rules."""
    folders = sorted(path for path in runs.iterdir() if path.is_dir())
    assert len(folders) == count
    for folder in folders:
        with closing(Record(folder)) as record:
            games = list(record.games())
        assert [game.reason for game in games] == [Reason.NO_MOVES] * 2, [g.note for g in games]


def play_here(folder: str | Path, runs: Path) -> None:
    """Play the match by this process, whose fork server has already imported what the agents need."""
    isolarium.match(*players(folder), pairs=1, board="5x5", runs=runs, progress=False)
    assert_played(runs)


# Where the files are


Folders = Sequence[str | Path]
Place = Callable[[Path, pytest.MonkeyPatch], Folders]
"""Puts the files somewhere in a folder; returns the folders to play in."""


def named(name: str) -> Place:
    """A folder of this name."""

    def place(tmp_path: Path, _: pytest.MonkeyPatch) -> Folders:
        write_files(tmp_path / name)
        return [tmp_path / name]

    return place


def below_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folders:
    write_files(tmp_path / "home" / "courses" / "isolation")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    return ["~/courses/isolation"]


def among_all_kinds_of_entries(tmp_path: Path, _: pytest.MonkeyPatch) -> Folders:
    folder = tmp_path / "agent"
    write_files(folder)
    (folder / "dangling").symlink_to(tmp_path / "nowhere")
    (folder / "itself").symlink_to(folder)
    (folder / "circle").symlink_to("circle")
    os.mkfifo(folder / "pipe")
    (folder / ".git").mkdir()
    (folder / "empty").mkdir()
    (folder / "__pycache__").mkdir()
    (folder / "new\nline").touch()
    (folder / "unreadable").touch(mode=0)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket"))
    return [folder]


def by_links(tmp_path: Path, _: pytest.MonkeyPatch) -> Folders:
    """A link to the folder, and links to the files."""
    real, linked = tmp_path / "real", tmp_path / "by link"
    write_files(real)
    (tmp_path / "link").symlink_to(real)
    linked.mkdir()
    for name in ("game_agent.py", "my_heuristic.py"):  # their neighbours are those of the real file
        (linked / name).symlink_to(f"../link/{name}")
    return [tmp_path / "link", linked]


def with_links_as_data(tmp_path: Path, _: pytest.MonkeyPatch) -> Folders:
    folder = tmp_path / "agent"
    write_files(folder)
    (folder / "book.json").rename(folder / "book-2017.json")
    (folder / "book.json").symlink_to("book-2017.json")
    (folder / "data" / "squares.txt").rename(folder / "squares.txt")
    (folder / "data" / "squares.txt").symlink_to("../squares.txt")
    return [folder]


PLACES: dict[str, Place] = {
    "spaces, letters and signs": named("Übung – 練習 a+b&c'd;e#f%20[1]{2}"),
    "a dot before it": named(".agents"),
    "the name of a runs folder": named("runs"),
    "below the home folder": below_the_home_folder,
    "among all kinds of entries": among_all_kinds_of_entries,
    "by links": by_links,
    "with links as data": with_links_as_data,
}


@pytest.mark.parametrize("name", sample(PLACES, 3))
def test_a_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, folder in enumerate(PLACES[name](tmp_path, monkeypatch)):
        play_here(folder, tmp_path / f"played-{number}")


def test_the_home_folder_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    write_files(home, "import private", data="")  # its folders are not for agents, unless they are packages
    (home / "private").mkdir()
    (home / "private" / "__init__.py").write_text(PRIVATE)
    for name in (".ssh", ".cache", "Documents"):
        (home / name).mkdir()
        (home / name / "private").write_text("not for agents\n")
    for number in range(2000):  # a rule for each entry of a folder must not be too many
        (home / f"download-{number}").touch()
    monkeypatch.setenv("HOME", str(home))
    play_here("~", tmp_path / "runs")


@pytest.mark.parametrize("where", sample([gettempdir(), "/dev/shm"], 1))
def test_another_file_system(where: str, tmp_path: Path) -> None:
    """Below the system's temporary folder, and in memory where the system has a folder for that."""
    with TemporaryDirectory(dir=where if Path(where).is_dir() else gettempdir()) as folder:
        write_files(Path(folder) / "agent")
        play_here(Path(folder) / "agent", tmp_path / "runs")


def test_the_temporary_folder_itself(tmp_path: Path) -> None:
    write_files(tmp_path / "tmp", data="")  # the processes' own folders are made in it
    done = run_isolarium(*match(tmp_path / "tmp", tmp_path / "runs"), TMPDIR=str(tmp_path / "tmp"))
    assert done.returncode == 0, done.stderr
    assert_played(tmp_path / "runs")


# Where the run is


def test_the_run_is_recorded_inside_the_agents_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_files(tmp_path)
    monkeypatch.chdir(tmp_path)
    for count in (1, 2):  # the second time the first run is there
        done = run_isolarium(*match(".", Path("runs")))
        assert done.returncode == 0, done.stderr
        assert_played(tmp_path / "runs", count)
    assert run_isolarium("runs", "--json").returncode == 0
    newest = max((tmp_path / "runs").iterdir())
    assert run_quickly("report", str(newest)).returncode == 0


def test_the_run_is_the_agents_folder(tmp_path: Path) -> None:
    write_files(tmp_path / "agent")
    agent = f"course:{tmp_path}/agent/game_agent.py@calls=50"
    run = isolarium.match(agent, "random", pairs=1, board="5x5", runs=tmp_path / "agent", progress=False)
    with closing(Record(run.folder)) as record:
        assert {game.reason for game in record.games()} == {Reason.NO_MOVES}


# Where Python and its packages are


def make_environment(folder: Path, *paths: str) -> Path:
    """Make a virtual environment that has Isolarium by a .pth file, as an editable install has it.

    Returns:
        Its Python.
    """
    make = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
    subprocess.run(make, check=True, timeout=PATIENCE_S)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    packages = folder / "lib" / version / "site-packages"
    ours = [entry for entry in sys.path if entry and Path(entry).is_dir()]
    lines = [*paths, str(Path(isolarium.__file__).parents[1]), *ours]
    (packages / "editable.pth").write_text("".join(f"{line}\n" for line in lines))
    return folder / "bin" / "python"


def play_by(python: Path | str, folder: str | Path, runs: Path, cwd: Path, **variables: str) -> None:
    """Play the match by another Python, in a folder."""
    command = [str(python), "-P", "-m", "isolarium", *match(folder, runs)]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment(**variables),
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert_played(runs)


ENVIRONMENTS = {
    "beside the agent": "home/agent/.venv",
    "elsewhere": "opt/isolarium",
    "hidden in the home folder": "home/.local/share/venvs/isolarium",
    "beside the agent by another name": "home/agent/env",
}


def by_an_environment(tmp_path: Path, place: str) -> None:
    home = tmp_path / "home"
    write_files(home / "agent")
    python = make_environment(tmp_path / place)
    play_by(python, ".", tmp_path / "runs", home / "agent", HOME=str(home))


def with_editable_packages(tmp_path: Path) -> None:
    home, packages = tmp_path / "home", {}
    for name in ("by_path", "by_finder"):
        packages[name] = home / "projects" / name / "src" / name
        packages[name].mkdir(parents=True)
        (packages[name] / "__init__.py").write_text("from pathlib import Path\nfrom .data import LIST\n")
        (packages[name] / "data.py").write_text("LIST = [1]\n")
    finder = tmp_path / "finders"
    finder.mkdir()
    (finder / "editable_finder.py").write_text(FINDER.format(packages={"by_finder": str(packages["by_finder"])}))
    write_files(home / "agent", "import by_path, by_finder\nassert by_path.LIST == by_finder.LIST")
    python = make_environment(
        tmp_path / "environment",
        str(packages["by_path"].parent),
        str(finder),
        "import editable_finder; editable_finder.install()",
    )
    play_by(python, home / "agent", tmp_path / "runs", tmp_path, HOME=str(home))


FINDER = """
import sys
from importlib.util import spec_from_file_location
from pathlib import Path

MAPPING = {packages!r}

class EditableFinder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in MAPPING:
            return spec_from_file_location(name, Path(MAPPING[name], "__init__.py"))

def install():
    if EditableFinder not in sys.meta_path:
        sys.meta_path.append(EditableFinder)
"""
"""What setuptools installs for packages whose folder cannot be put on the path: a finder, started by a .pth file."""


def with_a_relative_entry_of_the_python_path(tmp_path: Path) -> None:
    write_files(tmp_path / "agent", "import shared_tools")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "shared_tools.py").write_text("ANSWER = 42\n")
    source = [str(Path(isolarium.__file__).parents[1]), sysconfig.get_path("purelib")]
    path = os.pathsep.join(["lib", "missing", *source])
    play_by(sys.executable, "agent", tmp_path / "runs", tmp_path, PYTHONPATH=path)


def by_a_script(tmp_path: Path) -> None:
    write_files(tmp_path / "agent")
    command = match(tmp_path / "agent", tmp_path / "runs")
    script = tmp_path / "play.py"
    script.write_text(
        "import isolarium\n"
        f"isolarium.match({command[1]!r}, {command[2]!r}, pairs=1, board='5x5',\n"
        f"             runs={json.dumps(str(tmp_path / 'runs'))}, progress=False)\n"
    )
    done = subprocess.run(
        [sys.executable, script.name], cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    assert_played(tmp_path / "runs")


PYTHONS: dict[str, Callable[[Path], None]] = {
    **{f"environment {name}": partial(by_an_environment, place=place) for name, place in ENVIRONMENTS.items()},
    "editable packages": with_editable_packages,
    "a relative entry of the path": with_a_relative_entry_of_the_python_path,
    "a script that imports isolarium": by_a_script,
}


@pytest.mark.parametrize("name", sample(PYTHONS, 2))
def test_another_python(name: str, tmp_path: Path) -> None:
    PYTHONS[name](tmp_path)
