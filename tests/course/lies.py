"""Agents of the course that lie on their line to us, each in one way, as text; and how each has to lose."""

from pathlib import Path
from typing import Final, NamedTuple

from isolarium.game.position import Reason

TOOLS: Final = '''"""An agent that lies."""

import json, os, random, struct, sys, threading, time


def write(data):
    """Write to every descriptor there may be: one of them is the line."""
    for line in range(3, 64):
        try:
            os.write(line, data)
        except OSError:
            pass


def framed(data):
    return struct.pack("!i", len(data)) + data


def send(data):
    write(framed(data))


def answer(**event):
    send(json.dumps({"number": number(), **event}).encode())


def number():
    """The number of the request that is being answered, looked up where our own code keeps it."""
    frame = sys._getframe()
    while frame.f_back is not None:
        frame = frame.f_back
        if frame.f_code.co_name == "serve":
            return frame.f_locals["self"].number
    return 1


def chosen(move, **more):
    return {"move": list(move), "calls": 1, "plies": 1, **more}
'''
PLAYER: Final = """

class CustomPlayer:
    def get_move(self, game, time_left):
        moves = game.get_legal_moves()
{body}
        return moves[0]
"""


class Lie(NamedTuple):
    """What an agent does in place of a move, and the note of its game.

    Attributes:
        body: The statements, after `moves` has been set to the legal moves.
        note: A part of the note.
        reason: Why it loses.
        limit: Of its spec.
    """

    body: str
    note: str
    reason: Reason = Reason.CRASH
    limit: str = "calls=200"


NOT_AN_ANSWER: Final = "sent an invalid answer: "
NOT_JSON: Final = "sent an answer that is not JSON: "
HANGS: Final = "did not stop when its time was over"


def _forged(fields: str, note: str) -> Lie:
    return Lie(f"answer({fields})", NOT_AN_ANSWER + note)


def _sent(data: str, note: str) -> Lie:
    return Lie(f"send({data})", note)


LIES: Final = {
    # Failures that are not its to report, or that say what no text may
    "it has no moves": _forged("failed='no moves', message=''", "failed: 'no moves': expected '"),
    "its opponent resigned": _forged("failed='resignation', message=''", "failed: 'resignation': expected '"),
    "it was bored": _forged("failed='boredom', message=''", "failed: 'boredom': expected '"),
    "a failure and a move": _forged(
        "failed='crash', message='', done=chosen(moves[0])", "an answer with done, failed, message"
    ),
    "nothing": _forged("", "an answer with nothing in it"),
    "no failure": _forged("failed=None, message=''", "an answer with failed, message"),
    "half a letter": _forged("failed='crash', message='\\ud800'", "message: '\\ud800': expected text"),
    "a long story": _forged("failed='crash', message='a' * 500000", "message: 'aaaa"),
    "what a terminal would obey": Lie(
        "answer(failed='crash', message='gone\\x1b[2J\\n')", "gone\N{REPLACEMENT CHARACTER}[2J"
    ),
    # Moves that are none
    "another key": _forged("done=chosen(moves[0], late=False)", "late: no key named 'late'"),
    "a move in words": _forged("done={'move': 'e4', 'calls': 1, 'plies': 1}", "move: 'e4': expect"),
    "a move of fractions": _forged("done=chosen((1.0, 2.0))", "move.0: 1.0: expected a whole"),
    "a move of truths": _forged("done=chosen((True, False))", "move.0: True: expected a whole"),
    "a move of three": _forged("done=chosen((1, 2, 3))", "move: [1, 2, 3]: expected at most 2"),
    "a move far away": _forged("done=chosen((10 ** 12, 2))", "move.0: 1000000000000: expected"),
    "a move off the board": Lie("answer(done=chosen((77, -5)))", "off the 5x5 board", Reason.ILLEGAL_MOVE),
    "true positions": _forged("done=chosen(moves[0]) | {'calls': True}", "calls: True: expected"),
    "positions in words": _forged("done=chosen(moves[0]) | {'calls': '1e5'}", "calls: '1e5': expected a whole number"),
    "half positions": _forged("done=chosen(moves[0]) | {'calls': 1.0}", "calls: 1.0: expected"),
    "fewer than no positions": _forged("done=chosen(moves[0]) | {'calls': -1}", "calls: -1: expected at least"),
    "any number of positions": _forged("done=chosen(moves[0]) | {'calls': 10 ** 40}", "calls: 1000"),
    "positions that it may not ask for": Lie(
        "answer(done=chosen(moves[0]) | {'calls': 300})", "generated 300 pos", Reason.TIME
    ),
    "plies that are no number": Lie(
        "answer(done=chosen(moves[0]) | {'plies': float('nan')})", f"{NOT_JSON}NaN is not a number"
    ),
    "infinite plies": Lie(
        "answer(done=chosen(moves[0]) | {'plies': float('inf')})", f"{NOT_JSON}Infinity is not a number"
    ),
    "what was not asked": _forged("done=True", "True: expected a table"),
    # Numbers of requests
    "an answer to the next request": Lie(
        "send(json.dumps({'number': number() + 1, 'done': chosen(moves[0])}).encode())",
        "sent an answer to another request",
    ),
    "an answer to no request": Lie("send(json.dumps({'done': chosen(moves[0])}).encode())", "number: missing"),
    "two answers": Lie("for _ in range(2): answer(done=chosen(moves[0]))", "sent an answer"),
    "answers in advance": Lie(  # written at once: after an answer it is stopped
        "events = [{'number': number() + ahead, 'done': chosen(moves[0])} for ahead in range(9)]\n"
        "write(b''.join(framed(json.dumps(one).encode()) for one in events))",
        "sent an answer before it was asked",
    ),
    # What is not JSON, or not a message
    "a list": _sent("b'[]'", "sent an answer that is not a JSON object"),
    "a pickle": _sent("b'cos\\nabort\\n(tR.'", NOT_JSON),
    "an empty message": _sent("b''", NOT_JSON),
    "other letters": _sent("b'\\xff\\xfe{}'", NOT_JSON),
    "deep lists": _sent("b'[' * 500000", f"{NOT_JSON}nested too deep"),
    "deep tables": _sent("b'{\"done\":' * 100000", f"{NOT_JSON}nested too deep"),
    "a million digits": _sent("b'{\"number\":' + b'9' * 1000000 + b'}'", NOT_JSON),
    "a message too long": Lie("write(struct.pack('!i', 1 << 30) + b' ' * 1000000)", "sent an answer of more than"),
    "a message longer than long": Lie(
        "write(struct.pack('!iq', -1, 1 << 40) + b' ' * 1000)", "sent an answer of more than"
    ),
    "noise": Lie("write(bytes(range(256)) * 1000)", "sent an answer"),
    # What never ends
    "half a head": Lie("write(b'\\0\\0')\nwhile True: pass", HANGS, Reason.TIME, "ms=20"),
    "half a message": Lie("write(framed(b'{}' * 500)[:50])\nwhile True: pass", HANGS, Reason.TIME, "ms=20"),
    "a message byte by byte": Lie(
        "for byte in framed(b' ' * 1000000):\n    write(bytes([byte]))\n    time.sleep(0.01)",
        HANGS,
        Reason.TIME,
        "ms=20",
    ),
}


def indented(body: str, spaces: int = 8) -> str:
    """Statements as they stand in a function."""
    return "\n".join(" " * spaces + line for line in body.splitlines())


def write_liar(name: str, folder: Path) -> str:
    """Write an agent with one lie; return its spec."""
    lie = LIES[name]
    file = folder / "game_agent.py"
    file.write_text(TOOLS + PLAYER.format(body=indented(lie.body)))
    return f"course:{file}@{lie.limit}"


def write_liar_of_all(folder: Path) -> str:
    """Write an agent that tells a lie in each game, drawn by the game's seed; return its spec.

    In a third of the games that is the first of them: that it has no moves.
    """
    lies = "".join(
        f"\n\ndef lie_{number}(moves):\n{indented(lie.body, 4)}\n" for number, lie in enumerate(LIES.values())
    )
    names = ", ".join(f"lie_{number}" for number in range(len(LIES)))
    body = f"random.choice(random.choice([[lie_0], [{names}], [{names}]]))(moves)"
    file = folder / "game_agent.py"
    file.write_text(TOOLS + lies + PLAYER.format(body=indented(body)))
    return f"course:{file}@ms=40"
