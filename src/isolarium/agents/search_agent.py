"""An agent that searches: a search with its heuristic and its limit."""

from isolarium.agents.opening_book import book_choice, book_of, check_book_board
from isolarium.game.board import Square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.limits import Limit, Stop, read_seed
from isolarium.search.protocol import Choice, Evaluator, check_position, check_unfinished
from isolarium.search.random import mixed_seed
from isolarium.spec.registry import SearchKind
from isolarium.spec.spec import AgentSpec


class SearchingAgent:
    """Runs its search for every move, each with a seed of its own, drawn from the game's seed and the move's number.

    Args:
        spec: the agent.
        evaluator: in place of the heuristic that the spec names.

    Attributes:
        name: the spec, in its shortest form.
        search: what it searches with; while it chooses, this tells the best so far.
        limit: when it stops, the spec's own; may be set anew before a move.
    """

    def __init__(self, spec: AgentSpec, evaluator: Evaluator | None = None) -> None:
        assert isinstance(spec.kind, SearchKind)
        self.name = str(spec)
        self.limit = spec.limit
        self._evaluator = evaluator or spec.evaluator()
        self.search = spec.kind.make(self._evaluator, spec.options)
        self._spec, self._book = spec, book_of(spec)
        self._seed = 0

    def new_game(self, seed: int) -> None:
        """Take the seed; nothing else is kept between moves."""
        self._seed = read_seed(seed)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Search the position, unless it is in a book that the spec asks for.

        Raises:
            InputError: the game is over, or the book is of another board.
        """
        check_unfinished(position)
        seed, found = mixed_seed(self._seed, position.blank_count), None
        if self._spec.book:
            check_book_board(self._spec, self._book, position.board)
            found = book_choice(position, seed, self._book)
        return found or self.search.choose(position, self.limit, seed, stop)

    def prepare(self, position: Position) -> None:
        """Compile everything that `choose` and `values` need there; the heuristic is asked nothing."""
        self.search.start(position, Limit(nodes=1))
        if self._evaluator is not None:
            # Here, since a search without a heuristic may do without the compiler.
            from isolarium.game.tables import words_for
            from isolarium.heuristics.compiler import compiled_value

            compiled_value(self._evaluator, words_for(position.board))

    def values(self, position: Position) -> dict[Square, float]:
        """See `SpecAgent`."""
        check_position(position)
        if self._evaluator is None or position.other is None:
            return {}
        after = {move: position.play(move) for move in position.legal_moves()}
        return {
            move: self.value(then, position.to_move)
            for move, then in after.items()
            if then.outcome() is None
        }

    def value(self, position: Position, player: Player) -> float:
        """The heuristic's value of a position, both players placed, for a player."""
        from isolarium.heuristics.compiler import value_of

        assert self._evaluator is not None
        found = value_of(self._evaluator, position, player)
        self._evaluator.raise_failure()
        return found

    def close(self) -> None:
        """Nothing to close."""
