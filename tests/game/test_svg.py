import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given

from isolarium.errors import InputError
from isolarium.game import Board, GameRecord, Player, Position, Square, describe, draw_svg, parse_game, parse_position
from isolarium.game.svg import BLANK_COLOUR, BLOCKED_COLOUR, CELL, PLAYER_COLOURS
from tests.strategies import games, positions

MIDGAME = parse_position("7/7/2A4/3x3/4B2/7/7 a")


def elements(svg: str, name: str) -> list[ET.Element]:
    return ET.fromstring(svg).findall(f".//{{http://www.w3.org/2000/svg}}{name}")


def filled(svg: str, name: str, colour: str) -> int:
    return sum(element.get("fill") == colour for element in elements(svg, name))


def rings(svg: str) -> list[ET.Element]:
    return [circle for circle in elements(svg, "circle") if circle.get("fill") == "none"]


@given(positions())
def test_each_square_is_drawn_blank_or_blocked_and_each_player_as_a_piece(position: Position) -> None:
    svg = draw_svg(position)
    placed = sum(square is not None for square in (position.first, position.second))
    blank = position.blank_count + placed
    assert filled(svg, "rect", BLANK_COLOUR) == blank
    assert filled(svg, "rect", BLOCKED_COLOUR) == position.board.size - blank
    assert len(elements(svg, "path")) == placed


def test_the_players_differ_in_shape_and_colour() -> None:
    svg = draw_svg(MIDGAME, legal=False)
    assert filled(svg, "circle", PLAYER_COLOURS[Player.FIRST]) == 1
    assert filled(svg, "rect", PLAYER_COLOURS[Player.SECOND]) == 1


@given(positions())
def test_legal_moves_carry_a_dot_in_the_movers_colour(position: Position) -> None:
    colour = PLAYER_COLOURS[position.to_move]
    plain, dotted = draw_svg(position, legal=False), draw_svg(position)
    dots = filled(dotted, "circle", colour) - filled(plain, "circle", colour)
    assert dots == len(position.legal_moves())


def test_the_last_move_carries_a_ring() -> None:
    assert rings(draw_svg(MIDGAME)) == []
    [ring] = rings(draw_svg(MIDGAME, last_move=Square(4, 4)))
    assert ring.get("stroke") == PLAYER_COLOURS[Player.SECOND]


def test_the_trail_is_a_line_for_each_player_through_its_own_squares() -> None:
    game = parse_game("7x7: a1 g7 b3 f5 d4")
    first, second = elements(draw_svg(game.position, trail=game.moves), "polyline")
    assert first.get("stroke") == PLAYER_COLOURS[Player.FIRST]
    assert second.get("stroke") == PLAYER_COLOURS[Player.SECOND]
    assert len(points(first)) == 3
    assert len(points(second)) == 2
    assert points(first)[0] < points(second)[0]  # a1 is above and left of g7


def test_the_marks_of_a_trail_have_the_shape_of_their_player() -> None:
    game = parse_game("7x7: a1 g7 b3 f5 d4")
    plain, trailed = (draw_svg(game.position, trail=trail, legal=False) for trail in ((), game.moves))
    more = {tag: len(elements(trailed, tag)) - len(elements(plain, tag)) for tag in ("circle", "rect")}
    assert more == {"circle": 3, "rect": 2}


def points(line: ET.Element) -> list[tuple[float, ...]]:
    return [tuple(map(float, pair.split(","))) for pair in line.attrib["points"].split()]


@given(games())
def test_every_game_shows_itself_with_lines_that_are_knights_moves(game: GameRecord) -> None:
    lines = elements(game._repr_svg_(), "polyline")
    for line in lines:
        way = points(line)
        for (x, y), (next_x, next_y) in pairwise(way):
            assert {abs(x - next_x), abs(y - next_y)} == {CELL, 2 * CELL}


@pytest.mark.parametrize("off", [Square(7, 0), Square(-1, 0)])
def test_squares_off_the_board_cannot_be_marked(off: Square) -> None:
    with pytest.raises(InputError, match="off the 7x7 board"):
        draw_svg(MIDGAME, last_move=off)
    with pytest.raises(InputError, match="off the 7x7 board"):
        draw_svg(MIDGAME, trail=[Square(0, 0), off])


def test_coordinates_are_outside_on_two_sides() -> None:
    texts = [text.text for text in elements(draw_svg(Position.empty(Board(3, 4))), "text")]
    assert texts == ["a", "b", "c", "d", "1", "2", "3"]


def test_it_is_an_image_with_a_title_that_says_the_position() -> None:
    root = ET.fromstring(draw_svg(MIDGAME))
    assert root.get("role") == "img"
    assert root[0].tag.endswith("title")
    assert root[0].text == describe(MIDGAME)


@pytest.mark.parametrize(
    ("position", "words"),
    [
        ("3/3/3 a", "first player (blue circle) not placed, "),
        ("3/3/3 a", "; first to place"),
        ("A2/3/2B b", "second player (orange square) on c3; second to move"),
        ("A2/2x/1xB a", "; second wins (no moves)"),
    ],
)
def test_the_description_says_where_the_players_are_and_who_is_next(position: str, words: str) -> None:
    assert words in describe(parse_position(position))


def test_many_drawings_can_stand_in_one_page() -> None:
    svg = draw_svg(MIDGAME, last_move=Square(4, 4))
    assert "id=" not in svg
    assert "<style" not in svg
    assert "href" not in svg


def test_a_position_shows_itself_in_a_notebook() -> None:
    assert MIDGAME._repr_svg_() == draw_svg(MIDGAME)
