"""Boards, positions and games from Python: notation, rules, pictures."""

import isolarium
from isolarium import Board, GameRecord, Outcome, Player, Position, Reason, Square

position = isolarium.parse_position("7/7/2A4/3x3/4B2/7/7 a")
print(position, repr(position))
print(isolarium.format_position(position), position.board, repr(position.board))
print(*position.legal_moves())
print(position.to_move, repr(position.to_move), position.first, repr(position.second))
print(position.blank_count, position.outcome(), position.placing)
after = position.play(Square(4, 1))
print(after, after == position.play(Square(4, 1)), hash(after) == hash(position))
for square in (Square(0, 0), Square(3, 3), Square(4, 1), Square(9, 9)):
    print(square, position.is_legal(square), position.why_illegal(square))
print(position._repr_svg_())

start = isolarium.parse_start("5x5")
print(start, start == Position.empty(Board(5, 5)), len(start.legal_moves()))
game = isolarium.read_game("7x7: d4 b3 e6")
print(game, repr(game))
print(isolarium.format_game(game), game.position, game.outcome(), len(game.positions()))
print(game._repr_svg_())
for text in (
    '{"board": "7x7", "moves": ["d4", "b3", "e6"]}',
    "[[3, 3], [2, 1], [5, 4]]",
    " 7x7:  d4 b3\ne6 ",
    "7/7/2A4/3x3/4B2/7/7 a: b5",
    '{"board": "5x5", "moves": ["c3"], "outcome": {"winner": "first", "reason": "crash"}}',
):
    read = isolarium.read_game(text)
    print(read, read.outcome(), read.position)
over = isolarium.read_game("3x3: b2 a1")
print(over.outcome(), repr(over.outcome()))
lost = GameRecord(start, (Square(2, 2),), Outcome(Player.FIRST, Reason.TIME))
print(lost, lost.outcome(), isolarium.format_game(lost))
print([str(player) for player in Player], [str(reason) for reason in Reason])
print(Player.FIRST.other, Outcome(Player.SECOND, Reason.NO_MOVES).loser)
print(Board(3, 4).squares, Board(3, 4).size, Square(1, 2) in Board(3, 4), str(Board(9, 11)))
