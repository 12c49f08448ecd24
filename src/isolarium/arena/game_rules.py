"""What the games of a plan can be: the one check of a game, made before it is written and when it is read.

A game may come from a worker of a cluster, from a file, or from a bug of ours. Nothing else decides whether it is
believed.
"""

from collections.abc import Callable, Sequence

from isolarium.arena.game import Game, check_values
from isolarium.arena.openings import PLACEMENTS
from isolarium.arena.plan import Plan
from isolarium.arena.schedule import Span
from isolarium.game.notation import parse_board
from isolarium.game.outcome import Player, Reason

Line = tuple[str, ...]
"""Moves as people write their squares."""


class GameRules:
    """The rules that the openings and games of a plan follow.

    Args:
        plan: The plan.
    """

    def __init__(self, plan: Plan) -> None:
        board = parse_board(plan.board)
        self._encounters, self._pairs = plan.encounters, plan.pairs
        self._reach = {
            str(square): {str(other) for other in board.knight_moves(square)}
            for square in board.squares
        }

    def check_place(self, encounter: int, pair: int, leg: int) -> None:
        """Check that the plan has such a game.

        Raises:
            ValueError: If it does not.
        """
        planned = (
            0 <= encounter < len(self._encounters) and 0 <= pair < self._pairs and leg in (0, 1)
        )
        if not planned:
            raise ValueError(f"a game {encounter}, {pair}, {leg} that the plan does not have")

    def players(self, encounter: int, leg: int) -> tuple[int, int]:
        """Return who moves first and who second in a game, as places among the plan's players."""
        met = self._encounters[encounter]
        return (met.first, met.second) if leg == 0 else (met.second, met.first)

    def check_opening(self, moves: Line) -> None:
        """Check that both players are placed and move by the rules.

        Raises:
            ValueError: If they do not.
        """
        reach = self._reach
        legal = (
            len(moves) >= PLACEMENTS
            and len(set(moves)) == len(moves)
            and all(square in reach for square in moves[:PLACEMENTS])
            and all(to in reach[here] for here, to in zip(moves, moves[2:], strict=False))
        )
        if not legal:
            raise ValueError(f"moves that are against the rules: {' '.join(moves)}")

    def check_game(self, game: Game, opening_of: Callable[[int], Line]) -> None:
        """Check a game: its values, its place, its players, its moves, its end and its winner.

        Args:
            game: The game.
            opening_of: Returns the opening of a pair of the plan.

        Raises:
            ValueError: If anything is wrong.
        """
        check_values(game)
        self.check_place(game.encounter, game.pair, game.leg)
        if game.players != self.players(game.encounter, game.leg):
            raise ValueError(f"{_named(game)}: it has the players of another game")
        if game.opening != opening_of(game.pair):
            raise ValueError(f"{_named(game)}: it has the opening of another game")
        moves = game.line
        self.check_opening(moves)
        is_over = self._reach[moves[-2]] <= set(moves)
        by_rule = game.reason is Reason.NO_MOVES
        last_mover = Player(1 - len(moves) % 2)
        # An agent may fail before its first move, whoever's turn it is.
        won = game.winner == last_mover or not game.moves
        if is_over != by_rule or not won:
            raise ValueError(f"a game that did not end so: {' '.join(moves)}: {game.reason}")

    def check_batch(
        self, span: Span, games: Sequence[Game], opening_of: Callable[[int], Line]
    ) -> None:
        """Check that games are those of a span, and each by the rules.

        Args:
            span: The pairs that were to be played.
            games: What a worker returned for them.
            opening_of: Returns the opening of a pair of the plan.

        Raises:
            ValueError: If a game is missing, is not of the span, or is wrong in itself.
        """
        check_span(span, games)
        for game in games:
            try:
                self.check_game(game, opening_of)
            except ValueError as error:
                raise ValueError(f"{_named(game)}: {error}") from None


def check_span(span: Span, games: Sequence[Game]) -> None:
    """Check that games are those of a span, each leg of each pair once and in order.

    Raises:
        ValueError: If they are not.
    """
    expected = [
        (span.encounter, pair, leg) for pair in range(span.first, span.end) for leg in (0, 1)
    ]
    for number, place in enumerate(expected):
        game = games[number] if number < len(games) else None
        if game is None or (game.encounter, game.pair, game.leg) != place:
            told = "nothing" if game is None else _named(game)
            raise ValueError(f"{told} in place of game {', '.join(map(str, place))}")
    if len(games) > len(expected):
        raise ValueError(f"{len(games)} games; expected {len(expected)}")


def _named(game: Game) -> str:
    return f"game {game.encounter}, {game.pair}, {game.leg}"
