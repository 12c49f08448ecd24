"""Knight Isolation with the interface of the course's first projects.

This is Isolarium's own implementation of that interface, for agents written for it; it needs only
Python 3.8.
"""

from .isolation import TIME_LIMIT_MILLIS, Board

__all__ = ["TIME_LIMIT_MILLIS", "Board"]
