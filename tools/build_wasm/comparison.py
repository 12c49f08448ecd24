"""Native answers in the form in which the pages' engine gives them, and positions to compare them on."""

import random
from collections.abc import Iterator, Sequence
from typing import Any, Final

from isolarium.agents import parse_agent
from isolarium.game.board import parse_board
from isolarium.game.position import Position
from isolarium.limits import Limit
from isolarium.search.protocol import Choice
from isolarium.solver.solver import Solver

BOARDS: Final = ("3x7", "5x5", "7x7", "8x8", "7x9", "9x9", "9x11", "13x13")
"""Boards with sets of squares of one, two and three words."""
SEARCHES: Final = (
    "random",
    "greedy:HEURISTIC",
    "minimax:HEURISTIC@depth=3",
    "alphabeta:HEURISTIC@nodes=2000",
    "strong:HEURISTIC@nodes=2000",
    "champion:HEURISTIC@nodes=1500",
    "minmax_approximation:HEURISTIC@nodes=800",
    "minmax_approximation(reverse=false):HEURISTIC@nodes=400",
    "mcts@nodes=600",
)
HEURISTICS: Final = (
    "improved",
    "learned",
    "ratio",
    "balanced(center=biased)",
    "open_cluster",
    "fill_center",
    "cut_off_reachable",
    "distance(f=arctan)",
    "lookahead_weighted",
    "free_moves",
)


def agents(heuristics: Sequence[str]) -> list[str]:
    """Return every search with every one of some heuristics."""
    found = [search.replace("HEURISTIC", one) for search in SEARCHES for one in heuristics]
    return list(dict.fromkeys(found))


def positions(board: str, many: int, chance: random.Random) -> Iterator[Position]:
    """Yield unfinished positions of random games: at first with players to be placed, then all stages."""
    empty = Position.empty(parse_board(board))
    for _ in range(many):
        position, game = empty, []
        while position.outcome() is None:
            game.append(position)
            position = position.play(chance.choice(position.legal_moves()))
        yield chance.choice(game)


def native_choice(spec: str, position: Position, seed: int) -> dict[str, Any]:
    """Return the choice of an agent."""
    agent = parse_agent(spec)
    agent.new_game(seed)
    return choice_json(agent.choose(position))


def choice_json(choice: Choice) -> dict[str, Any]:
    """Return what must be equal of a choice."""
    report = choice.report
    return {
        "move": str(choice.move),
        "score": _plain(report.score),
        "depth": report.depth,
        "nodes": report.nodes,
        "line": [str(square) for square in report.pv],
        "proven": report.proven,
        "plies": report.plies,
    }


def _plain(score: float | None) -> float | str | None:
    """Return a score as the engine in Node writes it, without infinities."""
    if score is not None and abs(score) == float("inf"):
        return "Infinity" if score > 0 else "-Infinity"
    return score


def native_solution(solver: Solver, position: Position, nodes: int, *, distance: bool) -> dict[str, Any]:
    """Return the solver's answer."""
    ask = solver.solve_distance if distance else solver.solve
    found = ask(position, Limit(nodes=nodes))
    move = None if found.move is None else str(found.move)
    return {"wins": found.wins, "move": move, "nodes": found.nodes, "plies": found.plies}


def differences(native: dict[str, Any], browser: dict[str, Any]) -> list[str]:
    """Return the parts that differ, with both values."""
    return [
        f"{name}: native {value!r}, browser {browser.get(name)!r}"
        for name, value in native.items()
        if browser.get(name) != value
    ] + ([str(browser["error"])] if "error" in browser else [])
