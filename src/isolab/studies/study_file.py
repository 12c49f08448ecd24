"""Studies as files: TOML that says everything; and which studies come with Isolab."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from isolab.agents import read_spec
from isolab.arena.plan import Format, Sweep, lines_of_file
from isolab.arena.sweep import sweep_of
from isolab.errors import InputError, located, quoted
from isolab.game.notation import parse_board
from isolab.grammar import parse_limit
from isolab.stats import SprtPlan
from isolab.studies.claim_file import check_agent, claims_of, sessions_of
from isolab.studies.study import DEFAULT_LIMIT, Part, Study
from isolab.studies.toml_table import REQUIRED, TomlTable
from isolab.text import did_you_mean

ENDING: Final = ".toml"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")


def shipped_studies() -> dict[str, Path]:
    """The studies that come with Isolab, by name."""
    folder = Path(str(files("isolab").joinpath("studies")))
    return {path.stem: path for path in sorted(folder.glob(f"*{ENDING}"))}


def find_study(name: str) -> Study:
    """The study of that name, or the one in that file.

    Raises:
        InputError: there is none, or it is not as it should be.
    """
    shipped = shipped_studies()
    if name in shipped:
        return read_study(shipped[name])
    if Path(name).is_file():
        return read_study(Path(name))
    if name.endswith(ENDING) or "/" in name:
        raise InputError(f"{quoted(name)}: no such file; expected a study in TOML")
    hint = did_you_mean(name, shipped) or "isolab study lists them"
    raise InputError(f"no study {quoted(name)} ({hint})")


def read_study(path: Path) -> Study:
    """Read a study's file.

    Raises:
        InputError: names the file, the part and the key.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}; expected a study in TOML") from None
    return parse_study(text, path.stem, path.parent, str(path))


def parse_study(text: str, name: str, folder: Path, where: str) -> Study:
    """Read a study.

    Args:
        text: the TOML.
        name: what it is called.
        folder: what files of openings are looked for in.
        where: what to call it in messages.

    Raises:
        InputError: names `where`, the part and the key.
    """
    try:
        table = TomlTable(where, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{where}: not TOML: {error}") from None
    limit = table.get("limit", str, DEFAULT_LIMIT)
    _check(where, parse_limit, limit)
    agents = _agents(table.table("agents"))
    study = Study(
        name=name,
        title=table.take("title", str),
        about=table.get("about", str, "").strip(),
        limit=limit,
        agents=agents,
        parts=tuple(_part(one, where, agents, folder) for one in table.tables("part")),
        text=text,
    )
    table.end()
    _check_parts(where, study)
    return study


def _check_parts(where: str, study: Study) -> None:
    """See that there are parts, of different names, and that each can be played."""
    if not study.parts:
        raise InputError(f"{where}: no part in it; expected at least one [[part]]")
    seen = set[str]()
    for part in study.parts:
        if part.name in seen:
            raise InputError(f"{where}: part {part.name}: name: given twice; expected another")
        seen.add(part.name)
        _check(f"{where}: part {part.name}", study.plan, part)


def _agents(table: TomlTable) -> dict[str, str]:
    """The study's own names for agents."""
    named = {}
    for name, spec in table.rest().items():
        if not isinstance(spec, str):
            raise table.error(name, f"{quoted(spec)}: expected an agent's spec")
        _check(f"{table.where}: {name}", read_spec, spec)
        named[name] = spec
    return named


def _part(table: TomlTable, file: str, agents: Mapping[str, str], folder: Path) -> Part:
    """One `[[part]]`."""
    name = table.take("name", str)
    if not _NAME.fullmatch(name):
        told = f"{quoted(name)}: expected lower-case letters, digits and hyphens"
        raise table.error("name", told)
    table.where = f"{file}: part {name}"
    board = table.get("board", str, "7x7")
    _check(f"{table.where}: board", parse_board, board)
    limit = table.get("limit", str, "")
    if limit:
        _check(table.where, parse_limit, limit)
    openings, lines = _openings(table, folder, board)
    sweep, swept = _sweep(table)
    part = Part(
        name=name,
        title=table.get("title", str, name),
        about=table.get("about", str, "").strip(),
        format=_format(table),
        agents=swept or _players(table, "agents", agents),
        opponents=_players(table, "opponents", agents, ()),
        board=board,
        pairs=table.take("pairs", int),
        seed=table.get("seed", int, 1),
        openings=openings,
        lines=lines,
        plies=table.get("plies", int, 0),
        limit=limit,
        move_ms=table.get("move_ms", float, None),
        test=_test(table),
        self_play=table.get("self_play", bool, False),
        sweep=sweep,
        counts_columns=table.get("counts_columns", bool, False),
        heat_map=table.get("heat_map", bool, False),
        baseline=table.get("baseline", str, ""),
        columns=_columns(table.table("column")),
        claims=(),
        sessions=(),
    )
    if part.baseline:
        check_agent(table, part.baseline, part)
    part = replace(
        part,
        claims=tuple(claim for one in table.tables("claim") for claim in claims_of(one, part)),
        sessions=tuple(sessions_of(one, part) for one in table.tables("session")),
    )
    table.end()
    return part


def _format(table: TomlTable) -> Format:
    text = table.take("format", str)
    try:
        return Format(text)
    except ValueError:
        told = f"{quoted(text)}: expected one of {', '.join(Format)}"
        raise table.error("format", told) from None


def _openings(
    table: TomlTable, folder: Path, board: str
) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """The kind of openings, and the lines of a file's; its path counts from the study's folder."""
    text = table.get("openings", str, "random")
    if text in ("random", "all"):
        return text, ()
    try:
        return "file", lines_of_file(folder / text, board)
    except InputError as error:
        raise table.error("openings", str(error)) from None


def _players(
    table: TomlTable, key: str, agents: Mapping[str, str], default: Any = REQUIRED
) -> tuple[str, ...]:
    """Agents by the study's names or by spec."""
    names = table.texts(key, default)
    for place, name in enumerate(names):
        if name in names[:place]:
            raise table.error(key, f"{name} is there twice; expected another name for the second")
        if name in agents:
            continue
        near = did_you_mean(name, agents)
        if near and ":" not in name:
            raise table.error(key, f"no agent {quoted(name)} in this study ({near})")
        _check(f"{table.where}: {key}", read_spec, name)
    return names


def _test(table: TomlTable) -> SprtPlan | None:
    """`test = { elo0 = 0, elo1 = 20 }`."""
    if "test" not in table:
        table.value("test", None)
        return None
    bounds = table.table("test")
    wanted = {
        "elo0": bounds.take("elo0", float),
        "elo1": bounds.take("elo1", float),
        "alpha": bounds.get("alpha", float, 0.05),
        "beta": bounds.get("beta", float, 0.05),
    }
    bounds.end()
    try:
        return SprtPlan(**wanted)
    except ValueError as error:
        raise InputError(f"{bounds.where}: {error}") from None


def _sweep(table: TomlTable) -> tuple[Sweep | None, tuple[str, ...]]:
    """`sweep = { agent = "alphabeta:balanced(weight={})", values = ["0,0.5,1"] }`, in place of the agents."""
    if "sweep" not in table:
        table.value("sweep", None)
        return None, ()
    if "agents" in table:
        raise table.error("sweep", "there are agents beside it; expected one or the other")
    wanted = table.table("sweep")
    template, values = wanted.take("agent", str), wanted.texts("values")
    wanted.end()
    try:
        sweep, specs = sweep_of(template, list(values))
    except InputError as error:
        raise InputError(f"{wanted.where}: {error}") from None
    for spec in specs:
        _check(wanted.where, read_spec, spec)
    return sweep, specs


def _columns(table: TomlTable) -> dict[str, dict[str, str]]:
    """`[part.column.T]`, with a value for every agent."""
    columns = {}
    for name, values in table.rest().items():
        if not isinstance(values, dict):
            raise table.error(name, f"{quoted(values)}: expected a value for every agent")
        columns[name] = {agent: str(value) for agent, value in values.items()}
    return columns


def _check(where: str, check: Callable[[Any], object], value: object) -> None:
    """Have a value checked, and say where it stands if it is wrong."""
    with located(where):
        check(value)
