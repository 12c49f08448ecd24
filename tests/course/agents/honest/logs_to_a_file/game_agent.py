import logging
import logging.handlers
import time

logging.basicConfig(
    filename="agent.log",
    filemode="w",
    level=logging.DEBUG,
    format="%(asctime)s %(process)d %(threadName)s %(levelname)s %(message)s",
)
logger = logging.getLogger(__name__)
console = logging.StreamHandler()
console.setLevel(logging.WARNING)
logger.addHandler(console)
rotating = logging.handlers.RotatingFileHandler("search.log", maxBytes=4096, backupCount=2)
logger.addHandler(rotating)


class Timeout(Exception):
    pass


class AlphaBetaPlayer:
    def __init__(self, timeout=10.0):
        self.TIMER_THRESHOLD = timeout
        self.nodes = 0

    def get_move(self, game, time_left):
        started = time.time()
        self.time_left, self.nodes = time_left, 0
        moves = sorted(game.get_legal_moves())
        if not moves:
            logger.warning("I have lost, sorry")
            return (-1, -1)
        best = moves[len(moves) // 2]
        try:
            for depth in range(1, 30):
                best = self.negamax(game, depth, -1e9, 1e9)[1]
                logger.debug("depth %d: %s after %d nodes", depth, best, self.nodes)
        except Timeout:
            logger.info("timeout with %.1f ms left, %d nodes", time_left(), self.nodes)
        except Exception:
            logger.exception("this should not happen")
        logger.info("move %r took %.4f s", best, time.time() - started)
        return best

    def negamax(self, game, depth, alpha, beta):
        self.nodes += 1
        if self.time_left() < self.TIMER_THRESHOLD:
            raise Timeout("out of time at depth %d" % depth)
        moves = sorted(game.get_legal_moves())
        if not moves:
            return -1e6 + game.move_count, None
        if depth == 0:
            other = len(game.get_legal_moves(game.inactive_player))
            return len(moves) - 2 * other, None
        best = moves[0]
        for move in moves:
            value = -self.negamax(game.forecast_move(move), depth - 1, -beta, -alpha)[0]
            if value > alpha:
                alpha, best = value, move
                if alpha >= beta:
                    break
        return alpha, best
