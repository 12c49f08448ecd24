"""What a worker process does: one task after the other, telling how far it is, and ending early when asked to."""

import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Final

from isolarium.agents.agent import AgentFailure
from isolarium.compat import give_way, memory_mb
from isolarium.errors import InputError, is_full
from isolarium.native.entry_points import compiling_told
from isolarium.processes.permissions import Permit, load_nothing_here
from isolarium.processes.worker import Inbox

Tell = Callable[[Mapping[str, Any]], None]

NICE: Final = 10
PREPARATION: Final = 0
"""The number of what a worker does by itself, before it takes orders."""

COMPILING: Final = "compiling"
"""What is told while something is compiled for the first time on this machine."""

TASKS: Final = {
    "think": "isolarium.web.jobs.choose_move",
    "read_agent": "isolarium.web.jobs.choose_move",
    "warm": "isolarium.web.jobs.choose_move",
    "values": "isolarium.web.jobs.move_values",
    "analyse": "isolarium.web.jobs.game_review",
    "best_line": "isolarium.web.jobs.best_line",
    "list_runs": "isolarium.web.jobs.run_views",
    "read_run": "isolarium.web.jobs.run_views",
    "read_games": "isolarium.web.jobs.run_views",
    "read_game": "isolarium.web.jobs.run_views",
    "begin_games": "isolarium.web.jobs.start_runs",
}
"""Where the function of each task's name is; it takes a request, `Tell` and `Stop`, and returns its answer."""


@dataclass(frozen=True, slots=True)
class Order:
    """A task for a worker.

    Attributes:
        number: its own.
        task: its name.
        request: what it takes.
    """

    number: int
    task: str
    request: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Word:
    """What a worker says of its order.

    Attributes:
        kind: `told`, while it goes on; `done`; `failed`, by the person's fault; `broken`, by ours. `prepared`, of a
            preparation, however it ended. Of a worker that can say no more: `dead`.
        content: a mapping, the error, or what broke.
        memory_mb: what the worker has of memory after it.
    """

    kind: str
    content: Any
    memory_mb: int = 0


def work(inbox: Inbox, gives_way: bool, permit: Permit) -> None:
    """Do what comes until nobody is there.

    Args:
        inbox: where orders come from and words go to; a number there ends that order early, and all before it.
        gives_way: whether others who want the processor come first.
        permit: which files may be loaded for it, in processes of their own.
    """
    load_nothing_here()
    permit.impose()
    if gives_way:
        give_way(NICE)
    while True:
        order: Order = inbox.take()
        answer = _answer(order, inbox)
        if order.number == PREPARATION:
            answer = Word("prepared", None)
        inbox.send(replace(answer, memory_mb=memory_mb()))


def _answer(order: Order, inbox: Inbox) -> Word:
    def tell(content: Mapping[str, Any]) -> None:
        if order.number != PREPARATION:
            inbox.send(Word("told", content))

    try:
        function = getattr(import_module(TASKS[order.task]), order.task)
        with compiling_told(lambda: tell({"kind": COMPILING, "latest": True})):
            answer = function(order.request, tell, lambda: inbox.stopped >= order.number)
    except InputError as error:
        return Word("failed", error)
    except OSError as error:
        return Word("failed", error) if is_full(error) else Word("broken", traceback.format_exc())
    except AgentFailure as error:
        return Word("failed", InputError(str(error)))
    except Exception:
        return Word("broken", traceback.format_exc())
    return Word("done", answer)
