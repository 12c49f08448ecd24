"""What an agent says about its move, in a few words."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from isolab.search.protocol import Report


def format_report(report: "Report") -> str:
    """Return the figures that the agent gave, each after a dot; nothing where it gave none."""
    figures = []
    if report.score is not None and report.proven:
        figures.append("proven win" if report.score > 0 else "proven loss")
    elif report.score is not None:
        figures.append(f"score {report.score:+g}")
    if report.depth:
        figures.append(f"depth {report.depth}")
    if report.nodes:
        nodes = "1 node" if report.nodes == 1 else f"{report.nodes:,} nodes"
        figures.append(f"{nodes} in {report.time_ms:.2f} ms")
    return "".join(f" · {figure}" for figure in figures)
