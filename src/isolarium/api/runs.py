"""The functions that play: a match, a tournament, a sweep, and a tuning run."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from isolarium.api.arguments import (
    AgentLike,
    PlayArguments,
    RunArguments,
    check_names,
    number,
    read_agent,
    read_board,
    read_chosen_workers,
    read_conditions,
    read_path,
    read_specs,
    read_test,
    spelled_out,
    whole,
)
from isolarium.api.progress_bar import progress_bar
from isolarium.api.results import Match, Tournament, Tuned
from isolarium.api.temporary_runs import make_folder, remove_folder
from isolarium.arena.cluster.connection import connected
from isolarium.arena.plan import Plan
from isolarium.arena.plan_options import match_plan, sweep_plan, tournament_plan
from isolarium.arena.results import Results
from isolarium.arena.session import SILENT, Listener, play
from isolarium.errors import check_kind
from isolarium.game.board import Board
from isolarium.processes.permissions import check_may_start
from isolarium.stats import SprtPlan
from isolarium.tuning.tuning_config import Tuning, read_way
from isolarium.tuning.tuning_runner import begin_tuning, play_tuning

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster


@spelled_out("500, each opening of a list once, or as many as the test needs")
def match(
    first: AgentLike,
    second: AgentLike,
    *,
    test: tuple[float, float] | SprtPlan | None = None,
    **options: Unpack[RunArguments],
) -> Match:
    """Play pairs of games between two agents: each opening twice, with the sides swapped.

    Args:
        first: an agent's spec, such as `alphabeta:improved`, or a heuristic, which then plays alpha-beta.
        second: its opponent.
        test: two Elo differences; the match stops as soon as one of them is shown to be wrong.
        **options: the conditions of the games, and how to play them.

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
    conditions = read_conditions(options)
    plan = match_plan(
        read_agent("first", first), read_agent("second", second), conditions, read_test(test)
    )
    return Match(*_played(plan, options))


@spelled_out("100, or each opening of a list once")
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
        agents: the agents' specs, or heuristics, which then play alpha-beta.
        against: their opponents; without opponents and a field, the agents meet each other.
        field: the name of a field of opponents, `course` or `fixed-depth`, in addition.
        self_play: whether each agent also meets itself.
        **options: the conditions of the games, and how to play them.

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
    conditions = read_conditions(options)
    check_kind("field", field, str, "a text such as course")
    check_kind("self_play", self_play, bool, "True or False")
    specs, opponents = read_specs("agents", agents), read_specs("against", against)
    plan = tournament_plan(specs, conditions, opponents, field, self_play)
    return Tournament(*_played(plan, options))


@spelled_out("500, or each opening of a list once")
def sweep(
    template: str,
    *values: str,
    against: AgentLike | Sequence[AgentLike],
    **options: Unpack[RunArguments],
) -> Tournament:
    """Play one agent with many values of its parameters against the same opponents.

    Args:
        template: a spec with `{}` for each list of values, such as `alphabeta:balanced(weight={})`.
        values: the lists, such as `0,0.5,1`, or `0:1:0.25` for all numbers in steps of 0.25.
        against: their opponents.
        **options: the conditions of the games, and how to play them.

    Raises:
        InputError: If an argument is invalid.
        RunAborted: If the run cannot continue, for example because workers keep failing.

    Example:
        >>> swept = isolarium.sweep("mcts(c={})@nodes=20", "0.5,1", against="random", pairs=2, workers=1)
        >>> list(swept.rates)
        ['mcts(c=0.5)@nodes=20', 'mcts(c=1)@nodes=20', 'random']
    """
    check_may_start()
    conditions = read_conditions(options)
    for what, text in (("template", template), *(("values", text) for text in values)):
        check_kind(what, text, str, "a text")
    plan = sweep_plan(template, values, read_specs("against", against), conditions)
    return Tournament(*_played(plan, options))


@spelled_out()
def tune(
    agent: str,
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
    """Find the best values of an agent's parameters, and test them against its own.

    Args:
        agent: a spec with `{0..2}`, `{0..4 by 1}` or `{a|b}` for parameters: `alphabeta:balanced(weight={0..2})`.
        against: the opponent of the trials; by default the untuned agent.
        on: how trials are judged: by `games`, or by `truth`, which is solved positions.
        trials: values to try, in all.
        round: of these, tried at a time, on games.
        pairs: pairs of games of a trial.
        positions: on truth, solved positions for each of the game's stages.
        gain: the least gain worth having in Elo, for the confirmation.
        confirm: pairs of that, at the most.
        board: ROWSxCOLS, or a Board.
        seed: random seed; the same seed reproduces the same games.
        plies: random moves after the placements.
        name: what to call it.
        **options: how to play it.

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
    tuning = Tuning(
        agent,
        "" if against is None else read_agent("against", against),
        read_way(on),
        whole("trials", trials),
        whole("round", round),
        whole("pairs", pairs),
        whole("positions", positions),
        number("gain", gain),
        whole("confirm", confirm),
        str(read_board(board)),
        whole("seed", seed),
        whole("plies", plies),
        name,
    )
    with _stage(options) as stage:
        begun = begin_tuning(tuning, stage.runs)
        found = play_tuning(begun, stage.listener, stage.workers, stage.cluster)
    return Tuned(found, begun.folder, stage.temporary)


@dataclass(frozen=True, slots=True)
class _Stage:
    """Where and with what something is played.

    Attributes:
        runs: the folder of runs.
        temporary: the same where it is to be removed.
        listener: follows what is played.
        workers: how many processes; None: the usual number.
        cluster: whose workers to use instead.
    """

    runs: Path
    temporary: Path | None
    listener: Listener
    workers: int | None
    cluster: "Cluster | None"


@contextmanager
def _stage(options: PlayArguments) -> Iterator[_Stage]:
    """Prepare to play in the folder that is given, or in a temporary one, which a failure removes.

    Raises:
        InputError: If an option is wrong.
    """
    workers, cluster = read_chosen_workers(options.get("workers")), options.get("cluster")
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
        results, folder = play(
            plan,
            stage.listener,
            runs=stage.runs,
            workers=stage.workers,
            cluster=stage.cluster,
        )
    return results, folder, stage.temporary
