"""Studies as TOML files, and the studies that come with Isolarium.

Files are read strictly: a key that is unknown, missing or of the wrong type is an error that names its location. A
`[[part.claim]]` contains the published figures of one source: for each agent, either a list with one figure per
opponent, or one figure for all opponents. `games` is the number of games behind each figure. A `total` is the rate
printed below a list; the list is added up and compared with it.

    [[part.claim]]
    source = "Tournament results"
    games = 10
    won.AB_Improved = [10, 7, 10, 8, 6, 5, 6]
    total.AB_Improved = 74.3
"""

import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, ValidationError

from isolarium.agents import read_spec
from isolarium.arena.openings import lines_of_file
from isolarium.arena.plan import MOST_GAMES, Format
from isolarium.errors import InputError, fault_in_words, located, quoted
from isolarium.game.board import parse_board
from isolarium.safe_files import MOST_TEXT, read_text_file
from isolarium.spec.parser import parse_limit
from isolarium.spec.template import Sweep, sweep_of
from isolarium.stats import SprtPlan
from isolarium.studies.study import DEFAULT_LIMIT, Claim, SessionCount, Study, StudyPart
from isolarium.text import did_you_mean

ENDING: Final = ".toml"
ONE, LIST = "one figure", "a list of figures"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def shipped_studies() -> dict[str, Path]:
    """Return the files of the studies that come with Isolarium, by name."""
    folder = Path(str(files("isolarium").joinpath("studies")))
    return {path.stem: path for path in sorted(folder.glob(f"*{ENDING}"))}


def find_study(name: str) -> Study:
    """Return the study with a name, or the study in a file.

    Raises:
        InputError: If there is no such study, or its file is invalid.
    """
    shipped = shipped_studies()
    if name in shipped:
        return read_study(shipped[name])
    if Path(name).is_file():
        return read_study(Path(name))
    if name.endswith(ENDING) or "/" in name:
        raise InputError(f"{quoted(name)}: no such file; expected a study in TOML")
    # The studies report-NNN used to be called seed-NNN.
    problem, near = (f"no study named {quoted(name)}", did_you_mean(name.replace("seed", "report"), shipped))
    if near:
        raise InputError(f"{problem} ({near})")
    known = f" (there are {', '.join(shipped)})"
    raise InputError(problem, advice=" (isolarium study, without a name, lists them)", elsewhere=known)


def read_study(path: Path) -> Study:
    """Read a study from its file.

    Raises:
        InputError: If the file is invalid; the message names the file, the part and the key.
    """
    text = read_text_file(path, MOST_TEXT, follow_links=True, expected="a study in TOML")
    return parse_study(text, path.stem, path.parent, str(path))


def parse_study(text: str, name: str, folder: Path, where: str) -> Study:
    """Read a study from TOML.

    Args:
        text: The TOML.
        name: The study's name.
        folder: The folder that paths of opening files are relative to.
        where: The source to name in messages.

    Raises:
        InputError: If the text is invalid; the message names `where`, the part and the key.
    """
    found = parse_toml(text, where)
    with located(where):
        try:
            table = StudyTable.model_validate(found)
        except ValidationError as error:
            raise InputError(_message(error, found)) from None
        for agent, spec in table.agents.items():
            with located(f"agents: {agent}"):
                read_spec(spec)
        parts = tuple(_part(part, table.agents, folder) for part in table.part)
        study = Study(
            name=name,
            title=table.title,
            about=table.about,
            limit=table.limit,
            agents=table.agents,
            parts=parts,
            text=text,
            is_graded=table.lessons,
        )
        study.check()
    return study


def format_study(study: Study) -> str:
    """Return a study as TOML that `parse_study` reads.

    The study must not have tests, sweeps, columns or published figures.
    """
    lines = [f"{key} = {_toml(getattr(study, key))}" for key in ("title", "about", "limit")]
    if study.is_graded:
        lines.append("lessons = true")
    lines += ["", "[agents]", *(f"{_toml(key)} = {_toml(spec)}" for key, spec in study.agents.items())]
    for part in study.parts:
        found = {one.name: (getattr(part, one.name), one.default) for one in fields(part)}
        assert not part.columns
        del found["columns"]  # the only field with a default factory
        lines += ["", "[[part]]"]
        lines += [f"{key} = {_toml(value)}" for key, (value, default) in found.items() if value != default]
    return "\n".join(lines) + "\n"


def _toml(value: str | float | Sequence[str]) -> str:
    """Return a value as TOML, whose strings and lists look like JSON's."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Parse TOML.

    Raises:
        InputError: If the text is not TOML; the message names `where`.
    """
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        why = str(error)
    except RecursionError:
        why = "nested too deep"
    except ValueError:
        why = "a number with too many digits, or an invalid date"
    raise InputError(f"{where}: not TOML: {why}")


def _message(error: ValidationError, found: Mapping[str, Any]) -> str:
    """Return the message of a file's first error, with its location."""
    faults = error.errors()
    *outer, key = loc = faults[0]["loc"]
    if faults[0]["type"] == "extra_forbidden":
        last = next((step for step in reversed(outer) if step in _TABLES), "")
        return f"{_place(outer, found)}{fault_in_words(faults, list(_TABLES[last].model_fields))}"
    if faults[0]["type"] == "list_type" and key in _TABLES:
        problem = f"{quoted(faults[0]['input'])}: expected tables, each headed [[{key}]]"
        return f"{_place(outer, found)}{key}: {problem}"
    return f"{_place(loc, found)}{fault_in_words(faults, example='{key} = ...')}"


def _place(loc: Sequence[str | int], found: Mapping[str, Any]) -> str:
    """Return the location of an error, such as `part one: claim 1: won: Mine: `."""
    place, key = "", ""
    for step in loc:
        if isinstance(step, str) and step not in (ONE, LIST, *_TABLES):
            place += f"{step}: "
        elif isinstance(step, int) and key in _TABLES:
            named = found["part"][step].get("name") if key == "part" else None
            is_name = isinstance(named, str) and _NAME.fullmatch(named)
            place += f"{key} {named if is_name else step + 1}: "
        key = str(step)
    return place


# The tables of the file


class _Table(BaseModel):
    """A table; unknown keys are rejected, and values are not converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


def _which(value: Any) -> str:
    return LIST if isinstance(value, list) else ONE


Wins = Annotated[Annotated[int, Tag(ONE)] | Annotated[list[int], Tag(LIST)], Discriminator(_which)]
Rates = Annotated[Annotated[float, Tag(ONE)] | Annotated[list[float], Tag(LIST)], Discriminator(_which)]


class _ClaimTable(_Table):
    source: str
    games: Annotated[int, Field(ge=1)]
    against: list[str] | None = None
    won: dict[str, Wins] = {}
    rate: dict[str, Rates] = {}
    total: dict[str, float] = {}


class _SessionTable(_Table):
    source: str
    agent: str
    than: str
    games: int
    better: int
    of: int
    rates: list[Annotated[list[float], Field(min_length=2, max_length=2)]] = []


class _TestTable(_Table):
    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    normalised: bool = False


class _SweepTable(_Table):
    agent: str
    values: list[str]


def _name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise InputError(f"{quoted(text)}: expected lower-case letters, digits and hyphens")
    return text


def _board(text: str) -> str:
    return str(parse_board(text))


def _limit(text: str) -> str:
    parse_limit(text)
    return text


Text = Annotated[str, AfterValidator(str.strip)]
LimitText = Annotated[str, AfterValidator(_limit)]


class _PartTable(_Table):
    name: Annotated[str, AfterValidator(_name)]
    title: str | None = None
    about: Text = ""
    format: Annotated[Format, Field(strict=False)]
    agents: list[str] | None = None
    opponents: list[str] = []
    board: Annotated[str, AfterValidator(_board)] = "7x7"
    pairs: int
    seed: int = 1
    openings: str = "random"
    plies: int = 0
    limit: LimitText | None = None
    move_ms: float | None = None
    test: _TestTable | None = None
    self_play: bool = False
    sweep: _SweepTable | None = None
    counts_columns: bool = False
    heat_map: bool = False
    baseline: str = ""
    budget: Annotated[int, Field(ge=0, le=MOST_GAMES)] = 0
    column: dict[str, dict[str, str | int | float]] = {}
    claim: list[_ClaimTable] = []
    session: list[_SessionTable] = []


class StudyTable(_Table):
    """The top level of a study's file."""

    title: str
    about: Text = ""
    limit: LimitText = DEFAULT_LIMIT
    agents: dict[str, str] = {}
    lessons: bool = False
    part: list[_PartTable] = []


_TABLES: Final[Mapping[int | str, type[_Table]]] = {
    "": StudyTable,
    "part": _PartTable,
    "claim": _ClaimTable,
    "session": _SessionTable,
}
"""The tables by heading; the top level has no heading."""


# From tables to parts


def _part(table: _PartTable, named: Mapping[str, str], folder: Path) -> StudyPart:
    """Return a part with its agents, openings and published figures resolved."""
    with located(f"part {table.name}"):
        sweep, agents = _agents(table, named)
        openings, lines = _openings(table, folder)
        part = StudyPart(
            name=table.name,
            title=table.title or table.name,
            about=table.about,
            format=table.format,
            agents=agents,
            opponents=_players("opponents", table.opponents, named),
            board=table.board,
            pairs=table.pairs,
            seed=table.seed,
            openings=openings,
            lines=lines,
            plies=table.plies,
            limit=table.limit or "",
            move_ms=table.move_ms,
            test=_test(table.test),
            self_play=table.self_play,
            sweep=sweep,
            counts_columns=table.counts_columns,
            heat_map=table.heat_map,
            baseline=table.baseline,
            budget=table.budget,
            columns={
                name: {agent: str(value) for agent, value in values.items()} for name, values in table.column.items()
            },
        )
        if part.baseline:
            _check_agent(part.baseline, part)
        return replace(part, claims=tuple(_claims(table, part)), sessions=tuple(_sessions(table, part)))


def _agents(table: _PartTable, named: Mapping[str, str]) -> tuple[Sweep | None, tuple[str, ...]]:
    """Return the sweep, if any, and the agents under test."""
    if table.sweep is None:
        if table.agents is None:
            raise InputError("agents: missing; expected agents = ...")
        return None, _players("agents", table.agents, named)
    if table.agents is not None:
        raise InputError("sweep: cannot be combined with agents; use only one of them")
    with located("sweep"):
        sweep, specs = sweep_of(table.sweep.agent, table.sweep.values)
        for spec in specs:
            read_spec(spec)
    return sweep, specs


def _players(key: str, names: Sequence[str], named: Mapping[str, str]) -> tuple[str, ...]:
    """Check agents, each given by spec or by its name in the study."""
    with located(key):
        for place, name in enumerate(names):
            if name in names[:place]:
                raise InputError(f"{name}: given twice; rename the second")
            if name in named:
                continue
            near = did_you_mean(name, named)
            if near and ":" not in name:
                raise InputError(f"no agent named {quoted(name)} in this study ({near})")
            read_spec(name)
    return tuple(names)


def _openings(table: _PartTable, folder: Path) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """Return the kind of openings, and the lines of an openings file.

    The file's path is relative to the study's folder.
    """
    if table.openings in ("random", "all"):
        return table.openings, ()
    with located("openings"):
        return "file", lines_of_file(folder / table.openings, table.board)


def _test(table: _TestTable | None) -> SprtPlan | None:
    if table is None:
        return None
    try:
        return SprtPlan(table.elo0, table.elo1, table.alpha, table.beta, normalised=table.normalised)
    except ValueError as error:
        raise InputError(f"test: {error}") from None


def _check_agent(agent: str, part: StudyPart) -> None:
    """Check that an agent plays in the part."""
    if agent not in part.agents:
        hint = did_you_mean(agent, part.agents) or f"there are {', '.join(part.agents)}"
        raise InputError(f"no agent named {quoted(agent)} in this part ({hint})")


# Published figures


def _claims(table: _PartTable, part: StudyPart) -> Iterator[Claim]:
    for number, claim in enumerate(table.claim, start=1):
        with located(f"claim {number}"):
            if not claim.won and not claim.rate:
                raise InputError("no figures; expected won or rate")
            for key, rows in (("won", claim.won), ("rate", claim.rate)):
                for agent, value in rows.items():
                    with located(key):
                        _check_agent(agent, part)
                    yield from _agents_claims(claim, key, agent, value, part)
            for agent in claim.total.keys() - claim.won.keys() - claim.rate.keys():
                problem = "no figures to add up; expected them under won or rate"
                raise InputError(f"total: {agent}: {problem}")


def _agents_claims(
    table: _ClaimTable, key: str, agent: str, value: float | Sequence[float], part: StudyPart
) -> Iterator[Claim]:
    """Yield an agent's figures: per opponent and in total, or all together."""
    met = tuple(table.against or part.opponents_of(agent))
    for name in met:
        if name not in part.opponents_of(agent):
            known = part.opponents_of(agent)
            hint = did_you_mean(name, known) or f"it meets {', '.join(known)}"
            raise InputError(f"against: {agent} does not meet {quoted(name)} ({hint})")
    with located(f"{key}: {agent}"):
        if not isinstance(value, Sequence):
            yield _claim(table, key, agent, met, value)
        elif len(value) != len(met):
            raise InputError(f"{len(value)} figures: expected {len(met)}, one per opponent")
        else:
            cells = [
                _claim(table, key, agent, (opponent,), one, is_cell=True)
                for opponent, one in zip(met, value, strict=True)
            ]
            yield from cells
    if agent in table.total:
        if not isinstance(value, Sequence):
            raise InputError(f"total: {agent}: a total needs a list of figures, not one")
        wins, games = sum(cell.wins for cell in cells), sum(cell.games for cell in cells)
        yield Claim(table.source, agent, met, wins, games, table.total[agent])


def _claim(
    table: _ClaimTable, key: str, agent: str, against: tuple[str, ...], figure: float, *, is_cell: bool = False
) -> Claim:
    is_rate = key == "rate"
    most = 100 if is_rate else table.games
    if not 0 <= figure <= most:
        raise InputError(f"{figure:g}: expected 0 to {most}")
    wins = round(figure * table.games / 100) if is_rate else int(figure)
    printed = float(figure) if is_rate else None
    return Claim(table.source, agent, against, wins, table.games, printed, is_cell)


def _sessions(table: _PartTable, part: StudyPart) -> Iterator[SessionCount]:
    for number, session in enumerate(table.session, start=1):
        with located(f"session {number}"):
            for agent in (session.agent, session.than):
                _check_agent(agent, part)
            if not 0 <= session.better <= session.of:
                raise InputError(f"better: {session.better}: expected 0 to {session.of}")
            if session.games < 2 or session.games % 2:
                raise InputError(f"games: {session.games}: expected an even number")
            rates = tuple((one, other) for one, other in session.rates)
            fields = session.model_dump(exclude={"rates"})
            yield SessionCount(**fields, rates=rates)
