"""The rules of knight Isolation, in plain Python.

Each player in turn places itself on a blank square, FIRST before SECOND. From then on they move in
turn, like a knight in chess, onto a blank square. A square once stood on is never blank again.
Whoever is to move and cannot has lost.

This is the reference: every compiled version of the rules is tested to agree with it.
"""

from dataclasses import dataclass

from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import NO_TEXT, Board, Square, written
from isolarium.game.outcome import Outcome, Player, Reason

FIRST, SECOND = Player.FIRST, Player.SECOND


@dataclass(frozen=True, slots=True, repr=False)
class Position:
    """The blank squares, the players' squares and who is to move; it never changes.

    A player not yet placed has no square (None). Any square may be blocked, also before the players
    are placed, so boards with holes are positions too.

    Attributes:
        board: The board.
        blank: The mask of the blank squares. The squares the players stand on are not blank.
        first: Where the first player stands.
        second: Where the second player stands.
        to_move: Who places or moves next.

    Raises:
        InputError: A square is off the board, a player stands on a blank square or on the other
            player, or the placements and the side to move do not fit together.
    """

    board: Board
    blank: int
    first: Square | None
    second: Square | None
    to_move: Player

    def __post_init__(self) -> None:
        """Check that the parts fit together."""
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
            raise InputError("the second player is placed and the first is not; expected the first")
        if self.first is not None and self.first == self.second:
            raise InputError(f"{self.first}: both players stand there; expected one at most")
        if self.second is None:
            self._check_turn_of(FIRST if self.first is None else SECOND)

    def _check_turn_of(self, placing: Player) -> None:
        if self.to_move != placing:
            raise InputError(
                f"{placing.other} to move; expected {placing} to move, who is not placed yet"
            )

    @classmethod
    def unchecked(
        cls,
        board: Board,
        blank: int,
        first: Square | None,
        second: Square | None,
        to_move: Player,
    ) -> "Position":
        """Build a position whose parts are known to fit together, several times faster."""
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
        """Return the start of a game: all squares blank, nobody placed, FIRST to place."""
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
        """Return where a player stands."""
        return self.first if player == FIRST else self.second

    @property
    def placing(self) -> bool:
        """Whether the player to move is yet to be placed."""
        return self.mover is None

    @property
    def blank_count(self) -> int:
        """The number of blank squares."""
        return self.blank.bit_count()

    def is_blank(self, square: Square) -> bool:
        """Whether a square of the board is blank."""
        return bool(self.blank >> self.board.index(square) & 1)

    @property
    def legal_mask(self) -> int:
        """The mask of the legal moves."""
        mover = self.mover
        if mover is None:
            return self.blank
        return self.blank & self.board.knight_mask(mover)

    def legal_moves(self) -> tuple[Square, ...]:
        """Return the squares the player to move may go to, by ascending index."""
        return self.board.squares_in(self.legal_mask)

    def is_legal(self, square: Square) -> bool:
        """Whether the player to move may go to a square.

        Raises:
            InputError: It is a text, which `play` alone takes.
        """
        board = self.board
        if square in board:
            return bool(self.legal_mask >> board.index(square) & 1)
        if isinstance(square, str):
            raise InputError(f"square {quoted(square)}: {NO_TEXT}")
        return False

    def play(self, square: Square | str) -> "Position":
        """Return the position after the player to move goes to a square, or to the one that a text such as `e4` names.

        Raises:
            InputError: The move is not legal; the message names the square and says why.
        """
        if isinstance(square, str):
            # Imported here: the notation is written in terms of positions.
            from isolarium.game.notation import parse_square

            square = parse_square(square, self.board)
        if not self.is_legal(square):
            raise InputError(f"{written(square)}: {self.why_illegal(square)}")
        board = self.board
        index = board.index(square)
        blank = self.blank ^ (1 << index)
        if self.to_move == FIRST:
            return Position.unchecked(board, blank, board.square(index), self.second, SECOND)
        return Position.unchecked(board, blank, self.first, board.square(index), FIRST)

    def why_illegal(self, square: object) -> str | None:
        """Say why the player to move may not go to a square; None if it is a legal move."""
        if isinstance(square, str):
            return NO_TEXT
        if not isinstance(square, tuple):
            return f"no square; expected one such as {self.board.squares[-1]}"
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
        """Return how the game has ended, or None while the player to move has a move."""
        if self.legal_mask:
            return None
        return Outcome(self.to_move.other, Reason.NO_MOVES)

    def __str__(self) -> str:
        """Return the position as one line; see ``format_position``."""
        from isolarium.game.notation import format_position

        return format_position(self)

    def __repr__(self) -> str:
        """Return the call that gives an equal position."""
        return f"parse_position({str(self)!r})"

    def _repr_svg_(self) -> str:
        """Show the board in a notebook."""
        from isolarium.game.svg import draw_svg

        return draw_svg(self)
