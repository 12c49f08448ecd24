"""The colours that pages, reports, charts and drawings share, read from the pages' tokens."""

import re
from functools import cache
from typing import Final

from isolarium.safe_files import own_text

FILE: Final = "web/pages/shared/tokens.css"
_VALUE: Final = re.compile(r"--([a-z0-9-]+): (?:light-dark\((#[0-9a-f]+), #[0-9a-f]+\)|(#[0-9a-f]+));")
_THEMES: Final = "\n/* Themes"


def style() -> str:
    """Return the tokens as a style sheet, without the themes of the board."""
    return own_text(FILE).partition(_THEMES)[0]


def colour(name: str) -> str:
    """Return a colour; of a pair, the light one."""
    return _colours()[name]


def scale(name: str) -> tuple[str, ...]:
    """Return the colours of a scale, from the least to the most."""
    return tuple(value for key, value in _colours().items() if re.fullmatch(rf"{name}-\d", key))


@cache
def _colours() -> dict[str, str]:
    return {name: pair or one for name, pair, one in _VALUE.findall(style())}
