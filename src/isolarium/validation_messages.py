"""Pydantic's validation errors as one-line messages."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from isolarium.errors import quoted
from isolarium.text import did_you_mean

KINDS: Final = {
    "bool": "true or false",
    "dict": "a table",
    "enum": "one of {expected}",
    "finite_number": "a finite number",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "literal_error": "{expected}",
    "model": "a table",
    "string": "text",
    "tuple": "a list",
}
"""Descriptions of the expected value, by the prefix of Pydantic's error type."""
BOUNDS: Final = {
    "greater_than": "more than {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "less than {lt:g}",
    "less_than_equal": "at most {le:g}",
    "string_too_long": "text of at most {max_length} characters",
    "string_too_short": "text that is not empty",
    "too_long": "at most {max_length} of them",
    "too_short": "at least {min_length} of them",
    "union_tag_invalid": "one of {expected_tags}",
}
Fault = Mapping[str, Any]
"""An item of `ValidationError.errors()`."""


def fault_in_words(faults: Sequence[Fault], known: Sequence[str] = (), example: str = "{key}") -> str:
    """Describe the first error and the expected value, without the location.

    Args:
        faults: The errors that Pydantic found.
        known: The valid keys at the location of the first error.
        example: An example of a key at that location.
    """
    fault = faults[0]
    kind, key = str(fault["type"]), fault["loc"][-1] if fault["loc"] else ""
    if kind == "missing":
        near = did_you_mean(str(key), _unknown_beside(fault, faults))
        return f"missing; {near + '; ' if near else ''}expected {example.format(key=key)}"
    if kind == "extra_forbidden":
        hint = did_you_mean(str(key), known) or (f"there are {', '.join(known)}" if known else "")
        return f"no key named {quoted(key)}" + (f" ({hint})" if hint else "")
    if kind == "value_error":
        return str(fault["ctx"]["error"])
    return f"{quoted(fault['input'])}: expected {_expected(kind, fault)}"


def _unknown_beside(fault: Fault, faults: Sequence[Fault]) -> list[str]:
    """Return the unknown keys in the table of an error.

    One of them may be a misspelling of the missing key.
    """
    return [
        str(other["loc"][-1])
        for other in faults
        if other["type"] == "extra_forbidden" and other["loc"][:-1] == fault["loc"][:-1]
    ]


def _expected(kind: str, fault: Fault) -> str:
    context = fault.get("ctx", {})
    if kind in BOUNDS:
        return BOUNDS[kind].format(**context)
    if kind in KINDS:
        return KINDS[kind].format(**context)
    begins = kind.partition("_")[0]
    if begins in KINDS:
        return KINDS[begins].format(**context)
    message: str = fault["msg"]
    return message[:1].lower() + message[1:]
