"""Types that the request and response schemas share."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from isolarium.game.position import Player
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
        min_length=1, max_length=MOST_CHARS, description="An agent's spec.", examples=["alphabeta:improved@nodes=8000"]
    ),
]
HeuristicText = Annotated[str, Field(min_length=1, max_length=MOST_CHARS, examples=["improved"])]
Seed = Annotated[int, Field(ge=0, lt=1 << 62, description="Random seed; the same seed gives the same moves.")]
PlayerName = Literal["first", "second"]
Score = Annotated[
    float | str | None,
    Field(description="A number, inf, -inf, or a proven result: win or loss, with the plies to the end if known."),
]


def player_name(player: Player) -> PlayerName:
    """Return a player's name in the API."""
    return "first" if player is Player.FIRST else "second"


class RequestBody(BaseModel):
    """A request body: types are not converted, and unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", strict=True)
