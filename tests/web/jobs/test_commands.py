"""Places for runs: nothing is begun that could not be played."""

from pathlib import Path

import pytest

from isolarium.web.http_errors import HttpError
from isolarium.web.jobs.commands import MOST, Launcher
from tests.web.in_process import run


def test_a_place_is_kept_before_anything_is_written(tmp_path: Path) -> None:
    async def test() -> None:
        launcher = Launcher(tmp_path)
        kept = [launcher.place() for _ in range(MOST)]
        for place in kept:
            place.__enter__()
        with pytest.raises(HttpError, match="wait for one of them to end"), launcher.place():
            raise AssertionError
        for place in kept:
            place.__exit__(None, None, None)
        with launcher.place():
            pass

    run(test)
