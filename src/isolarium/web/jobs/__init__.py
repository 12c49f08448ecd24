"""Work that runs outside the server's process.

Worker processes execute jobs; commands play runs and write reports. This module is the main loop of a worker process
and its table of tasks, so it imports little.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final

from isolarium.compat import lower_priority
from isolarium.native.entry_points import notify_before_compiling
from isolarium.processes.code_loader import Permit, load_nothing_here
from isolarium.processes.worker import Inbox

NICE: Final = 10

COMPILING: Final = "compiling"
"""The message sent before code is compiled for the first time on this machine."""

TASKS: Final = {
    "think": "isolarium.web.jobs.agent_jobs",
    "read_agent": "isolarium.web.jobs.agent_jobs",
    "values": "isolarium.web.jobs.agent_jobs",
    "best_line": "isolarium.web.jobs.agent_jobs",
    "draft_values": "isolarium.web.jobs.agent_jobs",
    "list_runs": "isolarium.web.jobs.run_views",
    "read_run": "isolarium.web.jobs.run_views",
    "read_games": "isolarium.web.jobs.run_views",
    "read_game": "isolarium.web.jobs.run_views",
    "explore": "isolarium.web.jobs.practice",
    "trickiest": "isolarium.web.jobs.practice",
    "begin_games": "isolarium.web.jobs.start_runs",
}
"""The module with the function of each task. A function takes a request and `Stop`, and returns the
result."""


def work(inbox: Inbox, gives_way: bool, permit: Permit) -> None:
    """Execute tasks until the server exits.

    Args:
        inbox: The source of calls, each with a `task` and a `request`.
        gives_way: Whether to run at low priority.
        permit: The files that may be loaded for tasks, in sandboxed processes.
    """
    load_nothing_here()
    permit.impose()
    if gives_way:
        lower_priority(NICE)

    def answer(task: str, request: Mapping[str, Any]) -> Any:
        function = getattr(import_module(TASKS[task]), task)
        with notify_before_compiling(lambda: inbox.report(COMPILING)):
            return function(request, inbox.is_cancelled)

    inbox.answer(answer)
