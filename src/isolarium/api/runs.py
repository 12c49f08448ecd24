"""Functions that play runs in worker processes, and single games in this process."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, cast

from isolarium.agents import Agent, SpecAgent, parse_agent
from isolarium.agents.python_agent import required_parameters
from isolarium.api.arguments import (
    AgentLike,
    ChosenHeuristic,
    PlayArguments,
    RunArguments,
    check_names,
    definable,
    expand_options,
    number,
    read_agent,
    read_board,
    read_conditions,
    read_optional_workers,
    read_path,
    read_specs,
    read_test,
    whole_number,
)
from isolarium.api.display import progress_bar
from isolarium.api.results import Match, Tournament, Tuned, make_folder, remove_folder
from isolarium.arena.cluster import connected
from isolarium.arena.plan import Plan, match_plan, sweep_plan, tournament_plan
from isolarium.arena.referee import play_game
from isolarium.arena.results import Results
from isolarium.arena.session import SILENT, Listener, Session
from isolarium.arena.session import play as play_plan
from isolarium.env.observation import PolicyAgent
from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, Square
from isolarium.game.notation import read_start
from isolarium.game.position import Player, Position
from isolarium.game.record import GameRecord
from isolarium.heuristics.definition import Heuristic, heuristic_of
from isolarium.limits import check_move_ms, read_seed
from isolarium.processes.code_loader import check_may_start
from isolarium.processes.own_code import Kind, Names, restore
from isolarium.spec.parser import OWN
from isolarium.stats import SprtPlan
from isolarium.studies.tuning_config import Tuning, read_objective
from isolarium.studies.tuning_runner import begin_tuning, play_tuning

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster


@expand_options("500, each opening of a list once, or as many as the test needs")
def match(
    first: AgentLike,
    second: AgentLike,
    *,
    test: tuple[float, float] | SprtPlan | None = None,
    **options: Unpack[RunArguments],
) -> Match:
    """Play pairs of games between two agents.

    Each opening is played twice, with the sides swapped.

    Args:
        first: An agent's spec, such as `alphabeta:improved`, or your own code: a heuristic `f(view, own, opp)`, which
            plays with alpha-beta search, or an agent, `f(position)` or an object with `choose(position, limit)`.
        second: Its opponent.
        test: Two Elo differences; the match stops as soon as one of them is rejected.
        ***options: the conditions of the games and the options for playing, described below.

    Raises:
        InputError: If an argument is invalid.
        RunAborted: If the run cannot continue, for example because workers keep failing.

    Example:
        >>> played = isolarium.match("greedy:open", "random", pairs=20, board="5x5", seed=1)
        >>> played.pairs.won, played.pairs.split, played.pairs.lost
        (13, 6, 1)
        >>> 0.5 in played.rate
        False
    """
    check_may_start()
    conditions, names = read_conditions(options), Names()
    specs = read_agent("first", first, names), read_agent("second", second, names)
    plan = match_plan(*specs, conditions, read_test(test))
    return Match(*_played(plan, options))


@expand_options("100, or each opening of a list once")
def tournament(
    agents: AgentLike | Sequence[AgentLike],
    *,
    against: AgentLike | Sequence[AgentLike] = (),
    field: str = "",
    self_play: bool = False,
    **options: Unpack[RunArguments],
) -> Tournament:
    """Play a tournament: every agent against every other, or against the opponents.

    Args:
        agents: The agents' specs, or your own heuristics and agents, as in `match`.
        against: Their opponents; without opponents and a field, the agents play each other.
        field: The name of a field of additional opponents, `course` or `fixed-depth`.
        self_play: Whether each agent also plays itself.
        ***options: the conditions of the games and the options for playing, described below.

    Raises:
        InputError: If an argument is invalid.
        RunAborted: If the run cannot continue, for example because workers keep failing.

    Example:
        >>> agents = ["greedy:open", "greedy:improved", "random"]
        >>> met = isolarium.tournament(agents, pairs=5, board="5x5", workers=1)
        >>> [row["agent"] for row in met.records()][-1]
        'random'
    """
    check_may_start()
    conditions, names = read_conditions(options), Names()
    check_kind("field", field, str, "a text such as course")
    check_kind("self_play", self_play, bool, "True or False")
    specs = read_specs("agents", agents, names)
    opponents = read_specs("against", against, names)
    plan = tournament_plan(specs, conditions, opponents, field, self_play)
    return Tournament(*_played(plan, options))


@expand_options("500, or each opening of a list once")
def sweep(
    template: AgentLike, *values: str, against: AgentLike | Sequence[AgentLike], **options: Unpack[RunArguments]
) -> Tournament:
    """Play one agent with many values of its parameters against the same opponents.

    Args:
        template: A spec with `{}` for each list of values, such as `alphabeta:balanced(weight={})`,
            or `isolarium.heuristic(f, weight="{}")` for a function of your own.
        values: The lists, such as `0,0.5,1`, or `0:1:0.25` for all numbers in steps of 0.25.
        against: The opponents.
        ***options: the conditions of the games and the options for playing, described below.

    Raises:
        InputError: If an argument is invalid.
        RunAborted: If the run cannot continue, for example because workers keep failing.

    Example:
        >>> swept = isolarium.sweep("mcts(c={})@nodes=20", "0.5,1", against="random", pairs=2, workers=1)
        >>> list(swept.rates)
        ['mcts(c=0.5)@nodes=20', 'mcts(c=1)@nodes=20', 'random']
    """
    check_may_start()
    conditions, names = read_conditions(options), Names()
    for text in values:
        check_kind("values", text, str, "a text")
    spec = read_agent("template", template, names)
    plan = sweep_plan(spec, values, read_specs("against", against, names), conditions)
    return Tournament(*_played(plan, options))


@expand_options()
def tune(
    agent: AgentLike,
    *,
    against: AgentLike | None = None,
    on: str = "games",
    trials: int = 40,
    round: int = 8,  # `--round`
    pairs: int = 200,
    positions: int = 500,
    gain: float = 20.0,
    confirm: int = 5000,
    board: str | Board = "7x7",
    seed: int = 1,
    plies: int = 2,
    name: str = "tune",
    **options: Unpack[PlayArguments],
) -> Tuned:
    """Find the best values of an agent's parameters.

    A confirmation match then tests the best values against the untuned agent.

    Args:
        agent: A spec with `{0..2}`, `{0..4 by 1}` or `{a|b}` for parameters: `alphabeta:balanced(weight={0..2})`, or
            `isolarium.heuristic(f, weight="{0..2}")` for a function of your own.
        against: The opponent of the trials; by default the untuned agent.
        on: The basis for evaluating trials: `games`, or `truth` for solved positions.
        trials: The total number of values to try.
        round: With `games`, the number of trials at a time.
        pairs: The number of pairs of games in each trial.
        positions: With `truth`, the number of solved positions for each of the game's stages.
        gain: The smallest gain in Elo worth confirming.
        confirm: The maximum number of pairs in the confirmation.
        board: ROWSxCOLS, or a Board.
        seed: Random seed; the same seed reproduces the same games.
        plies: Random moves after the placements.
        name: The run's title.
        ***options: the options for playing, described below.

    Raises:
        InputError: If an argument is invalid.
        RunAborted: If the run cannot continue, for example because workers keep failing.

    Example:
        >>> spec = "greedy:aggressive(weight={-2|1|2})"
        >>> tuned = isolarium.tune(spec, against="random", trials=3, pairs=10, confirm=10, workers=1)
        >>> tuned.agent == f"greedy:aggressive(weight={tuned.values['weight']})"
        True
    """
    check_may_start()
    check_names(options, PlayArguments)
    names = Names()
    tuning = Tuning(
        read_agent("agent", agent, names),
        "" if against is None else read_agent("against", against, names),
        read_objective(on),
        whole_number("trials", trials),
        whole_number("round", round),
        whole_number("pairs", pairs),
        whole_number("positions", positions),
        number("gain", gain),
        whole_number("confirm", confirm),
        str(read_board(board)),
        whole_number("seed", seed),
        whole_number("plies", plies),
        name,
    )
    with _stage(options) as stage:
        begun = begin_tuning(tuning, stage.runs)
        found = play_tuning(begun, stage.listener, stage.workers, stage.cluster)
    return Tuned(found, begun.folder, stage.temporary)


@dataclass(frozen=True, slots=True)
class _Stage:
    """The folder and the workers for playing.

    Attributes:
        runs: The folder of runs.
        temporary: The folder of runs if it is temporary, else None.
        listener: Follows the runs.
        workers: The number of processes; None for the usual number.
        cluster: A cluster whose workers to use instead.
    """

    runs: Path
    temporary: Path | None
    listener: Listener
    workers: int | None
    cluster: "Cluster | None"


@contextmanager
def _stage(options: PlayArguments) -> Iterator[_Stage]:
    """Prepare to play in the given folder or in a temporary one.

    A temporary folder is removed if the block fails.

    Raises:
        InputError: If an option is invalid.
    """
    workers, cluster = read_optional_workers(options.get("workers")), options.get("cluster")
    if cluster is not None:
        check_kind("cluster", cluster, str, "a text such as tcp://HOST:PORT")
    given = options.get("runs")
    runs = None if given is None else read_path("runs", given, "a folder")
    with connected(cluster, workers) as found, progress_bar(options.get("progress")) as bar:
        listener = SILENT if bar is None else bar
        if runs is not None:
            yield _Stage(runs, None, listener, workers, found)
            return
        temporary = make_folder()
        try:
            yield _Stage(temporary, temporary, listener, workers, found)
        except BaseException:
            remove_folder(temporary)
            raise


def _played(plan: Plan, options: PlayArguments) -> tuple[Results, Path, Path | None]:
    """Play a plan; return its results, its folder, and the temporary folder to remove."""
    with _stage(options) as stage:
        results, folder = play_plan(plan, stage.listener, runs=stage.runs, workers=stage.workers, cluster=stage.cluster)
    return results, folder, stage.temporary


def resume_run(
    folder: Path, own: Sequence[Any], workers: int | None, cluster: str | None, progress: bool | None
) -> Results:
    """Play the missing games of a run, and return its results.

    Args:
        folder: The run's folder.
        own: The objects of the user's program that play in it.
        workers: The number of processes.
        cluster: A cluster to play on instead.
        progress: Whether to show progress.

    Raises:
        InputError: If an object is missing or has changed, or an argument is invalid.
        RunAborted: If the run cannot continue.
    """
    check_may_start()
    options = PlayArguments(workers=workers, cluster=cluster, progress=progress, runs=folder)
    with _stage(options) as stage, Session.resume(folder) as session:
        stored = session.record.own_code()
        restore(
            {name: (Kind(one["kind"]), one["digest"]) for name, one in stored.items()},
            [definable(thing) for thing in own],
        )
        session.play(stage.listener, stage.workers, stage.cluster)
        return session.read()


def agent(spec: AgentLike, *, limit: str = "") -> SpecAgent:
    """Make an agent that chooses moves.

    Args:
        spec: Its spec, such as `alphabeta:improved@nodes=8000`; a heuristic, which plays with alpha-beta search; or
            your own: a function `f(position) -> move`, or an object or a class with `choose(position, limit) -> move`
            and optionally `start(board, seed)`, called at the start of each game. A move is a `Square` or a text such
            as `d4`; None resigns.
        limit: The limit passed to your own agent's `choose`, such as `ms=100`; by default `nodes=8000`.

    Raises:
        InputError: If the spec is invalid.

    Example:
        >>> thinker = isolarium.agent("alphabeta:improved@nodes=500")
        >>> thinker.new_game(seed=1)
        >>> choice = thinker.choose(isolarium.parse_position("5/1A3/5/3B1/5 a"))
        >>> str(choice.move), choice.report.proven
        ('d1', False)
        >>> thinker.close()
    """
    check_kind("limit", limit, str, "a text such as ms=100")
    is_heuristic = isinstance(spec, str | Heuristic | ChosenHeuristic) or heuristic_of(spec)
    if is_heuristic or not callable(spec) or required_parameters(spec) == 3:
        text = read_agent("agent", spec, Names())
    else:
        text = f"{OWN}:{Names().define(Kind.AGENT, spec)}"
    return parse_agent(f"{text}@{limit}" if limit else text)


def heuristic(f: Any, *, search: str = "alphabeta", limit: str = "", **parameters: Any) -> ChosenHeuristic:
    """Choose a heuristic's search, limit and parameters.

    Without any of these, the result plays like the heuristic itself.

    Args:
        f: A function `f(view, own, opp) -> float`, decorated or not, or the name of a heuristic.
        search: The search that plays with it.
        limit: The search's limit, such as `nodes=500`; by default the search's own.
        parameters: Values of its parameters: numbers, names, heuristics, or for a sweep `{}`.

    Example:
        >>> def freer(view, own, opp, weight=1.0):
        ...     return weight * isolarium.heuristics.mobility(view, own)
        >>> keener = isolarium.heuristic(freer, search="greedy", weight=2)
        >>> isolarium.match(keener, "random", pairs=2, board="5x5").results.plan.agents[0]
        'greedy:own:freer(weight=2)'
    """
    check_kind("search", search, str, "the name of a search, such as alphabeta")
    check_kind("limit", limit, str, "a text such as nodes=500")
    if not isinstance(f, str | Heuristic) and not callable(f):
        raise InputError(f"heuristic {quoted(f)}: expected a function f(view, own, opp)")
    return ChosenHeuristic(f, search, limit, parameters)


def policy(f: Callable[..., Any]) -> SpecAgent:
    """Make an agent from a policy trained in `isolarium.env`.

    Args:
        f: A function or an object such as a network, `f(observation, mask) -> action`. The
            observation has the shape (4, rows, columns). The mask has a 1 for each legal action. An
            action is the number of a square, counted row by row.

    Example:
        >>> first_legal = isolarium.policy(lambda observation, mask: mask.argmax())
        >>> isolarium.match(first_legal, "random", pairs=2, board="5x5").pairs.pairs
        2
    """
    return parse_agent(f"{OWN}:{Names().define(Kind.AGENT, PolicyAgent(f))}")


def play(
    first: AgentLike | Agent,
    second: AgentLike | Agent,
    *,
    start: str | Board | Position = "7x7",
    seed: int = 1,
    move_ms: float | None = None,
    on_move: Callable[[Square], None] | None = None,
) -> GameRecord:
    """Play one game to its end in this process, without storing it.

    An agent that makes an illegal move, raises an error or exceeds the time limit loses, and a warning reports it.

    Args:
        first: An agent's spec, or your own heuristic or agent, as in `match`.
        second: Its opponent.
        start: ROWSxCOLS for an empty board, on which agents choose their first squares, or any position.
        seed: Random seed; the same seed reproduces the same game.
        move_ms: Time limit for a move in milliseconds; exceeding it loses the game.
        on_move: Called with every move as it is made.

    Raises:
        InputError: If an argument is invalid.

    Example:
        >>> game = isolarium.play("greedy:open", "random", start="5x5", seed=3)
        >>> str(game.outcome())
        'second wins (no moves)'
        >>> isolarium.play("greedy:open", "random", start="5x5", seed=3) == game
        True
    """
    position, number_of_game = read_start("start", start), read_seed(seed)
    if move_ms is not None:
        check_move_ms(number("move_ms", move_ms))
    if on_move is not None and not callable(on_move):
        raise InputError(f"on_move {quoted(on_move)}: expected a function of a square")
    names = Names()
    with ExitStack() as held:
        seats = {
            Player.FIRST: _seated("first", first, position, held, names),
            Player.SECOND: _seated("second", second, position, held, names),
        }
        played = play_game(
            seats,
            position,
            (),
            {player: 2 * number_of_game + player for player in Player},  # as `isolarium play` does
            None if move_ms is None else number("move_ms", move_ms),
            on_move=on_move,
        )
    if played.note:
        warnings.warn(played.note, RuntimeWarning, stacklevel=2)
    return played.record(position.board, position)


def _seated(what: str, given: AgentLike | Agent, position: Position, held: ExitStack, names: Names) -> Agent:
    """Return the given agent, or create an agent for this game."""
    if hasattr(given, "choose") and hasattr(given, "new_game") and not isinstance(given, type):
        return cast("Agent", given)
    made = held.enter_context(closing(parse_agent(read_agent(what, given, names))))
    made.prepare(position)
    return made
