"""Agents that search with a heuristic and a limit, their compiled searches, and their opening books."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from time import perf_counter_ns
from typing import TYPE_CHECKING

from isolarium.errors import InputError, quoted
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.limits import NUMPY_SEEDS, Limit, Stop, mixed_seed, read_seed, seeded_generators
from isolarium.processes.code_loader import check_permitted
from isolarium.search.protocol import Choice, Evaluator, Report, check_position, check_unfinished
from isolarium.solver.book import Book, book_moves, read_book
from isolarium.spec.registry import SearchKind
from isolarium.spec.spec import AgentSpec, parse_spec

if TYPE_CHECKING:
    from isolarium.search.driver import CompiledSearch, Entry


class SearchingAgent:
    """An agent that runs a search for every move.

    Each search has a seed derived from the game's seed and the number of moves made.

    Args:
        spec: The agent.
        evaluator: The heuristic to use instead of the spec's.

    Attributes:
        name: The spec, in its shortest form.
        search: The search, which has the best move so far during `choose`.
        limit: The limit of a search, by default the spec's; it may be changed before a move.
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
        if found is None:
            self.search.start(position, self.limit, seed)
            with self._seeded(seed):
                self.search.advance(stop)
                found = self.search.best()
        return found

    def prepare(self, position: Position) -> None:
        """Compile all that `choose` and `values` need."""
        self.search.start(position, Limit(nodes=1))
        if self._evaluator is not None:
            # Imported here, because a search without a heuristic may not need the compiler.
            from isolarium.game.tables import words_for
            from isolarium.heuristics.compiler import compiled_value

            compiled_value(self._evaluator, words_for(position.board))

    def check_values(self, board: Board) -> None:
        """Call a compiled third-party heuristic on random positions; a warning reports one that is always NaN."""
        if self._evaluator is not None:
            with self._seeded(0):
                self._evaluator.is_symmetric(board)

    def values(self, position: Position) -> dict[Square, float]:
        """See `SpecAgent`."""
        check_position(position)
        if self._evaluator is None or position.other is None:
            return {}
        after = {move: position.play(move) for move in position.legal_moves()}
        player = position.to_move
        with self._seeded(0):
            return {move: self._value(then, player) for move, then in after.items() if then.outcome() is None}

    def value(self, position: Position, player: Player) -> float:
        """Return the heuristic's value, for a player, of a position with both players placed."""
        with self._seeded(0):
            return self._value(position, player)

    def _value(self, position: Position, player: Player) -> float:
        from isolarium.heuristics.compiler import value_of

        assert self._evaluator is not None
        found = value_of(self._evaluator, position, player)
        self._evaluator.raise_failure()
        return found

    @contextmanager
    def _seeded(self, seed: int) -> Iterator[None]:
        """Seed all random generators that a third-party heuristic may use within the block."""
        if not self._spec.is_third_party:
            yield
            return
        from isolarium.heuristics.compiler import seed_compiled

        seed_compiled(seed % NUMPY_SEEDS)
        with seeded_generators(seed):
            yield

    def close(self) -> None:
        """Do nothing: there are no processes."""


# Searches without Python between their moves


def compiled_search(spec: AgentSpec) -> "CompiledSearch | None":
    """Return an agent's search if compiled code alone can choose the agent's moves, else None.

    `search/driver.py` lists the compiled functions.

    Raises:
        InputError: If the agent's heuristic does not exist.
    """
    kind = spec.kind
    if not isinstance(kind, SearchKind) or spec.book or spec.is_third_party or spec.is_of_course:
        return None
    search = _compiled(kind, spec)
    return search if search is not None and search.ends_by_itself(spec.limit) else None


def _compiled(kind: SearchKind, spec: AgentSpec) -> "CompiledSearch | None":
    # Imported here, because agents with an opening book are checked without the compiler.
    from isolarium.heuristics.bound_heuristic import Bound
    from isolarium.search.driver import CompiledRandom, CompiledSearch

    if kind.name == "random":
        return CompiledRandom()
    evaluator = spec.evaluator()
    if evaluator is not None and not isinstance(evaluator, Bound):
        return None
    search = kind.make(evaluator, spec.options)
    return search if isinstance(search, CompiledSearch) else None


def choose_entries(spec: str, words: int) -> "Mapping[str, Entry]":
    """Return the compiled function of an agent, and the functions that it calls by address.

    Args:
        spec: A search with its heuristic, such as `alphabeta:improved`.
        words: The number of 64-bit words in a set of the board's squares.

    Returns:
        The arguments of `compile_entry`: `choose` for the agent. For the champion also `search` and `solver`; its
        inputs SEARCH and SOLVER hold their addresses.

    Raises:
        InputError: If the spec is invalid.
        KeyError: If compiled code alone cannot choose the agent's moves.
    """
    search = compiled_search(parse_spec(spec))
    if search is None:
        raise KeyError(spec)
    return search.entries(words)


# Opening books: the package's own, or a file named in a spec


def book_choice(position: Position, seed: int | None, book: Book | None = None) -> Choice | None:
    """Return a book's move, or None if the position is not in the book.

    The default is the package's book. The seed decides between equally good moves. The reported number of nodes is 0.
    """
    started_ns = perf_counter_ns()
    known = book_moves(position) if book is None else book.moves(position)
    if known is None or not known.moves:
        return None
    move = known.moves[0 if seed is None else mixed_seed(seed, 3) % len(known.moves)]
    score = float("inf") if known.wins else float("-inf")
    time_ms = (perf_counter_ns() - started_ns) / 1e6
    return Choice(move, Report(score, 0, 0, time_ms, (move,), proven=True))


def book_of(spec: AgentSpec) -> Book | None:
    """Return the book in the file that a spec names, or None if it does not name a file.

    Raises:
        InputError: If there is no such book, or reading it is not permitted here.
    """
    if not isinstance(spec.book, str):
        return None
    try:
        path = Path(spec.book).expanduser().resolve()
        changed = path.stat().st_mtime_ns if path.exists() else 0
    except (OSError, RuntimeError, ValueError) as error:  # An unknown user after ~, or a null byte
        raise InputError(f"{quoted(spec.book)}: {error}; expected an opening book") from None
    check_permitted(path)
    return _read(path, changed)


def check_book_board(spec: AgentSpec, book: Book | None, board: Board) -> None:
    """Check that a spec's book file, if any, is for this board.

    Raises:
        InputError: If the book is for another board.
    """
    if book is not None and book.board != board:
        raise InputError(f"{spec.book}: a book for {book.board}; expected one for {board}")


@lru_cache(4)
def _read(path: Path, changed_ns: int) -> Book:
    return read_book(path)
