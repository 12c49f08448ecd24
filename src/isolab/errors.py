"""The one exception for bad input, and how input is quoted in its message."""


class InputError(ValueError):
    """Bad input from a person.

    The message is one line that says what was wrong, where, and what would be right. The command
    line prints it and exits with status 2; a traceback is for bugs.
    """


def quoted(value: object, limit: int = 60) -> str:
    """Show a piece of input in a message: its repr, on one line, at most ``limit`` characters."""
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deep, or an int with too many digits
        text = f"a {type(value).__name__}"
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
