"""The report of a study: terminal output, JSON, and a page linking to every part."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from isolarium.arena.run_db import Record
from isolarium.arena.run_store import REPORT_PAGE, has_report
from isolarium.course.course_study import CourseGrading
from isolarium.course.grading_report import advice, grading_json, grading_sections, grading_warnings, verdict
from isolarium.reporting.cells import json_of
from isolarium.reporting.chart import checked_as_a_whole, svg_of
from isolarium.reporting.interval_charts import claims_chart, rates_chart
from isolarium.reporting.model import (
    Block,
    Document,
    Fact,
    Facts,
    Figure,
    FileList,
    Headline,
    Paragraph,
    Section,
    table_json,
)
from isolarium.reporting.report_folder import with_file_list, write_document
from isolarium.reporting.run_report import write_report
from isolarium.reporting.study_tables import missed_in_words, part_tables, verdicts_in_words
from isolarium.stats import LEAST_OPENINGS, win_rate
from isolarium.studies.study_results import PartResult, StudyResults, expected_outside, judge_sessions
from isolarium.text import counted

# Terminal


def study_answer(found: StudyResults, grading: CourseGrading | None = None) -> list[str]:
    """Return the result of a study in sentences, for the top of its output; none if its tables are the result."""
    if not found.study.is_graded:
        return [not_informative(found)] if not_informative(found) else []
    lines = [verdict(found), advice(found), *grading_warnings(found, grading)]
    return [line for line in lines if line]


def study_sections(found: StudyResults, grading: CourseGrading | None = None, *, wide: bool = True) -> list[Section]:
    """Return a section for every part, and the grading of course agents.

    Without `wide`, tables of many agents against each opponent are left out.
    """
    parts = [Section(part.part.name, part.part.title, _part_blocks(part, wide=wide)) for part in found.parts]
    return [*parts, *_grading_sections(found, grading)]


def _grading_sections(found: StudyResults, grading: CourseGrading | None) -> list[Section]:
    return [] if grading is None else grading_sections(found, grading)


def _part_blocks(part: PartResult, *, wide: bool = True) -> list[Block]:
    blocks: list[Block] = []
    if verdicts_in_words(part):
        blocks.append(Paragraph(verdicts_in_words(part)))
    blocks.append(Paragraph(part_settings(part)))
    if part.part.about:
        blocks.append(Paragraph(" ".join(part.part.about.split())))
    return [*blocks, *part_tables(part, wide=wide)]


def part_settings(part: PartResult) -> str:
    """Return a part's settings, such as `7x7 · nodes=8000 · ... · seed 1`."""
    plan, results = part.plan, part.results
    parts = [
        plan.board,
        str(plan.study.get("limit", "")),
        f"{counted(plan.pairs, 'pair')} per encounter",
        counted(part.games, "game") + (" in rounds" if part.rounds else ""),
        counted(results.openings, "distinct opening"),
        f"seed {plan.seed}",
        "" if part.finished else "not finished",
    ]
    return " · ".join(part for part in parts if part)


def study_facts(found: StudyResults, folder: Path, report: Path | None = None) -> Facts:
    """Return the number of published figures reproduced, and the paths of files."""
    judged, outside = found.claims
    chance = f"about {expected_outside(found.judged)} expected by chance"
    claims = f"{counted(judged, 'published figure')} compared, {outside} outside the noise ({chance})"
    return Facts(
        [
            Fact("claims", (claims,) if judged else ()),
            Fact("games", (f"{found.games:,}",)),
            Fact("size", (_size(found),) if found.scale != 1 else ()),
            Fact("stopped", () if found.finished else (f"isolarium resume {folder} continues it",)),
            Fact("run", (f"{folder}",)),
            Fact("report", () if report is None else (f"{report}",)),
        ]
    )


# JSON


def study_json(found: StudyResults, grading: CourseGrading | None = None) -> dict[str, Any]:
    """Return a study's results as JSON."""
    judged, outside = found.claims
    whole: dict[str, Any] = json_of(
        {
            "study": found.study.name,
            "title": found.study.title,
            "limit": found.limit or found.study.limit,
            "scale": found.scale,
            "games": found.games,
            "finished": found.finished,
            "claims": judged,
            "outside_noise": outside,
            **({"answer": verdict(found)} if found.study.is_graded else {}),
            "parts": [_part_json(part) for part in found.parts],
            **({} if grading is None else grading_json(grading)),
        }
    )
    return whole


def _part_json(result: PartResult) -> dict[str, Any]:
    part, plan = result.part, result.plan
    return {
        "name": part.name,
        "title": part.title,
        "settings": part_settings(result),
        "finished": result.finished,
        "games": result.games,
        "openings": result.results.openings,
        "agents": dict(zip(part.agents, plan.agents, strict=True)),
        "opponents": dict(zip(part.opponents, plan.opponents, strict=True)),
        "cells": [
            _cell_json(result, agent, opponent) for agent in part.agents for opponent in part.opponents_of(agent)
        ],
        "claims": [
            {
                "source": judged.claim.source,
                "agent": judged.claim.agent,
                "against": judged.claim.against,
                "won": judged.claim.wins,
                "games": judged.claim.games,
                "ours": judged.ours.rate,
                "low": judged.ours.low,
                "high": judged.ours.high,
                "inside_noise": judged.comparison.inside_noise,
                "p": judged.comparison.p_value,
                "coin_p": judged.coin.p_value,
            }
            for judged in result.judged
        ],
        "sessions": [
            {
                "source": judged.sessions.source,
                "agent": judged.sessions.agent,
                "than": judged.sessions.than,
                "better": judged.sessions.better,
                "of": judged.sessions.of,
                "chance_better": judged.odds.better,
                "chance_tied": judged.odds.tied,
                "expected": [judged.count.low, judged.count.high],
                "inside_noise": judged.count.inside_noise if judged.is_known else None,
                "p": judged.count.p_value if judged.is_known else None,
            }
            for judged in (judge_sessions(result, one) for one in part.sessions)
        ],
        "tables": [table_json(table) for table in part_tables(result)],
    }


def _cell_json(result: PartResult, agent: str, opponent: str) -> dict[str, Any]:
    summary = result.cell(agent, opponent)
    rate = win_rate(summary)
    return {
        "agent": agent,
        "opponent": opponent,
        "pairs": [summary.won, summary.split, summary.lost],
        "rate": rate.rate,
        "low": rate.low,
        "high": rate.high,
    }


# Page


def write_study_report(found: StudyResults, folder: Path, grading: CourseGrading | None = None) -> Path:
    """Write the report of every part and the study's page; return the page's path.

    Raises:
        InputError: If the folder cannot be written.
    """
    for part in found.parts:
        place = folder / part.part.name
        if not (part.results.finished and has_report(place)):
            with closing(Record(place)) as record:
                write_report(record, place, names=part.part.players)
    write_document(study_document(found, grading), folder)
    return folder / REPORT_PAGE


@checked_as_a_whole
def study_document(found: StudyResults, grading: CourseGrading | None = None) -> Document:
    """Return the page of a study as a document."""
    sections = [*map(_page_section, found.parts), *_grading_sections(found, grading)]
    sections.append(Section("setting", "How this was played", [_setting(found)]))
    document = Document(found.study.name, _headline(found, grading), _first_figure(found), sections=sections)
    reports = [(f"{part.part.name}/{REPORT_PAGE}", f"the report of {part.part.title}") for part in found.parts]
    return with_file_list(document, reports)


def _page_section(part: PartResult) -> Section:
    link = (f"{part.part.name}/{REPORT_PAGE}", "this part's charts, heat maps and example games")
    return Section(part.part.name, part.part.title, [*_part_blocks(part), FileList([link])])


def _first_figure(found: StudyResults) -> Figure | None:
    if found.judged:
        chart, for_phones = (claims_chart(found, narrow=narrow) for narrow in (False, True))
    elif found.parts:
        chart, for_phones = (rates_chart(found.parts[0], narrow=one) for one in (False, True))
    else:
        return None
    return Figure(chart, svg_of, for_phones)


def _headline(found: StudyResults, grading: CourseGrading | None) -> Headline:
    judged, outside = found.claims
    warnings = list[str]()
    if found.failure:
        warnings.append(f"The tournament ended early: {found.failure}")
    elif not found.finished:
        warnings.append("This study is not finished. Continue it with isolarium resume.")
    if found.scale != 1:
        warnings.append(f"This study was not played at full size: {_size(found)}.")
    answer = verdict(found)
    if not_informative(found) and not answer:
        warnings.insert(0, not_informative(found))
    if found.study.is_graded:
        warnings += grading_warnings(found, grading)
    setting = f"{counted(found.games, 'game')} in {counted(len(found.parts), 'part')}"
    about = " ".join(found.study.about.split())
    figure, figure_is = _best(found)
    if judged:
        figure = f"{judged - outside} of {judged}"
        chance = f"by chance alone, about {expected_outside(found.judged)} of {judged} would not be"
        figure_is = f"published figures are within the noise of their games and ours; {chance}"
    title = found.study.title if found.scale == 1 else f"{found.study.title}: {_size(found)}"
    return Headline(answer or title, figure, figure_is, f"{setting}. {about}", warnings)


def not_informative(found: StudyResults) -> str:
    """Return a warning if no part has enough openings to judge strength, else nothing."""
    if not found.parts or any(part.results.has_enough_openings for part in found.parts):
        return ""
    most = max(part.results.openings for part in found.parts)
    return (
        f"Not informative: {counted(most, 'distinct opening')} cannot show which agent is better; "
        f"at least {LEAST_OPENINGS} are needed."
    )


def _size(found: StudyResults) -> str:
    """Describe the size of a scaled study."""
    if all(part.plan.pairs <= 1 for part in found.parts):
        return "one pair per encounter"
    return f"scale {found.scale:g}"


def _best(found: StudyResults) -> tuple[str, str]:
    """Return the best agent of the first part, for studies without claims."""
    if not found.parts or not found.parts[0].results.openings:
        return "no win rate", "no pair of games is finished yet"
    result = found.parts[0]
    best = max(result.part.agents, key=lambda agent: result.row(agent).rate)
    missed = "" if found.study.is_graded else missed_in_words(result)
    highest = ", the highest win rate" if len(result.part.agents) > 1 else ""
    figure_is = f"of its games were won by {best}{highest}"
    return str(result.rate(best)), f"{figure_is}; {missed}" if missed else figure_is


def _setting(found: StudyResults) -> Facts:
    return Facts([Fact(label, (value,)) for label, value in dict.fromkeys(_settings(found))])


def _settings(found: StudyResults) -> Iterator[tuple[str, str]]:
    yield "study", found.study.name
    yield "limit", found.limit or found.study.limit
    if found.scale != 1:
        yield "size", _size(found)
    for part in found.parts:
        yield from zip(part.part.players, part.plan.players, strict=True)
