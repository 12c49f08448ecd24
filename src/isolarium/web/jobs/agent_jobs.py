"""Jobs of agents and the solver: choosing moves, values of moves, and best lines.

A draft is a heuristic written in the browser. It runs in the sandbox of all heuristics in files.
"""

import ast
import re
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from pathlib import Path
from typing import Any, Final

from isolarium.agents import SpecAgent, make_agent, parse_spec, read_spec
from isolarium.agents.agent import AgentFailure
from isolarium.agents.search_agent import SearchingAgent
from isolarium.agents.subprocess_agent import SubprocessAgent
from isolarium.arena.game import score_text
from isolarium.errors import InputError
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.heuristics.compiler import HeuristicWarning
from isolarium.limits import Allowance, Limit, Stop
from isolarium.safe_files import MOST_SOURCE, read_text_file
from isolarium.search.protocol import Choice, Report
from isolarium.solver.solver import EVERY_MOVE_BLANKS, ExactValues, looked_up
from isolarium.web.schema import MS, read_any

MOST_AGENTS: Final = 6
Score = float | str | None
Valuer = Callable[[Position, Player], float]
VALUES = {True: "wins", False: "loses", None: "unknown"}

EXACTLY: Final = Limit(nodes=12_000_000)
"""The limit for the exact values of one request: about two seconds."""

_truth = ExactValues()


# Choosing moves


def think(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Choose a move for `agent` in `game`, with the random seed `seed`."""
    position = read_any(request["game"]).position
    choice, stopped = choose(request["agent"], position, request["seed"], stop)
    return {"move": str(choice.move), "report": facts(choice.report), "stopped": stopped}


def read_agent(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Return the full spec of `agent`, loading the files that it names."""
    return {"agent": str(read_spec(request["agent"]))}


def choose(agent: str, position: Position, seed: int, stop: Stop) -> tuple[Choice, bool]:
    """Return an agent's choice, and whether the search was stopped.

    The search ends early if `stop` returns true or at the time limit of a request.

    Raises:
        InputError: If the game is over.
        AgentFailure: If the agent fails.
    """
    found = thinker(agent)
    watch = _Watch(stop)
    found.new_game(seed)
    return found.choose(position, watch.is_over), watch.stopped


_thinkers: dict[str, SpecAgent] = {}  # Least recently used first


def thinker(agent: str) -> SpecAgent:
    """Return the agent of a spec, cached for successive requests."""
    found = _thinkers.pop(agent, None) or make_agent(parse_spec(agent))
    _thinkers[agent] = found
    while len(_thinkers) > MOST_AGENTS:
        _thinkers.pop(next(iter(_thinkers))).close()
    return found


def prepare(agent: str, board: Board) -> None:
    """Compile the code that an agent needs on a board of this size."""
    found = thinker(agent)
    found.new_game(0)
    found.prepare(Position.empty(board))


class _Watch:
    """A stop condition that is also true at the time limit of a request."""

    def __init__(self, stop: Stop) -> None:
        self.stopped = False
        self._stop = stop
        self._allowance: Allowance | None = None

    def is_over(self) -> bool:
        if self._allowance is None:  # The clock starts after compilation.
            self._allowance = Allowance(Limit(time_ms=MS), self._stop)
        self.stopped = self.stopped or self._allowance.is_over()
        return self.stopped


def facts(report: Report) -> dict[str, Any]:
    """Return a report as JSON."""
    return {
        "score": score_text(report),
        "depth": report.depth,
        "nodes": report.nodes,
        "ms": round(report.time_ms, 3),
        "pv": [str(square) for square in report.pv],
        "proven": report.proven,
        "plies": report.plies,
    }


# Values of moves


def values(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Compute the values of the moves in `game`.

    The result includes exact values if `exact` is true, and the values of `heuristics` and
    `searches`.
    """
    exactly = Allowance(EXACTLY, stop)
    position = read_any(request["game"]).position
    exact = _exact(position, exactly) if request["exact"] else {}
    valuers = [valuer(text) for text in request["heuristics"]]
    found = [
        {
            "move": str(move),
            **exact.get(move, {"value": "unknown", "plies": None}),
            "heuristics": [static(one, position.play(move), position.to_move) for one in valuers],
        }
        for move in position.legal_moves()
    ]
    searched, stopped = _search(position, request["searches"], request["seed"], stop)
    found = [{**one, "searches": searched[one["move"]]} for one in found]
    return {
        "position": str(position),
        "to_move": str(position.to_move),
        **_best(found, bool(request["exact"])),
        "nodes": exactly.spent,
        "ms": round(exactly.elapsed_ms, 1),
        "stopped": stopped,
        "moves": found,
    }


def _exact(position: Position, allowance: Allowance) -> dict[Square, dict[str, Any]]:
    """Return whether each move wins, and the plies to the end of the game.

    The work stays within the allowance.
    """
    found = {}
    for move, wins in list(_truth.moves(position, allowance)):
        plies = None if wins is None else _truth.plies(position.play(move), allowance)
        found[move] = {"value": VALUES[wins], "plies": None if plies is None else 1 + plies}
    return found


def _best(moves: list[dict[str, Any]], exact: bool) -> dict[str, Any]:
    """Return the value of a position, derived from the values of its moves.

    The winner chooses the quickest win, and the loser the longest resistance.
    """
    if not moves:
        return {"value": "loses", "plies": 0}
    values = {move["value"] for move in moves}
    value = "wins" if "wins" in values else "unknown" if "unknown" in values else "loses"
    if not exact or value == "unknown":
        return {"value": value, "plies": None}
    plies = [move["plies"] for move in moves if move["value"] == value]
    known = None not in plies
    return {"value": value, "plies": (min if value == "wins" else max)(plies) if known else None}


def valuer(heuristic: str) -> Valuer:
    """Return the value function of a heuristic."""
    agent = thinker(f"greedy:{heuristic}")
    assert isinstance(agent, SearchingAgent | SubprocessAgent)
    return agent.value


def static(value_of: Valuer, position: Position, player: Player) -> Score:
    """Return a heuristic's value of a position for a player.

    Return None if there is no value, and -inf in place of NaN.
    """
    if position.second is None or position.outcome() is not None:
        return None
    value = value_of(position, player)
    if value != value:
        return "-inf"
    return str(value) if abs(value) == float("inf") else value


def _search(position: Position, specs: Sequence[str], seed: int, stop: Stop) -> tuple[dict[str, list[Score]], bool]:
    """Return each search's score for every move.

    Also return whether time ran out before all searches had finished.
    """
    for spec in specs:
        prepare(spec, position.board)  # Compile before the time starts.
    allowance = Allowance(Limit(time_ms=MS), stop)
    found = {
        str(move): [_searched(spec, position.play(move), seed, allowance.is_over) for spec in specs]
        for move in position.legal_moves()
    }
    return found, bool(specs) and allowance.is_over()


def _searched(spec: str, after: Position, seed: int, stop: Stop) -> Score:
    """Search the position after a move, and return the score for the player who moved.

    Return None if time ran out.
    """
    if after.outcome() is not None:
        return "win 1"
    if stop():
        return None
    choice, _ = choose(spec, after, seed, stop)
    return turned(choice.report)


def turned(report: Report) -> Score:
    """Return a report's score for the opponent, one ply earlier."""
    score = score_text(report)
    if score is None:
        return None
    if not isinstance(score, str):
        return 0.0 - score  # Never -0.0
    if not report.proven:
        return "-inf" if score == "inf" else "inf"
    word = "loss" if score.startswith("win") else "win"
    return word if report.plies is None else f"{word} {report.plies + 1}"


PERFECT: Final = "oracle@nodes=2000000"
"""The agent that plays both sides of the best line.

Its limit is enough to solve every 7x7 position."""
SEED: Final = 1


def best_line(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Return the best line from the end of `game`, as far as it is proven.

    The winner chooses the quickest win, and the loser the longest resistance.
    """
    start = read_any(request["game"]).position
    prepare(PERFECT, start.board)  # Compile before the time starts.
    whole = Allowance(Limit(time_ms=MS), stop)
    moves, exact, value = list[Square](), 0, "loses" if start.outcome() else "unknown"
    position = start
    while position.outcome() is None and _is_solvable(position) and not whole.is_over():
        report = choose(PERFECT, position, SEED, whole.is_over)[0].report
        if not report.proven:
            break
        if not moves:
            value = "wins" if (report.score or 0) > 0 else "loses"
        if report.plies is None:
            exact = len(moves) + 1
        moves += _sure(report, position)
        position = _after(start, moves)
    return {
        "position": str(start),
        "to_move": str(start.to_move),
        "value": value,
        "moves": [str(move) for move in moves],
        "exact": exact,
        "ends": position.outcome() is not None,
    }


def _is_solvable(position: Position) -> bool:
    return looked_up(position) is not None or _truth.reaches(position)


def _sure(report: Report, position: Position) -> tuple[Square, ...]:
    """Return the proven moves of a line.

    All moves are proven if few enough blank squares are left to solve the position to the end;
    otherwise, only the first move is.
    """
    is_whole = report.plies is not None and position.blank_count <= EVERY_MOVE_BLANKS
    return report.pv if is_whole else report.pv[:1]


def _after(position: Position, moves: list[Square]) -> Position:
    for move in moves:
        position = position.play(move)
    return position


# Values of moves by a draft

LINE: Final = re.compile(r"\bline (\d{1,6})\b")
DECORATOR: Final = "heuristic"


def draft_values(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Compute the values of the moves in `game` by a heuristic of the draft in `file`.

    `function` names the heuristic; if the draft has no heuristic with this name, its last one is used.
    """
    file, position = Path(request["file"]), read_any(request["game"]).position
    found: dict[str, Any] = {"functions": [], "function": "", "moves": [], "problem": None}
    try:
        functions = list(_heuristics(read_text_file(file, MOST_SOURCE)))
        if not functions:
            raise InputError("no heuristic yet; decorate a function with @heuristic")
        name = request["function"] if request["function"] in functions else functions[-1]
        found |= {"functions": functions, "function": name}
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", HeuristicWarning)
            value_of, values = valuer(f"{file}:{name}"), list[float]()

            def noted(position: Position, player: Player) -> float:
                values.append(value_of(position, player))
                return values[-1]

            found["moves"] = [
                {"move": str(move), "value": static(noted, position.play(move), position.to_move)}
                for move in position.legal_moves()
            ]
        if values and all(map(isnan, values)):
            problem = "the value is NaN for every move, and NaN counts as -inf"
            found["problem"] = {"line": None, "message": problem, "error": False}
        for warning in heard:
            found["problem"] = _problem(str(warning.message), file, is_error=False)
    except SyntaxError as error:
        found["problem"] = {"line": error.lineno, "message": error.msg, "error": True}
    except (AgentFailure, InputError, ValueError, RecursionError, MemoryError) as error:
        found["problem"] = _problem(str(error), file, is_error=True)
    return found


def _heuristics(text: str) -> Iterator[str]:
    """Yield the names of the decorated functions, in order; the draft is parsed, not executed."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and any(map(_is_heuristic, node.decorator_list)):
            yield node.name


def _is_heuristic(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name == DECORATOR


def _problem(message: str, file: Path, *, is_error: bool) -> dict[str, Any]:
    """Return a message without the draft's path and line, and the number of the line it refers to."""
    text = message.rpartition(str(file))[2] if str(file) in message else message
    text = re.sub(r"^:\w+:\s*|^:\s*", "", text).replace(f"{file.name}, ", "")
    lines = LINE.findall(text)
    if lines:
        text = text.replace(f"line {lines[-1]}: ", "", 1)
    if text.startswith("did not "):
        text = f"the heuristic {text}"
    return {"line": int(lines[-1]) if lines else None, "message": text, "error": is_error}
