"""Environments for learning: one game in PettingZoo's interface, thousands at once, and a game of OpenSpiel.

from isolab.env import BatchEnv             # NumPy arrays, compiled
from isolab.env import isolab_v0            # PettingZoo: pip install pettingzoo
from isolab.env import openspiel            # OpenSpiel: pip install open_spiel
"""

from isolab.env.batch import Batch, BatchEnv
from isolab.env.regret import MoveValues, move_values

__all__ = ["Batch", "BatchEnv", "MoveValues", "move_values"]
