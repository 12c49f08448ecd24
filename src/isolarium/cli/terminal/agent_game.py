"""A game between two agents, shown move by move or as one JSON object."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from math import isinf

from isolarium.cli.terminal.players import AgentTurn, Seats, take_agent_turn
from isolarium.cli.terminal.screen import GameScreen, format_report
from isolarium.game.notation import format_square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, format_game_json
from isolarium.search.protocol import Choice


def demonstrate(start: Position, seats: Seats) -> None:
    """Play a game, showing each move as it is made, and at the end the board and who won."""
    screen = GameScreen(seats.names)
    screen.show_players(*seats.details(start))
    screen.say(
        f"\nply  {'player':<{screen.name_width}}  move   {'  '.join(player.badge for player in Player)}  can go to"
    )
    record = GameRecord(start)
    for turn in _turns(start, seats):
        _show_turn(turn, screen)
        record = turn.record
    screen.say()
    screen.show_trail(record)
    screen.say()
    screen.show_record(record)


def _show_turn(turn: AgentTurn, screen: GameScreen) -> None:
    if turn.choice is None:
        screen.say(turn.failure)
        return
    square = format_square(turn.choice.move)
    said = f"  {square:<4}   {_mobilities(turn.record.position)}{format_report(turn.choice.report)}"
    name = screen.name(turn.player)
    name.pad_right(screen.name_width - len(name))
    screen.say(f"{len(turn.record.moves):>3}  ", name, said)


def print_game_json(start: Position, seats: Seats) -> None:
    """Play a game and print its record with the players, the seed and the agents' reports."""
    turns = list(_turns(start, seats))
    record = turns[-1].record if turns else GameRecord(start)
    game = json.loads(format_game_json(record))
    game["players"] = [seats.names[player] for player in Player]
    game["seed"] = seats.seed
    game["reports"] = [_report_json(turn.choice) for turn in turns if turn.choice is not None]
    game["failure"] = turns[-1].failure if turns else ""
    print(json.dumps(game))


def _turns(start: Position, seats: Seats) -> Iterator[AgentTurn]:
    """Play a game to its end."""
    agents = {player: agent for player, agent in seats.agents.items() if agent is not None}
    record = GameRecord(start)
    while record.outcome() is None:
        turn = take_agent_turn(agents[record.position.to_move], record)
        yield turn
        record = turn.record


def _mobilities(position: Position) -> str:
    """Return how many squares each player could go to, a dash for one not yet placed."""
    return "  ".join(f"{_mobility(position, player):>3}" for player in Player)


def _mobility(position: Position, player: Player) -> str:
    square = position.square_of(player)
    if square is None:
        return "-"
    return str((position.blank & position.board.knight_mask(square)).bit_count())


def _report_json(choice: Choice) -> dict[str, object]:
    report = asdict(choice.report)
    report["pv"] = [format_square(square) for square in choice.report.pv]
    if choice.report.score is not None and isinf(choice.report.score):
        report["score"] = str(choice.report.score)  # JSON has no infinite numbers
    return report
