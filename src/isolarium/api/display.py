"""Results that display themselves as text, HTML, Markdown, rows or pictures; the progress bar."""

import re
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from importlib import import_module
from pathlib import Path
from time import monotonic
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, SupportsIndex, TypeVar, overload

from isolarium.api.arguments import read_path
from isolarium.arena.runner import Progress
from isolarium.arena.session import Listener
from isolarium.errors import InputError, check_kind, quoted, shown
from isolarium.game.board import Board, Square
from isolarium.game.notation import parse_start
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, read_game
from isolarium.game.svg import describe, draw_game
from isolarium.reporting.html import write_fragment
from isolarium.reporting.markdown import escaped, write_blocks
from isolarium.reporting.model import Block, Column, Table
from isolarium.reporting.run_summary import progress_line
from isolarium.reporting.terminal import PLAIN_WIDTH, plain_text
from isolarium.text import counted

if TYPE_CHECKING:
    import pandas
    import polars


class Displayed(ABC):
    """A result that displays itself in the same way everywhere."""

    @abstractmethod
    def _title(self) -> str:
        """Return the title; empty if there is none."""

    @abstractmethod
    def _blocks(self) -> Iterable[Block]:
        """Return the content to display, independent of the format."""

    def __repr__(self) -> str:
        """Return the text that the command prints."""
        text = plain_text(self._blocks(), PLAIN_WIDTH)
        return f"{self._title()}\n{text}" if self._title() else text

    def _repr_html_(self) -> str:
        """Return the content as HTML, for notebooks."""
        return write_fragment(self._title(), self._blocks())

    def _repr_markdown_(self) -> str:
        """Return the content as Markdown."""
        text = write_blocks(self._blocks())
        return f"**{escaped(self._title())}**\n\n{text}" if self._title() else text


MOST_SHOWN: Final = 20

Key = TypeVar("Key", bound=str)


class Records(Displayed, list[dict[str, Any]]):
    """A list of rows: plain dicts of plain values, all with the same keys.

    It and its slices display as tables.

    An estimate has three keys: `score`, `score_low` and `score_high`. Unknown values are None. `to_pandas` and
    `to_polars` need the packages of those names; `pandas.DataFrame(records)` works too.

    Example:
        >>> rows = isolarium.Records([{"agent": "random", "won": 3}, {"agent": "greedy:open", "won": 9}])
        >>> [row["agent"] for row in rows if row["won"] > 5]
        ['greedy:open']
        >>> rows
        agent        won
        ────────────────
        random         3
        greedy:open    9
        >>> rows.to_pandas().won.sum() == rows.to_polars()["won"].sum() == 12
        True
    """

    def __init__(self, rows: Iterable[dict[str, Any]] = ()) -> None:
        """Check the rows.

        Raises:
            InputError: If a row is not a dict, or its keys differ from the first row's.
        """
        check_kind("rows", rows, Iterable, "dicts that all have the same keys")
        super().__init__(rows)
        for number, row in enumerate(self):
            check_kind(f"row {number}", row, dict, "a dict")
            if row.keys() != self[0].keys():
                expected = f"expected the keys of the first: {', '.join(map(str, self[0]))}"
                raise InputError(f"row {number} {quoted(list(row))}: {expected}")

    @overload
    def __getitem__(self, at: SupportsIndex) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, at: slice) -> "Records": ...
    def __getitem__(self, at: SupportsIndex | slice) -> "dict[str, Any] | Records":
        if isinstance(at, slice):
            return Records(super().__getitem__(at))
        return super().__getitem__(at)

    @property
    def columns(self) -> list[str]:
        """The keys of every row."""
        return list(self[0]) if self else []

    def to_pandas(self) -> "pandas.DataFrame":
        """Return the rows as a pandas data frame.

        Raises:
            InputError: If pandas is not installed.
        """
        frame: pandas.DataFrame = _library("pandas").DataFrame(list(self))
        return frame

    def to_polars(self) -> "polars.DataFrame":
        """Return the rows as a polars data frame.

        Raises:
            InputError: If polars is not installed.
        """
        # A column's type is inferred from all values, because the first hundred may all be unknown.
        frame: polars.DataFrame = _library("polars").DataFrame(list(self), infer_schema_length=None)
        return frame

    def _title(self) -> str:
        return ""

    def _blocks(self) -> Iterable[Block]:
        rows = [{name: _shown(value) for name, value in row.items()} for row in self[:MOST_SHOWN]]
        left = len(self) - len(rows)
        notes = [f"and {counted(left, 'row')} more"] if left else []
        columns = [Column(name, name, self._align(name)) for name in self.columns]
        return [Table("records", "", columns, rows, notes=notes)]

    def _align(self, name: str) -> str:
        return "<" if any(isinstance(row[name], str) for row in self) else ">"


def _shown(value: Any) -> Any:
    return ("no", "yes")[value] if isinstance(value, bool) else value


def _library(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        raise InputError(f"{name}: not installed; run pip install {name}") from None


def one_of(what: str, given: Key, known: Iterable[Key]) -> Key:
    """Return a choice if it is valid.

    Raises:
        InputError: If the choice is not one of the valid choices.
    """
    names = list(known)
    if given not in names:
        raise InputError(f"{what} {quoted(given)}: expected {', '.join(names[:-1])} or {names[-1]}")
    return given


ENDINGS = (".svg", ".png")
ROOT = re.compile(r"<svg\b[^>]*>")
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}|[a-zA-Z]+")


class Picture:
    """A picture, which notebooks display.

    Args:
        svg: The picture as SVG.
        words: A description for people who cannot see the picture.

    Attributes:
        svg: The text of an SVG file, with the description as its title.
        words: The description.
    """

    def __init__(self, svg: str, words: str) -> None:
        self.svg, self.words = _titled(svg, words), words

    def save(self, path: str | Path) -> Path:
        """Write the picture to an .svg or .png file, and return the file's path.

        Raises:
            InputError: If the file has another extension or cannot be written.
        """
        path = read_path("path", path, f"a file that ends in {' or '.join(ENDINGS)}")
        if path.suffix.lower() not in ENDINGS:
            expected = f"expected a file that ends in {' or '.join(ENDINGS)}"
            raise InputError(f"{shown(str(path))}: {expected}")
        data = self.svg.encode()
        if path.suffix.lower() == ".png":
            # Imported here because the charts take longer to import than everything else.
            from isolarium.reporting.chart import png

            data = png(self.svg)
        try:
            path.write_bytes(data)
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}; use a file that you can write to") from None
        return path

    def __repr__(self) -> str:
        return f"<picture: {self.words}>"

    def _repr_svg_(self) -> str:
        """Return the picture, for notebooks."""
        return self.svg


def _titled(svg: str, words: str) -> str:
    """Return a picture with a title for screen readers.

    Drawings of boards already have a title.
    """
    root = ROOT.search(svg)
    if root is None or "<title>" in svg:
        return svg
    tag = root[0] if "role=" in root[0] else f'{root[0][:-1]} role="img">'
    return f"{svg[: root.start()]}{tag}<title>{escape(words)}</title>{svg[root.end() :]}"


def draw(
    what: str | Position | GameRecord, *, legal: bool = True, tints: Mapping[Square, str] = MappingProxyType({})
) -> Picture:
    """Draw a position, or the current position of a game with the players' paths.

    Args:
        what: A position or a game, or its text.
        legal: Whether to mark the legal moves of the player to move with dots.
        tints: Colours of blank squares, such as `#a9cdf1`.

    Raises:
        InputError: If the text is not a position or a game, or a tint is invalid.

    Example:
        >>> isolarium.draw("5x5: c3 b1 a4")
        <picture: Knight Isolation on 5x5: first player (blue circle) on a4, ...>
    """
    if isinstance(what, str):
        what = read_game(what) if ":" in what else parse_start(what)
    check_kind("what", what, (Position, GameRecord), "a position or a game")
    game = GameRecord(what) if isinstance(what, Position) else what
    check_kind("legal", legal, bool, "True or False")
    _check_tints(tints, game.start.board)
    return Picture(draw_game(game, legal=legal, tints=tints), describe(game.position))


def _check_tints(tints: object, board: Board) -> None:
    check_kind("tints", tints, Mapping, "a dict of squares and their colours")
    assert isinstance(tints, Mapping)
    for square, colour in tints.items():
        board.index(square)
        if not (isinstance(colour, str) and COLOUR.fullmatch(colour)):
            raise InputError(f"tints: {square} {quoted(colour)}: expected a colour, such as #a9cdf1")


LENGTH: Final = 20
EVERY_S: Final = 0.1


@contextmanager
def progress_bar(wanted: bool | None) -> Iterator["ProgressBar | None"]:
    """Show a progress bar for the duration of the block.

    Args:
        wanted: Whether to show the bar; None shows it only on a terminal and in a notebook.

    Raises:
        InputError: If `wanted` is not True, False or None.
    """
    if wanted is not None:
        check_kind("progress", wanted, bool, "True or False")
    shell = _notebook()
    if not (_is_watched(shell) if wanted is None else wanted):
        yield None
        return
    bar = ProgressBar(_Line() if shell is None else _Cell())
    try:
        yield bar
    finally:
        bar.clear()


def _notebook() -> Any:
    """Return the shell of the notebook that this process belongs to, if any."""
    loaded = sys.modules.get("IPython")
    shell = None if loaded is None else loaded.get_ipython()
    return shell if hasattr(shell, "kernel") else None


def _is_watched(shell: Any) -> bool:
    """Return whether a bar is visible: in a notebook, or on a terminal."""
    return shell is not None or (sys.stderr is not None and sys.stderr.isatty())


class ProgressBar(Listener):
    """A text, with a bar if the total is known.

    Args:
        surface: The line or the cell in which to show the bar.
    """

    def __init__(self, surface: "_Line | _Cell") -> None:
        self._surface = surface
        self._due = 0.0

    def show(self, progress: Progress) -> None:
        """Show the progress of a run."""
        self.tell(progress_line(progress), progress.tally.games / max(1, progress.games))

    def count(self, done: int, total: int, things: str) -> None:
        """Show the number of items that are done.

        You may call this often: the display updates only a few times a second.
        """
        if done == total or monotonic() >= self._due:
            self._due = monotonic() + EVERY_S
            self.tell(f"{done:,} of {total:,} {things}", done / max(1, total))

    def tell(self, text: str, share: float | None = None) -> None:
        """Show a text and, if known, the share of the work that is done."""
        self._surface.write(text, share)

    def clear(self) -> None:
        """Remove the bar."""
        self._surface.clear()


class _Line:
    """One line on stderr that is overwritten."""

    def __init__(self) -> None:
        self._width = 0

    def write(self, words: str, share: float | None) -> None:
        if share is not None:
            filled = int(LENGTH * min(1.0, share))
            words = f"[{'#' * filled}{'-' * (LENGTH - filled)}] {words}"
        words = words[: shutil.get_terminal_size().columns - 1]  # a wrapped line could not be removed
        print("\r" + words.ljust(self._width), end="", file=sys.stderr, flush=True)
        self._width = len(words)

    def clear(self) -> None:
        self.write("", None)
        print(end="\r", file=sys.stderr, flush=True)


class _Cell:
    """An output below a notebook's cell."""

    def __init__(self) -> None:
        self._place: Any = None

    def write(self, words: str, share: float | None) -> None:
        bar = "" if share is None else f'<progress value="{share:.3f}"></progress> '
        self._show({"text/html": f"{bar}{escape(words)}", "text/plain": words})

    def clear(self) -> None:
        if self._place is not None:
            self._show({"text/html": "", "text/plain": ""})

    def _show(self, forms: dict[str, str]) -> None:
        if self._place is None:
            display = import_module("IPython.display")  # installed, since there is a notebook
            self._place = display.display(forms, raw=True, display_id=True)
        else:
            self._place.update(forms, raw=True)
