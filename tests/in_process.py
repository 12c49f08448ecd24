"""Commands that run in the test's own process, where everything is imported; their charts are valid, but blank.

For tests of something else than processes and drawings, which tests/cli and tests/reporting look at.
"""

import subprocess
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper

import pytest

from isolarium.cli import main


def run_here(*arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run a command to its end."""
    output, errors = (TextIOWrapper(BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(output), redirect_stderr(errors):
        patch.setattr("sys.stdin", StringIO())
        patch.setattr("isolarium.reporting.chart.VALIDATES", True)
        patch.setattr("vl_convert.vegalite_to_svg", lambda spec: "<svg></svg>")
        patch.setattr("vl_convert.svg_to_png", lambda svg, scale=1: b"")
        patch.setattr("isolarium.reporting.chart._prefer_bundled_font", lambda: None)  # Once a process, and not here
        status = main(list(arguments))
    return subprocess.CompletedProcess(list(arguments), status, *map(_text, (output, errors)))


def _text(stream: TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
