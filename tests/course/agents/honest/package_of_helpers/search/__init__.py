from .alphabeta import Searcher
from .timer import Timer

__all__ = ["Searcher", "Timer"]
