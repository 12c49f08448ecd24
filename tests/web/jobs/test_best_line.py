"""Best play for both, against trying everything."""

import pytest

from isolarium.game.notation import parse_position, parse_square
from isolarium.game.position import Position
from tests.web.serving import Server
from tests.web.truth import plies_of, wins

pytestmark = pytest.mark.slow

SMALL = ["5/1A3/2x2/3B1/5 a", "4/1A2/2xx/B3 b", "xxx1/AB2/xxxx a"]


def after(position: Position, names: list[str]) -> Position:
    """The position after some moves."""
    for name in names:
        position = position.play(parse_square(name, position.board))
    return position


@pytest.mark.parametrize("game", SMALL)
def test_the_winner_hurries_and_the_loser_resists(server: Server, game: str) -> None:
    position = parse_position(game)
    told = server.post("/api/line", {"game": game}).json()
    assert told["value"] == ("wins" if wins(position) else "loses")
    assert (told["exact"], told["ends"]) == (0, True)
    for made in range(len(told["moves"]) + 1):
        assert plies_of(after(position, told["moves"][:made])) == len(told["moves"]) - made


def test_before_it_is_known_how_soon_the_winners_moves_win_all_the_same(server: Server) -> None:
    told = server.post("/api/line", {"game": "7x7: d4 b3 c6 d2 e7 c4"}).json()
    assert told["exact"] > 0
    start = parse_position(told["position"])
    end = after(start, told["moves"]).outcome()
    assert told["ends"]
    assert end is not None
    assert (end.winner == start.to_move) == (told["value"] == "wins")


def test_what_is_past_solving_has_no_line(server: Server) -> None:
    told = server.post("/api/line", {"game": "13x13: g7 a1"}).json()
    assert (told["value"], told["moves"], told["ends"]) == ("unknown", [], False)
