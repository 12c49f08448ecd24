"""Runs, as Watch asks for them and begins them."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from isolarium.web import quotas
from isolarium.web.schemas.common import AgentText, PlayerName, Request, Score, Seed

State = Literal["finished", "stopped", "playing", "broken"]
LimitText = Annotated[str, Field(max_length=100, examples=["nodes=8000"])]


class RunLine(BaseModel):
    """A run in one line; `problem` says what went wrong, `mine` that this server plays it."""

    name: str
    study: str | None
    title: str
    started: str
    games: int
    games_planned: int
    state: State
    mine: bool
    problem: str


class StudyPart(BaseModel):
    """A part of a study."""

    name: str
    title: str
    games: int


class StudyFacts(BaseModel):
    """A study that comes with Isolarium."""

    name: str
    title: str
    about: str
    parts: list[StudyPart]


class Runs(BaseModel):
    """The runs there are, the one begun last first, and the studies that could be begun."""

    runs: list[RunLine]
    studies: list[StudyFacts]


Estimate = Annotated[
    dict[str, float | None],
    Field(
        description="A figure, by what it is called, and the `low` and `high` of its 95% interval."
    ),
]


class ResultTable(BaseModel):
    """A table of a run's report.

    Each column has a name for programs, a heading of one or more lines, and a letter of `align`: < for words, > for
    figures. A row is given as texts and as values. `best` are the places, row and column, of the best figures; the last
    rows, `footer` of them, sum the others up.
    """

    name: str
    title: str
    keys: list[str]
    columns: list[str]
    align: str
    rows: list[list[str]]
    values: list[list[Estimate | int | float | str | None]]
    best: list[tuple[int, int]]
    footer: int
    notes: list[str]


class Test(BaseModel):
    """A sequential test: its bounds, and its path as pairs of a number of pairs and the ratio after it."""

    elo0: float
    elo1: float
    normalised: bool
    alpha: float
    beta: float
    lower: float
    upper: float
    llr: float
    state: str
    pairs: int
    path: list[tuple[int, float]]


class Heat(BaseModel):
    """For each square, row by row, the share of the games in which a player, or its opponents, went there."""

    player: int
    games: int
    share: list[float]
    opponents: list[float]


class LiveGame(BaseModel):
    """The game that is being played, as far as it has come, where games take seconds."""

    text: str
    labels: list[str]


class Run(BaseModel):
    """Everything about a run but its games."""

    name: str
    study: str | None
    title: str
    state: State
    mine: bool
    problem: str
    stage: Literal["starting", "playing", ""]
    started: str
    board: str
    format: str
    openings: str
    plies: int
    seed: int
    pairs: int
    games: int
    games_planned: int
    pairs_done: int
    rate: float | None
    seconds_left: float | None
    verdict: str
    first_mover_won: float | None
    players: list[str]
    standings: ResultTable
    cross: ResultTable | None
    encounters: ResultTable
    test: Test | None
    heat: list[Heat]
    has_report: bool
    live: LiveGame | None


class GameLine(BaseModel):
    """A game in one line; the players by their places."""

    number: int
    encounter: int
    pair: int
    game: int
    first: int
    second: int
    winner: PlayerName
    reason: str
    length: int
    text: str


Show = Literal["all", "upsets", "mistakes", "given away", "time"]


class Games(BaseModel):
    """Some of a run's games, and how many there are of their kind."""

    total: int
    offset: int
    games: list[GameLine]


class PlayedMove(BaseModel):
    """A move, and what was said of it; nothing of those of the opening."""

    move: str
    player: PlayerName
    score: Score
    depth: int | None
    nodes: int | None
    ms: float | None


class PlayedGame(GameLine):
    """A game with everything that is known of it."""

    note: str
    opening: int
    labels: list[str]
    json_text: str = Field(alias="json")
    moves: list[PlayedMove]


class GamesRequest(Request):
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


class StudyRequest(Request):
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


class Begun(BaseModel):
    """What was begun: a run, or a study with the runs that are its parts."""

    name: str
    runs: list[str]


class Nothing(Request):
    """Nothing more to say."""


class Going(BaseModel):
    """What a run is about to do."""

    name: str
    state: Literal["stopping", "playing"]
