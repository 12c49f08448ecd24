import copy
import pickle


class MinimaxPlayer:
    """Never uses forecast_move: I did not trust it, so every node is a deep copy."""

    def get_move(self, game, time_left):
        moves = sorted(game.get_legal_moves())
        if not moves:
            return (-1, -1)
        scores = []
        for move in moves:
            if time_left() < 10:
                break
            scores.append((self.after(game, move, 1 if len(moves) <= 8 else 0), move))
        return max(scores)[1]

    def duplicate(self, game):
        # the players must stay the same objects, or get_legal_moves(self) fails
        me, you = game.active_player, game.inactive_player
        return copy.deepcopy(game, {id(me): me, id(you): you})

    def after(self, game, move, depth):
        board = self.duplicate(game)
        board.apply_move(move)
        replies = sorted(board.get_legal_moves())
        if not replies:
            return 100.0
        if depth == 0 or len(replies) > 8:
            own = board.get_legal_moves(self)
            return float(len(own) - len(replies))
        return -max(self.reply(board, reply) for reply in replies)

    def reply(self, board, move):
        shallow = copy.copy(board)
        shallow._board_state = copy.copy(board._board_state)
        shallow.apply_move(move)
        remembered = pickle.loads(pickle.dumps(shallow._board_state))
        assert remembered == shallow._board_state
        mine = shallow.get_legal_moves(self)
        return 100.0 if not mine else float(len(shallow.get_legal_moves(shallow.inactive_player)) - len(mine))
