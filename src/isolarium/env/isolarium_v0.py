"""Knight Isolation as a PettingZoo environment with turns (AEC).

    from isolarium.env import isolarium_v0

    env = isolarium_v0.env("7x7", truth=True, render_mode="ansi")
    env.reset(seed=1)

The players are `player_0`, who places and moves first, and `player_1`. An observation is a
dictionary: `observation` has the planes of `isolarium.env.observation`; `action_mask` has a 1 for each legal action,
and zeros for the player not to move. At the end of the game the winner's reward is 1 and the loser's -1; all other
rewards are 0. An illegal action ends the game with a reward of -1 for the player who took it. Games are never
truncated.
"""

import re
from functools import cache
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from isolarium.env.observation import PLANES, action_mask, move_values, observe, read_opening, square_of
from isolarium.errors import InputError, check_kind, quoted
from isolarium.game.board import Board, Square
from isolarium.game.position import Player, Position
from isolarium.game.svg import (
    BLANK_COLOUR,
    BLOCKED_COLOUR,
    CELL,
    FRAME_COLOUR,
    GRID_COLOUR,
    KNIGHT_PATH,
    MARGIN,
    PIECE_COLOUR,
    PLAYER_COLOURS,
)
from isolarium.game.text_board import Drawing, draw_board
from isolarium.limits import read_seed
from isolarium.solver.solver import ExactValues

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
except ModuleNotFoundError:
    raise ImportError("PettingZoo is not installed; run pip install '.[rl]' in a clone") from None

__all__ = ["env", "raw_env"]

Observation = dict[str, NDArray[np.int8]]


def env(
    start: str | Board | Position = "7x7",
    *,
    random_plies: int = 0,
    truth: bool | ExactValues = False,
    render_mode: str | None = None,
) -> AECEnv:
    """Create the environment, wrapped in PettingZoo's wrappers.

    An illegal action loses, and calls in the wrong order raise errors.

    Args:
        start: the start of every game: a board such as `7x7`, or a position.
        random_plies: the number of random plies before the first action; fewer are played if another ply would end the
            game. With 2, the players start on random squares of an empty board. The plies depend on the seed of
            `reset`.
        truth: whether `infos` of the player to move contains `wins` and `move_values`, the exact values that
            `isolarium.env.MoveValues` describes. Pass an `ExactValues` to set its limit.
        render_mode: `ansi` returns text, `human` prints it after every move, `rgb_array` returns a picture.

    Raises:
        InputError: If an argument is invalid.
    """
    whole = raw_env(start, random_plies=random_plies, truth=truth, render_mode=render_mode)
    whole = wrappers.TerminateIllegalWrapper(whole, illegal_reward=-1)
    whole = wrappers.AssertOutOfBoundsWrapper(whole)
    return wrappers.OrderEnforcingWrapper(whole)


class raw_env(AECEnv):  # type: ignore[misc] # noqa: N801 # untyped; PettingZoo's name
    """The environment without wrappers; an illegal action raises `InputError`.

    `env` describes the arguments.
    """

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": ["human", "ansi", "rgb_array"],
        "name": "isolarium_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        start: str | Board | Position = "7x7",
        *,
        random_plies: int = 0,
        truth: bool | ExactValues = False,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            modes = ", ".join(self.metadata["render_modes"])
            raise InputError(f"render_mode {quoted(render_mode)}: expected one of {modes}")
        check_kind("truth", truth, (bool, ExactValues), "True, False or an ExactValues")
        self._start = read_opening(start, random_plies)
        self._random_plies = int(random_plies)
        self._truth = ExactValues() if truth is True else truth or None
        self._random = np.random.default_rng()
        self.render_mode = render_mode
        self.position = self._start
        self._last_move: Square | None = None
        self.possible_agents = ["player_0", "player_1"]
        self.agents: list[str] = []  # Empty until `reset`
        board = self._start.board
        planes = spaces.Box(0, 1, (PLANES, board.rows, board.cols), np.int8)
        mask = spaces.Box(0, 1, (board.size,), np.int8)
        self.observation_spaces = {
            agent: spaces.Dict({"observation": planes, "action_mask": mask}) for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(board.size) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """Return the space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Return the space of an agent's actions: the numbers of all squares."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Start a game; the random plies depend on the seed. There are no options."""
        if seed is not None:
            self._random = np.random.default_rng(read_seed(seed))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._set_position(self._opening(), None)

    def _opening(self) -> Position:
        position = self._start
        for _ in range(self._random_plies):
            moves = position.legal_moves()
            after = position.play(moves[self._random.integers(len(moves))])
            if after.outcome() is not None:
                break
            position = after
        return position

    def _set_position(self, position: Position, last_move: Square | None) -> None:
        self.position, self._last_move = position, last_move
        self.agent_selection = self._agent_of(position.to_move)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        if self._truth is not None:
            known = move_values(position, self._truth)
            self.infos[self.agent_selection] = {"wins": known.wins, "move_values": known.values}
        if self.render_mode == "human":
            self.render()

    def _agent_of(self, player: Player) -> str:
        agent: str = self.possible_agents[player]
        return agent

    def step(self, action: int | None) -> None:
        """Move the selected agent to a square; pass None after the end of the game.

        Raises:
            InputError: If the action is illegal, or there is no game.
        """
        if not self.agents:
            raise InputError(f"action {quoted(action)}: there is no game; call reset() first")
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise InputError("action None: the game is not over; expected the number of a square")
        self._cumulative_rewards[self.agent_selection] = 0
        square = square_of(self.position, action)
        position = self.position.play(square)
        outcome = position.outcome()
        if outcome is not None:
            self.rewards[self._agent_of(outcome.winner)] = 1
            self.rewards[self._agent_of(outcome.loser)] = -1
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
        self._set_position(position, square)

    def observe(self, agent: str) -> Observation:
        """Return an agent's observation, whether or not it is the agent's turn."""
        player = Player(self.possible_agents.index(agent))
        mask = action_mask(self.position)
        return {
            "observation": observe(self.position, player),
            "action_mask": mask if player == self.position.to_move else np.zeros_like(mask),
        }

    def state(self) -> NDArray[np.int8]:
        """Return the planes of the player to move, which contain the whole state."""
        return observe(self.position, self.position.to_move)

    def render(self) -> str | NDArray[np.uint8] | None:
        """Render the position in the `render_mode`."""
        if self.render_mode == "rgb_array":
            return draw_pixels(self.position, self._last_move)
        if self.render_mode is None:
            return None
        numbers = {square: self.position.board.index(square) for square in self.position.legal_moves()}
        outcome = self.position.outcome()
        turn = f"{self.position.to_move.badge} to move" if outcome is None else str(outcome)
        shown = f"{draw_board(Drawing(self.position, choices=numbers)).plain}\n{turn}\n"
        if self.render_mode == "ansi":
            return shown
        print(shown)
        return None

    def close(self) -> None:
        """Do nothing: there are no resources to release."""


FINER: Final = 4
"""Samples per side of a pixel, for smooth edges."""
CURVE_POINTS: Final = 8

Pixels = NDArray[np.uint8]
Coverage = NDArray[np.float64]
"""The share of each pixel that a shape covers, with shape (CELL, CELL, 1)."""


def draw_pixels(position: Position, last_move: Square | None = None) -> Pixels:
    """Draw a position, of shape (height, width, 3), with a ring around the last move."""
    board = position.board
    height, width = (side * CELL + 2 * MARGIN for side in (board.rows, board.cols))
    picture = np.full((height, width, 3), _colour(FRAME_COLOUR))
    standing = {position.first: Player.FIRST, position.second: Player.SECOND}
    for square in board.squares:
        cell = _cell(picture, square)
        cell[:] = _colour(GRID_COLOUR)
        free = position.is_blank(square) or square in standing
        cell[1:, 1:] = _colour(BLANK_COLOUR if free else BLOCKED_COLOUR)
        if square in standing:
            player = standing[square]
            _paint(cell, _body(player), PLAYER_COLOURS[player])
            _paint(cell, _knight(), PIECE_COLOUR)
    for square in position.legal_moves():
        _paint(_cell(picture, square), _disc(5.5), PLAYER_COLOURS[position.to_move])
    if last_move is not None:
        ring = _disc(21.5) - _disc(19.5)
        _paint(_cell(picture, last_move), ring, PLAYER_COLOURS[position.to_move.other])
    return picture


def _cell(picture: Pixels, square: Square) -> Pixels:
    top, left = MARGIN + square.row * CELL, MARGIN + square.col * CELL
    return picture[top : top + CELL, left : left + CELL]


def _paint(cell: Pixels, covered: Coverage, colour: str) -> None:
    cell[:] = np.round(cell * (1 - covered) + _colour(colour) * covered)


def _colour(text: str) -> Pixels:
    return np.frombuffer(bytes.fromhex(text.removeprefix("#")), dtype=np.uint8)


# Shapes, centred on a square


@cache
def _points() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the x and y of every sample."""
    places = (np.arange(CELL * FINER) + 0.5) / FINER - CELL / 2
    return places[None, :], places[:, None]


def _covered(inside: NDArray[np.bool_]) -> Coverage:
    covered: Coverage = inside.reshape(CELL, FINER, CELL, FINER).mean(axis=(1, 3))
    return covered[:, :, None]


@cache
def _disc(radius: float) -> Coverage:
    x, y = _points()
    return _covered(x**2 + y**2 <= radius**2)


@cache
def _body(player: Player) -> Coverage:
    """Return a disc for the first player, and a rounded square for the second."""
    if player is Player.FIRST:
        return _disc(16.5)
    x, y = _points()
    beyond = np.maximum(abs(x) - 9, 0) ** 2 + np.maximum(abs(y) - 9, 0) ** 2
    return _covered(beyond <= 6**2)


@cache
def _knight() -> Coverage:
    """Return the inside of the knight's outline.

    A ray to the left from a point inside crosses the outline an odd number of times.
    """
    x, y = _points()
    inside = np.zeros((CELL * FINER, CELL * FINER), dtype=bool)
    outline = _outline()
    for (from_x, from_y), (to_x, to_y) in zip(outline, outline[1:] + outline[:1], strict=True):
        if from_y != to_y:
            crossing = from_x + (y - from_y) * (to_x - from_x) / (to_y - from_y)
            inside ^= ((from_y > y) != (to_y > y)) & (crossing < x)
    return _covered(inside)


def _outline() -> list[tuple[float, float]]:
    """Return the points of the knight's path, with points along its Bézier curves."""
    outline: list[tuple[float, float]] = []
    for letter, numbers in re.findall(r"([MCL])([^MCLZ]*)", KNIGHT_PATH):
        values = [float(number) for number in numbers.split()]
        ends = list(zip(values[::2], values[1::2], strict=True))
        if letter != "C":
            outline += ends
            continue
        for one, two, end in zip(ends[::3], ends[1::3], ends[2::3], strict=True):
            begin = outline[-1]
            for step in range(1, CURVE_POINTS + 1):
                t = step / CURVE_POINTS
                weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t**2 * (1 - t), t**3)
                corners = (begin, one, two, end)
                x, y = (sum(w * corner[axis] for w, corner in zip(weights, corners, strict=True)) for axis in range(2))
                outline.append((x, y))
    return outline
