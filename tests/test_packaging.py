"""What people install: the wheel holds everything, and works away from the source."""

import json
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

import isolarium
from tests.command import PATIENCE_S

ROOT = Path(__file__).parent.parent


def run(*command: str | Path, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = (sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder)
    run(*build, ROOT, cwd=folder)
    [built] = folder.iterdir()
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another environment, with the wheel in it and the dependencies of this one."""
    folder = tmp_path_factory.mktemp("environment")
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check")
    run(*pip, "install", "--no-deps", "--no-index", "--no-compile", wheel, cwd=folder)
    site_packages = run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder)
    # Folders named in a .pth file come after the environment's own: isolarium is the wheel's.
    Path(site_packages.strip(), "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    return folder


@pytest.mark.slow
def test_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    source = ROOT / "src"
    files = {path.relative_to(source).as_posix() for path in source.glob("isolarium/**/*") if path.is_file()}
    wanted = {name for name in files if "__pycache__" not in name}
    assert {
        "isolarium/py.typed",
        "isolarium/cli/topics/notation.md",
        "isolarium/solver/data/book-7x7.bin",
        "isolarium/studies/course.toml",
        "isolarium/web/pages/index.html",
        "isolarium/web/pages/play/page.js",
    } <= wanted
    assert wanted <= set(ZipFile(wheel).namelist())


@pytest.mark.slow
def test_command_runs_from_the_wheel(environment: Path, tmp_path: Path) -> None:
    where = run(environment / "bin" / "python", "-c", "import isolarium; print(isolarium.__file__)", cwd=tmp_path)
    assert Path(where.strip()).is_relative_to(environment)
    command = environment / "bin" / "isolarium"
    printed = run(command, "perft", "7x7", "3", "--json", cwd=tmp_path)
    assert json.loads(printed)["count"] == 11_280
    assert "7x7: d4 b3 e6" in run(command, "help", "notation", cwd=tmp_path)
    assert "loses" in run(command, "solve", "7/7/2A4/3x3/4B2/7/7 a", cwd=tmp_path)
    match = ("match", "random", "random", "--board", "3x3", "--pairs", "2", "--workers", "1")
    assert run(command, *match, "--no-accuracy", cwd=tmp_path).startswith("random  vs  random")


@pytest.mark.slow
def test_pages_are_served_from_the_wheel(environment: Path, tmp_path: Path) -> None:
    command = [str(environment / "bin" / "isolarium"), "serve", "--port", "0", "--no-open"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[3]
            for path in ("/", "/analyse", "/watch", "/learn"):
                page = httpx.get(address + path, timeout=PATIENCE_S)
                assert (page.status_code, "Isolarium" in page.text) == (200, True)
        finally:
            server.send_signal(signal.SIGINT)
        assert server.wait(PATIENCE_S) == 0


def test_every_public_name_is_there_and_no_other_is_offered() -> None:
    assert set(dir(isolarium)) == {*isolarium.__all__, "env", "heuristics"}
    assert all(getattr(isolarium, name) is not None for name in dir(isolarium))


def test_importing_isolarium_loads_nothing_else() -> None:
    code = "import sys, isolarium; print(*[name for name in sys.modules if name.startswith('isolarium.')])"
    assert run(sys.executable, "-c", code, cwd=ROOT).split() == []


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = isolarium.nothing  # type: ignore[attr-defined] # mypy says so too


def test_make_says_which_python_it_needs(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "constraints.txt").touch()
    made = subprocess.run(
        ["make", "-f", ROOT / "Makefile", "PYTHON=false", "run"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode != 0
    assert made.stderr.startswith("make: false is not Python 3.11 or later")
    assert not (tmp_path / ".venv").exists()
