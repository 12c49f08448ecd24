"""Knight Isolation as an OpenSpiel game, written in Python.

Importing this module registers the game:

    import pyspiel
    from isolarium.env import openspiel

    game = pyspiel.load_game("isolarium(rows=5,cols=5)")

Actions are the numbers of squares, and the observation tensor has the planes of
`isolarium.env.observation`. The winner's return is 1, the loser's -1.
"""

from typing import Any, Final

import numpy as np

from isolarium.env.observation import PLANES, observe, square_of
from isolarium.game.board import Board
from isolarium.game.position import Player, Position

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError:
    raise ImportError("OpenSpiel is not installed; run pip install '.[openspiel]' in a clone") from None

GAME_TYPE: Final = pyspiel.GameType(
    short_name="isolarium",
    long_name="Knight Isolation",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"rows": 7, "cols": 7},
)


class IsolariumGame(pyspiel.Game):  # type: ignore[misc] # OpenSpiel has no types
    """The game on a board of `rows` and `cols`, 3 to 13 each."""

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        self.board = Board(params.get("rows", 7), params.get("cols", 7))
        size = self.board.size
        info = pyspiel.GameInfo(
            num_distinct_actions=size,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=size,
        )
        super().__init__(GAME_TYPE, info, params)

    def new_initial_state(self) -> "IsolariumState":
        """Return the empty board."""
        return IsolariumState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return an observer of the board, or OpenSpiel's own for public information."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return BoardObserver(self.board)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class IsolariumState(pyspiel.State):  # type: ignore[misc] # OpenSpiel has no types
    """The state of a game that started on the empty board.

    Attributes:
        position: the current position.
    """

    def __init__(self, game: IsolariumGame) -> None:
        super().__init__(game)
        self.position = Position.empty(game.board)

    def current_player(self) -> int:
        """Return the player to move, 0 or 1, or `TERMINAL` after the end of the game."""
        if self.is_terminal():
            over: int = pyspiel.PlayerId.TERMINAL
            return over
        return int(self.position.to_move)

    def _legal_actions(self, player: int) -> list[int]:
        return [self.position.board.index(square) for square in self.position.legal_moves()]

    def _apply_action(self, action: int) -> None:
        self.position = self.position.play(square_of(self.position, action))

    def _action_to_string(self, player: int, action: int) -> str:
        return str(square_of(self.position, action))

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.outcome() is not None

    def returns(self) -> list[float]:
        """Return 1 for the winner and -1 for the loser after the end of the game, else zeros."""
        outcome = self.position.outcome()
        if outcome is None:
            return [0.0, 0.0]
        return [1.0 if player is outcome.winner else -1.0 for player in Player]

    def __str__(self) -> str:
        """Return the position in one-line notation."""
        return str(self.position)


class BoardObserver:
    """An observer of the board; `tensor` and `dict` are OpenSpiel's interface."""

    def __init__(self, board: Board) -> None:
        shape = (PLANES, board.rows, board.cols)
        self.tensor = np.zeros(PLANES * board.size, np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: IsolariumState, player: int) -> None:
        """Observe a state."""
        self.dict["observation"][:] = observe(state.position, Player(player))

    def string_from(self, state: IsolariumState, player: int) -> str:
        """Return the position in one-line notation, which is the same for both players."""
        return str(state)


pyspiel.register_game(GAME_TYPE, IsolariumGame)
