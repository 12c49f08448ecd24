"""The part of a report that holds a run against the truth."""

from isolab.analysis.charts.mistakes import mistakes_chart
from isolab.analysis.document import Block, Figure, Paragraph, Record, Section, Table
from isolab.analysis.order import standing_order
from isolab.analysis.run_accuracy import AgentAccuracy, RunAccuracy
from isolab.analysis.survey import Survey
from isolab.stats import RateEstimate
from isolab.text import counted, printable

ABOUT = (
    "Kept is the share of won positions with a losing move among them in which the agent moved to one that it still "
    "won. Converted is the share of openings won for its side that it won. Against it is what a player without "
    "mistakes would score, if the agent erred in as many games against that one: it wins the openings that it has "
    "won, and of the others those in which the agent errs even once."
)


def truth_section(survey: Survey, accuracy: RunAccuracy) -> Section:
    """What solving a sample of the games shows of each agent, and of the pairs."""
    blocks: list[Block] = []
    if accuracy.sampled == 0:
        blocks.append(
            Paragraph(
                "Not measured: openings on this board are past what the solver answers quickly."
            )
        )
    else:
        chart = mistakes_chart(survey, accuracy)
        if chart is not None:
            blocks.append(Figure(chart, chart.svg()))
        blocks += [accuracy_table(survey, accuracy), Paragraph(_in_words(accuracy))]
    return Section("truth", "Against the truth", blocks)


def accuracy_table(survey: Survey, accuracy: RunAccuracy) -> Table:
    """One row for each agent, in the order of the standings."""
    order = standing_order(survey)
    labels = [printable(survey.results.labels[player]) for player in order]
    agents = [accuracy.agents[player] for player in order]
    return Table(
        "accuracy",
        "Won positions kept, and won openings won",
        ("agent", "kept, 95%", "converted, 95%", "first mistake", "against it, 95%"),
        [_row(label, agent) for label, agent in zip(labels, agents, strict=True)],
        records=[_record(label, agent) for label, agent in zip(labels, agents, strict=True)],
    )


def _row(label: str, agent: AgentAccuracy) -> list[str]:
    first = agent.first_mistake
    return [
        label,
        _rate(agent.accuracy),
        _rate(agent.conversion),
        "" if first is None else f"ply {first:g}",
        _rate(agent.ceiling),
    ]


def _record(label: str, agent: AgentAccuracy) -> Record:
    return {
        "agent": label,
        **_ends("kept", agent.accuracy),
        "won_positions": len(agent.positions),
        **_ends("converted", agent.conversion),
        "won_openings": len(agent.openings),
        "median_first_mistake": agent.first_mistake,
        **_ends("ceiling_against", agent.ceiling),
    }


def _in_words(accuracy: RunAccuracy) -> str:
    upsets = accuracy.upsets
    games = (
        f"{counted(accuracy.solved, 'game')} of a sample of {accuracy.sampled:,} solved in full."
    )
    pairs = (
        f"Of {sum(upsets.values()):,} pairs, {upsets[0]:,} went as theory says, {upsets[1]:,} with one upset and "
        f"{upsets[2]:,} with two."
    )
    return f"{games} {pairs} {ABOUT}"


def _rate(rate: RateEstimate | None) -> str:
    return "" if rate is None else str(rate)


def _ends(name: str, rate: RateEstimate | None) -> Record:
    values = (None, None, None) if rate is None else (rate.rate, rate.low, rate.high)
    return {
        f"{name}{end}": None if value is None else round(value, 4)
        for end, value in zip(("", "_low", "_high"), values, strict=True)
    }
