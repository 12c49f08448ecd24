"""What is said about games, moves and agents, in both directions."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from isolab.game.outcome import Player
from isolab.grammar import MOST_CHARS
from isolab.web import limits

GameText = Annotated[
    str,
    Field(
        max_length=limits.GAME_CHARS,
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


class ValuesRequest(Request):
    """What is wanted of every legal move."""

    game: GameText
    exact: bool = True
    heuristics: Annotated[list[HeuristicText], Field(max_length=limits.HEURISTICS)] = Field(
        default_factory=list
    )
    searches: Annotated[list[AgentText], Field(max_length=limits.SEARCHES)] = Field(
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

    nodes: int = limits.NODES
    ms: int = limits.MS
    depth: int = limits.DEPTH
    game_chars: int = limits.GAME_CHARS
    pairs: int = limits.PAIRS
    heuristics: int = limits.HEURISTICS
    searches: int = limits.SEARCHES


class Boards(BaseModel):
    """The boards there are: sides from `least` to `most`; the starts of `solved` ones are known."""

    least: int
    most: int
    solved: list[str]


class Agents(BaseModel):
    """Everything that a page needs to know before it asks."""

    version: str
    needs_token: bool
    form: str
    searches: list[SearchFacts]
    heuristics: list[HeuristicFacts]
    levels: list[Level]
    hint: str = Field(description="The agent whose move is the hint.")
    limits: Caps
    boards: Boards
    puzzles: int
