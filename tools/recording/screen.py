"""A terminal without end, from which the text a person sees can be read.

Progress displays overwrite themselves as often as time allows; the text left after them does not depend on timing.
"""

import re
from typing import Final

_SEQUENCE: Final = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\x1b[()][A-Z0-9]|\x1b[=>]")

Cell = tuple[str, str]
"""A character and its style."""


class Screen:
    """The content of a terminal of unlimited height."""

    def __init__(self) -> None:
        self._rows: list[list[Cell]] = [[]]
        self._row = self._column = 0
        self._style = ""

    def show(self, text: str) -> None:
        """Process the output of a program."""
        place = 0
        while place < len(text):
            found = _SEQUENCE.match(text, place)
            if found:
                if found[2]:
                    self._obey(found[1], found[2])
                place = found.end()
            else:
                self._write(text[place])
                place += 1

    def text(self) -> str:
        """Return every line, with the style in angle quotes where it changes."""
        return "\n".join(map(_line, self._rows)).rstrip("\n") + "\n"

    def _obey(self, numbers: str, order: str) -> None:
        count = int(numbers) if numbers.isdigit() else 0
        if order == "m":
            self._restyle(numbers)
        elif order == "K":
            self._erase(count)
        elif order == "A":
            self._row = max(0, self._row - max(1, count))
        elif order == "G":
            self._column = max(0, count - 1)
        elif order == "C":
            self._column += max(1, count)
        elif order == "D":
            self._column = max(0, self._column - max(1, count))

    def _restyle(self, numbers: str) -> None:
        self._style = "" if numbers in ("", "0") else ";".join(filter(None, (self._style, numbers)))

    def _erase(self, what: int) -> None:
        row = self._rows[self._row]
        if what == 0:
            del row[self._column :]
        elif what == 2:
            row.clear()

    def _write(self, letter: str) -> None:
        if letter == "\n":
            self._row += 1
            self._column = 0
            if self._row == len(self._rows):
                self._rows.append([])
        elif letter == "\r":
            self._column = 0
        elif letter == "\b":
            self._column = max(0, self._column - 1)
        elif letter.isprintable():
            row = self._rows[self._row]
            row += [(" ", "")] * (self._column + 1 - len(row))
            row[self._column] = letter, self._style
            self._column += 1


def _line(row: list[Cell]) -> str:
    told, style = "", ""
    for letter, its in row:
        if its != style:
            told += f"«{its}»"
            style = its
        told += letter
    return (told + ("«»" if style else "")).rstrip()
