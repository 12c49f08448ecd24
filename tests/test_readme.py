"""The README's examples run."""

import re
import shlex
from pathlib import Path

import pytest

from tests.command import run_isolarium, with_few

pytestmark = pytest.mark.slow

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")
ENDLESS = "isolarium serve"  # until it is ended; tests/web tries it
COMMANDS = [
    command
    for command in re.findall(r"^\$ (isolarium .*)$", README, re.MULTILINE)
    if command != ENDLESS
]
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("example", COMMANDS)
def test_command_runs(example: str) -> None:
    result = run_isolarium(*with_few(shlex.split(example)[1:]))
    assert result.returncode == 0
    assert result.stdout


@pytest.mark.parametrize("example", PYTHON)
def test_python_runs(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(example, {})
    assert capsys.readouterr().out
