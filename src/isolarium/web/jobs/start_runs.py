"""Beginning runs and resuming them, for people who are not to load files or start programs by it.

A run of games is begun in a worker: to draw thousands of openings takes seconds.
"""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from isolarium.arena.conditions import Conditions
from isolarium.arena.plan import Plan, match_plan, sweep_plan, tournament_plan
from isolarium.arena.provenance import sign
from isolarium.arena.run_db import FILE_NAME, Record, is_being_played
from isolarium.arena.session import Session
from isolarium.errors import InputError
from isolarium.limits import Limit, Stop
from isolarium.safe_files import MOST_TEXT, read_text_file
from isolarium.spec.parser import parse_limit
from isolarium.spec.template import sweep_of
from isolarium.stats import SprtPlan
from isolarium.studies import study_runner
from isolarium.studies.study import DEFAULT_LIMIT
from isolarium.studies.study_file import find_study, shipped_studies
from isolarium.web import quotas
from isolarium.web.agent_policy import Trust
from isolarium.web.http_errors import Refused
from isolarium.web.jobs.job_worker import Tell
from isolarium.web.quotas import PAIRS, check_agent, check_budget
from isolarium.web.schema import AgentText, RequestBody, Seed
from isolarium.web.settings import Settings

LimitText = Annotated[str, Field(max_length=100, examples=["nodes=8000"])]


class GamesRequest(RequestBody):
    """What all games of a run to be played have in common."""

    pairs: Annotated[int, Field(ge=1, le=quotas.PAIRS)] | None = None
    board: Annotated[str, Field(max_length=20)] = "7x7"
    seed: Seed = 1
    openings: Literal["random", "all"] = "random"
    plies: Annotated[int, Field(ge=0, le=60)] = 0
    limit: LimitText | None = None
    name: Annotated[str, Field(max_length=80)] = ""


class MatchRequest(GamesRequest):
    """A match to be played; `test` are the bounds of a sequential test, in Elo, with its two risks of error."""

    kind: Literal["match"]
    first: AgentText
    second: AgentText
    test: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    beta: Annotated[float, Field(gt=0, lt=0.5)] = 0.05


AgentTexts = Annotated[list[AgentText], Field(max_length=quotas.AGENTS)]


class TournamentRequest(GamesRequest):
    """A tournament: every agent against every other, or each against the opponents."""

    kind: Literal["tournament"]
    agents: Annotated[AgentTexts, Field(min_length=1)]
    against: AgentTexts = Field(default_factory=list)


class SweepRequest(GamesRequest):
    """One agent with several values in its places, such as `{0|0.5|1}`, each against the opponents."""

    kind: Literal["sweep"]
    agent: AgentText
    against: Annotated[AgentTexts, Field(min_length=1)]


class StudyRequest(RequestBody):
    """A study to be played."""

    kind: Literal["study"]
    study: Annotated[str, Field(max_length=60)]
    parts: Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=100)] = Field(
        default_factory=list
    )
    scale: Annotated[float, Field(gt=0, le=10)] = 1.0
    limit: LimitText | None = None


PlannedRequest = MatchRequest | TournamentRequest | SweepRequest
RunRequest = Annotated[PlannedRequest | StudyRequest, Field(discriminator="kind")]


def check_games(wanted: PlannedRequest, trust: Trust) -> None:
    """See that a run asks for nothing that is not allowed.

    Raises:
        InputError: something is not as it should be.
        Refused: an agent is not allowed.
    """
    if not wanted.name.isprintable():
        raise InputError(f"name {wanted.name!r}: expected letters that can be printed")
    limit = (None, False) if wanted.limit is None else parse_limit(wanted.limit)
    for text in _agents(wanted):
        spec = trust.agent(text).with_limit(*limit)
        check_agent(spec)


def with_paths(wanted: PlannedRequest, trust: Trust) -> PlannedRequest:
    """The same with paths in place of the names of allowed files.

    Raises:
        InputError: a spec cannot be parsed.
    """
    match wanted:
        case MatchRequest():
            full = {"first": trust.full(wanted.first), "second": trust.full(wanted.second)}
            return wanted.model_copy(update=full)
        case TournamentRequest():
            agents = [trust.full(text) for text in wanted.agents]
        case SweepRequest():
            agents = [trust.full_template(wanted.agent)]
    against = [trust.full(text) for text in wanted.against]
    own = {"agent": agents[0]} if isinstance(wanted, SweepRequest) else {"agents": agents}
    return wanted.model_copy(update={**own, "against": against})


def _agents(wanted: PlannedRequest) -> tuple[str, ...]:
    """Everybody who plays."""
    match wanted:
        case MatchRequest():
            return wanted.first, wanted.second
        case TournamentRequest():
            return *wanted.agents, *wanted.against
        case SweepRequest():
            return *sweep_of(wanted.agent, [])[1], *wanted.against


def begin_games(request: Mapping[str, Any], tell: Tell, stop: Stop) -> dict[str, Any]:
    """Begin the run `wanted`, whose agents were checked, in the folder `runs`; the name of its own."""
    plan = _plan(TypeAdapter(PlannedRequest).validate_python(request["wanted"]))
    if (met := plan.pairs * len(plan.encounters)) > PAIRS:
        raise InputError(f"pairs: {met:,} of all who meet together; expected at most {PAIRS:,}")
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
    """Begin a study that comes with Isolarium; the name of its folder, and those of its parts.

    Raises:
        InputError: there is none such, or a part or the limit is wrong.
    """
    if wanted.study not in shipped_studies():
        known = ", ".join(shipped_studies())
        raise InputError(f"no study {wanted.study!r} comes with Isolarium; expected one of {known}")
    if wanted.limit is not None:
        check_budget(f"limit {wanted.limit}", parse_limit(wanted.limit)[0] or Limit())
    begun = study_runner.begin_study(
        find_study(wanted.study),
        settings.runs,
        limit=wanted.limit,
        scale=wanted.scale,
        parts=wanted.parts,
    )
    name = begun.folder.name
    return name, [f"{name}~{part.name}" for part in begun.parts]


def check_resumable(folder: Path, trust: Trust) -> None:
    """See that what is missing of a run or a study can be played, and would load nothing that is not allowed.

    Raises:
        Refused: it is finished, it is being played, or it would.
        InputError: a record cannot be read.
    """
    if study_runner.is_study(folder):
        _check_text(folder)
    records = [path.parent for path in folder.glob(f"*/{FILE_NAME}")]
    if (folder / FILE_NAME).is_file():
        records = [folder]
    plans = [_unfinished(one) for one in records]
    for plan in plans:
        for text in () if plan is None else plan.players:
            trust.check(str(text))
    if not study_runner.is_study(folder) and plans == [None]:
        raise Refused(409, f"{folder.name}: finished; expected a run with games left to play")


def _unfinished(folder: Path) -> Plan | None:
    """The plan of a run that is not finished.

    Raises:
        Refused: it is being played.
    """
    with closing(Record(folder)) as record:
        if record.is_finished:
            return None
        if is_being_played(folder):
            raise Refused(409, f"{folder.name}: being played already")
        return record.plan


def _check_text(folder: Path) -> None:
    """See that a study is one of ours: reading it loads every file that its agents name."""
    ours = (
        read_text_file(path, MOST_TEXT, follow_links=True) for path in shipped_studies().values()
    )
    try:
        text = read_text_file(folder / study_runner.TEXT_NAME, MOST_TEXT, "replace")
        limit = study_runner.read_settings(folder).limit
    except InputError as error:
        said = error.without_commands.replace(f"{folder.parent}/", "")
        raise InputError(said) from None  # nobody there is told where it is
    parse_limit(limit or str(DEFAULT_LIMIT))
    if text not in ours:
        raise Refused(
            403,
            f"{folder.name}: a study of one's own is resumed on the command line, not over HTTP",
        )
