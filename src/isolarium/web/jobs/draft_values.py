"""Values of a position's moves by a heuristic written in the browser.

The heuristic runs in the sandbox of all heuristics in files.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from isolarium.agents.agent import AgentFailure
from isolarium.errors import InputError
from isolarium.heuristics.compiler import SlowHeuristicWarning
from isolarium.limits import Stop
from isolarium.safe_files import MOST_SOURCE, read_text_file
from isolarium.web.jobs.analysis_jobs import static, valuer
from isolarium.web.jobs.job_worker import Emit
from isolarium.web.quotas import read_any

LINE: Final = re.compile(r"\bline (\d{1,6})\b")
DECORATOR: Final = "heuristic"


def draft_values(request: Mapping[str, Any], emit: Emit, stop: Stop) -> dict[str, Any]:
    """Compute the values of the moves in `game` by a heuristic of the draft in `file`.

    `function` names the heuristic; if the draft has no heuristic with this name, its last one is used.
    """
    file, position = Path(request["file"]), read_any(request["game"]).position
    found: dict[str, Any] = {"functions": [], "function": "", "moves": [], "problem": None}
    try:
        functions = list(_heuristics(read_text_file(file, MOST_SOURCE)))
        if not functions:
            raise InputError("no heuristic yet; decorate a function with @heuristic")
        name = request["function"] if request["function"] in functions else functions[-1]
        found |= {"functions": functions, "function": name}
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always", SlowHeuristicWarning)
            value_of = valuer(f"{file}:{name}")
            found["moves"] = [
                {"move": str(move), "value": static(value_of, position.play(move), position.to_move)}
                for move in position.legal_moves()
            ]
        for warning in heard:
            found["problem"] = _problem(str(warning.message), file, is_error=False)
    except SyntaxError as error:
        found["problem"] = {"line": error.lineno, "message": error.msg, "error": True}
    except (AgentFailure, InputError, ValueError, RecursionError, MemoryError) as error:
        found["problem"] = _problem(str(error), file, is_error=True)
    return found


def _heuristics(text: str) -> Iterator[str]:
    """Yield the names of the decorated functions, in order; the draft is parsed, not executed."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and any(map(_is_heuristic, node.decorator_list)):
            yield node.name


def _is_heuristic(decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
    return name == DECORATOR


def _problem(message: str, file: Path, *, is_error: bool) -> dict[str, Any]:
    """Return a message without the draft's path, and the number of the line it refers to."""
    text = message.rpartition(str(file))[2] if str(file) in message else message
    text = re.sub(r"^:\w+:\s*|^:\s*", "", text).replace(f"{file.name}, ", "")
    lines = LINE.findall(text)
    return {"line": int(lines[-1]) if lines else None, "message": text, "error": is_error}
