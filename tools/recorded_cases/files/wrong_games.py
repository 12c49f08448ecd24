"""What is said of texts that are no position, no start and no game."""

import isolarium

POSITIONS = [
    *("", " ", "7x7", "7/7/2A4/3x3/4B2/7/7", "7/7/2A4/3x3/4B2/7/7 c", "7/7/2A4/3x3/4B2/7/7  a"),
    *("7/7 a", "3/" * 14 + "3 a", "7/7/8/7/7/7/7 a", "7/7/6/7/7/7/7 a", "2/2/2 a", "14/14/14 a"),
    *("7/7//7/7/7/7 a", "07/7/7 a", "99/7/7 a", "7/7/2Q4/7/7/7/7 a", "7/7/2 4/7/7/7/7 a"),
    *("A2/A2/3 b", "AB1/B2/3 a", "3/1B1/3 a", "3/1A1/3 a", "3/3/3 b", "7/7/2\u0664A/7/7/7/7 a"),
]
STARTS = ["", "7", "7x", "x7", "2x2", "14x14", "7X7", "7x7x7", "\uff17x\uff17", "board", "7/7/7"]
GAMES = [
    *("", "7x7", "d4 b3", "7x7: d4 d4", "7x7: d4 h8", "7x7: d4 b3 e5", "7x7: d4 b3 d5", "2x2: a1"),
    *("3x3: b2 a1 c3", "7/7/2A4/3x3/4B2/7/7 a: d4", "{", "{}", "[", "[1]", "[[3, 3], [9, 9]]"),
    *("[[3, 3], [3, 3]]", "[[3.5, 3]]", "[[true, 3]]", '["d4"]', '{"board": "7x7"}', '{"moves": []}'),
    *('{"board": 7, "moves": []}', '{"board": "7x7", "moves": [3]}', '{"board": "7x7", "moves": {}}'),
    '{"board": "7x7", "position": "7/7/2A4/3x3/4B2/7/7 a", "moves": []}',
    '{"position": 7, "moves": []}',
    '{"board": "7x7", "moves": ["d4"], "outcome": 3}',
    '{"board": "7x7", "moves": ["d4"], "outcome": {"winner": "nobody", "reason": "time"}}',
    '{"board": "7x7", "moves": ["d4"], "outcome": {"winner": "first", "reason": "boredom"}}',
    '{"board": "7x7", "moves": ["d4"], "outcome": {"winner": "first"}}',
    '{"board": "7x7", "moves": ["d4"], "outcome": {"winner": "first", "reason": "no moves"}}',
    '{"board": "3x3", "moves": ["b2", "a1"], "outcome": {"winner": "first", "reason": "no moves"}}',
    *("[" * 5000, '{"board": "7x7", "moves": [' + "9" * 5000 + "]}", "7x7: " + "z" * 500),
]

for read, texts in (
    (isolarium.parse_position, POSITIONS),
    (isolarium.parse_start, STARTS),
    (isolarium.read_game, GAMES),
):
    for text in texts:
        try:
            print(ascii(text)[:90], "is", read(text))
        except isolarium.InputError as error:
            print(f"{ascii(text)[:90]}\n    {error}")
try:
    isolarium.read_game("5x5: a1", isolarium.Board(7, 7))
except isolarium.InputError as error:
    print(error)
for blank, second in ((0, isolarium.Square(0, 0)), (1, None), (1 << 9, None)):
    try:
        isolarium.Position(isolarium.Board(3, 3), blank, isolarium.Square(0, 0), second, isolarium.Player.SECOND)
    except isolarium.InputError as error:
        print(error)
try:
    isolarium.Position(isolarium.Board(3, 3), 0, isolarium.Square(0, 0), isolarium.Square(0, 0), isolarium.Player.FIRST)
except isolarium.InputError as error:
    print(error)
