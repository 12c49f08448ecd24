"""The report of a run: gathers everything, and writes it into a folder.

The same record gives the same bytes: nothing in a report says when it was made.
"""

import csv
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from isolab.analysis.asymmetry import measure
from isolab.analysis.charts.chart import Chart
from isolab.analysis.charts.cross_table import cross_table_chart
from isolab.analysis.charts.effort import effort_chart
from isolab.analysis.charts.heat_maps import heat_maps_chart
from isolab.analysis.charts.lengths import lengths_chart
from isolab.analysis.charts.losses import losses_chart
from isolab.analysis.charts.pairs import pairs_chart
from isolab.analysis.charts.png import png
from isolab.analysis.charts.sequential import sequential_chart
from isolab.analysis.charts.standings import standings_chart
from isolab.analysis.charts.start_squares import start_squares_chart
from isolab.analysis.document import (
    Block,
    Document,
    Figure,
    FileList,
    Gallery,
    Headline,
    Listing,
    Paragraph,
    Section,
    Table,
    Terms,
)
from isolab.analysis.examples import Example, examples
from isolab.analysis.headline import headline, openings_in_words
from isolab.analysis.markdown import write_markdown
from isolab.analysis.page import write_page
from isolab.analysis.report_files import GAMES, MARKDOWN, PAGE
from isolab.analysis.run_accuracy import RunAccuracy
from isolab.analysis.survey import Survey, survey_run
from isolab.analysis.tables import (
    Measured,
    asymmetry_table,
    cross_table,
    losses_table,
    pairs_table,
    standings_table,
    visits_table,
)
from isolab.analysis.truth_section import truth_section
from isolab.arena.failures import broken
from isolab.arena.record import Record
from isolab.errors import InputError
from isolab.stats import coin_spread
from isolab.text import counted


@dataclass(frozen=True, slots=True)
class Report:
    """A report that was written.

    Attributes:
        folder: where it is.
        headline: the answer.
        files: everything that was written, by name within the folder.
    """

    folder: Path
    headline: Headline
    files: tuple[str, ...]

    @property
    def page(self) -> Path:
        """The page to open."""
        return self.folder / PAGE

    def facts(self) -> dict[str, object]:
        """The answer, and where everything is, for programs."""
        return {
            "report": str(self.page),
            "answer": self.headline.answer,
            "figure": self.headline.figure,
            "figure_is": self.headline.figure_is,
            "details": list(self.headline.details),
            "warnings": list(self.headline.warnings),
            "files": [str(self.folder / name) for name in self.files],
        }


def write_report(record: Record, folder: Path, accuracy: RunAccuracy | None = None) -> Report:
    """Write the report of a run, finished or not, with its accuracy where that was measured.

    Raises:
        InputError: the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        document = report_document(record, survey_run(record), accuracy)
        contents = dict(_contents(document))
        for name, content in contents.items():
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
    except OSError as error:
        raise InputError(
            f"{error.filename or folder}: {error.strerror}; expected a folder that can be written"
        ) from None
    return Report(folder, document.headline, tuple(contents))


def report_document(
    record: Record, survey: Survey, accuracy: RunAccuracy | None = None
) -> Document:
    """The report before it is written."""
    run = record.folder.resolve().name
    sections: list[Section] = []
    if survey.results.games:
        sections += _evidence(survey)
        if accuracy is not None and (survey.duel is None or not any(broken(survey.results))):
            sections.append(truth_section(survey, accuracy))
        sections += _detail(record, survey)
    sections.append(Section("setting", "How this was played", [_plan_terms(record, survey)]))
    first = _first_figure(survey)
    document = Document(run, headline(survey), first, sections)
    files = Section("files", "Take it along", [_file_list(document)])
    return Document(run, document.headline, first, [*sections, files])


# What is in the folder


def _contents(document: Document) -> Iterator[tuple[str, bytes]]:
    """Each file's name and what is in it."""
    yield PAGE, write_page(document).encode()
    yield MARKDOWN, write_markdown(document).encode()
    for figure in document.figures:
        yield f"charts/{figure.chart.name}.svg", figure.svg.encode()
        yield f"charts/{figure.chart.name}.png", png(figure.svg)
    for table in document.tables:
        yield f"tables/{table.name}.csv", csv_text(table).encode()
    games = _example_games(document)
    if games:
        yield GAMES, "".join(f"{game.text}\n" for game in games).encode()


def csv_text(table: Table) -> str:
    """A table as CSV, with one line of names."""
    written = io.StringIO()
    writer = csv.DictWriter(written, list(table.records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table.records)
    return written.getvalue()


def _example_games(document: Document) -> list[Example]:
    blocks = [block for section in document.sections for block in section.blocks]
    return [game for block in blocks if isinstance(block, Gallery) for game in block.examples]


def _file_list(document: Document) -> FileList:
    items = [(PAGE, "this page"), (MARKDOWN, "the tables as Markdown")]
    items += [(f"tables/{table.name}.csv", table.title) for table in document.tables]
    for figure in document.figures:
        items += [
            (f"charts/{figure.chart.name}.{ending}", f"{figure.chart.title} ({ending.upper()})")
            for ending in ("svg", "png")
        ]
    if _example_games(document):
        items.append((GAMES, "the example games as text"))
    return FileList(items)


# The parts


def _figure(draw: Callable[[Survey], Chart | None], survey: Survey) -> Figure | None:
    chart = draw(survey)
    return None if chart is None else Figure(chart, chart.svg())


def _first_figure(survey: Survey) -> Figure | None:
    if not survey.has_standings:
        return None
    chart = standings_chart(survey)
    return Figure(chart, chart.svg(), narrow=standings_chart(survey, narrow=True).svg())


def _section(anchor: str, title: str, *blocks: Block | None) -> Section:
    return Section(anchor, title, [block for block in blocks if block is not None])


def _evidence(survey: Survey) -> Iterator[Section]:
    if not survey.has_standings:
        return
    coin = coin_spread(survey.results.games)
    yield _section(
        "standings",
        "Standings",
        standings_table(survey),
        Paragraph(
            "Of twenty 95% intervals, nineteen hold the true value. They count openings, not games: an opening, its "
            "repeats and its mirror images are one piece of evidence. What a fair coin does in as many games: "
            f"{coin}."
        ),
    )
    sequential = _figure(sequential_chart, survey)
    if sequential is not None:
        yield _section("test", "The sequential test", sequential)
    if len(survey.plan.encounters) > 1:
        yield _section(
            "cross-table",
            "Who beats whom",
            _figure(cross_table_chart, survey),
            cross_table(survey),
        )
    yield _section("pairs", "Head to head", _figure(pairs_chart, survey), pairs_table(survey))


def _detail(record: Record, survey: Survey) -> Iterator[Section]:
    yield _heat(survey)
    starts = _figure(start_squares_chart, survey)
    if starts is not None:
        yield _section("starts", "Starting squares", starts)
    effort = _figure(effort_chart, survey)
    if effort is not None:
        yield _section("effort", "Depth and nodes", effort)
    yield _section("lengths", "Game lengths", _figure(lengths_chart, survey))
    yield _section(
        "losses",
        "Losses",
        _figure(losses_chart, survey),
        losses_table(survey),
        _notes(survey),
    )
    if survey.plan.is_timed:
        yield _section("clock", "The clock", *_clock(survey))
    yield _section(
        "examples",
        "Example games",
        Paragraph(_about_examples(survey)),
        Gallery(examples(record, survey)),
    )


def _heat(survey: Survey) -> Section:
    measured = list(_measured(survey))
    return _section(
        "heat",
        "Heat maps",
        _figure(heat_maps_chart, survey),
        Paragraph(_about_asymmetry(survey)),
        asymmetry_table(survey, measured),
        visits_table(survey),
    )


def _measured(survey: Survey) -> Iterator[Measured]:
    for player in range(len(survey.names)):
        yield player, "its own", measure(survey.visits.own(player).by_opening, survey.board)
        if not survey.is_match:
            others = survey.visits.opponents(player).by_opening
            yield player, "its opponents'", measure(others, survey.board)


def _about_asymmetry(survey: Survey) -> str:
    leaning = (
        ""
        if survey.plan.openings in ("random", "all")
        else " The openings of this run are from a file, so a map may lean only because they do."
    )
    return (
        "Uneven is the share of visits that would have to go elsewhere for a map to look the same in every mirror; "
        "by chance is what that share would be on average without any lean. The opening is the unit. An agent can "
        f"also be pushed to one side by an opponent that holds the other: compare their maps.{leaning}"
    )


def _notes(survey: Survey) -> Listing | None:
    lines = [
        f"{survey.names[player]}, {reason}: {note}"
        for (player, reason), notes in sorted(survey.notes.items())
        for note in notes
    ]
    return Listing(lines) if lines else None


def _clock(survey: Survey) -> Iterator[Block]:
    clock = survey.clock
    if not clock.starved:
        yield Paragraph(
            f"All {clock.moves:,} moves had the processor for at least 90% of their time: the clock was fair."
        )
        return
    share = 100 * clock.starved / max(1, clock.moves)
    yield Paragraph(
        f"During {clock.starved:,} of {clock.moves:,} moves ({share:.1f}%) the machine was busy with something else "
        "for more than a tenth of the time on the clock, so these searches were cut shorter than the limit says. "
        "Results by the clock differ from machine to machine; limits in nodes do not."
    )
    for player, figures in enumerate(survey.results.agents):
        if figures.starved:
            yield Paragraph(
                f"{survey.names[player]}: {figures.starved:,} of its {figures.moves:,} moves."
            )
    names, plan = survey.names, survey.plan
    yield Listing(
        [
            f"pair {pair + 1} of {names[plan.encounters[encounter].first]} vs "
            f"{names[plan.encounters[encounter].second]}: {counted(moves, 'move')}"
            for encounter, pair, moves in clock.worst()
        ]
    )


def _about_examples(survey: Survey) -> str:
    which = (
        "The two games of the first pair: one opening, the sides swapped."
        if len(survey.names) <= 2
        else "For each of the best agents, the first game that it began against the best one it met."
    )
    return (
        f"{which} The first mover is the blue circle, the second the orange square; lines are their ways, the ring is "
        "the last move. A score is what the mover said of its own move."
    )


def _plan_terms(record: Record, survey: Survey) -> Terms:
    plan = survey.plan
    items = [("title", plan.title)] if plan.title else []
    items += [
        ("format", str(plan.format)),
        ("board", plan.board),
        ("agents", ", ".join(plan.agents)),
    ]
    if plan.opponents:
        items.append(("opponents", ", ".join(plan.opponents)))
    items += [
        ("pairs for each encounter", f"{plan.pairs:,}" + (" at most" if plan.test else "")),
        ("openings", openings_in_words(plan)),
        ("seed", str(plan.seed)),
    ]
    if plan.move_ms is not None:
        items.append(("time for a move", f"{plan.move_ms:g} ms; who takes longer loses"))
    return Terms([*items, *_circumstances(record)])


def _circumstances(record: Record) -> Iterator[tuple[str, str]]:
    for name in ("started", "finished"):
        value = record.fact(name)
        if value is not None:
            yield name, value
    facts = json.loads(record.fact("circumstances") or "{}")
    if isinstance(facts, dict) and facts:
        yield "played with", ", ".join(f"{name} {value}" for name, value in facts.items())
