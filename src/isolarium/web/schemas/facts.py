"""What every page knows before it asks, and how the server is."""

from pydantic import BaseModel, Field

from isolarium.web import quotas


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
    elo: dict[str, int] = Field(description="How far it is above the first level, by board.")


class Caps(BaseModel):
    """What one request may ask for."""

    nodes: int = quotas.NODES
    ms: int = quotas.MS
    depth: int = quotas.DEPTH
    calls: int = quotas.CALLS
    game_chars: int = quotas.GAME_CHARS
    pairs: int = quotas.PAIRS
    heuristics: int = quotas.HEURISTICS
    searches: int = quotas.SEARCHES


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
