"""A UGI session inside the test."""

from collections import deque
from collections.abc import Iterable

from isolarium.agents import parse_spec
from isolarium.agents.ugi_session import Session
from isolarium.game.board import parse_board


class Talk:
    """Sends commands to a session and collects the answers.

    Args:
        agent: the agent.
        board: the board.
        meanwhile: lines read during a search, one after each slice; None for no line.
    """

    def __init__(
        self, agent: str = "alphabeta:improved@nodes=200", board: str = "5x5", meanwhile: Iterable[str | None] = ()
    ) -> None:
        self.said = list[str]()
        self._lines = deque[str]()
        self._meanwhile = deque(meanwhile)
        self.session = Session(parse_spec(agent), parse_board(board), self._read, self.said.append)

    def say(self, *lines: str) -> list[str]:
        """Send commands and return the answers; `quit` ends the session."""
        before = len(self.said)
        self._lines.extend(lines)
        self.session.run()
        return self.said[before:]

    def _read(self, seconds: float | None) -> str | None:
        if seconds is None:
            if not self._lines:
                raise EOFError
            return self._lines.popleft()
        return self._meanwhile.popleft() if self._meanwhile else None
