"""The kinds of agents: our searches and third-party programs, their names, and what they accept.

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
"""Roughly the nodes that a course agent visits in a move of 150 ms."""


@dataclass(frozen=True)
class Option:
    """An option of a search: a number, or a switch if the default is one.

    Attributes:
        default: The default value.
        about: A description in a few words.
        least: The smallest value of a number.
        most: The largest value.
        whole: Whether it is an integer.
    """

    default: bool | float
    about: str
    least: float = 0.0
    most: float = 1e6
    whole: bool = False


THREADS: Final = Option(
    1.0, "the number of threads; with more than one, games do not reproduce", least=1, most=64, whole=True
)


@dataclass(frozen=True)
class SearchKind:
    """A search that specs can name.

    Attributes:
        name: What users type.
        about: A one-line description.
        make: Makes the search from a heuristic, or None, and the options.
        takes_heuristic: Whether it needs a heuristic. A search that does not need one accepts none.
        default_heuristic: Its default heuristic, if it has one.
        takes_limit: Whether it takes a limit.
        bounds: The bounds that its limit may have.
        ends_at_depth: Whether a depth limit is enough to end the search.
        default_nodes: Its default limit.
        has_book: Whether it always uses the opening book.
        options: Its options.
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
        """Its default limit."""
        return Limit(nodes=self.default_nodes)

    @property
    def example(self) -> str:
        """An example of a spec."""
        heuristic = ":improved" if self.takes_heuristic else ""
        return self.name + heuristic + (f"@nodes={self.default_nodes}" if self.takes_limit else "")


@dataclass(frozen=True)
class ProgramKind:
    """A kind of third-party program that specs can name.

    Attributes:
        name: What users type.
        about: A one-line description.
        needs: A description of the part that must follow the colon.
        example: An example of a spec.
        bounds: The bounds that its limit may have.
        default_limit: Its default limit.
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
        ProgramKind(
            "agent",
            "your own agent, a function or a class in a file, agent:FILE.py:NAME, or one of an installed package",
            "a function or a class in a file, such as agent:my_agent.py:Patient",
            "agent:my_agent.py:Patient@ms=100",
            ("depth", "nodes", "ms"),
            Limit(nodes=DEFAULT_NODES),
        ),
    )
}

OWN_AGENT: Final = ProgramKind(
    "own",
    "a function, class or object of the running Python program",
    "the name of an object, such as own:player",
    "own:player@nodes=8000",
    ("depth", "nodes", "ms"),
    Limit(nodes=DEFAULT_NODES),
)
"""Agents that are objects of the user's program; commands do not list this kind."""


# Searches are imported when they are created: most load the compiler, which parsing does not need.


def _random(evaluator: "Evaluator | None", options: Mapping[str, Any]) -> "Search":
    from isolarium.search.protocol import Random

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
        SearchKind("random", "any legal move, all equally likely", _random, takes_heuristic=False, takes_limit=False),
        SearchKind("greedy", "the move with the best value, one ply ahead", _minimax, takes_limit=False),
        SearchKind("minimax", "the course's minimax, without pruning", _minimax),
        SearchKind(
            "alphabeta",
            "the course's alpha-beta: no table, no ordering; iterative deepening unless only a depth is given",
            _alphabeta,
        ),
        SearchKind("strong", "alpha-beta with a transposition table and ordered moves", _strong),
        SearchKind(
            "champion",
            "alpha-beta with selective depth, then proofs by the solver; its default heuristic is learned",
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
            options={"c": Option(1.4, "the exploration constant")},
        ),
        SearchKind(
            "minmax_approximation",
            "Rivest's min/max approximation: expands the tree where the result depends on it most",
            _minmax_approximation,
            options={
                "reverse": Option(True, "back up true minima and maxima, not generalized means"),
                "constant": Option(0.05, "the cost of every move; larger values broaden the search"),
                "p": Option(10.0, "the exponent of the generalized means", least=1.0),
                "scale": Option(10.0, "the value halfway between zero and infinity", least=1e-6, most=1e9),
                "proven": Option(True, "treat positions with a proven winner as finished"),
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
