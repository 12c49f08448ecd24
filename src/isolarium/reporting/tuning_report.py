"""The report of a tuning run: the result, the responses and all trials."""

from contextlib import closing
from pathlib import Path

from isolarium.arena.run_db import Record
from isolarium.arena.run_store import REPORT_PAGE, has_report
from isolarium.reporting.charts.chart import checked_as_a_whole, narrowed, svg_of
from isolarium.reporting.charts.response import importance_chart, response_chart
from isolarium.reporting.model import Block, Document, Fact, Facts, Figure, Headline, Paragraph, Section
from isolarium.reporting.report_folder import with_file_list, write_document
from isolarium.reporting.run_report import write_report
from isolarium.reporting.tuning_tables import answer_facts, answer_words, trials_table, tried_words
from isolarium.tuning.tuning_config import Objective
from isolarium.tuning.tuning_runner import CONFIRMATION, TuningResults

ABOUT_TRIALS = (
    "The best of many noisy scores overestimates the strength of its values, because it was partly lucky. The "
    "estimates come from a Gaussian process over all trials that accounts for the noise of each. The result comes "
    "from the confirmation alone."
)


def write_tuning_report(found: TuningResults, folder: Path, out: Path | None = None) -> Path:
    """Write the page and the report of the confirmation; return the page's path.

    There must be at least one trial.

    Args:
        found: The results.
        folder: The folder of the tuning run.
        out: The folder to write to; by default the tuning run's own.

    Raises:
        InputError: If the folder cannot be written.
    """
    out, place = out or folder, folder / CONFIRMATION
    if found.answer is not None and not (found.finished and out == folder and has_report(place)):
        with closing(Record(place)) as record:
            write_report(record, out / CONFIRMATION)
    write_document(tuning_document(found), out)
    return out / REPORT_PAGE


@checked_as_a_whole
def tuning_document(found: TuningResults) -> Document:
    """Return the page of a tuning run as a document."""
    response = response_chart(found)
    blocks: list[Block] = []
    if len(found.tuning.names) > 1:
        chart = importance_chart(found)
        blocks.append(Figure(chart, svg_of, narrowed(chart)))
    blocks += [Paragraph(ABOUT_TRIALS), trials_table(found)]
    sections = [Section("trials", "The trials", blocks), Section("setting", "How this was played", [_setting(found)])]
    document = Document(
        found.tuning.name,
        _headline(found),
        Figure(response, svg_of, narrowed(response)),
        Facts(list(answer_facts(found))),
        sections,
    )
    link = (f"{CONFIRMATION}/{REPORT_PAGE}", "the report of the confirmation")
    return with_file_list(document, [] if found.answer is None else [link])


def _headline(found: TuningResults) -> Headline:
    words, met = answer_words(found), found.answer
    warnings = [] if found.finished else ["This tuning run is not finished. Continue it with isolarium resume."]
    figure, figure_is = "", "no confirmation was played"
    if met is not None:
        figure = str(met.rate)
        figure_is = "of the games won against the untuned agent, from openings that no trial used (95% interval)"
    values = found.tuning.format_row(found.best.row)  # Parameter names are not capitalised.
    title = words if words.startswith(values) else words[0].upper() + words[1:]
    return Headline(title, figure, figure_is, tried_words(found), warnings)


def _setting(found: TuningResults) -> Facts:
    tuning = found.tuning
    settings = {
        "agent": tuning.agent,
        "untuned": tuning.untuned,
        "trials scored by": str(tuning.on),
        **({"opponent of the trials": tuning.opponent} if tuning.on is Objective.GAMES else {}),
        "board": tuning.board,
        "seed": f"{tuning.seed}",
        "random moves after the placements": f"{tuning.plies}",
        "gain to detect": f"{tuning.gain:g} Elo",
        "most pairs of the confirmation": f"{tuning.confirm:,}",
    }
    return Facts([Fact(label, (value,)) for label, value in settings.items()])
