"""Games as people paste them."""

from isolab.errors import InputError
from isolab.game.board import Board
from isolab.game.notation import parse_start
from isolab.game.record import GameRecord, read_game
from isolab.web.limits import GAME_CHARS


def read_any(text: str, board: Board | None = None) -> GameRecord:
    """The game in any notation; a board or a position alone is a game that begins there.

    Raises:
        InputError: the text is no game.
    """
    if len(text) > GAME_CHARS:
        raise InputError(f"a game of {len(text):,} characters: expected at most {GAME_CHARS:,}")
    if ":" in text or text.lstrip()[:1] in ("{", "["):
        return read_game(text, board)
    return GameRecord(parse_start(text))
