"""Starting and resuming runs on behalf of visitors.

Visitors must not be able to load files or start programs.

A run is created in a worker, because drawing thousands of openings takes seconds.
"""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from isolarium.arena import Conditions
from isolarium.arena.plan import Plan, match_plan, sweep_plan, tournament_plan
from isolarium.arena.provenance import sign
from isolarium.arena.run_db import FILE_NAME, Record
from isolarium.arena.session import Session
from isolarium.arena.sqlite_file import is_being_played
from isolarium.errors import InputError
from isolarium.limits import Limit, Stop
from isolarium.safe_files import MOST_TEXT, read_text_file
from isolarium.spec.parser import parse_limit
from isolarium.spec.template import sweep_of
from isolarium.stats import SprtPlan
from isolarium.studies import study_runner
from isolarium.studies.study import DEFAULT_LIMIT
from isolarium.studies.study_file import find_study, shipped_studies
from isolarium.web import Settings, schema
from isolarium.web.agent_policy import AgentPolicy
from isolarium.web.http_errors import HttpError
from isolarium.web.schema import PAIRS, AgentText, RequestBody, Seed, check_agent, check_budget

LimitText = Annotated[str, Field(max_length=100, examples=["nodes=8000"])]


class GamesRequest(RequestBody):
    """The conditions of a new run."""

    pairs: Annotated[int, Field(ge=1, le=schema.PAIRS)] | None = None
    board: Annotated[str, Field(max_length=20)] = "7x7"
    seed: Seed = 1
    openings: Literal["random", "all"] = "random"
    plies: Annotated[int, Field(ge=0, le=60)] = 0
    limit: LimitText | None = None
    name: Annotated[str, Field(max_length=80)] = ""


class MatchRequest(GamesRequest):
    """A new match.

    `test` contains the bounds of a sequential test in Elo; `alpha` and `beta` are its error rates.
    """

    kind: Literal["match"]
    first: AgentText
    second: AgentText
    test: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    beta: Annotated[float, Field(gt=0, lt=0.5)] = 0.05


AgentTexts = Annotated[list[AgentText], Field(max_length=schema.AGENTS)]


class TournamentRequest(GamesRequest):
    """A new tournament.

    Without `against`, every agent plays every other agent. With `against`, each agent plays each
    opponent.
    """

    kind: Literal["tournament"]
    agents: Annotated[AgentTexts, Field(min_length=1)]
    against: AgentTexts = Field(default_factory=list)


class SweepRequest(GamesRequest):
    """A new sweep.

    One agent with values in braces, such as `{0|0.5|1}`, meets each opponent.
    """

    kind: Literal["sweep"]
    agent: AgentText
    against: Annotated[AgentTexts, Field(min_length=1)]


class StudyRequest(RequestBody):
    """A new study."""

    kind: Literal["study"]
    study: Annotated[str, Field(max_length=60)]
    parts: Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=100)] = Field(default_factory=list)
    scale: Annotated[float, Field(gt=0, le=10)] = 1.0
    limit: LimitText | None = None


PlannedRequest = MatchRequest | TournamentRequest | SweepRequest
RunRequest = Annotated[PlannedRequest | StudyRequest, Field(discriminator="kind")]


def check_games(wanted: PlannedRequest, policy: AgentPolicy) -> None:
    """Check that a new run is allowed.

    Raises:
        InputError: If a field is invalid.
        HttpError: If an agent is not allowed.
    """
    if not wanted.name.isprintable():
        raise InputError(f"name {wanted.name!r}: expected printable characters")
    limit = (None, False) if wanted.limit is None else parse_limit(wanted.limit)
    for text in _agents(wanted):
        spec = policy.agent(text).with_limit(*limit)
        check_agent(spec)


def with_paths(wanted: PlannedRequest, policy: AgentPolicy) -> PlannedRequest:
    """Return the request with paths in place of the files' short names.

    Raises:
        InputError: If a spec cannot be parsed.
    """
    match wanted:
        case MatchRequest():
            full = {"first": policy.full(wanted.first), "second": policy.full(wanted.second)}
            return wanted.model_copy(update=full)
        case TournamentRequest():
            agents = [policy.full(text) for text in wanted.agents]
        case SweepRequest():
            agents = [policy.full_template(wanted.agent)]
    against = [policy.full(text) for text in wanted.against]
    own = {"agent": agents[0]} if isinstance(wanted, SweepRequest) else {"agents": agents}
    return wanted.model_copy(update={**own, "against": against})


def _agents(wanted: PlannedRequest) -> tuple[str, ...]:
    """Return the specs of all players."""
    match wanted:
        case MatchRequest():
            return wanted.first, wanted.second
        case TournamentRequest():
            return *wanted.agents, *wanted.against
        case SweepRequest():
            return *sweep_of(wanted.agent, [])[1], *wanted.against


def begin_games(request: Mapping[str, Any], stop: Stop) -> dict[str, Any]:
    """Create the run `wanted` in the folder `runs`, and return its name.

    The run's agents must have been checked.
    """
    plan = _plan(TypeAdapter(PlannedRequest).validate_python(request["wanted"]))
    if (met := plan.pairs * len(plan.encounters)) > PAIRS:
        raise InputError(f"pairs: {met:,} in total; expected at most {PAIRS:,}")
    with Session.begin(plan, Path(request["runs"])) as session:
        sign(session.record)
        return {"name": session.folder.name}


def _plan(wanted: PlannedRequest) -> Plan:
    conditions = Conditions(
        wanted.pairs,
        wanted.board,
        wanted.seed,
        wanted.openings,
        wanted.plies,
        limit=wanted.limit,
        name=wanted.name.strip(),
    )
    match wanted:
        case MatchRequest():
            return match_plan(wanted.first, wanted.second, conditions, _test(wanted))
        case TournamentRequest():
            return tournament_plan(wanted.agents, conditions, wanted.against)
        case SweepRequest():
            return sweep_plan(wanted.agent, (), wanted.against, conditions)


def _test(wanted: MatchRequest) -> SprtPlan | None:
    if wanted.test is None:
        return None
    try:
        elo0, elo1 = wanted.test
        return SprtPlan(elo0, elo1, wanted.alpha, wanted.beta)
    except ValueError as error:
        raise InputError(f"test: {error}") from None


def begin_study(wanted: StudyRequest, settings: Settings) -> tuple[str, list[str]]:
    """Create the run of a built-in study.

    Return the name of the study's folder and the names of its parts.

    Raises:
        InputError: If the study, a part or the limit is invalid.
    """
    if wanted.study not in shipped_studies():
        known = ", ".join(shipped_studies())
        raise InputError(f"no built-in study named {wanted.study!r}; expected one of {known}")
    if wanted.limit is not None:
        check_budget(f"limit {wanted.limit}", parse_limit(wanted.limit)[0] or Limit())
    begun = study_runner.begin_study(
        find_study(wanted.study), settings.runs, limit=wanted.limit, scale=wanted.scale, parts=wanted.parts
    )
    name = begun.folder.name
    return name, [f"{name}~{part.name}" for part in begun.parts]


def check_resumable(folder: Path, policy: AgentPolicy) -> None:
    """Check that a run or a study has games left, and that its agents are allowed.

    Raises:
        HttpError: If the run is finished or being played, or if an agent is not allowed.
        InputError: If a database cannot be read.
    """
    if study_runner.is_study(folder):
        _check_text(folder)
    records = [path.parent for path in folder.glob(f"*/{FILE_NAME}")]
    if (folder / FILE_NAME).is_file():
        records = [folder]
    plans = [_unfinished(one) for one in records]
    for plan in plans:
        for text in () if plan is None else plan.players:
            policy.check(str(text))
    if not study_runner.is_study(folder) and plans == [None]:
        raise HttpError(409, f"{folder.name}: already finished")


def _unfinished(folder: Path) -> Plan | None:
    """Return the plan of a run; None if it is finished.

    Raises:
        HttpError: If the run is being played.
    """
    with closing(Record(folder)) as record:
        if record.is_finished:
            return None
        if is_being_played(folder):
            raise HttpError(409, f"{folder.name}: already being played")
        return record.plan


def _check_text(folder: Path) -> None:
    """Check that a study is built in.

    Reading a study loads every file that its agents name.
    """
    ours = (read_text_file(path, MOST_TEXT, follow_links=True) for path in shipped_studies().values())
    try:
        text = read_text_file(folder / study_runner.TEXT_NAME, MOST_TEXT, "replace")
        limit = study_runner.read_settings(folder).limit
    except InputError as error:
        text = error.without_commands.replace(f"{folder.parent}/", "")  # Hides the path
        raise InputError(text) from None
    parse_limit(limit or str(DEFAULT_LIMIT))
    if text not in ours:
        raise HttpError(403, f"{folder.name}: not a built-in study; resume it on the command line")
