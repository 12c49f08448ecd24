"""What shows itself alike wherever it is seen: as text, in a notebook, as Markdown."""

from abc import ABC, abstractmethod
from collections.abc import Iterable

from isolarium.reporting.html import write_fragment
from isolarium.reporting.markdown import escaped, write_blocks
from isolarium.reporting.model import Block
from isolarium.reporting.terminal import PLAIN_WIDTH, plain_text


class Shown(ABC):
    """Something with a title and what is said below it."""

    @abstractmethod
    def _title(self) -> str:
        """The line above it; empty where it needs none."""

    @abstractmethod
    def _blocks(self) -> Iterable[Block]:
        """What is said, before it is decided how it looks."""

    def __repr__(self) -> str:
        """Return what the command prints."""
        text = plain_text(self._blocks(), PLAIN_WIDTH)
        return f"{self._title()}\n{text}" if self._title() else text

    def _repr_html_(self) -> str:
        """Show the same in a notebook."""
        return write_fragment(self._title(), self._blocks())

    def _repr_markdown_(self) -> str:
        """Show the same on a page of Markdown."""
        text = write_blocks(self._blocks())
        return f"**{escaped(self._title())}**\n\n{text}" if self._title() else text
