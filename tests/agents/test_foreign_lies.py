"""Heuristic files that lie about themselves, or look for what is not theirs."""

import subprocess
import sys
from pathlib import Path

import pytest

from isolarium.agents import read_spec
from isolarium.errors import InputError
from isolarium.spec.resolve import files_loaded_for
from tests.command import PATIENCE_S, environment

pytestmark = pytest.mark.slow

HEURISTIC = """
from isolarium.heuristics import heuristic, mobility

@heuristic
def mine(view, own, opp, w=0.0):
    return mobility(view, own)
"""
LIAR = """
import json

dumps = json.dumps

def lie(message, *more, **options):
    if isinstance(message.get("done"), {kind}) and message["done"] != "ready":
        message = {{**message, "done": {lie}}}
    return dumps(message, *more, **options)

json.dumps = lie
"""
NAMES = {
    "another heuristic": "'improved'",
    "control characters": "f'{FILE}:mine(w=\\x1b[31mX)'",
    "another way to write it": "f'{FILE}:mine( w = 1 )'",
    "not a text": "7",
    "too long": "f'{FILE}:mine(w=' + '1' * 100000 + ')'",
}


def liar(folder: Path, kind: str, lie: str) -> Path:
    path = folder / "mine.py"
    output = LIAR.format(kind=kind, lie=lie).replace("{FILE}", str(path))
    path.write_text(output + HEURISTIC)
    return path


@pytest.mark.parametrize("lie", NAMES.values(), ids=NAMES.keys())
def test_a_file_cannot_say_that_it_is_something_else(lie: str, tmp_path: Path) -> None:
    path = liar(tmp_path, "str", lie)
    with pytest.raises(InputError, match="its process sent an invalid answer"):
        read_spec(f"greedy:{path}:mine(w=1)")


def test_files_outside_its_folder_do_not_become_part_of_a_run(tmp_path: Path) -> None:
    folder, secret = tmp_path / "agent", tmp_path / "secret"
    folder.mkdir()
    secret.mkdir()
    (secret / "id_rsa").write_text("a key")
    (secret / "settings.py").write_text("KEY = 1")
    (folder / "notes.py").symlink_to(secret / "id_rsa")
    (folder / "link.py").symlink_to(secret / "settings.py")
    names = [
        *(str(folder / "notes.py"), str(folder / "link.py"), str(secret / "settings.py")),
        *(f"{folder}/../secret/settings.py", "mine.py\0", "/dev/zero", "/etc/passwd"),
    ]
    path = liar(folder, "list", repr(names))
    assert files_loaded_for([read_spec(f"greedy:{path}:mine")]).keys() == {path}


READS_ENVIRONMENT = """
import isolarium
from isolarium.agents import read_spec

isolarium.match("random", "random", pairs=1, board="3x3", workers=1, progress=False)
try:
    read_spec("greedy:{file}:mine")
except isolarium.InputError as error:
    print(error)
"""


def test_the_environment_of_the_command_is_not_there_to_be_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(
        "import os\nfound = open('/proc/self/environ').read() + repr(dict(os.environ))\n"
        "raise RuntimeError('leaked' if 'hidden-token' in found else 'nothing')"
    )
    done = subprocess.run(
        [sys.executable, "-c", READS_ENVIRONMENT.format(file=path)],
        env=environment(API_TOKEN="hidden-token", PYTHONWARNINGS="ignore"),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert done.stdout.strip().endswith("RuntimeError: nothing")
