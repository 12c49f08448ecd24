"""The report of a run: headline, evidence, details and example games."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from isolarium.analysis.asymmetry import Asymmetry, measure
from isolarium.analysis.run_accuracy import RunAccuracy
from isolarium.analysis.run_statistics import Overview, overview_of
from isolarium.arena.game import Game, is_proven
from isolarium.arena.plan import Plan
from isolarium.arena.results import BY, Results, broken
from isolarium.arena.run_db import Record
from isolarium.arena.run_store import Names
from isolarium.game.position import Player, Reason
from isolarium.game.record import GameRecord, format_game
from isolarium.game.svg import draw_svg
from isolarium.reporting.analysis_tables import accuracy_in_words, accuracy_table, why_not_measured
from isolarium.reporting.board_charts import heat_maps_chart, opponents_heat_maps_chart, start_squares_chart
from isolarium.reporting.cells import Cell
from isolarium.reporting.chart import checked_as_a_whole, narrowed, svg_of
from isolarium.reporting.encounter_charts import cross_table_chart, losses_chart, pairs_chart, sequential_chart
from isolarium.reporting.interval_charts import standings_chart
from isolarium.reporting.model import (
    Block,
    Chart,
    Column,
    Document,
    Example,
    Fact,
    Facts,
    Figure,
    Gallery,
    Headline,
    Listing,
    Moment,
    Paragraph,
    Row,
    Section,
    Table,
)
from isolarium.reporting.move_charts import effort_chart, lengths_chart, mistakes_chart
from isolarium.reporting.report_folder import Report, with_file_list, write_document
from isolarium.reporting.run_summary import duplicates_in_words, openings_in_words, run_facts
from isolarium.reporting.run_tables import cross_table, losses_table, pairs_table, standings_table
from isolarium.reporting.verdict import verdict_of, warnings_of
from isolarium.stats import format_p_value
from isolarium.text import counted, printable

MOMENTS: Final = (10, 20, 30)
MOST_EXAMPLES: Final = 6
MOST_ENCOUNTERS: Final = 10
"""The maximum number of encounters that are shown one by one; the cross table shows more."""
MOST_ACROSS_A_PHONE: Final = 9
"""The maximum number of columns of a cross table that fit on a phone."""
SIGNS: Final = ("●", "■")  # The first player is round and the second square, as on the board.


def write_report(
    record: Record,
    folder: Path,
    accuracy: RunAccuracy | None = None,
    overview: Overview | None = None,
    *,
    names: tuple[str, ...] = (),
) -> Report:
    """Write the report of a run, finished or not.

    Args:
        record: The run's database.
        folder: The folder to write to.
        accuracy: The comparison with perfect play, if it was measured.
        overview: The run's statistics; read from the database if not given.
        names: The players' short names, in the plan's order; by default derived from their specs.

    Raises:
        InputError: If the folder cannot be written.
    """
    overview = overview or overview_of(record)
    if names:
        full = overview.results.names.full
        overview.results = replace(overview.results, names=Names(full, names))
    document = report_document(record, overview, accuracy)
    files = write_document(document, folder)
    return Report(folder, document.headline, document.facts, files)


@checked_as_a_whole
def report_document(record: Record, overview: Overview, accuracy: RunAccuracy | None = None) -> Document:
    """Return the report of a run as a document."""
    results, sections = overview.results, list[Section]()
    if results.games:
        sections += _evidence(overview)
        if accuracy is not None and (results.duel is None or not any(broken(results))):
            sections.append(_truth(overview, accuracy))
        sections += _detail(record, overview)
    sections.append(Section("setting", "How this was played", [_plan_facts(record, overview)], is_folded=True))
    facts = Facts(list(run_facts(results, accuracy)))
    name = record.folder.resolve().name
    document = Document(name, _headline(results), _first_figure(overview), facts, sections)
    return with_file_list(document, [])


def _headline(results: Results) -> Headline:
    verdict, plan = verdict_of(results), results.plan
    parts = [
        f"{plan.format} on {plan.board}",
        counted(results.games, "game"),
        openings_in_words(results),
        duplicates_in_words(results) if results.duplicates else "",
        _openings_in_words(plan),
        f"seed {plan.seed}",
    ]
    if results.names.left_out:
        parts.append(printable(results.names.left_out))
    warnings = list(warnings_of(results))
    return Headline(verdict.answer, verdict.figure, verdict.figure_is, " · ".join(filter(None, parts)), warnings)


def _openings_in_words(plan: Plan) -> str:
    """Describe how the openings were chosen."""
    if plan.openings == "all":
        return "every start up to symmetry"
    if plan.openings == "file":
        return "openings from a file"
    more = f" and {counted(plan.plies, 'random move')}" if plan.plies else ""
    return f"random openings{more}"


# The parts


def _figure(draw: Callable[[Overview], Chart | None], overview: Overview, *, is_wide: bool = False) -> Figure | None:
    """Return a chart as a figure, with a narrow version for phones unless it is too wide for one."""
    chart = draw(overview)
    if chart is None:
        return None
    return Figure(chart, svg_of, None if is_wide else narrowed(chart))


def _first_figure(overview: Overview) -> Figure | None:
    if not overview.has_standings:
        return None
    chart = standings_chart(overview)
    return Figure(chart, svg_of, standings_chart(overview, narrow=True))


def _section(anchor: str, title: str, *blocks: Block | None) -> Section:
    return Section(anchor, title, [block for block in blocks if block is not None])


def _evidence(overview: Overview) -> Iterator[Section]:
    if not overview.has_standings:
        return
    yield _section(
        "standings",
        "Standings",
        standings_table(overview.results),
        Paragraph(
            "On average, 19 of 20 such 95% intervals contain the true value. The unit of evidence is the opening, not "
            "the game: an opening, its repeats and its mirror images count once."
        ),
    )
    sequential = _figure(sequential_chart, overview)
    if sequential is not None:
        yield _section("test", "The sequential test", sequential)
    if len(overview.plan.encounters) > 1:
        is_wide = len(overview.results.cross_sides[1]) > MOST_ACROSS_A_PHONE
        figure = _figure(cross_table_chart, overview, is_wide=is_wide)
        yield _section("cross-table", "Cross table", figure, cross_table(overview.results))
    pairs = _section("pairs", "Head to head", _figure(pairs_chart, overview), pairs_table(overview.results))
    yield replace(pairs, is_folded=len(overview.plan.encounters) > MOST_ENCOUNTERS)


def _truth(overview: Overview, accuracy: RunAccuracy) -> Section:
    """Return the section that compares a sample of the games with perfect play."""
    blocks: list[Block] = []
    if accuracy.sampled == 0:
        blocks.append(Paragraph(f"Not measured: {why_not_measured(overview.results)}."))
    else:
        chart = mistakes_chart(overview, accuracy)
        if chart is not None:
            blocks.append(Figure(chart, svg_of, narrowed(chart)))
        blocks += [accuracy_table(overview.results, accuracy), Paragraph(accuracy_in_words(accuracy))]
    return Section("truth", "Comparison with perfect play", blocks)


def _detail(record: Record, overview: Overview) -> Iterator[Section]:
    yield _heat(overview)
    opponents = _figure(opponents_heat_maps_chart, overview)
    if opponents is not None:
        yield Section("opponents-heat", "Heat maps of the opponents", [opponents], is_folded=True)
    starts = _figure(start_squares_chart, overview)
    if starts is not None:
        yield _section("starts", "Starting squares", starts)
    effort = _figure(effort_chart, overview)
    if effort is not None:
        yield _section("effort", "Depth and nodes", effort)
    yield _section("lengths", "Game lengths", _figure(lengths_chart, overview))
    losses = _figure(losses_chart, overview, is_wide=True)
    section = _section("losses", "Losses", losses, losses_table(overview.results), _notes(overview))
    yield replace(section, is_folded=losses is None)
    if overview.plan.is_timed:
        yield _section("clock", "The clock", *_clock(overview))
    yield _section("examples", "Example games", Paragraph(_about_examples(overview)), Gallery(examples(overview)))


def _heat(overview: Overview) -> Section:
    return _section(
        "heat",
        "Heat maps",
        _figure(heat_maps_chart, overview),
        Paragraph(_about_asymmetry(overview)),
        asymmetry_table(overview),
        visits_table(overview),
    )


def _about_asymmetry(overview: Overview) -> str:
    leaning = (
        ""
        if overview.plan.openings in ("random", "all")
        else " This run's openings come from a file, so a map may be asymmetric only because they are."
    )
    return (
        "Asymmetry is the share of visits that would have to move to make a map symmetric; expected by chance is the "
        "mean share for an agent without a bias. The unit of evidence is the opening. An opponent that occupies one "
        f"side can also push an agent to the other: compare their maps.{leaning}"
    )


def _notes(overview: Overview) -> Listing | None:
    lines = [
        f"{overview.names[player]}, {reason}: {note}"
        for (player, reason), notes in sorted(overview.notes.items())
        for note in notes
    ]
    return Listing(lines) if lines else None


def _clock(overview: Overview) -> Iterator[Block]:
    clock, troubles = overview.clock, overview.results.troubles
    if troubles.pairs_replayed:
        yield Paragraph(
            f"{counted(troubles.pairs_replayed, 'replay')} of a pair: a move came too late, but its agent may not have "
            "been running for all that time, so the machine may have caused the delay. Only the last replay counts."
        )
    late = troubles.late_moves_held_up
    if late:
        yield Paragraph(
            f"{counted(late, 'move')} that lost a game on time had been delayed too, but the agent itself also ran "
            "for longer than allowed."
        )
    starved, moves = clock.starved + late, clock.moves + late
    if not starved:
        yield Paragraph(
            f"The clock was fair: all {clock.moves:,} moves had the processor for at least 90% of their time."
        )
        return
    share = 100 * starved / max(1, moves)
    yield Paragraph(
        f"During {starved:,} of {moves:,} moves ({share:.1f}%), the machine was busy with other work for more than a "
        "tenth of the time on the clock, so these searches got less time than the limit allows. Results with time "
        "limits differ between machines; results with node limits do not."
    )
    for player, figures in enumerate(overview.results.agents):
        if figures.starved:
            yield Paragraph(f"{overview.names[player]}: {figures.starved:,} of its {figures.moves:,} moves.")
    names, plan = overview.names, overview.plan
    yield Listing(
        [
            f"pair {pair + 1} of {names[plan.encounters[encounter].first]} vs "
            f"{names[plan.encounters[encounter].second]}: {counted(moves, 'move')}"
            for encounter, pair, moves in clock.worst()
        ]
    )


def _about_examples(overview: Overview) -> str:
    which = (
        "Both games of the first pair: the same opening with the sides swapped."
        if len(overview.names) <= 2
        else "For each of the best agents, its first game as first mover against its best opponent."
    )
    return (
        f"{which} The first mover is the blue circle, the second mover the orange square. Lines show their paths, and "
        "the ring marks the last move. A score is the mover's own evaluation."
    )


def _plan_facts(record: Record, overview: Overview) -> Facts:
    plan = overview.plan
    pairs = f"{plan.pairs:,}" + (" at most" if plan.test else "")
    found = {
        "title": plan.title,
        "format": str(plan.format),
        "board": plan.board,
        "agents": ", ".join(plan.agents),
        "opponents": ", ".join(plan.opponents),
        "pairs per encounter": pairs,
        "openings": _openings_in_words(plan),
        "seed": str(plan.seed),
    }
    if plan.move_ms is not None:
        found["time per move"] = f"{plan.move_ms:g} ms; exceeding it forfeits the game"
    found |= {name: record.fact(name) or "" for name in ("started", "finished")}
    facts = [Fact(label, (value,)) for label, value in found.items() if value]
    return Facts([*facts, *_circumstances(record)])


def _circumstances(record: Record) -> Iterator[Fact]:
    """Yield the run's environment, once for each time it was started or resumed."""
    for sitting in record.sittings():
        known = {name: value for name, value in sitting.items() if value is not None}
        values = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in known.items())
        yield Fact("environment", (values,))


# Example games


def examples(overview: Overview) -> list[Example]:
    """Return both games of a match's first pair, or a game of each leading agent."""
    return [_example(game, overview) for game in _chosen_games(overview)]


def _chosen_games(overview: Overview) -> Iterator[Game]:
    first_games = overview.first_games
    if len(overview.names) <= 2:
        number = _duel_number(overview)
        yield from (first_games[number, leg] for leg in (0, 1) if (number, leg) in first_games)
        return
    order = overview.results.ranking
    for player in overview.results.tested[:MOST_EXAMPLES]:
        game = _first_game(overview, player, [other for other in order if other != player])
        if game is not None:
            yield game


def _duel_number(overview: Overview) -> int:
    """Return the number of the encounter between two different players."""
    met = enumerate(overview.plan.encounters)
    return next((number for number, one in met if one.first != one.second), 0)


def _first_game(overview: Overview, player: int, others: list[int]) -> Game | None:
    """Return the first game that a player began against the best of `others`.

    `others` are ordered best first.
    """
    for other in others:
        for number, met in enumerate(overview.plan.encounters):
            if {met.first, met.second} == {player, other}:
                game = overview.first_games.get((number, int(met.second == player)))
                if game is not None:
                    return game
    return None


def _example(game: Game, overview: Overview) -> Example:
    whole = game.record(overview.board)
    first, second = (overview.names[player] for player in game.players)
    numbers = [number for number in MOMENTS if number < len(whole.moves)]
    return Example(
        f"{SIGNS[0]} {first}  vs  {SIGNS[1]} {second}",
        _ending(game, overview),
        tuple(_moment(game, whole, overview, number) for number in [*numbers, len(whole.moves)]),
        format_game(whole),
    )


def _ending(game: Game, overview: Overview) -> str:
    winner, loser = game.winner, game.winner.other
    won = f"{SIGNS[winner]} {overview.names[game.winning_player]} wins"
    if game.reason is Reason.NO_MOVES:
        return f"{won}: {SIGNS[loser]} has no moves left"
    note = "" if game.reason is Reason.RESIGNATION else f" ({game.note})"
    return f"{won}: {SIGNS[loser]} lost {BY[game.reason]}{note}"


def _moment(game: Game, whole: GameRecord, overview: Overview, number: int) -> Moment:
    position = whole.positions()[number]
    trail = whole.moves[:number]
    is_end = number == len(whole.moves)
    title = f"{'End, move' if is_end else 'Move'} {number}"
    svg = draw_svg(position, last_move=trail[-1], legal=False, trail=trail)
    return Moment(title, _caption(game, number, str(trail[-1])), svg)


def _caption(game: Game, number: int, square: str) -> str:
    """Return a caption such as `● to c5, score +1`."""
    move = f"{SIGNS[Player((number - 1) % 2)]} to {square}"
    place = number - len(game.opening) - 1
    return move if place < 0 else f"{move}{score_suffix(game.scores[place])}"


def score_suffix(score: float | str | None) -> str:
    """Return the mover's score after a comma, or an empty text if there is none."""
    if score is None:
        return ""
    if isinstance(score, str) and is_proven(score):
        word, _, plies = score.partition(" ")
        return f", sees a {word}" + (f" in {plies}" if plies else "")
    value = float(score)
    return f", score {value:+.4g}" if value else ", score 0"


def asymmetry_table(overview: Overview) -> Table:
    """Return a table with the asymmetry of each heat map."""
    columns = (
        Column("map", "map", "<", repeats=True, exported=False),
        Column("agent"),
        Column("moves"),
        Column("offset", "offset from the centre, squares", "<", exported=False),
        *map(Column, ("openings", "visits", "down", "down_error", "right", "right_error")),
        Column("centre_p_value"),
        Column("uneven", "asymmetry", "<", form=".1%"),
        Column("uneven_by_chance", "expected by chance", "<", form=".1%"),
        Column("uneven_p_value", "", "<"),
        Column("verdict", "verdict", "<", exported=False),
    )
    rows = [_asymmetry(overview, *one) for one in _measured(overview)]
    title = "Asymmetry of the heat maps"
    return Table("asymmetry", title, columns, rows, is_file=True)


def _measured(overview: Overview) -> Iterable[tuple[int, str, Asymmetry]]:
    """Yield each heat map's player, whether the moves are its own, and asymmetry."""
    for player in range(len(overview.names)):
        yield player, "its own", measure(overview.visits.own(player).by_opening, overview.board)
        if not overview.is_match:
            others = overview.visits.opponents(player).by_opening
            yield player, "its opponents'", measure(others, overview.board)


def _asymmetry(overview: Overview, player: int, whose: str, found: Asymmetry) -> Row:
    about: Row = {
        "map": f"{overview.names[player]}, {whose} moves",
        "agent": overview.results.labels[player],
        "moves": whose,
        "verdict": found.verdict,
    }
    if not found.is_known:
        return about
    return {
        **about,
        "offset": found.offset,
        "openings": found.openings,
        "visits": found.visits,
        "down": found.down,
        "down_error": found.down_error,
        "right": found.right,
        "right_error": found.right_error,
        "centre_p_value": found.centre_p,
        "uneven": found.uneven,
        "uneven_by_chance": found.uneven_by_chance,
        "uneven_p_value": Cell(found.uneven_p, format_p_value(found.uneven_p)),
    }


def visits_table(overview: Overview) -> Table:
    """Return the visits to every square, for the CSV file only."""
    rows: list[Row] = []
    for player, label in enumerate(overview.results.labels):
        own, others = overview.visits.own(player), overview.visits.opponents(player)
        totals = zip(own.by_opening.sum(axis=0), others.by_opening.sum(axis=0), strict=True)
        for square, (mine, theirs) in zip(overview.board.squares, totals, strict=True):
            rows.append(
                {
                    "agent": label,
                    "square": str(square),
                    "games": own.games,
                    "visits": int(mine),
                    "opponents_visits": int(theirs),
                }
            )
    columns = tuple(map(Column, ("agent", "square", "games", "visits", "opponents_visits")))
    return Table("visits", "Visits to every square", columns, rows, is_file=True)
