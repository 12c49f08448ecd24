"""Agents written the way students write them play in the sandbox, and always the same games."""

import pytest

from isolarium.game.position import Reason
from tests.course.honest import AGENTS, OWN_CLOCK, PAIRINGS, play, recorded
from tests.samples import sample

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sample(AGENTS, 14))
def test_agent_plays_the_recorded_games(name: str) -> None:
    expected = {game: note for game, note in recorded().items() if game.split()[0] == name}
    assert play(name) == expected


def test_every_agent_has_recorded_games_that_end_by_the_rules() -> None:
    games = recorded()
    assert len(games) == len(AGENTS) * len(PAIRINGS)
    assert {game.split()[0] for game in games} == set(AGENTS)
    for game, note in games.items():
        assert note.endswith(str(Reason.NO_MOVES)), game
        assert ("|" in note) == (game.split()[0] not in OWN_CLOCK), game
