"""Knight Isolation as the course's first projects know it: `from isolation import Board`.

Isolarium's own writing of that interface, for agents written against it. It needs Python 3.8 and nothing else.
"""

from . import counting
from .isolation import TIME_LIMIT_MILLIS, Board

__all__ = ["TIME_LIMIT_MILLIS", "Board", "counting"]
