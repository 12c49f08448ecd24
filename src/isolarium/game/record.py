"""Game records and their three formats.

* text, ``7x7: d4 b3 e6``, or ``POSITION: e6`` if the start is not an empty board;
* a JSON object, ``{"board": "7x7", "moves": ["d4", "b3"]}``, or with ``"position"`` for the start. A finished game also
  has ``"outcome": {"winner": "first", "reason": "no moves"}``. Other keys are ignored;
* a replay, ``[[3, 3], [2, 1]]``: a list of ``[row, col]``, the format of the course's replay page.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Final

from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, Square, format_board, format_square, parse_board, parse_square
from isolarium.game.notation import EXAMPLE, format_position, parse_position, parse_start
from isolarium.game.position import Outcome, Player, Position, Reason

REPLAY_BOARD = Board(7, 7)


@dataclass(frozen=True, slots=True, repr=False)
class GameRecord:
    """A game: its start, its moves, and its early ending, if any.

    Attributes:
        start: The position before the first move.
        moves: The destination squares in order, including placements.
        ending: How the game ended early, for instance by resignation or on time. None if the game is unfinished or
            ended by the rules.
        position: The position after the last move.

    Raises:
        InputError: If a move is not legal or the ending contradicts the rules.
    """

    start: Position
    moves: tuple[Square, ...] = ()
    ending: Outcome | None = None
    position: Position = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Replay the moves."""
        check_kind("start", self.start, Position, "a Position")
        check_kind("moves", self.moves, (tuple, list), "a list of squares")
        position = self.start
        for number, square in enumerate(self.moves, start=1):
            why = position.why_illegal(square)
            if why is not None:
                raise InputError(f"move {number} ({square}): {why}")
            position = position.play(square)
        object.__setattr__(self, "position", position)
        self._check_ending()

    def _check_ending(self) -> None:
        """Check the ending against the rules, and drop it if the rules imply it."""
        if self.ending is None:
            return
        check_kind("ending", self.ending, Outcome, "an Outcome")
        decided = self.position.outcome()
        if decided == self.ending:
            object.__setattr__(self, "ending", None)
        elif decided is not None:
            raise InputError(f"outcome: {self.ending}; expected {decided}, which the moves lead to")
        elif self.ending.reason is Reason.NO_MOVES:
            raise InputError(
                f"outcome: {self.ending}; expected another reason or no outcome, "
                f"because {self.position.to_move} can still move"
            )

    def positions(self) -> tuple[Position, ...]:
        """Return every position of the game, starting with the start."""
        positions = [self.start]
        for square in self.moves:
            positions.append(positions[-1].play(square))
        return tuple(positions)

    def outcome(self) -> Outcome | None:
        """Return how the game ended, or None if it is unfinished."""
        return self.ending or self.position.outcome()

    def __str__(self) -> str:
        """Return the game as text; see ``format_game``."""
        return format_game(self)

    def __repr__(self) -> str:
        """Return a call that creates an equal game."""
        text = format_game(self) if self.ending is None else format_game_json(self)
        return f"read_game({text!r})"

    def _repr_svg_(self) -> str:
        """Show the last position and the players' paths in a notebook."""
        from isolarium.game.svg import draw_game

        return draw_game(self)


def parse_game(text: str) -> GameRecord:
    """Parse a game written as ``7x7: d4 b3`` or ``POSITION: e6 c5``.

    Raises:
        InputError: If the text is not a valid game; the message names the invalid move.
    """
    start, colon, moves = text.partition(":")
    if not colon:
        raise InputError(f"game {quoted(text)}: no colon; expected START: MOVES such as 7x7: d4 b3 or {EXAMPLE}: d5")
    position = parse_start(start)
    return GameRecord(position, _parse_moves(moves.split(), position.board))


def format_game(game: GameRecord) -> str:
    """Format a game as one line of text.

    The line omits an early ending; only JSON includes it.
    """
    check_kind("game", game, GameRecord, "a GameRecord")
    return " ".join([f"{_format_start(game)}:", *map(format_square, game.moves)])


def _parse_moves(moves: list[str], board: Board) -> tuple[Square, ...]:
    return tuple(_parse_move(move, number, board) for number, move in enumerate(moves, start=1))


def _parse_move(text: str, number: int, board: Board) -> Square:
    try:
        return parse_square(text, board)
    except InputError as error:
        raise error.at(f"move {number}") from None


def _starts_empty(game: GameRecord) -> bool:
    return game.start == Position.empty(game.start.board)


def _format_start(game: GameRecord) -> str:
    if _starts_empty(game):
        return format_board(game.start.board)
    return format_position(game.start)


def parse_game_json(text: str) -> GameRecord:
    """Parse a game written as a JSON object.

    Raises:
        InputError: If the text is malformed, or if the moves or the outcome break the rules.
    """
    game = _load_json(text, "game")
    if not isinstance(game, dict):
        raise InputError(f'game: {quoted(game)}; expected {{"board": "7x7", "moves": [...]}}')
    start = _json_start(game)
    moves = game.get("moves")
    if not isinstance(moves, list):
        raise InputError(f"game: moves: {_found(game, 'moves')}; expected a list of squares")
    for number, move in enumerate(moves, start=1):
        if not isinstance(move, str):
            raise InputError(f'game: move {number}: {quoted(move)}; expected text such as "d4"')
    return GameRecord(start, _parse_moves(moves, start.board), _json_outcome(game))


def format_game_json(game: GameRecord) -> str:
    """Format a game as a JSON object on one line."""
    start = "board" if _starts_empty(game) else "position"
    record: dict[str, object] = {start: _format_start(game), "moves": [format_square(move) for move in game.moves]}
    outcome = game.outcome()
    if outcome is not None:
        record["outcome"] = {"winner": str(outcome.winner), "reason": str(outcome.reason)}
    return json.dumps(record)


def _load_json(text: str, what: str) -> object:
    try:
        loaded: object = json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno} column {error.colno}"
        raise InputError(f"{what}: {place}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:  # The nesting is too deep or a number too long.
        raise InputError(f"{what}: JSON exceeds the limits ({error}); expected a game") from None
    return loaded


def _found(record: dict[str, object], key: str) -> str:
    return quoted(record[key]) if key in record else "missing"


def _json_start(game: dict[str, object]) -> Position:
    if ("board" in game) == ("position" in game):
        found = "both" if "board" in game else "neither"
        raise InputError(f"game: board and position: {found} given; give one of them")
    key, example = ("board", "7x7") if "board" in game else ("position", EXAMPLE)
    text = game[key]
    if not isinstance(text, str):
        raise InputError(f'game: {key}: {quoted(text)}; expected text such as "{example}"')
    return Position.empty(parse_board(text)) if key == "board" else parse_position(text)


def _json_outcome(game: dict[str, object]) -> Outcome | None:
    outcome = game.get("outcome")
    if outcome is None:
        return None
    if not isinstance(outcome, dict):
        raise InputError(
            f'game: outcome: {quoted(outcome)}; expected {{"winner": "first", "reason": "no moves"}} or null'
        )
    winners = {str(player): player for player in Player}
    reasons = {str(reason): reason for reason in Reason}
    return Outcome(
        winners[_choice(outcome, "winner", list(winners))], reasons[_choice(outcome, "reason", list(reasons))]
    )


def _choice(outcome: dict[str, object], key: str, choices: list[str]) -> str:
    value = outcome.get(key)
    if not isinstance(value, str) or value not in choices:
        raise InputError(f"game: outcome: {key}: {_found(outcome, key)}; expected {' or '.join(choices)}")
    return value


def parse_replay(text: str, board: Board) -> GameRecord:
    """Parse a game on an empty board written as a list of ``[row, col]``.

    Raises:
        InputError: If the text is not such a list or a move is not legal.
    """
    replay = _load_json(text, "replay")
    if not isinstance(replay, list):
        raise InputError(f"replay: {quoted(replay)}; expected a list of [row, col]")
    moves = tuple(_replay_move(item, number, board) for number, item in enumerate(replay, start=1))
    return GameRecord(Position.empty(board), moves)


def _replay_move(item: object, number: int, board: Board) -> Square:
    match item:
        case [int(row), int(col)] if not isinstance(row, bool) and not isinstance(col, bool):
            if (row, col) in board:
                return Square(row, col)
    last = board.squares[-1]
    raise InputError(
        f"replay: move {number}: {quoted(item)}; expected [row, col], "
        f"two whole numbers from [0, 0] to [{last.row}, {last.col}] on {board}"
    )


def format_replay(game: GameRecord) -> str:
    """Format a game as a list of ``[row, col]``.

    Raises:
        InputError: If the game does not start from an empty board, as every replay must.
    """
    if not _starts_empty(game):
        raise InputError(f"replay: starts from {game.start}; expected an empty board")
    return json.dumps([list(square) for square in game.moves])


def read_game(text: str, board: Board | None = None) -> GameRecord:
    """Parse a game in any of the three formats, which differ in their first character.

    Args:
        text: A JSON object, a replay list, or a line of text.
        board: The expected board. A replay does not name its board; the default is 7x7.

    Raises:
        InputError: If the text is not a valid game, or if the game is on another board.
    """
    check_kind("game", text, str, "text such as 7x7: d4 b3")
    if board is not None:
        check_kind("board", board, Board, "a Board, such as Board(7, 7)")
    text = text.strip()
    if text.startswith("["):
        return parse_replay(text, board or REPLAY_BOARD)
    game = parse_game_json(text) if text.startswith("{") else parse_game(text)
    if board is not None and board != game.start.board:
        raise InputError(f"game: on {game.start.board}; expected {board}, the board asked for")
    return game


_POSITION: Final = re.compile(r"[0-9xAB/]+|.*\s[ab]", re.DOTALL)


def is_notation(text: str) -> bool:
    """Return whether a text looks like a position or a game, and not like the name of a file."""
    return bool(_POSITION.fullmatch(text)) or ":" in text or text.startswith(("{", "["))


def read_position_or_game(text: str) -> Position | GameRecord:
    """Parse a position or a game in any notation; ROWSxCOLS is an empty board.

    Raises:
        InputError: If the text is neither.
    """
    text = text.strip()
    return parse_start(text) if _POSITION.fullmatch(text) else read_game(text)
