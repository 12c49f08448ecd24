"""Which kinds of agents there are: searches, how each is made, and programs of others; their names and what they take.

To add a search, write it in `isolarium.search` and add its entry here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from isolarium.limits import Limit

if TYPE_CHECKING:
    from isolarium.search.protocol import Evaluator, Search

Make = Callable[["Evaluator | None", Mapping[str, Any]], "Search"]

DEFAULT_NODES: Final = 8000
"""What the course's programs visit in a move of 150 ms."""


@dataclass(frozen=True)
class Option:
    """A parameter of a search itself: a number, or a switch where the default is one.

    Attributes:
        default: its value unless another is given.
        about: what it does, in a few words.
        least: the least value of a number.
        most: the largest.
        whole: whether it is a whole number.
    """

    default: bool | float
    about: str
    least: float = 0.0
    most: float = 1e6
    whole: bool = False


THREADS: Final = Option(
    1.0,
    "how many search at once; with more than one a game is not the same twice",
    least=1,
    most=64,
    whole=True,
)


@dataclass(frozen=True)
class SearchKind:
    """A search that a spec can name.

    Attributes:
        name: what people type.
        about: one line on what it does.
        make: from a heuristic, or None, and the options to the search.
        takes_heuristic: whether it needs a heuristic; otherwise it takes none.
        default_heuristic: the one that it has unless another is given, if it does not have to be.
        takes_limit: whether it takes a limit.
        bounds: by what it can be limited.
        ends_at_depth: whether a depth alone ends it.
        default_nodes: its limit unless another is given.
        has_book: whether it looks into the opening book by itself.
        options: its own parameters.
    """

    name: str
    about: str
    make: Make
    takes_heuristic: bool = True
    default_heuristic: str | None = None
    takes_limit: bool = True
    bounds: tuple[str, ...] = ("depth", "nodes", "ms")
    ends_at_depth: bool = True
    default_nodes: int = DEFAULT_NODES
    has_book: bool = False
    options: Mapping[str, Option] = field(default_factory=dict)

    @property
    def default_limit(self) -> Limit:
        """Its limit unless another is given."""
        return Limit(nodes=self.default_nodes)

    @property
    def example(self) -> str:
        """A spec that names it."""
        heuristic = ":improved" if self.takes_heuristic else ""
        return self.name + heuristic + (f"@nodes={self.default_nodes}" if self.takes_limit else "")


@dataclass(frozen=True)
class ProgramKind:
    """A kind of programs of others that a spec can name.

    Attributes:
        name: what people type.
        about: one line on what it does.
        needs: what stands after the colon.
        example: a spec of such a program.
        bounds: by what it can be limited.
        default_limit: its limit unless another is given.
    """

    name: str
    about: str
    needs: str
    example: str
    bounds: tuple[str, ...]
    default_limit: Limit
    takes_heuristic: bool = False
    takes_limit: bool = True
    ends_at_depth: bool = True
    has_book: bool = False
    options: Mapping[str, Option] = field(default_factory=dict)


PROGRAMS: Final[Mapping[str, ProgramKind]] = {
    kind.name: kind
    for kind in (
        ProgramKind(
            "course",
            "an agent written for the course, in its file: course:FILE.py:CLASS(ARGUMENT=VALUE, ...)",
            "a file, such as course:game_agent.py",
            "course:game_agent.py:AlphaBetaPlayer(score_fn=custom_score)@ms=150",
            ("ms", "calls"),
            Limit(time_ms=150),
        ),
        ProgramKind(
            "engine",
            "any program that speaks UGI, or UCI as Fairy-Stockfish does: engine:PROGRAM(OPTION=VALUE, ...)",
            "a program, such as engine:./my_engine",
            "engine:./my_engine@ms=100",
            ("depth", "nodes", "ms"),
            Limit(time_ms=100),
        ),
    )
}


# A search is imported where it is made: most bring the compiler along, and specs are parsed without it.


def _random(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.search.random import Random

    return Random()


def _minimax(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.search.alphabeta import AlphaBeta

    assert evaluator is not None
    return AlphaBeta(evaluator, prune=False)


def _alphabeta(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.search.alphabeta import AlphaBeta

    assert evaluator is not None
    return AlphaBeta(evaluator)


def _strong(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.search.alphabeta import Strong

    assert evaluator is not None
    return Strong(evaluator)


def _mcts(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.search.mcts import MonteCarlo

    return MonteCarlo(**options)


def _minmax_approximation(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.search.minmax_approximation import MinMaxApproximation

    assert evaluator is not None
    return MinMaxApproximation(evaluator, **options)


def _champion(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.agents.prover import Prover

    assert evaluator is not None
    return Prover(evaluator, int(options["threads"]))


def _oracle(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.agents.oracle import Oracle

    return Oracle(int(options["threads"]))


SEARCHES: Final[Mapping[str, SearchKind]] = {
    kind.name: kind
    for kind in (
        SearchKind(
            "random",
            "any legal move, each as likely",
            _random,
            takes_heuristic=False,
            takes_limit=False,
        ),
        SearchKind(
            "greedy", "the move with the best value, one ply ahead", _minimax, takes_limit=False
        ),
        SearchKind("minimax", "the course's minimax: every line, cut off by nothing", _minimax),
        SearchKind(
            "alphabeta",
            "the course's alpha-beta: no table, no ordering; deepens ply by ply unless a depth stands alone",
            _alphabeta,
        ),
        SearchKind("strong", "alpha-beta with a transposition table and ordered moves", _strong),
        SearchKind(
            "champion",
            "alpha-beta that looks less deep where a value tells enough, then proofs; learned unless told otherwise",
            _champion,
            default_heuristic="learned",
            options={"threads": THREADS},
        ),
        SearchKind(
            "mcts",
            "Monte-Carlo tree search (UCT) that backs up proven wins and losses",
            _mcts,
            takes_heuristic=False,
            ends_at_depth=False,
            options={"c": Option(1.4, "how evenly moves are tried")},
        ),
        SearchKind(
            "minmax_approximation",
            "Rivest's min/max approximation: grows the tree where the result depends on it most",
            _minmax_approximation,
            options={
                "reverse": Option(True, "back up true minima and maxima, not generalised means"),
                "constant": Option(0.05, "what every move costs; larger searches in breadth"),
                "p": Option(10.0, "the exponent of the generalised means", least=1.0),
                "scale": Option(
                    10.0, "the value halfway from nothing to infinity", least=1e-6, most=1e9
                ),
                "proven": Option(True, "take positions with a proven winner for finished"),
            },
        ),
        SearchKind(
            "oracle",
            "perfect wherever the solver finishes within its limit; elsewhere it searches",
            _oracle,
            takes_heuristic=False,
            ends_at_depth=False,
            default_nodes=2_000_000,
            has_book=True,
            options={"threads": THREADS},
        ),
    )
}
