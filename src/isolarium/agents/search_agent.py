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
    """Runs a search for every move, each with a seed derived from the game's seed and the number of moves made.

    Args:
        spec: The agent.
        evaluator: Replaces the heuristic that the spec names.

    Attributes:
        name: The spec, in its shortest form.
        search: The search; during `choose` it has the best move so far.
        limit: When to stop, the spec's limit; may be changed before a move.
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
        """Set the seed; no other state is kept between moves."""
        self._seed = read_seed(seed)

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        """Search the position, unless it is in the spec's opening book.

        Raises:
            InputError: If the game is over, or the book is for another board.
        """
        check_unfinished(position)
        seed, found = mixed_seed(self._seed, position.blank_count), None
        if self._spec.book:
            check_book_board(self._spec, self._book, position.board)
            found = book_choice(position, seed, self._book)
        return found or self.search.choose(position, self.limit, seed, stop)

    def prepare(self, position: Position) -> None:
        """Compile everything that `choose` and `values` need there, without calling the heuristic."""
        self.search.start(position, Limit(nodes=1))
        if self._evaluator is not None:
            # Inside: a search without a heuristic may not need the compiler.
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
        """Return the heuristic's value of a position, with both players placed, for a player."""
        from isolarium.heuristics.compiler import value_of

        assert self._evaluator is not None
        found = value_of(self._evaluator, position, player)
        self._evaluator.raise_failure()
        return found

    def close(self) -> None:
        """Do nothing: there are no processes."""
