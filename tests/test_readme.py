"""The README's examples run, and print the lines that it shows."""

import re
import shlex
from pathlib import Path

import pytest

from tests.course.few_positions import run_quickly

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ENDLESS = "isolarium serve"  # runs until it is stopped; tests/web covers it
EXAMPLES = re.findall(
    r"^```console\n\$ (isolarium [^\n]*)\n```\n\n<!-- output \w+ -->\n\n```\n(.*?)^```$",
    README,
    re.MULTILINE | re.DOTALL,
)
PYTHON = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def test_every_command_has_an_output_of_at_most_five_lines() -> None:
    assert len(EXAMPLES) == README.count("$ isolarium") == 3
    assert all(0 < len(output.splitlines()) <= 5 for _, output in EXAMPLES)


@pytest.mark.parametrize(("command", "output"), [example for example in EXAMPLES if example[0] != ENDLESS])
def test_command_prints_what_the_readme_shows(
    command: str, output: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "160")  # as in tools/docs/example_outputs.py
    result = run_quickly(*shlex.split(command)[1:], "--runs", str(tmp_path))
    assert result.returncode == 0
    printed = [re.sub(" {3,}", "  ", line.strip()) for line in result.stdout.splitlines()]
    assert [line for line in output.splitlines() if re.sub(" {3,}", "  ", line) not in printed] == []


@pytest.mark.parametrize("example", PYTHON)
def test_python_runs(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(example, {"__name__": "__main__"})
    assert capsys.readouterr().out
