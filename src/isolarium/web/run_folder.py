"""The runs in the server's folder.

Over HTTP, a run is identified by the name of its folder, and a part of a study by STUDY~PART.
"""

import re
from pathlib import Path
from typing import Final

from isolarium.arena.run_db import FILE_NAME
from isolarium.studies.study_runner import is_study
from isolarium.web.http_errors import HttpError

_WORD: Final = "[A-Za-z0-9][A-Za-z0-9_-]{0,99}"
_NAME: Final = re.compile(f"{_WORD}(~{_WORD})?")


class RunNames:
    """Finds the folders of runs by name.

    Args:
        runs: The folder of the runs.
    """

    def __init__(self, runs: Path) -> None:
        self._runs = runs

    def folder(self, name: str) -> Path:
        """Return the folder of a run.

        Raises:
            HttpError: If there is no such run.
        """
        found = self._inside(name)
        if found is None or not (found / FILE_NAME).is_file():
            raise HttpError(404, f"no run {name[:100]!r}; choose one from the list of runs")
        return found

    def folder_or_study(self, name: str) -> Path:
        """Return the folder of a run or of a study.

        Raises:
            HttpError: If there is neither.
        """
        found = self._inside(name)
        if found is None or not (is_study(found) or (found / FILE_NAME).is_file()):
            raise HttpError(404, f"no run {name[:100]!r}; choose one from the list of runs")
        return found

    def _inside(self, name: str) -> Path | None:
        if not _NAME.fullmatch(name):
            return None
        found = self._runs / name.replace("~", "/")
        return found if found.resolve().is_relative_to(self._runs.resolve()) else None


def name_of(folder: Path, runs: Path) -> str:
    """Return the name of a run; empty if its folder's name is not valid as one."""
    name = "~".join(folder.relative_to(runs).parts)
    return name if _NAME.fullmatch(name) else ""


def study_of(name: str) -> str | None:
    """Return the study that a run is part of, if any."""
    study, tilde, _ = name.partition("~")
    return study if tilde else None
