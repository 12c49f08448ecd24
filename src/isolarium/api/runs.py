"""The functions that play: a match, a tournament, a sweep, and a tuning run."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from isolarium.api.arguments import (
    AgentLike,
    number,
    read_agent,
    read_board,
    read_chosen_workers,
    read_conditions,
    read_specs,
    read_test,
    whole,
)
from isolarium.api.playing import play_in, play_plan
from isolarium.api.progress_bar import ProgressBar
from isolarium.api.results import Match, Tournament, Tuned
from isolarium.arena.plan_options import match_plan, sweep_plan, tournament_plan
from isolarium.errors import check_kind
from isolarium.game.board import Board
from isolarium.processes.permissions import check_may_start
from isolarium.stats import SprtPlan
from isolarium.tuning.tuning_config import Tuning, read_way
from isolarium.tuning.tuning_runner import (
    SILENT,
    TuningFindings,
    Watcher,
    begin_tuning,
    play_tuning,
)

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster


def match(
    first: AgentLike,
    second: AgentLike,
    *,
    pairs: int | None = None,
    board: str | Board = "7x7",
    seed: int = 1,
    openings: str | Path = "random",
    plies: int = 0,
    test: tuple[float, float] | SprtPlan | None = None,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Match:
    """Let two agents play pairs of games: each opening twice, with the sides swapped.

    Args:
        first: an agent's spec, such as `alphabeta:improved`, or a heuristic, which then plays alpha-beta.
        second: the agent it meets.
        pairs: how many; by default 500, each opening of a list once, or as many as the test needs.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        test: two Elo differences; the match stops as soon as one of them is shown to be wrong.
        move_ms: who takes longer for a move loses.
        limit: a limit for both, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.

    Example:
        >>> played = isolarium.match("greedy:open", "random", pairs=20, board="5x5", seed=1)
        >>> played.pairs.won, played.pairs.split, played.pairs.lost
        (13, 6, 1)
        >>> 0.5 in played.rate
        False
    """
    check_may_start()
    conditions = read_conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    plan = match_plan(
        read_agent("first", first), read_agent("second", second), conditions, read_test(test)
    )
    return Match(*play_plan(plan, workers, cluster, runs, progress))


def tournament(
    agents: AgentLike | Sequence[AgentLike],
    *,
    against: AgentLike | Sequence[AgentLike] = (),
    field: str = "",
    self_play: bool = False,
    pairs: int | None = None,
    board: str | Board = "7x7",
    seed: int = 1,
    openings: str | Path = "random",
    plies: int = 0,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tournament:
    """Let every agent meet every other, or every one of a field.

    Args:
        agents: the agents' specs, or heuristics, which then play alpha-beta.
        against: whom they meet; without any, and without a field, each other.
        field: a field with a name, `course` or `fixed-depth`, to be met too.
        self_play: whether each also meets itself.
        pairs: pairs of games for every two that meet; by default 100, or each opening of a list once.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: who takes longer for a move loses.
        limit: a limit for all, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.

    Example:
        >>> agents = ["greedy:open", "greedy:improved", "random"]
        >>> met = isolarium.tournament(agents, pairs=5, board="5x5", workers=1)
        >>> [row["agent"] for row in met.records()][-1]
        'random'
    """
    check_may_start()
    conditions = read_conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    check_kind("field", field, str, "a text such as course")
    check_kind("self_play", self_play, bool, "True or False")
    specs, opponents = read_specs("agents", agents), read_specs("against", against)
    plan = tournament_plan(specs, conditions, opponents, field, self_play)
    return Tournament(*play_plan(plan, workers, cluster, runs, progress))


def sweep(
    template: str,
    *values: str,
    against: AgentLike | Sequence[AgentLike],
    pairs: int | None = None,
    board: str | Board = "7x7",
    seed: int = 1,
    openings: str | Path = "random",
    plies: int = 0,
    move_ms: float | None = None,
    limit: str | None = None,
    name: str = "",
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tournament:
    """Let one agent with many values of its parameters meet the same opponents.

    Args:
        template: a spec with `{}` for each list of values, such as `alphabeta:balanced(weight={})`.
        values: the lists, such as `0,0.5,1`, or `0:1:0.25` for all numbers in steps of 0.25.
        against: whom they meet.
        pairs: pairs of games for every two that meet; by default 500, or each opening of a list once.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        openings: `random`, `all`, or the path of a file.
        plies: random moves after the placements.
        move_ms: who takes longer for a move loses.
        limit: a limit for all, such as `ms=150`, in place of their own.
        name: what to call the run.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep the run in; without one its record goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.

    Example:
        >>> swept = isolarium.sweep("mcts(c={})@nodes=20", "0.5,1", against="random", pairs=2, workers=1)
        >>> list(swept.rates)
        ['mcts(c=0.5)@nodes=20', 'mcts(c=1)@nodes=20', 'random']
    """
    check_may_start()
    conditions = read_conditions(pairs, board, seed, openings, plies, move_ms, limit, name)
    for what, text in (("template", template), *(("values", text) for text in values)):
        check_kind(what, text, str, "a text")
    plan = sweep_plan(template, values, read_specs("against", against), conditions)
    return Tournament(*play_plan(plan, workers, cluster, runs, progress))


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
    workers: int | None = None,
    cluster: str | None = None,
    runs: str | Path | None = None,
    progress: bool | None = None,
) -> Tuned:
    """Find the best values of an agent's parameters, and test them against its own.

    Args:
        agent: a spec with `{0..2}`, `{0..4 by 1}` or `{a|b}` for parameters: `alphabeta:balanced(weight={0..2})`.
        against: whom trials meet; by default the untuned agent.
        on: what trials are judged by: `games`, or `truth`, which is solved positions.
        trials: values to try, in all.
        round: of these, tried at a time, on games.
        pairs: pairs of games of a trial.
        positions: on truth, solved positions for each of the game's stages.
        gain: the least gain worth having in Elo, for the confirmation.
        confirm: pairs of that, at the most.
        board: ROWSxCOLS, or a Board.
        seed: the same seed, the same games.
        plies: random moves after the placements.
        name: what to call it.
        workers: processes; by default one a core.
        cluster: a Dask cluster to play on instead: `tcp://HOST:PORT`, `local:N`, or the path of a scheduler's file.
        runs: the folder to keep it in; without one it goes with the object that is returned.
        progress: whether to show progress on stderr; by default where somebody sees it.

    Raises:
        InputError: something is not as it should be; the message says what.

    Example:
        >>> spec = "greedy:aggressive(weight={-2|1|2})"
        >>> tuned = isolarium.tune(spec, against="random", trials=3, pairs=10, confirm=10, workers=1)
        >>> tuned.agent == f"greedy:aggressive(weight={tuned.values['weight']})"
        True
    """
    check_may_start()
    chosen = read_chosen_workers(workers)
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

    def play(
        folder: Path, bar: ProgressBar | None, found: "Cluster | None"
    ) -> tuple[TuningFindings, Path]:
        begun = begin_tuning(tuning, folder)
        watcher = SILENT if bar is None else Watcher(lambda _: bar.show, bar.tell)
        return play_tuning(begun, chosen, watcher, cluster=found), begun.folder

    return Tuned(*play_in(runs, chosen, cluster, progress, play))
