"""The tokens are the one source of the colours of pages, reports, charts and drawings."""

import re
from pathlib import Path

import isolarium
from isolarium.game.board import Board
from isolarium.game.svg import PLAYER_COLOURS, TOKENS
from isolarium.game.symmetry import symmetries
from isolarium.reporting.board_charts import sequential, without_mirror_images
from isolarium.reporting.html import INK
from isolarium.safe_files import own_text


def test_charts_and_drawings_have_the_pages_colours() -> None:
    sheet = own_text(TOKENS)
    assert f"--ink: light-dark({INK}, " in sheet
    for name, colour in zip(("first", "second"), PLAYER_COLOURS, strict=True):
        assert f"--drawn-{name}: {colour};" in sheet
    scale = sequential("share", 1.0).colours
    assert [f"--heat-{step}: {colour};" in sheet for step, colour in enumerate(scale)] == [True] * 6


def test_a_square_of_each_set_of_mirror_images_is_drawn() -> None:
    for board in (Board(7, 7), Board(5, 6), Board(8, 8), Board(4, 4)):
        part, squares = without_mirror_images(board)
        images = [{image.square(one, board) for image in symmetries(board)} for one in squares]
        assert set.union(*images) == set(board.squares)
        if part != board:
            assert sum(map(len, images)) == len(board.squares)  # no square twice
            assert set(squares) <= set(part.squares)


def test_only_the_tokens_name_colours() -> None:
    package = Path(isolarium.__file__).parent
    named = re.compile(r"(?<![&\w.])#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(")
    sheets = [one for one in package.rglob("*.css") if one.name not in {"tokens.css"} and "vendor" not in one.parts]
    charts = list((package / "reporting").rglob("*.py"))
    documents = [Path("docs/site.css"), Path("tools/docs/package_picture.py"), Path("tools/docs/theory.py")]
    found = [
        (one.name, match[0]) for one in (*sheets, *charts, *documents) for match in named.finditer(one.read_text())
    ]
    assert len(sheets) > 8
    assert [one for one in found if one[0] != "page.css"] == []
    assert {colour for name, colour in found if name == "page.css"} <= {"#fff", "#000", "#444", "#ccc"}  # on paper
