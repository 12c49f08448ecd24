"""Games one by one, as input for ratings."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from isolarium.stats import RatedGames, Ratings


@dataclass(frozen=True, slots=True)
class GameResult:
    """One game between two agents."""

    first: str
    second: str
    first_won: bool
    cluster: Hashable


def rate_agents(games: Iterable[GameResult], agents: Sequence[str] = ()) -> Ratings:
    """Rate the agents of games; agents are numbered in order of appearance, `agents` first."""
    agent_number = {agent: number for number, agent in enumerate(dict.fromkeys(agents))}
    cluster_number: dict[Hashable, int] = {}
    rows = [
        (
            agent_number.setdefault(game.first, len(agent_number)),
            agent_number.setdefault(game.second, len(agent_number)),
            int(game.first_won),
            cluster_number.setdefault(game.cluster, len(cluster_number)),
        )
        for game in games
    ]
    rated = RatedGames(tuple(agent_number))
    rated.add(*np.array(rows, dtype=np.int64).reshape(-1, 4).T)
    return rated.ratings()
