"""Charts of a training: `python -m tools.training.charts WEIGHTS.json FOLDER` draws them again.

They show the losses by round, right moves by blank squares left, and predicted against actual win rates.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

import altair as alt

from isolarium.reporting.chart import Heading, finished, lines_of_agents, svg_of
from isolarium.reporting.html import MUTED
from isolarium.reporting.model import Chart

HEIGHT: Final = 300
EXACT, GAMES = "proven", "games of players who search"


def draw(made: dict[str, Any], folder: Path) -> None:
    """Draw the history in the JSON beside the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    charts = [_right(made["judged"]), _calibration(made["judged"])]
    if made["history"]:
        charts.append(_losses(made["history"]))
    for chart in charts:
        (folder / f"{chart.name}.svg").write_text(svg_of(chart), encoding="utf-8")


def _losses(history: list[dict[str, float]]) -> Chart:
    names = {"loss": "trained on", "loss, held out": "games held out"}
    rows = [
        {"agent": names[name], "round": entry["round"], "loss": entry[name]}
        for entry in history
        for name in names
        if entry["round"] > 1 or name != "loss"  # the first round's loss mostly reflects its beginning
    ]
    heading = Heading("learned-loss", "What is left to learn", ["all losses together, by round"])
    x = alt.X("round:Q", title="round", axis=alt.Axis(tickMinStep=1, grid=False))
    y = alt.Y("loss:Q", title="loss", scale=alt.Scale(zero=False))
    last = history[-1]
    spoken = f"After {last['round']} rounds {last['loss']}, on games held out {last['loss, held out']}."
    return finished(lines_of_agents(list(names.values()), x, y, HEIGHT), rows, heading, spoken)


def _right(judged: dict[str, Any]) -> Chart:
    shares = judged["right moves by blanks"]
    rows = [{"agent": "learned", "blanks": int(blanks), "right": share} for blanks, share in shares.items()]
    heading = Heading(
        "learned-right",
        "How often the best move wins",
        ["positions with winning and losing moves, of games held out, by the blanks that are left"],
    )
    x = alt.X("blanks:Q", title="blanks, four together", scale=alt.Scale(zero=False))
    y = alt.Y("right:Q", title="right", axis=alt.Axis(format=".0%"), scale=alt.Scale(zero=False))
    spoken = f"Of all {judged['right moves']['all']:.1%}."
    return finished(lines_of_agents(["learned"], x, y, HEIGHT), rows, heading, spoken)


def _calibration(judged: dict[str, Any]) -> Chart:
    found = {EXACT: judged["calibration, exact"], GAMES: judged["calibration, games"]}
    rows = [
        {"agent": name, "said": tenth["said"], "won": tenth["won"]}
        for name, tenths in found.items()
        for tenth in tenths
    ]
    heading = Heading(
        "learned-calibration",
        "How often predicted wins are won",
        ["moves of games held out, by tenths of the chance; the line is where both agree"],
    )
    percent = alt.Axis(format=".0%")
    whole = alt.Scale(domain=[0, 1])
    x = alt.X("said:Q", title="chance by the weights", axis=percent, scale=whole)
    y = alt.Y("won:Q", title="won", axis=percent, scale=whole)
    names = [name for name, tenths in found.items() if tenths]
    both = [{"said": end, "won": end} for end in (0, 1)]
    agree = alt.Chart(alt.Data(values=both))  # type: ignore[no-untyped-call] # Altair's own
    line = agree.mark_line(color=MUTED, strokeDash=[4, 4], strokeWidth=1).encode(x=x, y=y)
    spoken = f"{sum(tenth['positions'] for tenths in found.values() for tenth in tenths):,} moves."
    return finished(alt.layer(line, lines_of_agents(names, x, y, HEIGHT)), rows, heading, spoken)


if __name__ == "__main__":
    draw(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
