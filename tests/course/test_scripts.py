"""Scripts and unit tests as the course has them run on the modules, with students' agents, in a plain Python."""

import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from isolarium.course.loader import ModuleSet, write_modules
from tests.command import PATIENCE_S
from tests.course.student_files import AGENTS

pytestmark = pytest.mark.slow


def project(folder: Path, agent: str, modules: ModuleSet) -> Path:
    """A student's project: the agent's files, and the modules beside them."""
    for path in sorted((AGENTS / agent).glob("*.py")):
        shutil.copy(path, folder)
    write_modules(modules, folder)
    return folder


def run(folder: Path, name: str, script: str) -> "subprocess.CompletedProcess[str]":
    (folder / name).write_text(dedent(script))
    return subprocess.run(
        [sys.executable, "-S", name], cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


TOURNAMENT = """
    import random
    from collections import namedtuple

    from isolation import Board
    from sample_players import (GreedyPlayer, RandomPlayer, center_score, improved_score,
                                open_move_score)
    from game_agent import AlphaBetaPlayer, MinimaxPlayer, custom_score, custom_score_2

    Agent = namedtuple("Agent", ["player", "name"])
    TIME_LIMIT = 100000

    def play_round(cpu, test, wins, reasons):
        for swapped in (False, True):
            players = (test, cpu) if swapped else (cpu, test)
            game = Board(players[0].player, players[1].player)
            for _ in range(2):
                game.apply_move(random.choice(game.get_legal_moves()))
            winner, _, reason = game.play(time_limit=TIME_LIMIT)
            wins[winner] = wins.get(winner, 0) + 1
            reasons.append(reason)

    random.seed(5)
    cpus = [Agent(RandomPlayer(), "Random"), Agent(GreedyPlayer(), "Greedy"),
            Agent(MinimaxPlayer(search_depth=1, score_fn=open_move_score), "MM_Open"),
            Agent(MinimaxPlayer(search_depth=1, score_fn=center_score), "MM_Center"),
            Agent(MinimaxPlayer(search_depth=1, score_fn=improved_score), "MM_Improved")]
    test = Agent(MinimaxPlayer(search_depth=2, score_fn=custom_score), "Student")
    wins, reasons = {}, []
    for cpu in cpus:
        play_round(cpu, test, wins, reasons)
    print(sum(wins.values()), sorted(set(reasons)))
"""

UNIT_TESTS = """
    import unittest
    from importlib import reload

    import game_agent
    import isolation


    class IsolationTest(unittest.TestCase):
        def setUp(self):
            reload(game_agent)
            self.player1 = "Player1"
            self.player2 = "Player2"
            self.game = isolation.Board(self.player1, self.player2)

        def test_opening(self):
            self.game.apply_move((2, 3))
            self.game.apply_move((0, 5))
            self.assertEqual(self.player1, self.game.active_player)
            self.assertIn((1, 1), self.game.get_legal_moves())
            new_game = self.game.forecast_move((1, 1))
            self.assertNotEqual(new_game.to_string(), self.game.to_string())

        def test_minimax_chooses_the_best_of_a_state(self):
            player = game_agent.MinimaxPlayer(search_depth=1, score_fn=lambda g, p: g._board_state[-1])
            game = isolation.Board(player, self.player2)
            game._board_state = [0] * 49 + [0, 48, 0]
            player.time_left = lambda: 1000
            self.assertEqual(player.minimax(game, 1), (1, 2))

        def test_timeout(self):
            player = game_agent.AlphaBetaPlayer()
            player.time_left = lambda: 0
            with self.assertRaises(game_agent.SearchTimeout):
                player.alphabeta(isolation.Board(player, self.player2), 2)


    if __name__ == "__main__":
        unittest.main()
"""

GENERATION_1 = """
    import random

    import isolation
    import sample_players
    from game_agent import CustomPlayer

    random.seed(6)
    mine = CustomPlayer(search_depth=2, iterative=False, method="alphabeta")
    for other in (sample_players.RandomPlayer(), CustomPlayer(search_depth=1, iterative=False)):
        winner, history, reason = isolation.Board(mine, other).play(time_limit=100000)
        print(reason, history[0])
"""

LATER_TESTS = """
    import unittest
    from random import choice

    from isolation import Agent, Isolation, fork_get_action, play
    from my_custom_player import CustomPlayer
    from sample_players import GreedyPlayer, RandomPlayer


    class CustomPlayerTest(unittest.TestCase):
        def test_an_action_is_put_on_the_queue(self):
            state = Isolation()
            for _ in range(3):
                agent = CustomPlayer(state.ply_count % 2)
                action = fork_get_action(state, agent, 100000)
                self.assertIn(action, state.actions())
                state = state.result(action)
            self.assertEqual(agent.context, 4)

        def test_the_same_without_a_process(self):
            state = Isolation().result(57).result(0)
            agent = CustomPlayer(0)
            self.assertIn(fork_get_action(state, agent, 100000, debug=True), state.actions())
            self.assertEqual((agent.context, agent.queue), (4, None))

        def test_a_game_ends(self):
            agents = (Agent(RandomPlayer, "Random"), Agent(GreedyPlayer, "Greedy"))
            winner, history, match_id = play((agents, Isolation(), 100000, 7))
            state = Isolation()
            for action in history:
                state = state.result(action)
            self.assertTrue(state.terminal_test())
            self.assertEqual(winner, agents[0 if state.utility(0) > 0 else 1])
            self.assertEqual(match_id, 7)

        def test_whoever_chooses_nothing_or_nonsense_loses(self):
            for kind in (Silent, Raising, Nonsense):
                agents = (Agent(kind, "Bad"), Agent(RandomPlayer, "Random"))
                self.assertEqual(play((agents, Isolation(), 100000, 0)), (agents[1], [], 0))

        def test_the_last_choice_in_time_counts(self):
            self.assertEqual(fork_get_action(Isolation(), Late(0), 100000), 1)

        def test_a_choice_counts_if_its_agent_fails_afterwards(self):
            self.assertEqual(fork_get_action(Isolation(), Failing(0), 100000), 5)


    class Silent(RandomPlayer):
        def get_action(self, state):
            pass


    class Raising(RandomPlayer):
        def get_action(self, state):
            raise SystemExit


    class Nonsense(RandomPlayer):
        def get_action(self, state):
            self.queue.put(11)


    class Failing(RandomPlayer):
        def get_action(self, state):
            self.queue.put(5)
            raise KeyError("data")


    class Late(RandomPlayer):
        def get_action(self, state):
            self.queue.put(0)
            self.queue.put_nowait(1)
            self.queue._ends = 0
            self.queue.put(2)


    if __name__ == "__main__":
        unittest.main()
"""


def test_a_tournament_runs(tmp_path: Path) -> None:
    done = run(project(tmp_path, "generation_2", ModuleSet.FIRST), "tournament.py", TOURNAMENT)
    assert (done.stdout, done.stderr) == ("10 ['illegal move']\n", "")


def test_unit_tests_run(tmp_path: Path) -> None:
    done = run(project(tmp_path, "generation_2", ModuleSet.FIRST), "agent_test.py", UNIT_TESTS)
    assert "Ran 3 tests" in done.stderr
    assert done.stderr.endswith("OK\n")


def test_generation_1_runs(tmp_path: Path) -> None:
    done = run(project(tmp_path, "generation_1", ModuleSet.FIRST), "match.py", GENERATION_1)
    assert (done.stdout, done.stderr) == ("illegal move [3, 3]\nillegal move [3, 3]\n", "")


def test_the_later_project_runs(tmp_path: Path) -> None:
    done = run(project(tmp_path, "later", ModuleSet.LATER), "test_player.py", LATER_TESTS)
    assert "Ran 6 tests" in done.stderr
    assert done.stderr.endswith("OK\n")
