"""What the API says and is asked, page by page."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from isolab.game.outcome import Player
from isolab.grammar import MOST_CHARS
from isolab.web import caps

GameText = Annotated[
    str,
    Field(
        max_length=caps.GAME_CHARS,
        description="A game in any notation, or a board or a position alone.",
        examples=["7x7: d4 b3", "7/7/2A4/3x3/4B2/7/7 a: b5"],
    ),
]
AgentText = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MOST_CHARS,
        description="An agent's spec.",
        examples=["alphabeta:improved@nodes=8000"],
    ),
]
HeuristicText = Annotated[str, Field(min_length=1, max_length=MOST_CHARS, examples=["improved"])]
Seed = Annotated[int, Field(ge=0, lt=1 << 62, description="The same seed, the same moves.")]
MOST_ID = 40
JobId = Annotated[int, Field(ge=-(1 << 53), le=1 << 53)] | Annotated[str, Field(max_length=MOST_ID)]
PlayerName = Literal["first", "second"]
Score = Annotated[
    float | str | None,
    Field(
        description="A number, inf, -inf, or the proven end: win, loss, with the plies to it where known."
    ),
]


def player_name(player: Player) -> PlayerName:
    """What a player is called."""
    return "first" if player is Player.FIRST else "second"


class Request(BaseModel):
    """Something that is asked: nothing in it is guessed, and nothing is ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)


# Playing: games, agents and moves


class ReadRequest(Request):
    """A text to be read as a game."""

    text: GameText
    board: Annotated[str, Field(max_length=20, examples=["7x7"])] | None = None


class End(BaseModel):
    """How a game ended."""

    winner: PlayerName
    reason: str


class ReadGame(BaseModel):
    """A game in every notation, and where it stands."""

    text: str
    json_text: str = Field(serialization_alias="json")
    replay: str | None
    start: str
    board: str
    moves: list[str]
    position: str
    to_move: PlayerName
    legal: list[str]
    outcome: End | None


class AgentRequest(Request):
    """An agent's spec to be read."""

    agent: AgentText


class ReadAgent(BaseModel):
    """An agent, in full."""

    agent: str


class MoveRequest(Request):
    """An agent to move in a game."""

    game: GameText
    agent: AgentText
    seed: Seed = 1


class Report(BaseModel):
    """How an agent came to its move."""

    score: Score
    depth: int
    nodes: int
    ms: float
    pv: list[str]
    proven: bool
    plies: int | None


class Move(BaseModel):
    """A move with its report."""

    move: str
    agent: str
    report: Report
    stopped: bool


class ThinkRequest(MoveRequest):
    """The same on a WebSocket."""

    id: JobId


class StopRequest(Request):
    """End what was asked under an id."""

    id: JobId
    stop: Literal[True]


# Analysing: values and marks


class ValuesRequest(Request):
    """What is wanted of every legal move."""

    game: GameText
    exact: bool = True
    heuristics: Annotated[list[HeuristicText], Field(max_length=caps.HEURISTICS)] = Field(
        default_factory=list
    )
    searches: Annotated[list[AgentText], Field(max_length=caps.SEARCHES)] = Field(
        default_factory=list
    )
    seed: Seed = 1


Value = Literal["wins", "loses", "unknown"]


class MoveValue(BaseModel):
    """What a move is worth to the player who makes it."""

    move: str
    value: Value
    plies: int | None
    heuristics: list[Score]
    searches: list[Score]


class Values(BaseModel):
    """What a position and its moves are worth to the player to move."""

    position: str
    to_move: PlayerName
    value: Value
    plies: int | None
    nodes: int
    ms: float
    moves: list[MoveValue]


class AnalyseRequest(Request):
    """A game to be marked, on a WebSocket."""

    id: JobId
    game: GameText
    heuristic: HeuristicText | None = None
    first_ply: Annotated[int, Field(ge=1, le=1000, description="The first move to be marked.")] = 1


class LineRequest(Request):
    """A game to be played to its end by both as well as can be."""

    game: GameText


class Line(BaseModel):
    """Best play for both from a position on, as far as who wins is proven: no moves where it is not.

    `moves` from the place `exact` on, counted from 0, are the quickest win against the longest resistance. Those of the
    winner before it win too; those of the loser leave as few winning replies as could be found. `ends` says that the
    last one ends the game.
    """

    position: str
    to_move: PlayerName
    value: Value
    moves: list[str]
    exact: int
    ends: bool


# What every page knows before it asks


class OptionFacts(BaseModel):
    """A parameter of a search."""

    name: str
    default: bool | float
    about: str
    takes: str


class SearchFacts(BaseModel):
    """A search."""

    name: str
    about: str
    takes_heuristic: bool
    takes_limit: bool
    ends_at_depth: bool
    default_nodes: int
    example: str
    options: list[OptionFacts]


class ParameterFacts(BaseModel):
    """A parameter of a heuristic."""

    name: str
    default: str
    takes: str


class HeuristicFacts(BaseModel):
    """A heuristic."""

    name: str
    family: str
    formula: str
    about: str
    parameters: list[ParameterFacts]


class Level(BaseModel):
    """A strength of play, for people who do not want to know more."""

    level: int
    name: str
    agent: str
    about: str


class Caps(BaseModel):
    """What one request may ask for."""

    nodes: int = caps.NODES
    ms: int = caps.MS
    depth: int = caps.DEPTH
    calls: int = caps.CALLS
    game_chars: int = caps.GAME_CHARS
    pairs: int = caps.PAIRS
    heuristics: int = caps.HEURISTICS
    searches: int = caps.SEARCHES


class Boards(BaseModel):
    """The boards there are: sides from `least` to `most`; the starts of `solved` ones are known."""

    least: int
    most: int
    solved: list[str]


class Agents(BaseModel):
    """Everything that a page needs to know before it asks."""

    version: str
    needs_token: bool
    embeds: bool
    form: str
    searches: list[SearchFacts]
    heuristics: list[HeuristicFacts]
    levels: list[Level]
    guests: list[str] = Field(description="Agents of the course in the folders that are allowed.")
    hint: str = Field(description="The agent whose move is the hint.")
    limits: Caps
    boards: Boards
    puzzles: int


# Learning: starts and puzzles


class ExceptionAt(BaseModel):
    """A pair of placements where the colour law is wrong; `mirror` says that the mirror theorem explains it."""

    first: str
    second: str
    mirror: bool


class Starts(BaseModel):
    """Who wins each pair of placements.

    The counts are up to symmetry. `map` has a line for each first square, row by row, with a letter for each second
    square: F where the first player wins, S where the second does, - where they are the same.
    """

    board: str
    starts: int
    wins: int
    exceptions: int
    mirrors: int
    map: list[str]
    exceptions_at: list[ExceptionAt]
    law: str


class PuzzleList(BaseModel):
    """How hard each puzzle is, the first one's number being 1; they go from easy to hard."""

    count: int
    difficulties: list[int]


class PuzzlePosition(BaseModel):
    """A position in which only one move wins, in how many plies, how hard it is, and how many moves are to be found."""

    number: int
    count: int
    position: str
    to_move: PlayerName
    legal: list[str]
    plies: int
    difficulty: int
    moves: int


class PuzzleTry(Request):
    """A move to be tried; `step` is how many of the moves were found before it."""

    move: Annotated[str, Field(max_length=10, examples=["e6"])]
    step: Annotated[int, Field(ge=0, le=100)] = 0


class PuzzleAnswer(BaseModel):
    """Whether it was right, and what is; while there are more moves to find, what the other replies."""

    number: int
    move: str
    right: bool
    answer: str
    plies: int
    reply: str | None


# Watching: runs


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


class LaneHealth(BaseModel):
    """Worker processes of one kind: how many there should be, are ready, are at work; and how many requests wait."""

    workers: int
    ready: int
    at_work: int
    waiting: int


class Health(BaseModel):
    """Whether the server can answer."""

    version: str
    quick: LaneHealth
    deep: LaneHealth
    reading: LaneHealth


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


Show = Literal["all", "upsets", "given away", "time"]


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

    pairs: Annotated[int, Field(ge=1, le=caps.PAIRS)] | None = None
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


AgentTexts = Annotated[list[AgentText], Field(max_length=caps.AGENTS)]


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
