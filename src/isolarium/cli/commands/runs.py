"""`isolarium runs`: which runs there are."""

from isolarium.cli.options import DEFAULT_RUNS, JsonOption, RunsOption

EXAMPLES = """\b
Examples:
  isolarium runs
  isolarium runs --json
"""


def runs(runs: RunsOption = DEFAULT_RUNS, as_json: JsonOption = False) -> None:
    """List the runs: what was played, and how far it came."""
    from isolarium.cli.work.runs import show_runs

    show_runs(runs, as_json)
