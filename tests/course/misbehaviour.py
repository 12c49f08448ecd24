"""Course agents that misbehave, each in one way, as source text; and how each loses."""

from pathlib import Path
from typing import Final, NamedTuple

from isolarium.game.position import Reason

FORM: Final = '''"""An agent that misbehaves."""

import ctypes, os, random, signal, socket, subprocess, sys, threading, time

{before}

class CustomPlayer:
    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
{body}
'''


class Misbehaviour(NamedTuple):
    """What an agent does in place of a move, how its game ends, and the note of the game.

    Attributes:
        body: the statements, after `moves` has been set to the legal moves.
        reason: why it loses; NO_MOVES for one that plays on.
        note: A part of the note.
        limit: of its spec.
        before: statements of its module.
    """

    body: str
    reason: Reason
    note: str = ""
    limit: str = "calls=200"
    before: str = ""


MISBEHAVIOURS: Final = {
    "raises": Misbehaviour("raise ValueError('no idea')", Reason.CRASH, "ValueError: no idea (game_agent.py, line"),
    "hangs": Misbehaviour("while True: pass", Reason.TIME, "did not stop when its time was over", limit="ms=20"),
    "sleeps": Misbehaviour("time.sleep(3600)", Reason.TIME, "did not stop when its time was over", limit="ms=20"),
    "is_late": Misbehaviour(
        "end = time.process_time() + 0.1\nwhile time.process_time() < end: pass\nreturn moves[0]",
        Reason.TIME,
        " ms; 20 were allowed",
        limit="ms=20",
    ),
    "asks_for_too_much": Misbehaviour(
        "for _ in range(300): game.forecast_move(moves[0])\nreturn moves[0]",
        Reason.TIME,
        "generated 300 positions; 200 were allowed",
    ),
    "asks_without_end": Misbehaviour(
        "while True:\n    try: game.forecast_move(moves[0])\n    except Exception: pass",
        Reason.TIME,
        "did not stop when its time was over",
    ),
    "returns_a_list": Misbehaviour("return list(moves[0])", Reason.ILLEGAL_MOVE, "expected a tuple, (row, col)"),
    "returns_a_text": Misbehaviour("return 'e4'", Reason.ILLEGAL_MOVE, "returned 'e4'"),
    "returns_letters": Misbehaviour("return ('a', 'b')", Reason.ILLEGAL_MOVE, "returned ('a', 'b'); expected a tuple"),
    "returns_nothing": Misbehaviour("return None", Reason.RESIGNATION, "resigned"),
    "resigns": Misbehaviour("return (-1, -1)", Reason.RESIGNATION, "resigned"),
    "moves_off_the_board": Misbehaviour("return (77, 5)", Reason.ILLEGAL_MOVE, "[77, 5]"),
    "moves_where_it_stands": Misbehaviour("return game.get_player_location(self)", Reason.ILLEGAL_MOVE),
    "kills_itself": Misbehaviour("os.kill(os.getpid(), signal.SIGKILL)", Reason.CRASH, "its process ended (SIGKILL)"),
    "segfaults": Misbehaviour("ctypes.string_at(0)", Reason.CRASH, "its process ended (SIGSEGV)"),
    "leaves": Misbehaviour("sys.exit(3)", Reason.CRASH, "SystemExit: 3"),
    "leaves_at_once": Misbehaviour("os._exit(0)", Reason.CRASH, "its process ended (exit status 0)"),
    "becomes_another": Misbehaviour(
        "os.execv(sys.executable, [sys.executable, '-c', ''])", Reason.CRASH, "PermissionError"
    ),
    "forks": Misbehaviour("os.fork()", Reason.CRASH, "PermissionError"),
    "starts_a_program": Misbehaviour("subprocess.run(['true'])", Reason.CRASH, "PermissionError"),
    "kills_its_parent": Misbehaviour("os.kill(os.getppid(), signal.SIGKILL)", Reason.CRASH, "PermissionError"),
    "calls_home": Misbehaviour("socket.create_connection(('127.0.0.1', 9), 1)", Reason.CRASH, "PermissionError"),
    "takes_all_memory": Misbehaviour(
        "hoard = []\nwhile True: hoard.append(bytearray(1 << 26))", Reason.MEMORY, "out of memory"
    ),
    "recurses": Misbehaviour("def deeper(): return deeper()\ndeeper()", Reason.CRASH, "RecursionError"),
    "recurses_without_a_limit": Misbehaviour(
        "sys.setrecursionlimit(1 << 30)\ndef deeper(): return deeper()\ndeeper()", Reason.TIME, limit="ms=20"
    ),
    "answers_for_us": Misbehaviour(
        "for line in range(3, 40):\n    try: os.write(line, b'\\0\\0\\0\\2[]')\n    except OSError: pass", Reason.CRASH
    ),
    "answers_with_a_pickle": Misbehaviour(
        "for line in range(3, 40):\n"
        "    try: os.write(line, b'\\0\\0\\0\\x12cos\\nabort\\n(tR.     ')\n"
        "    except OSError: pass",
        Reason.CRASH,
    ),
    "removes_what_it_needs": Misbehaviour("os.remove(__file__)", Reason.CRASH, "PermissionError"),
    "changes_modes": Misbehaviour("os.chmod(__file__, 0)", Reason.CRASH, "PermissionError"),
    "writes_outside": Misbehaviour(
        "open(os.path.join(os.path.dirname(__file__), 'left'), 'w')", Reason.CRASH, "PermissionError"
    ),
    "fills_a_file": Misbehaviour(
        "open(os.path.join(os.environ['HOME'], 'left'), 'wb').write(bytes(1 << 27))", Reason.CRASH, "File too large"
    ),
    # These play on:
    "prints": Misbehaviour("print('thinking' * 1000)\nreturn moves[0]", Reason.NO_MOVES),
    "complains": Misbehaviour("os.write(2, b'\\xff\\x1b[2J' * 5000)\nreturn moves[0]", Reason.NO_MOVES),
    "leaves_threads": Misbehaviour(
        "threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\nreturn moves[0]", Reason.NO_MOVES
    ),
    "writes_where_it_may": Misbehaviour(
        "open(os.path.join(os.environ['TMPDIR'], 'left'), 'w').write('x')\nreturn moves[0]", Reason.NO_MOVES
    ),
    "changes_the_course": Misbehaviour(
        "import isolation\nisolation.Board.forecast_move = None\nreturn moves[0]", Reason.NO_MOVES
    ),
}


def write(name: str, folder: Path) -> str:
    """Write an agent into a folder of its own; its spec."""
    what = MISBEHAVIOURS[name]
    body = "\n".join(f"        {line}" for line in what.body.splitlines())
    file = folder / name / "game_agent.py"
    file.parent.mkdir()
    file.write_text(FORM.format(before=what.before, body=body))
    return f"course:{file}@{what.limit}"
