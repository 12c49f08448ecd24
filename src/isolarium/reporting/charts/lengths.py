"""Game lengths: how many moves games took, and who won them."""

from typing import Any

import altair as alt

from isolarium.analysis.run_statistics import Overview
from isolarium.game.outcome import Player
from isolarium.reporting.charts.chart import ROWS, Heading, finished
from isolarium.reporting.colours import BLUE, ORANGE
from isolarium.reporting.model import Chart
from isolarium.stats import rounded
from isolarium.text import counted

WINNERS = {Player.FIRST: "the first mover won", Player.SECOND: "the second mover won"}


def lengths_chart(overview: Overview) -> Chart:
    """Games by their number of moves. A game that ends by the rules at an even number was won by the second mover."""
    lengths, games = overview.lengths, overview.results.games
    rows = [
        {"moves": moves, "games": number, "winner": WINNERS[winner]}
        for (moves, winner), number in sorted(lengths.items())
    ]
    mean = sum(moves * number for (moves, _), number in lengths.items()) / games
    shortest, longest = min(moves for moves, _ in lengths), max(moves for moves, _ in lengths)
    heading = Heading(
        "lengths",
        "How long games lasted, and who won",
        [
            f"{counted(games, 'game')}, {mean:.1f} moves on average, placements included; "
            f"the first mover won {rounded(100 * overview.results.first_won / games, 1)}%",
            "by the rules, odd lengths are the first mover's wins and even ones the second's",
        ],
    )
    spoken = f"From {shortest} to {longest} moves."
    return finished(_bars(shortest, longest), rows, heading, spoken)


def _bars(shortest: int, longest: int) -> Any:
    step = 2 if longest - shortest < 60 else 4
    marks = [number for number in range(shortest, longest + 1) if number % step == 0]
    winners = list(WINNERS.values())
    return (
        alt.Chart(ROWS, width=640, height=190)
        .mark_bar(size=max(3, min(18, 560 // (longest - shortest + 1))))
        .encode(
            x=alt.X(
                "moves:Q",
                title="moves of the game",
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
