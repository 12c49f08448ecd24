"""A game in the terminal, between two agents or with a person."""

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from io import TextIOWrapper
from math import isinf
from pathlib import Path
from random import SystemRandom

from isolarium.agents import Agent, AgentFailure, parse_agent
from isolarium.agents.levels import HINT_AGENT
from isolarium.cli.progress_display import COMPILING, notice
from isolarium.cli.screen import GameScreen, format_report
from isolarium.errors import InputError, quoted
from isolarium.game.board import Square, format_board, format_square, parse_square
from isolarium.game.position import Outcome, Player, Position, Reason
from isolarium.game.record import GameRecord, format_game, format_game_json
from isolarium.limits import read_seed
from isolarium.search.protocol import Choice

PERSON = "human"
HELP = f"""\
  d4, 12      move to a square, given by its name or its number
  undo        go back to your previous turn
  hint        show the move of {HINT_AGENT}
  moves       show the game so far, with the ply of each visited square
  save FILE   save the game as text, .json or .svg; save! FILE overwrites a file
  quit        leave; so do Ctrl-C and the end of the input
  help        show this list"""

FORMATS: dict[str, Callable[[GameRecord], str]] = {
    "": format_game,
    ".txt": format_game,
    ".json": format_game_json,
    ".svg": GameRecord._repr_svg_,
}


# The players


@dataclass(frozen=True)
class Seats:
    """The two players of a game.

    Attributes:
        agents: the agent of each player; None for a person.
        names: the players' names.
        seed: the random seed of the agents.
    """

    agents: Mapping[Player, Agent | None]
    names: Mapping[Player, str]
    seed: int

    @property
    def people(self) -> int:
        """The number of people."""
        return list(self.agents.values()).count(None)

    def details(self, start: Position) -> list[str]:
        """Return the details that, with the players, reproduce the game."""
        board = format_board(start.board)
        return [board] if self.people == len(self.agents) else [board, f"seed {self.seed}"]

    def close(self) -> None:
        """Close the agents."""
        for agent in self.agents.values():
            if agent is not None:
                agent.close()


def seat_players(first: str, second: str, seed: int | None, start: Position) -> Seats:
    """Create two players and prepare the agents for a game; a seed of None is random.

    Raises:
        InputError: If a player is neither `human` nor an agent that can start.
    """
    specs = {Player.FIRST: first, Player.SECOND: second}
    agents = {player: None if spec == PERSON else parse_agent(spec) for player, spec in specs.items()}
    alone = list(agents.values()).count(None) == 1
    names = {
        player: agent.name if agent is not None else "you" if alone else str(player) for player, agent in agents.items()
    }
    if seed is None:
        seed = SystemRandom().randrange(1_000_000)
    read_seed(seed)
    for player, agent in agents.items():
        if agent is not None:
            _prepare(agent, 2 * seed + player, start)  # So that equal agents choose differently
    return Seats(agents, names, seed)


def _prepare(agent: Agent, seed: int, start: Position) -> None:
    """Compile an agent's code by letting it choose a move, then start its game."""
    try:
        with notice(COMPILING):
            agent.new_game(seed)
            if start.outcome() is None:
                with suppress(AgentFailure):  # A lasting failure will show up in the game.
                    agent.choose(start, stop=lambda: True)
        agent.new_game(seed)
    except AgentFailure as failure:
        raise InputError(str(failure)) from None


@dataclass(frozen=True)
class AgentTurn:
    """The result of an agent's turn.

    Attributes:
        player: the player whose turn it was.
        record: the game after the turn.
        choice: the move with its report; None if the agent failed and lost.
        failure: the message if the agent failed.
    """

    player: Player
    record: GameRecord
    choice: Choice | None
    failure: str = ""


def take_agent_turn(agent: Agent, record: GameRecord) -> AgentTurn:
    """Let an agent move in an unfinished game."""
    position = record.position
    try:
        choice = agent.choose(position)
        why_illegal = position.why_illegal(choice.move)
        if why_illegal is not None:
            raise AgentFailure(Reason.ILLEGAL_MOVE, f"{agent.name}: {choice.move}: {why_illegal}")
    except AgentFailure as failure:
        ending = Outcome(position.to_move.other, failure.reason)
        lost = GameRecord(record.start, record.moves, ending)
        return AgentTurn(position.to_move, lost, None, str(failure))
    after = GameRecord(record.start, (*record.moves, choice.move))
    return AgentTurn(position.to_move, after, choice)


# A game between two agents


def play_agents(start: Position, seats: Seats) -> None:
    """Play a game between two agents; print each move, the board and the result."""
    screen = GameScreen(seats.names)
    screen.show_players(*seats.details(start))
    columns = f"ply  {'player':<{screen.name_width}}  move   "
    screen.say(f"\n{'':<{len(columns)}}mobility")
    screen.say(f"{columns}{'  '.join(player.badge for player in Player)}   search")
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
    rest = f"  {square:<4}   {_mobilities(turn.record.position)}{format_report(turn.choice.report)}"
    name = screen.name(turn.player)
    name.pad_right(screen.name_width - len(name))
    screen.say(f"{len(turn.record.moves):>3}  ", name, rest)


def print_game_json(start: Position, seats: Seats) -> None:
    """Play a game between two agents, and print it as JSON.

    The JSON includes the players, the seed and the agents' reports.
    """
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
    """Return each player's number of moves, with a dash for an unplaced player."""
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
        report["score"] = str(choice.report.score)  # JSON has no infinite numbers.
    return report


# A game with a person


class TerminalGame:
    """A game that asks people for their moves and shows those of agents.

    Args:
        start: the position to start from.
        seats: the players, at least one of them a person.
    """

    def __init__(self, start: Position, seats: Seats) -> None:
        self._record = GameRecord(start)
        self._seats = seats
        self._screen = GameScreen(seats.names)
        self._left = False
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="backslashreplace")  # Read invalid bytes as text, too.
        self._commands = {
            "undo": self._undo,
            "hint": self._hint,
            "moves": self._show_moves,
            "save": self._save,
            "save!": self._save_over,
            "quit": self._leave,
            "help": self._help,
        }

    def play(self) -> None:
        """Play until the user leaves by a command or the input ends.

        Raises:
            KeyboardInterrupt: If the user pressed Ctrl-C; the game has been printed.
        """
        self._screen.show_players(*self._seats.details(self._record.start))
        self._screen.say("Type a square or its number to move, help for the commands.")
        try:
            while not self._left:
                self._take_turn()
        except (EOFError, KeyboardInterrupt) as end:
            self._screen.say()
            self._leave()
            if isinstance(end, KeyboardInterrupt):
                raise

    def _take_turn(self) -> None:
        """Take the turn of the player to move; after the game, read commands."""
        agent = self._seats.agents[self._record.position.to_move]
        if agent is not None and not self._is_over:
            self._play_agent(agent)
            return
        self._screen.say()
        if not self._is_over:
            self._screen.show_turn(self._record.position)
        else:
            self._screen.show_trail(self._record)
            self._screen.show_record(self._record)
        record = self._record
        while self._record is record and not self._left:
            self._execute(self._read_line())

    def _play_agent(self, agent: Agent) -> None:
        turn = take_agent_turn(agent, self._record)
        self._record = turn.record
        if turn.choice is None:
            self._screen.say(turn.failure)
            return
        move = f": {format_square(turn.choice.move)}{format_report(turn.choice.report)}"
        self._screen.say(self._screen.name(turn.player), move)

    def _read_line(self) -> str:
        player = self._record.position.to_move
        prompt = f"{player.badge} {self._seats.names[player]}> "
        if self._is_over:
            prompt = "Enter leaves; undo and save FILE still work> "
        if sys.stdin is None:
            raise EOFError
        line = input(prompt)
        if not sys.stdin.isatty():
            self._screen.say(line)  # So that a transcript shows the input
        return line.strip()

    def _execute(self, line: str) -> None:
        """Execute a line of input, or print why it is invalid."""
        word, _, argument = line.partition(" ")
        command = self._commands.get(word.lower())
        try:
            if command is not None:
                command(argument.strip())
            elif line or not self._is_over:
                self._move_to(self._parse_move(line.lower()))
            else:
                self._leave()
        except InputError as error:
            self._screen.say(str(error))

    def _parse_move(self, text: str) -> Square:
        self._check_unfinished()
        position = self._record.position
        moves = position.legal_moves()
        numbers = {str(number): square for number, square in enumerate(moves, start=1)}
        if text in numbers:
            return numbers[text]
        if not text:
            last = position.board.squares[-1]
            raise InputError(f"expected a1 to {last} on {position.board}, a number, or a command such as help")
        if text.isdigit():
            raise InputError(f"number {quoted(text)}: expected 1 to {len(moves)}")
        try:
            return parse_square(text, position.board)
        except InputError as error:
            raise InputError(f"{error}, a number, or a command such as help") from None

    def _move_to(self, square: Square) -> None:
        self._record.position.play(square)
        self._record = GameRecord(self._record.start, (*self._record.moves, square))

    @property
    def _is_over(self) -> bool:
        return self._record.outcome() is not None

    def _check_unfinished(self) -> None:
        if self._is_over:
            raise InputError("the game is over; undo takes a move back, quit leaves")

    def _undo(self, _: str) -> None:
        moves = self._record.moves
        for ply in reversed(range(len(moves))):
            if self._seats.agents[self._player_at(ply)] is None:
                self._record = GameRecord(self._record.start, moves[:ply])
                return
        raise InputError("undo: you have not moved yet")

    def _player_at(self, ply: int) -> Player:
        starter = self._record.start.to_move
        return starter if ply % 2 == 0 else starter.other

    def _hint(self, _: str) -> None:
        self._check_unfinished()
        adviser = parse_agent(HINT_AGENT)
        adviser.new_game(self._seats.seed)
        with notice(COMPILING):
            choice = adviser.choose(self._record.position)
        move = f"{format_square(choice.move)}{format_report(choice.report)}"
        self._screen.say(f"{adviser.name} would play {move}")

    def _show_moves(self, _: str) -> None:
        self._screen.show_trail(self._record)
        self._screen.show_record(self._record)

    def _save(self, file: str) -> None:
        self._screen.say(f"saved {save_game(self._record, file, overwrite=False)}")

    def _save_over(self, file: str) -> None:
        self._screen.say(f"saved {save_game(self._record, file, overwrite=True)}")

    def _leave(self, _: str = "") -> None:
        self._left = True
        if not self._is_over:
            self._screen.show_record(self._record)

    def _help(self, _: str) -> None:
        self._screen.say(HELP)


def save_game(record: GameRecord, file: str, *, overwrite: bool) -> Path:
    """Write a game as text, JSON or SVG, and return the path.

    Raises:
        InputError: If the suffix is unknown, if the file exists and `overwrite` is False, or if the
            file cannot be written.
    """
    if not file:
        raise InputError("save: no file; expected a name such as game.txt, game.json or game.svg")
    path = Path(file).expanduser()
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputError(f"save {quoted(file)}: expected a name that ends in .txt, .json or .svg")
    text = form(record) + "\n"
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise InputError(f"save {quoted(file)}: it exists; save! {file} overwrites it") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"save {quoted(file)}: {why}; expected a file to write to") from None
    return path
