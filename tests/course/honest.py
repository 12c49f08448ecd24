"""Third-party agents written the way students write them, and the games they must play again move for move.

Each folder of `agents/honest` is an agent, with the modules and data files it needs. `honest_games.txt` records the
games of a small tournament by counted positions, so that they do not depend on the machine. A sandbox that breaks an
honest agent changes a line of that file. `python -m tools.proofs.honest_agents --record` writes the file.
"""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Final, NamedTuple

from isolarium.agents import make_agent, parse_spec
from isolarium.agents.agent import Agent
from isolarium.arena.game import Game
from isolarium.arena.referee import play_game
from isolarium.game.board import parse_board
from isolarium.game.position import Player, Position, Reason

FOLDER: Final = Path(__file__).parent / "agents" / "honest"
GAMES: Final = Path(__file__).with_name("honest_games.txt")
AGENTS: Final = sorted(path.name for path in FOLDER.iterdir() if path.is_dir())
CALLS: Final = 150
ENOUGH_CALLS: Final = 1_000_000
"""More than an agent with a clock of its own asks for."""
SEED: Final = 27

OWN_CLOCK: Final = frozenset({"alarm_signal", "own_stopwatch", "timer_thread"})
"""Agents whose own clock ends their search. Their moves differ from run to run, so only how games end is compared."""
ON_7X7: Final = frozenset({"first_generation", "killer_moves", "numpy_mobility", "pickle_book"})


class Pairing(NamedTuple):
    """An opponent of ours, and the seat of the agent."""

    opponent: str
    seat: Player

    def __str__(self) -> str:
        return f"{'first' if self.seat is Player.FIRST else 'second'} against {self.opponent}"


PAIRINGS: Final = tuple(Pairing(opponent, seat) for opponent in ("random", "greedy:open") for seat in Player)


def file_of(name: str) -> Path:
    """Return the file with the agent's class."""
    (file,) = [path for path in (FOLDER / name).iterdir() if path.name in ("game_agent.py", "my_custom_player.py")]
    return file


def play(name: str) -> dict[str, str]:
    """Play an agent's games by counted positions; return what is compared, by game."""
    calls = ENOUGH_CALLS if name in OWN_CLOCK else CALLS
    games = played(f"course:{file_of(name)}@calls={calls}", start_of(name))
    return {f"{name} {pairing}": _summary(name, game) for pairing, game in games.items()}


def played(spec: str, start: Position) -> Mapping[Pairing, Game]:
    """Play the games of an agent, all in one process of its own."""
    games = {}
    with closing(make_agent(parse_spec(spec))) as agent:
        for pairing in PAIRINGS:
            with closing(make_agent(parse_spec(pairing.opponent))) as opponent:
                seats: dict[Player, Agent] = {pairing.seat: agent, pairing.seat.other: opponent}
                games[pairing] = play_game(seats, start, (), {Player.FIRST: SEED, Player.SECOND: SEED + 1})
    return games


def start_of(name: str) -> Position:
    """Return where an agent's games start: on an empty board, so that it places itself."""
    is_later = file_of(name).name == "my_custom_player.py"
    board = "9x11" if is_later else "7x7" if name in ON_7X7 else "5x5"
    return Position.empty(parse_board(board))


def _summary(name: str, game: Game) -> str:
    """Return the moves of a game and how it ended; without the moves where a clock decides them."""
    reason = game.outcome.reason
    if name in OWN_CLOCK:
        return str(reason)
    moves = " ".join(game.moves)
    winner = "first" if game.outcome.winner is Player.FIRST else "second"
    note = "" if reason is Reason.NO_MOVES else f": {game.note.rpartition('/')[2]}"
    return f"{moves} | {winner} wins, {reason}{note}"


def recorded() -> dict[str, str]:
    """Return the recorded games, in the form of `play`."""
    lines = GAMES.read_text(encoding="utf-8").splitlines()
    return {game: summary for game, _, summary in (line.partition(": ") for line in lines)}


def record(games: Mapping[str, str]) -> None:
    """Write the recorded games."""
    GAMES.write_text("".join(f"{game}: {summary}\n" for game, summary in games.items()))
