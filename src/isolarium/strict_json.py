"""JSON that may come from anywhere: read as the standard has it, or refused."""

import json
from typing import Any, Final


def read_json(text: str) -> Any:
    """Read JSON.

    Raises:
        ValueError: If it is not JSON, holds NaN or Infinity, is nested too deep, or has a number with too many digits.
    """
    try:
        return _DECODER.decode(text)
    except RecursionError:
        raise ValueError("nested too deep") from None


def _refuse(text: str) -> float:
    raise ValueError(f"{text} is not a number")


_DECODER: Final = json.JSONDecoder(parse_constant=_refuse)
