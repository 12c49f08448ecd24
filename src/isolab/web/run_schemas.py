"""What is said about runs."""

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from isolab.web import limits
from isolab.web.schemas import AgentText, PlayerName, Request, Score, Seed

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
    """A study that comes with Isolab."""

    name: str
    title: str
    about: str
    parts: list[StudyPart]


class Runs(BaseModel):
    """The runs there are, the one begun last first, and the studies that could be begun."""

    runs: list[RunLine]
    studies: list[StudyFacts]


class PlayerFigures(BaseModel):
    """How a player did: its share of the points with its interval, its rating, and how it spent its moves."""

    label: str
    rate: float | None
    low: float | None
    high: float | None
    games: int
    won: int
    won_first: int
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    depth: float
    nodes: float
    ms: float
    losses: dict[str, int]


class Crossing(BaseModel):
    """What the pairs of two players say, from the side of the first."""

    first: int
    second: int
    pairs: int
    won: int
    split: int
    lost: int
    rate: float | None
    low: float | None
    high: float | None


class Test(BaseModel):
    """A sequential test: its bounds, and its path as pairs of a number of pairs and the ratio after it."""

    elo0: float
    elo1: float
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
    players: list[PlayerFigures]
    standings: list[int]
    cross: list[Crossing]
    test: Test | None
    heat: list[Heat]
    has_report: bool


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


class Games(BaseModel):
    """Some of a run's games."""

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


class MatchRequest(Request):
    """A match to be played."""

    kind: Literal["match"]
    first: AgentText
    second: AgentText
    pairs: Annotated[int, Field(ge=1, le=limits.PAIRS)] | None = None
    board: Annotated[str, Field(max_length=20)] = "7x7"
    seed: Seed = 1
    openings: Literal["random", "all"] = "random"
    plies: Annotated[int, Field(ge=0, le=60)] = 0
    test: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    limit: LimitText | None = None
    name: Annotated[str, Field(max_length=80)] = ""


class StudyRequest(Request):
    """A study to be played."""

    kind: Literal["study"]
    study: Annotated[str, Field(max_length=60)]
    parts: Annotated[list[Annotated[str, Field(max_length=60)]], Field(max_length=100)] = Field(
        default_factory=list
    )
    scale: Annotated[float, Field(gt=0, le=10)] = 1.0
    limit: LimitText | None = None


RunRequest = Annotated[MatchRequest | StudyRequest, Field(discriminator="kind")]


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
