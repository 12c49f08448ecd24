"""A game with a person in it: a conversation, line by line."""

import sys
from collections.abc import Callable
from io import TextIOWrapper
from pathlib import Path

from isolarium.agents import Agent, parse_agent
from isolarium.agents.levels import HINT_AGENT
from isolarium.cli.progress_display import COMPILING, notice
from isolarium.cli.terminal.players import Seats, take_agent_turn
from isolarium.cli.terminal.screen import GameScreen, format_report
from isolarium.errors import InputError, quoted
from isolarium.game.board import Square
from isolarium.game.notation import format_square, parse_square
from isolarium.game.outcome import Player
from isolarium.game.position import Position
from isolarium.game.record import GameRecord, format_game, format_game_json

HELP = f"""\
  d4, 12      go to a square, by its name or by the number in it
  undo        take back to your turn before this one
  hint        what {HINT_AGENT} would play
  moves       the game so far, with the number of the ply in each square
  save FILE   as text, .json or .svg by the file's ending; save! FILE replaces a file
  quit        leave; the end of the input and Ctrl-C do so too
  help        this list"""

FORMATS: dict[str, Callable[[GameRecord], str]] = {
    "": format_game,
    ".txt": format_game,
    ".json": format_game_json,
    ".svg": GameRecord._repr_svg_,
}


class TerminalGame:
    """A game that asks people for their moves and shows what the agents play.

    Args:
        start: The position to start from.
        seats: Who plays; at least one person.
    """

    def __init__(self, start: Position, seats: Seats) -> None:
        self._record = GameRecord(start)
        self._seats = seats
        self._screen = GameScreen(seats.names)
        self._left = False
        if isinstance(sys.stdin, TextIOWrapper):
            sys.stdin.reconfigure(errors="backslashreplace")  # any bytes are a line, good or bad
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
        """Play until the people leave, by a command or by the end of their input.

        Raises:
            KeyboardInterrupt: They left by Ctrl-C. The record has been shown.
        """
        self._screen.show_players(*self._seats.details(self._record.start))
        self._screen.say("Type the square to go to, or its number; help lists the commands.")
        try:
            while not self._left:
                self._take_turn()
        except (EOFError, KeyboardInterrupt) as way_out:
            self._screen.say()
            self._leave()
            if isinstance(way_out, KeyboardInterrupt):
                raise

    def _take_turn(self) -> None:
        """Have the player to move play, or the people say what they want after the end."""
        agent = self._seats.agents[self._record.position.to_move]
        if agent is not None and not self._is_over:
            self._let_play(agent)
            return
        self._screen.say()
        if not self._is_over:
            self._screen.show_turn(self._record.position)
        else:
            self._screen.show_trail(self._record)
            self._screen.show_record(self._record)
        record = self._record
        while self._record is record and not self._left:
            self._obey(self._ask())

    def _let_play(self, agent: Agent) -> None:
        turn = take_agent_turn(agent, self._record)
        self._record = turn.record
        if turn.choice is None:
            self._screen.say(turn.failure)
            return
        said = f": {format_square(turn.choice.move)}{format_report(turn.choice.report)}"
        self._screen.say(self._screen.name(turn.player), said)

    def _ask(self) -> str:
        player = self._record.position.to_move
        prompt = f"{player.badge} {self._seats.names[player]}> "
        if self._is_over:
            prompt = "Enter leaves, undo and save FILE still work> "
        if sys.stdin is None:
            raise EOFError
        line = input(prompt)
        if not sys.stdin.isatty():
            self._screen.say(line)  # a transcript shows what was answered
        return line.strip()

    def _obey(self, line: str) -> None:
        """Do what a line says, or say why not."""
        word, _, argument = line.partition(" ")
        command = self._commands.get(word.lower())
        try:
            if command is not None:
                command(argument.strip())
            elif line or not self._is_over:
                self._go_to(self._square_named(line.lower()))
            else:
                self._leave()
        except InputError as error:
            self._screen.say(str(error))

    def _square_named(self, text: str) -> Square:
        self._check_going_on()
        position = self._record.position
        moves = position.legal_moves()
        numbers = {str(number): square for number, square in enumerate(moves, start=1)}
        if text in numbers:
            return numbers[text]
        if text.isdigit():
            raise InputError(f"number {quoted(text)}: expected 1 to {len(moves)}")
        try:
            return parse_square(text, position.board)
        except InputError as error:
            raise InputError(f"{error}, a number, or a command such as help") from None

    def _go_to(self, square: Square) -> None:
        self._record.position.play(square)
        self._record = GameRecord(self._record.start, (*self._record.moves, square))

    @property
    def _is_over(self) -> bool:
        return self._record.outcome() is not None

    def _check_going_on(self) -> None:
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
        self._check_going_on()
        adviser = parse_agent(HINT_AGENT)
        adviser.new_game(self._seats.seed)
        with notice(COMPILING):
            choice = adviser.choose(self._record.position)
        said = f"{format_square(choice.move)}{format_report(choice.report)}"
        self._screen.say(f"{adviser.name} would play {said}")

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
    """Write a game as text, JSON or a picture, and return where.

    Raises:
        InputError: The ending is none of ours, the file exists and may not be overwritten, or it
            cannot be written.
    """
    if not file:
        raise InputError("save: no file; expected a name such as game.txt, game.json or game.svg")
    path = Path(file).expanduser()
    form = FORMATS.get(path.suffix.lower())
    if form is None:
        raise InputError(f"save {quoted(file)}: expected .txt, .json or .svg at its end")
    text = form(record) + "\n"
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as target:
            target.write(text)
    except FileExistsError:
        raise InputError(f"save {quoted(file)}: it exists; save! {file} replaces it") from None
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise InputError(f"save {quoted(file)}: {why}; expected a file to write to") from None
    return path
