"""Forged messages on the agent's line, texts that do harm where they are shown, and computing out of turn."""

from typing import Final

from tests.course.attacks.attempt import AGENTS, Attempt, Stop
from tests.course.attacks.effects import exists, shown, spoiled, took_memory, unfinished, unreadable

_END: Final = "\nreturn 'sent'"
_MOVE: Final = '{"move": [1, 1], "calls": 1, "plies": 1, "late": false}'


def _forged(name: str, message: str, *, then: str = "") -> Attempt:
    """An attacker that sends a message of its own, and then waits to be believed."""
    code = f"import json\nforge({message})\n{then}time.sleep(0.3){_END}"
    return Attempt(f"forge {name}", code, Stop.VALIDATION, spoiled, forms=AGENTS, alone=True)


_PICKLE: Final = """
import pickle
class Payload:
    def __reduce__(self):
        return os.mkdir, (OUTSIDE + '/unpickled',)
forge(pickle.dumps({what}))
time.sleep(0.3)
return 'sent'
"""
MESSAGES: Final = (
    _forged("a loss for want of moves", 'b\'{"failed": "no moves", "message": ""}\''),
    _forged("a loss by an unknown reason", 'b\'{"failed": "tired", "message": ""}\''),
    _forged("a failure of each kind at once", 'b\'{"failed": "resignation", "done": 1, "wrong": "x"}\''),
    _forged("a move off the board", f"b'{{\"done\": {_MOVE}}}'.replace(b'1, 1', b'99, 1')"),
    _forged("a move of truth values", f"b'{{\"done\": {_MOVE}}}'.replace(b'1, 1', b'true, true')"),
    _forged("a number that is none", f"b'{{\"done\": {_MOVE}}}'.replace(b'1, 1', b'NaN, Infinity')"),
    _forged("a number of 900,000 digits", "b'{\"done\": ' + b'9' * 900_000 + b'}'"),
    _forged("a message in brackets in brackets", "b'[' * 500_000"),
    _forged("a message that is no text", "bytes(range(256)) * 100"),
    _forged("an empty message", "b''"),
    _forged("many messages in advance", "b'{\"done\": null}'", then="forge(b'{\"done\": true}')\n" * 2),
    _forged(
        "a text that hides in the terminal",
        r"""json.dumps({'failed': 'crash', 'message': chr(27) + ']0;title' + chr(7) + chr(10)}).encode()""",
    ),
    Attempt(
        "announce a message of two gigabytes",
        "for line in lines():\n    os.write(line, struct.pack('!i', 0x7FFFFFFF))\ntime.sleep(0.2)" + _END,
        Stop.VALIDATION,
        spoiled,
        forms=AGENTS,
        alone=True,
    ),
    Attempt(
        "send a message without end",
        """
for line in lines():
    os.set_blocking(line, True)
    with suppress(OSError):
        os.write(line, struct.pack('!i', 0x7FFFFFFF))
        for _ in range(1500):
            os.write(line, b'x' * (1 << 20))
return 'sent'
""",
        Stop.VALIDATION,
        took_memory,
        alone=True,
    ),
    Attempt(
        "send code that the parent unpickles",
        _PICKLE.replace("{what}", "Payload()"),
        Stop.VALIDATION,
        exists("outside/unpickled"),
        alone=True,
    ),
    Attempt(
        "send code in the form of an answer that the parent unpickles",
        _PICKLE.replace("{what}", "('done', Payload())"),
        Stop.VALIDATION,
        exists("outside/unpickled"),
        alone=True,
    ),
    Attempt(
        "have the parent read a file of 1.5 GB as one of its own",
        """
import json
forge(json.dumps({'done': {**DESCRIPTION, 'files': [AGENT + '/huge.txt']}}).encode())
time.sleep(0.5)
return 'sent'
""",
        Stop.VALIDATION,
        took_memory,
        forms=AGENTS,
        alone=True,
        at_import=True,
    ),
    Attempt(
        "forge a description with a name that hides in the terminal",
        """
import json
name = 'Custom' + chr(27) + ']0;named' + chr(7) + chr(10) + 'Player'
forge(json.dumps({'done': {**DESCRIPTION, 'name': name, 'files': [name]}}).encode())
time.sleep(0.3)
return 'sent'
""",
        Stop.VALIDATION,
        unreadable,
        forms=AGENTS,
        alone=True,
        at_import=True,
    ),
    Attempt(
        "have a class name that hides in the terminal",
        """
globals()['CustomPlayer'].__name__ = 'Custom' + chr(27) + ']0;named' + chr(7) + chr(10) + 'Player'
""",
        Stop.VALIDATION,
        unreadable,
        forms=AGENTS,
        alone=True,
        at_import=True,
    ),
    Attempt(
        "show control characters by its error message",
        "raise ValueError(chr(27) + ']0;hidden' + '-title' + chr(7))",
        Stop.VALIDATION,
        shown(b"\x1b]0;hidden-title"),
        forms=AGENTS,
        alone=True,
    ),
    Attempt(
        "say its process is another",
        "import json\nforge(json.dumps({'done': {'process': 1, 'number': 1}}).encode())\ntime.sleep(0.2)" + _END,
        Stop.VALIDATION,
        spoiled,
        forms=AGENTS,
        alone=True,
    ),
)
CHANNELS: Final = (
    Attempt(
        "close its line to the parent",
        "for line in lines():\n    os.close(line)" + _END,
        Stop.VALIDATION,
        spoiled,
        forms=AGENTS,
        alone=True,
    ),
    Attempt(
        "answer through descriptors that it was not handed",
        """
message = b'{"done": true}'
for fd in range(3, 64):
    with suppress(OSError):
        os.write(fd, struct.pack('!i', len(message)) + message)
return 'sent'
""",
        Stop.DESCRIPTORS,
        spoiled,
        forms=AGENTS,
        alone=True,
    ),
)
MOVES: Final = (
    Attempt(
        "compute while the opponent thinks",
        """
main, name = threading.main_thread(), NAME
stat_file = f'/proc/self/task/{os.getpid()}/stat'
def place():
    frame = sys._current_frames().get(main.ident)
    asleep = open(stat_file).read().rpartition(')')[2].split()[0] == 'S'
    return (id(frame), frame.f_lasti) if frame is not None and asleep else None
def compute():
    used = 0.0
    while used < 0.1:
        before, began = place(), time.thread_time()
        while time.thread_time() < began + 0.005:
            pass
        if before is not None and before == place():
            used += 0.005
    report(name, 'did', f'{used:.3f} s of processor time while its process was asked nothing')
_thread.start_new_thread(compute, ())
raise Stopped('not yet')
""",
        Stop.FREEZE,
        opponent="alphabeta:improved@ms=120",
        alone=True,
    ),
    Attempt(
        "compute for the rest of the match, on both sides' time",
        """
def spin():
    while True:
        pass
for _ in range(8):
    _thread.start_new_thread(spin, ())
""",
        Stop.FREEZE,
        unfinished,
        alone=True,
        forms=AGENTS,
    ),
)
