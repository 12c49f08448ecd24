"""The rules of knight Isolation, in plain Python.

Each player places its knight on a blank square, FIRST before SECOND. After that the players take turns to make a
knight's move to a blank square. A visited square stays blocked. A player with no legal move loses.

This is the reference implementation: tests compare every compiled version of the rules with it.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import TEXT_AS_SQUARE, Board, Square, parse_square, shown_square


class Player(IntEnum):
    """One of the two players; FIRST places first and moves first."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> "Player":
        """The opponent."""
        return Player.SECOND if self is Player.FIRST else Player.FIRST

    @property
    def badge(self) -> str:
        """The player's knight in text: `(A)` or `[B]`."""
        return "(A)" if self is Player.FIRST else "[B]"

    def __str__(self) -> str:
        """Return ``first`` or ``second``."""
        return self.name.lower()


class Reason(StrEnum):
    """The reason why the loser lost.

    NO_MOVES is the rule of the game; the other reasons end a game early.
    """

    NO_MOVES = "no moves"
    ILLEGAL_MOVE = "illegal move"
    RESIGNATION = "resignation"
    TIME = "time over"
    CRASH = "crash"
    MEMORY = "memory"


FORFEITS: Final = frozenset(Reason) - {Reason.NO_MOVES}
"""The reasons that are the agent's own fault; running out of moves is not among them."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a game: the winner, and the reason why the other player lost."""

    winner: Player
    reason: Reason

    @property
    def loser(self) -> Player:
        """The player who lost."""
        return self.winner.other

    def __str__(self) -> str:
        """Return text such as ``second wins (no moves)``."""
        return f"{self.winner} wins ({self.reason})"


FIRST, SECOND = Player.FIRST, Player.SECOND


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """An immutable position: the blank squares, the players' squares, and the turn.

    The square of a player not yet placed is None. Any square may be blocked, even before the players are placed, so
    boards with holes are positions too.

    Attributes:
        board: The board.
        blank: The mask of the blank squares. The players' squares are not blank.
        first: The first player's square.
        second: The second player's square.
        to_move: The player who places or moves next.

    Raises:
        InputError: If a square is off the board, a player stands on a blank square or on the other player, or the
            placements contradict the side to move.
    """

    board: Board
    blank: int
    first: Square | None
    second: Square | None
    to_move: Player

    def __post_init__(self) -> None:
        """Check that the attributes are consistent."""
        check_kind("board", self.board, Board, "a Board, such as Board(7, 7)")
        check_kind("blank squares", self.blank, int, "a mask")
        check_kind("to_move", self.to_move, Player, "a Player")
        if self.blank & ~self.board.full:
            raise InputError(f"blank squares {self.board.off_board}")
        for player in Player:
            square = self.square_of(player)
            if square is not None and self.is_blank(square):
                raise InputError(f"{square}: the {player} player stands there, so it is not blank")
        if self.first is None and self.second is not None:
            raise InputError("the second player is placed, the first is not; place the first player")
        if self.first is not None and self.first == self.second:
            raise InputError(f"{self.first}: both players stand there; expected at most one")
        if self.second is None:
            self._check_turn_of(FIRST if self.first is None else SECOND)

    def _check_turn_of(self, placing: Player) -> None:
        if self.to_move != placing:
            raise InputError(f"{placing.other} to move; expected {placing} to move, which is not placed yet")

    @classmethod
    def unchecked(
        cls, board: Board, blank: int, first: Square | None, second: Square | None, to_move: Player
    ) -> "Position":
        """Build a position without checks, which is several times faster."""
        position = object.__new__(cls)
        put = object.__setattr__
        put(position, "board", board)
        put(position, "blank", blank)
        put(position, "first", first)
        put(position, "second", second)
        put(position, "to_move", to_move)
        return position

    @classmethod
    def empty(cls, board: Board) -> "Position":
        """Return the start of a game: all squares blank, no player placed, FIRST to place."""
        check_kind("board", board, Board, "a Board, such as Board(7, 7)")
        return cls(board, board.full, None, None, FIRST)

    @property
    def mover(self) -> Square | None:
        """The square of the player to move."""
        return self.first if self.to_move == FIRST else self.second

    @property
    def other(self) -> Square | None:
        """The square of the player not to move."""
        return self.second if self.to_move == FIRST else self.first

    def square_of(self, player: Player) -> Square | None:
        """Return a player's square, or None if the player is not placed yet."""
        return self.first if player == FIRST else self.second

    @property
    def placing(self) -> bool:
        """Whether the player to move is not placed yet."""
        return self.mover is None

    @property
    def blank_count(self) -> int:
        """The number of blank squares."""
        return self.blank.bit_count()

    def is_blank(self, square: Square) -> bool:
        """Return whether a square of the board is blank."""
        return bool(self.blank >> self.board.index(square) & 1)

    @property
    def legal_mask(self) -> int:
        """The mask of the legal moves."""
        mover = self.mover
        if mover is None:
            return self.blank
        return self.blank & self.board.knight_mask(mover)

    def legal_moves(self) -> tuple[Square, ...]:
        """Return the legal moves, in ascending order of square number."""
        return self.board.squares_in(self.legal_mask)

    def is_legal(self, square: Square) -> bool:
        """Return whether a move to the square is legal.

        Raises:
            InputError: If the square is given as text, which only `play` accepts.
        """
        board = self.board
        if square in board:
            return bool(self.legal_mask >> board.index(square) & 1)
        if isinstance(square, str):
            raise InputError(f"square {quoted(square)}: {TEXT_AS_SQUARE}")
        return False

    def play(self, square: Square | str) -> "Position":
        """Return the position after a move, given as a square or as text such as ``e4``.

        Raises:
            InputError: If the move is not legal; the message names the square and the reason.
        """
        if isinstance(square, str):
            square = parse_square(square, self.board)
        if not self.is_legal(square):
            raise InputError(f"{shown_square(square)}: {self.why_illegal(square)}")
        board = self.board
        index = board.index(square)
        blank = self.blank ^ (1 << index)
        if self.to_move == FIRST:
            return Position.unchecked(board, blank, board.square(index), self.second, SECOND)
        return Position.unchecked(board, blank, self.first, board.square(index), FIRST)

    def why_illegal(self, square: object) -> str | None:
        """Return the reason why a move to the square is illegal, or None if it is legal."""
        if isinstance(square, str):
            return TEXT_AS_SQUARE
        if not isinstance(square, tuple):
            return f"not a square; expected one such as {self.board.squares[-1]}"
        if square not in self.board:
            return self.board.off_board
        square = Square(*square)
        if self.is_legal(square):
            return None
        outcome = self.outcome()
        if outcome is not None:
            return f"the game is over, {outcome}"
        if not self.is_blank(square):
            return f"blocked; expected {self._expected()}"
        return f"not a knight's move from {self.mover}; expected {self._expected()}"

    def _expected(self) -> str:
        if self.placing:
            return "a blank square"
        moves = [str(move) for move in self.legal_moves()]
        return moves[0] if len(moves) == 1 else f"one of {', '.join(moves)}"

    def outcome(self) -> Outcome | None:
        """Return the outcome of the game, or None if the player to move has a move."""
        if self.legal_mask:
            return None
        return Outcome(self.to_move.other, Reason.NO_MOVES)

    def __str__(self) -> str:
        """Return the position as one line; see ``format_position``."""
        from isolarium.game.notation import format_position

        return format_position(self)

    def __repr__(self) -> str:
        """Return a call that creates an equal position."""
        return f"parse_position({str(self)!r})"

    def _repr_svg_(self) -> str:
        """Show the board in a notebook."""
        from isolarium.game.svg import draw_svg

        return draw_svg(self)
