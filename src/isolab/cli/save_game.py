"""Writing a game to a file, in the form that the file's ending asks for."""

from collections.abc import Callable
from pathlib import Path

from isolab.errors import InputError, quoted
from isolab.game.record import GameRecord, format_game, format_game_json

FORMATS: dict[str, Callable[[GameRecord], str]] = {
    "": format_game,
    ".txt": format_game,
    ".json": format_game_json,
    ".svg": GameRecord._repr_svg_,
}


def save_game(record: GameRecord, file: str, *, overwrite: bool) -> Path:
    """Write a game as text, JSON or a picture, and return where.

    Raises:
        InputError: The ending is none of ours, the file exists and may not be overwritten, or it
            cannot be written.
    """
    if not file:
        raise InputError("save: no file; expected a name such as game.txt, game.json or game.svg")
    path = Path(file).expanduser()
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputError(f"save {quoted(file)}: expected .txt, .json or .svg at its end")
    text = form(record) + "\n"
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise InputError(f"save {quoted(file)}: it exists; save! {file} replaces it") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"save {quoted(file)}: {why}; expected a file to write to") from None
    return path
