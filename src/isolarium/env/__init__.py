"""Reinforcement learning environments: PettingZoo, OpenSpiel and NumPy batches.

from isolarium.env import BatchEnv             # NumPy arrays, compiled
from isolarium.env import isolarium_v0         # PettingZoo: the extra rl
from isolarium.env import openspiel            # OpenSpiel: the extra openspiel
"""

from isolarium.env.batch import Batch, BatchEnv
from isolarium.env.observation import MoveValues, move_values

__all__ = ["Batch", "BatchEnv", "MoveValues", "move_values"]
