"""The submissions of a class: found in subfolders, copied, and loaded once."""

import os
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from pathlib import Path
from typing import Final

from isolarium.arena.local_workers import LOG_NAME, write_to_log
from isolarium.course.course_agent import CourseFile
from isolarium.course.course_study import USUAL_FILES
from isolarium.course.grader import board_of, groups_of
from isolarium.errors import InputError
from isolarium.processes.worker import default_workers, results_in_order
from isolarium.safe_files import TooLargeError, read_small
from isolarium.text import listed, printable

DEEPEST: Final = 4
"""The maximum number of levels between a submission's folder and its agent."""
MOST_BYTES: Final = 100 << 20
MOST_COPIED: Final = 5_000
"""The maximum number of files of a submission."""
MOST_SUBMISSIONS: Final = 500
LONGEST_NAME: Final = 60
LEFT_OUT: Final = {"__pycache__", "__MACOSX", "node_modules"}
COLOURS: Final = (
    *("Amber", "Azure", "Bronze", "Copper", "Coral", "Crimson", "Emerald", "Golden", "Indigo"),
    *("Ivory", "Jade", "Lilac", "Maroon", "Ochre", "Olive", "Pearl", "Purple", "Ruby", "Russet"),
    *("Saffron", "Scarlet", "Silver", "Teal", "Violet"),
)
ANIMALS: Final = (
    *("Badger", "Beaver", "Bison", "Crane", "Dolphin", "Eagle", "Falcon", "Finch", "Fox", "Hare"),
    *("Heron", "Ibex", "Lark", "Lynx", "Marten", "Otter", "Owl", "Panda", "Puffin", "Raven"),
    *("Seal", "Stork", "Swan", "Wolf"),
)


@dataclass(frozen=True, slots=True)
class Submission:
    """A student's submission.

    Attributes:
        number: Its number in the class, which is the name of its copy's folder.
        name: The name of its folder.
        label: The name on pages: `name`, or a pseudonym.
        file: The name of the agent's file in the copy; empty if there is none.
        spec: The spec of the agent, without a limit; empty if it cannot be loaded.
        problem: Why the agent cannot be loaded; empty if it can.
    """

    number: int
    name: str
    label: str
    file: str = ""
    spec: str = ""
    problem: str = ""


def submission_folders(path: str) -> list[Path]:
    """Return the folders of submissions in the folder of a class; empty if it is not one.

    A class has at least two subfolders that contain an agent's file, and no such file of its own.
    """
    folder = Path(path)
    if not folder.is_dir() or any((folder / name).is_file() for name in USUAL_FILES):
        return []
    inside = sorted(one for one in folder.iterdir() if one.is_dir() and not _is_left_out(one))
    return inside if sum(bool(_agent_files(one)) for one in inside) > 1 else []


def _is_left_out(folder: Path) -> bool:
    return folder.name.startswith(".") or folder.name in LEFT_OUT


def _agent_files(folder: Path) -> list[Path]:
    """Return the agent files of a submission that are closest to its top folder."""
    level = [folder]
    for _ in range(DEEPEST):
        found = [one / name for one in level for name in USUAL_FILES if (one / name).is_file()]
        if found:
            return found
        level = [inside for one in level for inside in _folders_in(one)]
    return []


def _folders_in(folder: Path) -> Iterator[Path]:
    try:
        inside = sorted(folder.iterdir())
        yield from (one for one in inside if one.is_dir() and not one.is_symlink() and not _is_left_out(one))
    except OSError:
        return


def collect(
    folders: Sequence[Path], place: Path, *, pseudonyms: bool, progress: Callable[[str], None]
) -> tuple[list[Submission], str]:
    """Copy the submissions of a class and load each once in a sandbox.

    The copies are played, so the originals may change afterwards. If a submission cannot be copied or loaded, or was
    written for a different board from most, the reason is kept.

    Args:
        folders: The folders of the submissions.
        place: The folder for the copies.
        pseudonyms: Whether to draw a name for each student, which cannot be derived from the student's own.
        progress: Called with a description of each step.

    Returns:
        The submissions, and the board of the class.

    Raises:
        InputError: If there are too many, none can be loaded, or the copies cannot be written.
    """
    if len(folders) > MOST_SUBMISSIONS:
        raise InputError(f"{len(folders)} submissions: expected at most {MOST_SUBMISSIONS}")
    labels, found = _pseudonyms(len(folders)) if pseudonyms else _names(folders), list[Submission]()
    for number, (folder, label) in enumerate(zip(folders, labels, strict=True), start=1):
        progress(f"copying submission {number} of {len(folders)}")
        one = Submission(number, printable(folder.name)[:LONGEST_NAME], label)
        try:
            found.append(replace(one, file=_copy(folder, place / f"{number:03}")))
        except InputError as error:
            found.append(replace(one, problem=printable(str(error))))
    copies = [one for one in found if one.file]
    tasks = [(str(copy_of(one, place)), str(place.parent / LOG_NAME)) for one in copies]
    boards = dict[int, str]()
    for one, (spec, board, problem) in zip(
        copies, results_in_order(load_submission, tasks, default_workers()), strict=True
    ):
        progress(f"loaded submission {one.number} of {len(folders)}")
        found[one.number - 1] = replace(one, spec=spec, problem=problem)
        if spec:
            boards[one.number] = board
    if not boards:
        raise InputError(f"no submission can be loaded; the first: {found[0].problem}")
    board = Counter(boards.values()).most_common(1)[0][0]
    return [_on_board(one, boards.get(one.number, board), board) for one in found], board


def load_submission(path: str, log: str) -> tuple[str, str, str]:
    """Load an agent's file in a sandbox, from a worker process; its output is written to the log.

    Returns:
        The spec of the agent that plays, and its board; or two empty texts and the problem.
    """
    write_to_log(Path(log))
    try:
        loaded = CourseFile(path)
        entrant = groups_of(loaded)[0].entrants[0]
        return loaded.spec(entrant.class_name, entrant.arguments), str(board_of(loaded)), ""
    except InputError as error:
        message = str(error)
        for folder in {Path(path).parent, Path(path).resolve().parent}:
            message = message.replace(f"{folder}{os.sep}", "")
        return "", "", printable(message)


def copy_of(submission: Submission, place: Path) -> Path:
    """Return the path of the agent's file in a submission's copy."""
    return place / f"{submission.number:03}" / submission.file


def _on_board(one: Submission, written_for: str, board: str) -> Submission:
    if written_for == board:
        return one
    problem = f"written for {written_for}; most of the class plays on {board}"
    return replace(one, spec="", problem=problem)


def _copy(folder: Path, copy: Path) -> str:
    """Copy the folder of a submission's agent; return the name of the agent's file.

    Hidden files and links are left out.

    Raises:
        InputError: If there is no single agent, or the folder is too large or cannot be read.
    """
    files = _agent_files(folder)
    if not files:
        raise InputError(f"no {' and no '.join(USUAL_FILES)} in it")
    if len(files) > 1:
        found = listed([str(one.relative_to(folder)) for one in files])
        raise InputError(f"more than one agent: {found}; expected one")
    left, kept = MOST_BYTES, 0
    try:
        for here, folders, names in os.walk(files[0].parent):
            folders[:] = [one for one in folders if not _is_left_out(Path(one))]
            target = copy / Path(here).relative_to(files[0].parent)
            target.mkdir(parents=True)
            for name in names:
                source = Path(here, name)
                if name.startswith(".") or source.is_symlink() or not source.is_file():
                    continue
                content, kept = read_small(source, left), kept + 1
                if kept > MOST_COPIED:
                    raise TooLargeError("too many files")
                left -= len(content)
                (target / name).write_bytes(content)
    except TooLargeError:
        expected = f"at most {MOST_BYTES >> 20} MiB in {MOST_COPIED:,} files"
        raise InputError(f"too large; expected {expected}") from None
    except OSError as error:
        raise InputError(f"cannot be copied: {error.strerror}") from None
    return files[0].name


def _names(folders: Sequence[Path]) -> list[str]:
    """Return the names of folders as labels, made unique."""
    labels = dict[str, None]()
    for folder in folders:
        name = printable(folder.name)[:LONGEST_NAME]
        free = (name if number == 1 else f"{name} ({number})" for number in count(1))
        labels[next(one for one in free if one not in labels)] = None
    return list(labels)


def _pseudonyms(number: int) -> list[str]:
    names = [" ".join(words) for words in product(COLOURS, ANIMALS)]
    return random.SystemRandom().sample(names, number)
