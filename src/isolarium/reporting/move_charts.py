"""Charts over the moves of games: lengths, search effort and mistakes."""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt

from isolarium.analysis.run_accuracy import AgentAccuracy, RunAccuracy
from isolarium.analysis.run_statistics import LEAST_SHARE, Overview
from isolarium.game.position import Player
from isolarium.reporting.board_charts import GRID_LINE, sequential
from isolarium.reporting.chart import LINES_WIDTH, ROWS, TOGETHER, Heading, finished, lines_of_agents
from isolarium.reporting.html import BLUE, ORANGE
from isolarium.reporting.model import Chart
from isolarium.stats import rounded
from isolarium.text import counted

# Lengths


WINNERS = {Player.FIRST: "first mover won", Player.SECOND: "second mover won"}


def lengths_chart(overview: Overview) -> Chart:
    """Chart the number of games by length and winner."""
    lengths, games = overview.lengths, overview.results.games
    rows = [
        {"moves": moves, "games": number, "winner": WINNERS[winner]}
        for (moves, winner), number in sorted(lengths.items())
    ]
    mean = sum(moves * number for (moves, _), number in lengths.items()) / games
    shortest, longest = min(moves for moves, _ in lengths), max(moves for moves, _ in lengths)
    heading = Heading(
        "lengths",
        "Game lengths and winners",
        [
            f"{counted(games, 'game')}, {mean:.1f} moves on average, placements included; "
            f"the first mover won {rounded(100 * overview.results.first_won / games, 1)}%",
            "without early ends, the first mover wins games of odd length and the second those of even length",
        ],
    )
    spoken = f"From {shortest} to {longest} moves."
    return finished(_length_bars(shortest, longest), rows, heading, spoken)


def _length_bars(shortest: int, longest: int) -> Any:
    step = 2 if longest - shortest < 60 else 4
    marks = [number for number in range(shortest, longest + 1) if number % step == 0]
    winners = list(WINNERS.values())
    return (
        alt.Chart(ROWS, width=640, height=190)
        .mark_bar(size=max(3, min(18, 560 // (longest - shortest + 1))))
        .encode(
            x=alt.X(
                "moves:Q",
                title="moves",
                scale=alt.Scale(domain=[shortest - 1, longest + 1], nice=False),
                axis=alt.Axis(values=marks, grid=False, format="d"),
            ),
            y=alt.Y("games:Q", title="games", axis=alt.Axis(tickMinStep=1)),
            color=alt.Color(
                "winner:N",
                scale=alt.Scale(domain=winners, range=[BLUE, ORANGE]),
                legend=alt.Legend(title=None, orient="top", symbolType="square"),
            ),
            order=alt.Order("winner:N"),
        )
    )


# Effort


MOST_SEARCHERS: Final = 40
"""The maximum number of agents in the chart.

More than `TOGETHER` agents are drawn as rows of a heat map.
"""
MOVE: Final = "move (the placements are 1 and 2)"
DEPTH: Final = "mean depth, plies"
NODES: Final = "mean nodes"


def effort_chart(overview: Overview) -> Chart | None:
    """Chart mean depth and mean nodes by move; None if no agent searches."""
    shown = overview.leading(MOST_SEARCHERS)
    rows: list[dict[str, Any]] = [
        {
            "agent": overview.names[player],
            "move": number,
            "depth": effort.depth / effort.searches,
            "nodes": effort.nodes / effort.searches,
        }
        for player in shown
        for number, effort in overview.effort.by_move(player).items()
    ]
    if not rows:
        return None
    searching = list(dict.fromkeys(row["agent"] for row in rows))
    moves = [row["move"] for row in rows]
    drawn = _together(searching) if len(searching) <= TOGETHER else _carpets(searching, rows, (min(moves), max(moves)))
    heading = Heading(
        "effort",
        "Search effort by move",
        [
            f"{overview.left_out(shown)}searches without a proven result, at moves reached by at least "
            f"{100 * LEAST_SHARE:.0f}% of an agent's games; {counted(overview.results.games, 'game')}"
        ],
    )
    return finished(drawn, rows, heading, " ".join(_effort_in_words(overview, name) for name in searching))


def _together(names: list[str]) -> Any:
    """Draw a line for each agent, with its own colour and shape."""
    return alt.vconcat(_effort_lines(names, "depth", DEPTH, 170), _effort_lines(names, "nodes", NODES, 130), spacing=16)


def _effort_lines(names: list[str], field: str, title: str, height: int) -> Any:
    x = alt.X(
        "move:Q",
        title=MOVE,
        scale=alt.Scale(nice=False, zero=False, padding=8),
        axis=alt.Axis(grid=False, format="d", tickMinStep=1),
    )
    ticks = alt.Axis(tickCount=5, tickMinStep=1)
    y = alt.Y(f"{field}:Q", title=title, scale=alt.Scale(zero=True), axis=ticks)
    return lines_of_agents(names, x, y, height)


def _carpets(names: list[str], rows: list[dict[str, Any]], moves: tuple[int, int]) -> Any:
    """Draw a row of cells for each agent, darker for larger values."""
    return alt.vconcat(
        *(
            _carpet(names, field, title, max(row[field] for row in rows), moves)
            for field, title in (("depth", DEPTH), ("nodes", NODES))
        ),
        spacing=16,
    ).resolve_scale(color="independent")


def _carpet(names: list[str], field: str, title: str, most: float, moves: tuple[int, int]) -> Any:
    first, last = moves
    shade = sequential(title, most)
    return (
        alt.Chart(ROWS, width=LINES_WIDTH, height=len(names) * 17)
        .mark_rect(stroke=GRID_LINE, strokeWidth=0.5)
        .encode(
            x=alt.X(
                "move:O",
                title=MOVE,
                scale=alt.Scale(domain=list(range(first, last + 1))),
                axis=alt.Axis(
                    labelAngle=0, domain=False, values=[number for number in range(first, last + 1) if number % 5 == 0]
                ),
            ),
            y=alt.Y("agent:N", sort=names, title=None, axis=alt.Axis(domain=False, ticks=False, labelPadding=6)),
            color=alt.Color(
                f"{field}:Q",
                scale=shade.scale(),
                legend=alt.Legend(title=title, gradientThickness=12, gradientLength=120, tickCount=4),
            ),
        )
    )


def _effort_in_words(overview: Overview, name: str) -> str:
    figures = overview.results.agents[overview.names.index(name)]
    if figures.mean_depth is None or figures.mean_nodes is None:
        return f"{name}: every move was proven."
    return f"{name}: {figures.mean_depth:.1f} plies and {figures.mean_nodes:,.0f} nodes per move."


# Mistakes


PLIES_TOGETHER: Final = 4
"""The number of plies in a group."""
LEAST_CHANCES: Final = 10
"""The minimum number of critical moves for a share to be shown."""


def mistakes_chart(overview: Overview, accuracy: RunAccuracy) -> Chart | None:
    """Chart the share of critical moves that were mistakes, by ply.

    Returns None if there are too few critical moves.
    """
    shown = overview.leading(TOGETHER)
    rows = [{"agent": overview.names[player], **row} for player in shown for row in _shares(accuracy.agents[player])]
    if not rows:
        return None
    names = list(dict.fromkeys(str(row["agent"]) for row in rows))
    heading = Heading(
        "mistakes",
        "Mistakes by move",
        [
            f"{overview.left_out(shown)}{counted(accuracy.sampled, 'game')} solved; critical moves are those in won "
            f"positions in which some move loses; {PLIES_TOGETHER} plies in a group, at least {LEAST_CHANCES} "
            "critical moves"
        ],
    )
    spoken = " ".join(
        f"{overview.names[player]}: {sum(accuracy.agents[player].mistakes.values())} mistakes in "
        f"{len(accuracy.agents[player].positions)} critical moves."
        for player in shown
    )
    return finished(_mistake_lines(names), rows, heading, spoken)


def _shares(agent: AgentAccuracy) -> Iterator[dict[str, float]]:
    for stage in range(max(agent.chances, default=0) // PLIES_TOGETHER + 1):
        plies = range(stage * PLIES_TOGETHER, (stage + 1) * PLIES_TOGETHER)
        chances = sum(agent.chances[ply] for ply in plies)
        if chances >= LEAST_CHANCES:
            mistakes = sum(agent.mistakes[ply] for ply in plies)
            yield {"ply": (plies[0] + plies[-1]) / 2, "share": mistakes / chances}


def _mistake_lines(names: list[str]) -> Any:
    x = alt.X(
        "ply:Q",
        title=MOVE,
        scale=alt.Scale(nice=False, zero=False, padding=8),
        axis=alt.Axis(grid=False, format="d", tickMinStep=1),
    )
    y = alt.Y(
        "share:Q",
        title="mistakes, share of critical moves",
        scale=alt.Scale(zero=True),
        axis=alt.Axis(tickCount=5, format=".0%"),
    )
    return lines_of_agents(names, x, y, 190)
