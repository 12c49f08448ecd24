"""I left the profiler in."""

import contextlib
import cProfile
import faulthandler
import io
import pstats
import traceback
import unittest
from unittest import mock

faulthandler.enable()


class CustomPlayer:
    def __init__(self):
        self.profile = cProfile.Profile()

    def get_move(self, game, time_left):
        self.profile.enable()
        try:
            move = self.choose(game, time_left)
        finally:
            self.profile.disable()
        if game.move_count % 6 == 0:
            text = io.StringIO()
            pstats.Stats(self.profile, stream=text).sort_stats("cumulative").print_stats(5)
            print(text.getvalue())
        return move

    def choose(self, game, time_left):
        best, chosen = -99, (-1, -1)
        for m in sorted(game.get_legal_moves()):
            with contextlib.redirect_stdout(io.StringIO()) as out:
                print(m)
                child = game.forecast_move(m)
                two = [child.forecast_move(r) for r in child.get_legal_moves()[:8] if time_left() > 40]
            assert str(m) in out.getvalue()
            value = min((len(b.get_legal_moves(self)) for b in two), default=9)
            if value > best:
                best, chosen = value, m
        if best < 0:
            traceback.print_stack()
        return chosen


class TestPlayer(unittest.TestCase):
    def test_it_chooses(self):
        game = mock.Mock()
        game.get_legal_moves.return_value = []
        self.assertEqual(CustomPlayer().choose(game, lambda: 150), (-1, -1))


assert (
    unittest.TextTestRunner(verbosity=2)
    .run(unittest.defaultTestLoader.loadTestsFromTestCase(TestPlayer))
    .wasSuccessful()
)
