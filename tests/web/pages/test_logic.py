"""The pages' own logic, run without a DOM."""

from typing import Any

import pytest
from playwright.sync_api import Route

from isolarium.game.board import Board, parse_square
from isolarium.game.symmetry import symmetries
from isolarium.web.bundles import PageBundle
from tests.web.pages.javascript import RunJs
from tests.web.pages.watched_page import Watched

pytestmark = pytest.mark.slow

TREE = """
    import { GameTree, trailsTo } from "/pages/game/tree.js";
    import { formatGame, parseGame, parseSquare } from "/pages/game/notation.js";
    const { start, moves } = parseGame("7x7: d4 b3 f5 d2 g3");
    const tree = new GameTree(start, moves);
    const go = (name) => tree.play(parseSquare(name, 7, 7));
    const main = () => formatGame(start, tree.mainLine().slice(1).map(({ move }) => move));
"""


def test_another_move_makes_a_variation(run_js: RunJs) -> None:
    found = run_js(
        TREE,
        """
        tree.toStart(); tree.forward(); tree.forward();
        go("c6");
        const before = [main(), tree.current.isMain];
        tree.promote();
        return [...before, main(), tree.current.isMain];
        """,
    )
    assert found == ["7x7: d4 b3 f5 d2 g3", False, "7x7: d4 b3 c6", True]


def test_mirror_images_share_a_text_and_map_to_each_other(run_js: RunJs) -> None:
    found = run_js(
        """
        import { canonicalText } from "/pages/game/symmetry.js";
        import { formatSquare, parseGame, parseSquare } from "/pages/game/notation.js";
        const seen = (text) => {
          const { start, moves } = parseGame(text);
          return canonicalText(moves.reduce((position, move) => position.play(move), start));
        };
        """,
        """
        const [one, turned, other] = ["7x7: d4 b3 f5", "7x7: d4 c6 e2", "7x7: d4 b3 f3"].map(seen);
        const move = turned.back(one.to(parseSquare("d2", 7, 7)));
        const narrow = ["4x5: e4 d2", "4x5: b3 a1"].map((text) => seen("4x5: a1 b3").text === seen(text).text);
        return [one.text === turned.text, one.text === other.text, formatSquare(move, 7), ...narrow];
        """,
    )
    images = [
        mapped
        for mapped in symmetries(Board(7, 7))
        if [str(mapped.square(parse_square(name, Board(7, 7)), Board(7, 7))) for name in ("b3", "f5")] == ["c6", "e2"]
    ]
    [image] = images
    assert found == [True, False, str(image.square(parse_square("d2", Board(7, 7)), Board(7, 7))), True, False]


def test_the_same_move_again_is_no_variation(run_js: RunJs) -> None:
    assert run_js(TREE, 'tree.toStart(); go("d4"); return tree.root.children.length;') == 1


def test_steps_stay_inside_the_game(run_js: RunJs) -> None:
    found = run_js(
        TREE,
        """
        const plies = [];
        for (const way of ["forward", "toStart", "back", "toEnd", "forward", "back"]) {
          tree[way]();
          plies.push(tree.current.ply);
        }
        return plies;
        """,
    )
    assert found == [5, 0, 0, 5, 5, 4]


def test_taking_back_removes_what_came_after(run_js: RunJs) -> None:
    found = run_js(
        TREE,
        """
        tree.back();
        const had = tree.takeBack();
        return [had, main(), tree.toStart(), tree.takeBack()];
        """,
    )
    assert found == [True, "7x7: d4 b3 f5", None, False]


def test_what_was_taken_back_is_put_back_where_it_was(run_js: RunJs) -> None:
    found = run_js(
        TREE,
        """
        tree.toStart(); tree.forward(); tree.forward();
        const f5 = tree.current.children[0];
        go("c6");
        tree.current = f5;
        tree.takeBack();
        const without = main();
        tree.putBack();
        return [without, main(), tree.current === f5, tree.putBack()];
        """,
    )
    assert found == ["7x7: d4 b3 c6", "7x7: d4 b3 f5 d2 g3", True, False]


def test_a_new_move_gives_up_what_was_taken_back(run_js: RunJs) -> None:
    assert run_js(TREE, 'tree.takeBack(); go("e7"); return tree.putBack();') is False


def test_the_ways_of_the_players(run_js: RunJs) -> None:
    found = run_js(TREE, "return trailsTo(tree.current).map((way) => way.map(({ ply }) => ply));")
    assert found == [[1, 3, 5], [2, 4]]


def test_a_position_that_was_given_begins_the_ways(run_js: RunJs) -> None:
    found = run_js(
        """
        import { GameTree, trailsTo } from "/pages/game/tree.js";
        import { parseGame } from "/pages/game/notation.js";
        """,
        """
        const { start, moves } = parseGame("7/7/2A4/3x3/4B2/7/7 b: d3");
        return trailsTo(new GameTree(start, moves).mainLine().at(-1)).map((way) => way.map(({ ply }) => ply));
        """,
    )
    assert found == [[0], [0, 1]]


SESSION = """
    import { PERSON } from "/pages/shared/address.js";
    import { Session, randomOpening } from "/pages/play/session.js";
    import { parsePosition, parseSquare } from "/pages/game/notation.js";
    import { Position } from "/pages/game/rules.js";
    const open = (query) => Session.fromAddress(query, "random");
"""


@pytest.mark.parametrize(
    "query",
    [
        "?game=7x7:+d4+b3&first=person&second=random&seed=1",
        "?game=7/7/2A4/3x3/4B2/7/7+b:&first=random&second=person&seed=7&flip=1",
        "?game=9x11:+a1&first=person&second=alphabeta:distance(z=0)@nodes=100,ms=5&seed=3&resigned=first",
    ],
)
def test_an_address_holds_the_game(run_js: RunJs, query: str) -> None:
    written = run_js(SESSION, "return open(argument).toAddress(argument.includes('flip'));", query)
    assert written == query


def test_nothing_in_the_address_is_a_new_game(run_js: RunJs) -> None:
    found = run_js(SESSION, "const session = open(''); return [session.text, session.seats, session.personToMove];")
    assert found == ["7x7:", ["random", "person"], False]


@pytest.mark.parametrize(
    ("query", "seats"),
    [
        ("?first=person", ["person", "random"]),
        ("?second=greedy:open", ["person", "greedy:open"]),
        ("?second=person", ["random", "person"]),
        ("?game=7x7:+d4+b3", ["person", "random"]),
    ],
)
def test_a_side_that_is_not_named_goes_to_the_other_kind_of_player(run_js: RunJs, query: str, seats: list[str]) -> None:
    assert run_js(SESSION, "return open(argument).seats;", query) == seats


def test_a_seed_is_drawn_where_none_is_given(run_js: RunJs) -> None:
    found: list[int] = run_js(
        SESSION, "return ['', '', '?seed=0', '?seed=x', '?seed=7'].map((query) => open(query).seed);"
    )
    assert found[-1] == 7
    assert len(set(found)) == len(found)
    assert all(1 <= seed < 10**6 for seed in found)


@pytest.mark.parametrize(
    ("seats", "left", "paused"),
    [
        (["person", "random"], "7x7: d4 b3", False),  # the agent's answer and the person's move
        (["random", "person"], "7x7: d4 b3 f5", False),  # the person's move
        (["person", "person"], "7x7: d4 b3 f5", False),
        (["random", "random"], "7x7: d4 b3 f5", True),
    ],
)
def test_taking_back(run_js: RunJs, seats: list[str], left: str, paused: bool) -> None:
    found = run_js(
        SESSION,
        """
        const session = open(`?game=7x7:+d4+b3+f5+d2&first=${argument[0]}&second=${argument[1]}`);
        session.takeBack();
        return [session.text, session.paused];
        """,
        seats,
    )
    assert found == [left, paused]


def test_whoever_resigns_has_lost_until_it_is_taken_back(run_js: RunJs) -> None:
    found = run_js(
        SESSION,
        """
        const session = open("?game=7x7:+d4+b3");
        session.resign();
        const after = [session.outcome, session.agentToMove, session.play(parseSquare("f5", 7, 7))];
        session.takeBack();
        return [...after, session.outcome, session.text];
        """,
    )
    assert found == [{"winner": 1, "reason": "resignation"}, None, False, None, "7x7: d4 b3"]


def test_the_end_of_a_game(run_js: RunJs) -> None:
    found = run_js(SESSION, 'return open("?game=3x3:+b2+a1").outcome;')
    assert found == {"winner": 1, "reason": "no moves"}


def test_random_openings_leave_both_a_move(run_js: RunJs) -> None:
    found = run_js(
        SESSION,
        """
        const empty = Position.empty(3, 3);
        const bad = [];
        for (let at = 0; at < 200; at++) {
          const [first, second] = randomOpening(empty);
          const after = empty.play(first).play(second);
          if (!after.movesOf(0).length || !after.movesOf(1).length) bad.push([first, second]);
        }
        return bad;
        """,
    )
    assert found == []


@pytest.mark.parametrize(
    ("keys", "answers"),
    [
        ("d4", [{"pending": "d"}, {"square": 24}]),
        ("u", [{"key": "u"}]),
        ("dd4", [{"pending": "d"}, {"pending": "d"}, {"square": 24}]),
        ("d9", [{"pending": "d"}, {"missing": "d9"}]),
        ("z9", [{"key": "z"}, {"missing": "z9"}]),
        ("zd4", [{"key": "z"}, {"pending": "d"}, {"square": 24}]),
        ("4", [{"key": "4"}]),
        ("h", [{"key": "h"}]),  # no column of 7x7
    ],
)
def test_squares_are_typed(run_js: RunJs, keys: str, answers: list[Any]) -> None:
    found = run_js(
        'import { TypedSquare } from "/pages/shared/keys.js";',
        "const typed = new TypedSquare(7, 7); return [...argument].map((key) => typed.press(key));",
        keys,
    )
    assert found == answers


def test_a_letter_alone_is_a_key_and_a_row_may_have_two_digits(run_js: RunJs) -> None:
    found = run_js(
        'import { TypedSquare } from "/pages/shared/keys.js";',
        """
        const typed = new TypedSquare(13, 13);
        const press = (keys) => [...keys].map((key) => typed.press(key)).at(-1);
        return [press("f") && typed.settle(), press("a1"), typed.settle(), press("a12"), press("a5")];
        """,
    )
    assert found == [{"key": "f"}, {"pending": "a1"}, {"square": 0}, {"square": 143}, {"square": 52}]


@pytest.mark.parametrize(
    ("score", "words"),
    [
        (2, "+2"),
        (-0.25, "−0.25"),
        (0, "0"),
        ("inf", "+∞"),
        ("-inf", "−∞"),
        ("win 5", "wins in 5"),
        ("loss", "loses"),
        (None, "–"),
    ],
)
def test_scores_in_words(run_js: RunJs, score: object, words: str) -> None:
    imports = 'import { formatScore } from "/pages/game/values.js";'
    assert run_js(imports, "return formatScore(argument);", score) == words


def test_scores_in_order(run_js: RunJs) -> None:
    scores = ["loss 2", "loss 8", "loss", "-inf", -3, 0, 0.5, "inf", "win", "win 9", "win 3"]
    imports = 'import { rank } from "/pages/game/values.js";'
    ordered = run_js(imports, "return [...argument].sort((a, b) => rank(a) - rank(b));", scores[::-1])
    assert ordered == scores


def test_a_streak_counts_each_puzzle_once_and_ends_with_an_error(run_js: RunJs) -> None:
    found = run_js(
        'import { NO_STREAK, afterAnswer, formatStreak, parseStreak } from "/pages/learn/puzzle_progress.js";',
        """
        const seen = [];
        let streak = NO_STREAK;
        for (const [number, right] of [[1, true], [1, true], [2, true], [3, false], [3, true], [1, true]]) {
          streak = parseStreak(formatStreak(afterAnswer(streak, number, right)));
          seen.push([streak.now, streak.best]);
        }
        return [seen, parseStreak("{nonsense"), parseStreak('{"now": 9, "best": 2, "counted": []}')];
        """,
    )
    nothing = {"now": 0, "best": 0, "counted": [], "shown": []}
    assert found == [[[1, 1], [1, 1], [2, 2], [0, 2], [0, 2], [1, 2]], nothing, nothing]


def test_moves_are_coloured_by_who_is_better_off(run_js: RunJs) -> None:
    moves = [
        {"move": "f5", "value": "wins", "plies": 9, "heuristics": [1.0], "searches": []},
        {"move": "c6", "value": "loses", "plies": None, "heuristics": [2.0], "searches": []},
        {"move": "e6", "value": "unknown", "plies": None, "heuristics": [-3.0], "searches": []},
    ]
    found = run_js(
        """
        import { bestMoves, marksOf } from "/pages/analyse/move_colours.js";
        import { formatSquare, parseGame } from "/pages/game/notation.js";
        import { GameTree } from "/pages/game/tree.js";
        """,
        """
        const { start, moves } = parseGame("7x7: d4 b3");
        const { position } = new GameTree(start, moves);
        const marks = [...marksOf(position, argument, "exact")];
        const best = (by) => bestMoves(position, argument, by).map((square) => formatSquare(square, 7));
        const shown = marks.map(([square, { tone, text, words, estimate = false }]) =>
          [formatSquare(square, 7), tone, text, words, estimate]);
        return [shown, best("exact"), best("heuristic")];
        """,
        {"moves": moves},
    )
    marks = [
        ["f5", "first", "+", "wins in 9", False],
        ["c6", "second", "−", "loses", False],
        ["e6", "second", "−3", "estimate −3", True],
    ]
    assert found == [marks, ["f5"], ["c6"]]


@pytest.mark.parametrize(
    "texts",
    [
        {"game": "7x7: d4 b3 f5", "at": "2", "line": None},
        {"game": "7x7: d4 b3 f5", "at": None, "line": "7x7: d4 b3 c6 d2"},
        {"game": "7/7/2A4/3x3/4B2/7/7 b:", "at": "0", "line": None},
    ],
)
def test_an_address_holds_a_game_and_the_place_in_it(run_js: RunJs, texts: dict[str, str | None]) -> None:
    given = {name: text for name, text in texts.items() if text is not None}
    imports = 'import { readTree, treeTexts } from "/pages/analyse/game_text.js";'
    assert run_js(imports, "return treeTexts(readTree(argument));", given) == texts


def test_exceptions_are_counted_in_words(run_js: RunJs) -> None:
    found = run_js(
        'import { exceptionsInWords } from "/pages/learn/start_map.js";',
        "return argument.map(([exceptions, mirrors]) => exceptionsInWords({ exceptions, mirrors }));",
        [[0, 0], [1, 1], [1, 0], [3, 1], [3, 2]],
    )
    assert found == [
        "0 break the law.",
        "1 breaks the law; a mirror explains it.",
        "1 breaks the law; no mirror explains it.",
        "3 break the law; a mirror explains 1.",
        "3 break the law; mirrors explain 2.",
    ]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("7x7: d4 b3", "7x7: d4 b3"),
        ("d4 b3 c6", "7x7: d4 b3 c6"),
        ("D4,B3 ,c6", "7x7: d4 b3 c6"),
        ("1. d4 b3 2. c6", "7x7: d4 b3 c6"),
        ("9x9: 1. E5, j10", "9x9: e5 j10"),
        ("7/7/2A4/3x3/4B2/7/7 a: D3", "7/7/2A4/3x3/4B2/7/7 a: d3"),
        ("[(3, 3), (2, 1)]", "[[3, 3], [2, 1]]"),
        ("(3, 3), (2, 1)", "[[3, 3], [2, 1]]"),
        ("(3,3) (2,1)", "[[3,3], [2,1]]"),
        ("[[3, 3], [2, 1]]", "[[3, 3], [2, 1]]"),
        ('{"board": "7x7", "moves": ["d4"]}', '{"board": "7x7", "moves": ["d4"]}'),
        ("http://127.0.0.1:8000/play?game=7x7:+d4+b3&first=person", "7x7: d4 b3"),
        ("/analyse?game=7x7:+d4+b3&line=7x7:+d4+c6", "7x7: d4 c6"),
        ("7/7/2A4/3x3/4B2/7/7 a", "7/7/2A4/3x3/4B2/7/7 a"),
        ("1. d4 b3 2. e6 zz", "7x7: d4 b3 e6 zz"),
        ("9x11", "9x11"),
    ],
)
def test_games_are_read_as_people_paste_them(run_js: RunJs, text: str, read: str) -> None:
    found = run_js('import { readPasted } from "/pages/analyse/game_text.js";', "return readPasted(argument);", text)
    assert found == read


@pytest.mark.parametrize("text", ["1. Nf3 Nc6", "hello", ""])
def test_the_error_about_a_pasted_text_shows_the_text(run_js: RunJs, text: str) -> None:
    said = run_js(
        'import { readPasted } from "/pages/analyse/game_text.js";',
        "try { return readPasted(argument); } catch (error) { return error.message; }",
        text,
    )
    what = f"Cannot read '{text}'." if text else "Paste a game first."
    assert said == f"{what} Write each move as its destination square, such as d4 b3, without a piece."


@pytest.mark.parametrize("text", ["[[3, 3], [2", "{moves}"])
def test_the_error_about_damaged_json_names_the_forms(run_js: RunJs, text: str) -> None:
    said = run_js(
        'import { readRecord } from "/pages/analyse/game_text.js";',
        "try { return readRecord(argument); } catch (error) { return error.message; }",
        text,
    )
    assert said.startswith(f"Cannot read '{text}'. Write moves such as d4 b3, the course's list such as [[3, 3], ")


def test_what_play_cannot_use_of_an_address_is_reported(run_js: RunJs) -> None:
    def unused(address: str) -> Any:
        return run_js(SESSION, "return Session.unusedIn(argument);", address)

    assert unused("?board=99x99&seed=abc&opponent=x") == ["board=99x99", "seed=abc", "opponent=x"]
    assert unused("?game=7x7:&first=person&seed=7&flip=1&from=/learn&seed=") == []


@pytest.mark.parametrize(
    ("address", "can"),
    [
        ("?game=7x7:", False),
        ("?game=7x7:+d4&first=random", False),  # the agent's own placement
        ("?game=7x7:+d4&first=person", True),
        ("?game=7x7:+d4+b3&first=random", True),
        ("?game=7x7:+d4&first=random&second=random", True),
    ],
)
def test_moves_can_be_taken_back_if_a_person_made_one(run_js: RunJs, address: str, can: bool) -> None:
    assert run_js(SESSION, "return Session.fromAddress(argument, 'x').canTakeBack;", address) == can


def test_a_module_that_is_loaded_late_shares_what_came_before(blank_page: Watched) -> None:
    files = {
        "index.html": "",
        "main.js": 'import { add } from "./count.js";\nadd();\nconst page = await import("./here/page.js");\n'
        "globalThis.output = await page.open();",
        "count.js": "// kept by all\nlet sum = 0;\nexport function add() {\n  return ++sum;\n}",
        "here/page.js": 'import * as count from "../count.js";\n/** Later. */\n'
        'export async function open() {\n  count.add();\n  return (await import("./late.js")).late;\n}',
        "here/late.js": 'import { add as more } from "../count.js";\n'
        "const kept = `\n// no comment\n`;\nconst late = `${more()}${kept}`;\nexport { late };",
    }
    edition = PageBundle({name: text.encode() for name, text in files.items()})

    def answer(route: Route) -> None:
        pack = edition.file(route.request.url.split("/packs/")[1].split("/", 1)[1])
        assert pack is not None
        route.fulfill(body=pack.content, content_type=pack.kind)

    page = blank_page.page
    page.route("**/packs/**", answer)
    address = f"/packs/{edition.version}/-/here.js"
    output = page.evaluate("async (address) => (await import(address), globalThis.output)", address)
    page.unroute("**/packs/**")
    assert output == "3\n// no comment\n"
