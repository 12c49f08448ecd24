"""One game: an early end is charged to the agent that caused it."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf, nan
from typing import Any

import pytest
from numpy import float64

from isolarium import limits
from isolarium.agents import Agent, AgentFailure, parse_spec
from isolarium.agents.search_agent import SearchingAgent
from isolarium.arena import referee
from isolarium.arena.game import ClockTroubles, Game, check_values
from isolarium.arena.lines import Lines
from isolarium.arena.openings import position_after
from isolarium.arena.referee import MOST_REPLAYS, LateMove, play_game
from isolarium.game.board import Board, Square, parse_square
from isolarium.game.position import Player, Position, Reason
from isolarium.game.record import GameRecord
from isolarium.limits import Stop
from isolarium.search.protocol import Choice, Report
from tests.arena.players import Action, Puppet

BOARD = Board(5, 5)
OPENING = tuple(parse_square(text, BOARD) for text in ("c3", "a1"))
START = position_after(BOARD, OPENING)


def play(first: Agent, second: Agent, move_ms: float | None = None, start: Position = START) -> Game:
    agents: Mapping[Player, Agent] = {Player.FIRST: first, Player.SECOND: second}
    seeds = {Player.FIRST: 11, Player.SECOND: 22}
    return play_game(agents, start, OPENING, seeds, move_ms)


def raising(error: Exception) -> Action:
    def action(position: Position) -> Square:
        raise error

    return action


ENDINGS: dict[str, tuple[Action, Reason, str]] = {
    "off the board": (lambda _: Square(9, 9), Reason.ILLEGAL_MOVE, "j10: off the 5x5 board"),
    "off every board": (
        lambda _: Square("a", "b"),  # type: ignore[arg-type]
        Reason.ILLEGAL_MOVE,
        "['a', 'b']: off the 5x5 board",
    ),
    "blocked": (lambda _: OPENING[0], Reason.ILLEGAL_MOVE, "c3: blocked"),
    "resigned": (lambda _: None, Reason.RESIGNATION, "resigned"),
    "crashed": (raising(ZeroDivisionError("by\nzero")), Reason.CRASH, "ZeroDivisionError: by zero"),
    "out of memory": (raising(MemoryError()), Reason.MEMORY, "out of memory"),
    "failed by its own word": (raising(AgentFailure(Reason.TIME, "bad: silent")), Reason.TIME, "bad: silent"),
    "failed by a reason that only the rules know": (
        raising(AgentFailure(Reason.NO_MOVES, "bad: I have no moves")),
        Reason.CRASH,
        "the reason <Reason.NO_MOVES: 'no moves'>, by which no agent can lose: bad: I have no moves",
    ),
    "failed by a reason that there is not": (
        raising(AgentFailure("boredom", "bad: bored")),  # type: ignore[arg-type]
        Reason.CRASH,
        "the reason 'boredom', by which no agent can lose: bad: bored",
    ),
    "failed by a reason that is a text": (
        raising(AgentFailure("crash", "bad: crashed")),  # type: ignore[arg-type]
        Reason.CRASH,
        "the reason 'crash', by which no agent can lose: bad: crashed",
    ),
}


@pytest.mark.parametrize("seat", Player)
@pytest.mark.parametrize(("action", "reason", "output"), ENDINGS.values(), ids=ENDINGS.keys())
def test_what_an_agent_does_is_charged_to_it(action: Action, reason: Reason, output: str, seat: Player) -> None:
    bad, good = Puppet("bad", action, at=1), Puppet("good")
    game = play(bad, good) if seat == Player.FIRST else play(good, bad)
    assert game.outcome.loser == seat
    assert game.outcome.reason == reason
    assert output in game.note
    assert game.note.startswith("bad: ")
    assert len(game.moves) == (2 if seat == Player.FIRST else 3)


def report(**fields: Any) -> Report:
    return replace(Report(score=1.5, depth=3, nodes=17, time_ms=0.0, pv=()), **fields)


REPORTS = {
    "no report": (None, "reported None; expected a Report"),
    "a depth without number": (report(depth=1 << 63), "as its depth; expected a whole number"),
    "a depth that is true": (report(depth=True), "reported True as its depth"),
    "nodes that are a text": (report(nodes="1e5"), "reported '1e5' as its nodes"),
    "a score that is a text": (report(score="1"), "the score '1'; expected a number"),
    "a score that is true": (report(score=True), "the score True; expected a number"),
    "a win in fewer than no plies": (
        report(score=inf, proven=True, plies=-1),
        "the score inf in -1 plies; expected a number",
    ),
    "a win in other words": (report(score=inf, proven=True, plies="5\n"), "in '5\\n' plies"),
}


@pytest.mark.parametrize(("said", "output"), REPORTS.values(), ids=REPORTS.keys())
def test_a_report_that_no_record_can_keep_loses(said: Any, output: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bad = Puppet("bad")
    monkeypatch.setattr(bad, "choose", lambda *_: Choice(START.legal_moves()[0], said))
    game = play(bad, Puppet("good"))
    assert game.outcome.loser == Player.FIRST
    assert game.outcome.reason is Reason.CRASH
    assert output in game.note


@pytest.mark.parametrize("score", [None, 0, 1.5, float64(2.5), inf, -inf, nan])
def test_any_number_is_a_score_that_a_record_can_keep(score: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    good = Puppet("good")
    choose = good.choose
    monkeypatch.setattr(good, "choose", lambda *given: Choice(choose(*given).move, report(score=score)))
    game = play(good, Puppet("other"))
    assert game.outcome.reason is Reason.NO_MOVES
    check_values(game)


@pytest.mark.parametrize("answer", ["a1", None, Square(0, 0)])
def test_an_answer_that_is_no_choice_loses(answer: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bad := Puppet("bad"), "choose", lambda *_: answer)
    game = play(bad, Puppet("good"))
    assert (game.outcome.loser, game.outcome.reason) == (Player.FIRST, Reason.CRASH)
    assert game.note.startswith("bad: chose ")
    assert game.note.endswith("; expected a Choice")


def test_an_agent_that_fails_before_its_first_move_loses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bad := Puppet("bad"), "new_game", raising(RuntimeError("not today")))
    game = play(Puppet("good"), bad)
    assert (game.outcome.loser, game.outcome.reason) == (Player.SECOND, Reason.CRASH)
    assert game.note.startswith("bad: RuntimeError: not today (test_game.py, line ")


def floating_move(position: Position) -> Square:
    row, col = position.legal_moves()[0]
    return Square(float(row), float(col))  # type: ignore[arg-type]


def test_a_move_is_a_square_of_the_board_however_it_is_written() -> None:
    moves = list[Square]()
    agents = {Player.FIRST: Puppet("floating", floating_move), Player.SECOND: Puppet()}
    game = play_game(agents, START, OPENING, dict.fromkeys(Player, 1), on_move=moves.append)
    assert all(type(part) is int for move in moves for part in move)
    assert game.moves == tuple(map(str, moves))


def test_a_player_without_moves_loses() -> None:
    game = play(Puppet(), Puppet())
    assert game.outcome.reason == Reason.NO_MOVES
    assert game.note == ""
    moves = tuple(parse_square(text, BOARD) for text in game.moves)
    record = GameRecord(Position.empty(BOARD), (*OPENING, *moves))
    assert record.outcome() == game.outcome
    assert game.record(BOARD) == record


def test_every_move_keeps_its_report() -> None:
    game = play(Puppet(), Puppet())
    assert set(zip(game.scores, game.nodes, strict=True)) == {(1.5, 17)}
    assert len(game.scores) == len(game.moves)
    times = zip(game.times_ms, game.busy_ms, strict=True)
    assert all(time_ms >= busy_ms >= 0 for time_ms, busy_ms in times)


class Dawdler(Puppet):
    """An agent that thinks until it is stopped."""

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        assert stop is not None
        while not stop():
            pass
        self.stopped = True
        return super().choose(position)


def test_a_late_agent_is_stopped_and_loses() -> None:
    slow = Dawdler("slow")
    game = play(slow, Puppet(), move_ms=20)
    assert slow.stopped
    assert game.outcome.loser == Player.FIRST
    assert game.outcome.reason == Reason.TIME
    assert "ms where 20 were allowed" in game.note


class Lazy(Puppet):
    """An agent that cannot even begin."""

    def new_game(self, seed: int) -> None:
        raise AgentFailure(Reason.CRASH, "lazy: would not start")


def test_an_agent_that_does_not_start_loses() -> None:
    game = play(Puppet(), Lazy())
    assert game.outcome.loser == Player.SECOND
    assert game.moves == ()
    assert game.note == "lazy: would not start"


def test_agents_are_given_the_seeds_of_their_seats() -> None:
    first, second = Puppet(), Puppet()
    play(first, second)
    assert (first.seeds, second.seeds) == ([11], [22])


class Clocks:
    """The clock on the wall, and that of the thread at work, in nanoseconds."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall_ns = self.work_ns = 0
        monkeypatch.setattr(referee, "perf_counter_ns", lambda: self.wall_ns)
        monkeypatch.setattr(referee, "thread_time_ns", lambda: self.work_ns)


class Waiting(SearchingAgent):
    """One of our own agents on a machine that has little time for it: of 20 ms it works for 3."""

    def __init__(self, clocks: Clocks) -> None:
        super().__init__(parse_spec("random"))
        self._clocks = clocks

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        self._clocks.wall_ns += 20_000_000
        self._clocks.work_ns += 3_000_000
        return super().choose(position, stop)


@pytest.mark.parametrize(("watch", "busy_ms"), [(True, 3.0), (False, 20.0)])
def test_waiting_time_is_distinguished_from_work(watch: bool, busy_ms: float, monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Clocks(monkeypatch)
    agents = {player: Waiting(clocks) for player in Player}
    game = play_game(agents, START, OPENING, dict.fromkeys(Player, 1), watch=watch)
    assert set(zip(game.times_ms, game.busy_ms, strict=True)) == {(20.0, busy_ms)}


@pytest.mark.parametrize(("move_ms", "loses"), [(2.0, True), (3.5, False), (30.0, False)])
def test_an_overrun_caused_by_the_machine_does_not_lose(
    move_ms: float, loses: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = Clocks(monkeypatch)
    agents = {player: Waiting(clocks) for player in Player}
    game = play_game(agents, START, OPENING, dict.fromkeys(Player, 1), move_ms, watch=True)
    assert (game.outcome.reason == Reason.TIME) == loses
    assert game.note == ("random: 3 ms where 2 were allowed" if loses else "")
    assert set(zip(game.times_ms, game.busy_ms, strict=True)) <= {(20.0, 3.0)}


def test_an_idle_agent_loses_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Clocks(monkeypatch)
    agents = {player: Waiting(clocks) for player in Player}
    monkeypatch.setattr(limits, "LEEWAY_MS", -20.0)
    game = play_game(agents, START, OPENING, dict.fromkeys(Player, 1), 3.5, watch=True)
    assert game.note == "random: 20 ms where 3.5 were allowed"


def test_a_late_move_is_the_agents_fault_if_its_work_took_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = Clocks(monkeypatch)
    agents = {player: Waiting(clocks) for player in Player}
    late = list[LateMove]()
    seeds = dict.fromkeys(Player, 1)
    play_game(agents, START, OPENING, seeds, 2.0, watch=True, on_late=late.append)
    assert late == [LateMove(held_up=True, is_doubtful=False)]


class Unclocked(Puppet):
    """An agent whose time at work nothing tells; 20 ms go by whenever it is asked."""

    def __init__(self, clocks: Clocks, late_games: int = 1000) -> None:
        super().__init__("unclocked")
        self._clocks = clocks
        self._late_games = late_games

    def choose(self, position: Position, stop: Stop | None = None) -> Choice:
        late = len(self.seeds) <= self._late_games
        self._clocks.wall_ns += 20_000_000 if late else 1_000_000
        return super().choose(position, stop)


def test_a_late_move_is_doubtful_if_work_cannot_be_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    agents = dict.fromkeys(Player, Unclocked(Clocks(monkeypatch)))
    late = list[LateMove]()
    seeds = dict.fromkeys(Player, 1)
    game = play_game(agents, START, OPENING, seeds, 15.0, watch=True, on_late=late.append)
    assert game.note == "unclocked: 20 ms where 15 were allowed"
    assert late == [LateMove(held_up=False, is_doubtful=True)]


@pytest.mark.parametrize(
    ("late_games", "replays", "losses"), [(0, 0, 0), (1, 1, 0), (3, 2, 0), (1000, MOST_REPLAYS, 2)]
)
def test_a_pair_with_a_doubtful_loss_is_played_again(
    late_games: int, replays: int, losses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = Clocks(monkeypatch)
    agents = {"one": Unclocked(clocks, late_games), "two": Puppet("two")}
    monkeypatch.setattr(referee, "_agent", lambda spec, seat, start: agents[spec])
    openings = Lines.of([[BOARD.index(square) for square in OPENING]])
    batch = referee.Batch(0, ("one", "two"), (0, 1), "5x5", 1, 15.0, True, 3, openings)
    played = referee.play_batch(batch)
    games = list(batch.read(played.games))
    assert [(game.pair, game.leg) for game in games] == [(3, 0), (3, 1)]
    assert [game.reason for game in games].count(Reason.TIME) == losses
    assert played.troubles == ClockTroubles(replays)
