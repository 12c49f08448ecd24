"""What requests and answers of all pages are made of."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from isolarium.game.outcome import Player
from isolarium.spec.parser import MOST_CHARS
from isolarium.web import quotas

GameText = Annotated[
    str,
    Field(
        max_length=quotas.GAME_CHARS,
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


class RequestBody(BaseModel):
    """Something that is asked: nothing in it is guessed, and nothing is ignored."""

    model_config = ConfigDict(extra="forbid", strict=True)
