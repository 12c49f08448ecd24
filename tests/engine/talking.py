"""A conversation with `isolarium engine` inside the test."""

from collections import deque
from collections.abc import Iterable

from isolarium.agents import parse_spec
from isolarium.engine.ugi_session import Session
from isolarium.game.notation import parse_board


class Talk:
    """Says lines to a session and keeps what it answers.

    Args:
        agent: who thinks there.
        board: its board.
        meanwhile: what is said while the agent thinks, a line each time that it listens; None is silence.
    """

    def __init__(
        self,
        agent: str = "alphabeta:improved@nodes=200",
        board: str = "5x5",
        meanwhile: Iterable[str | None] = (),
    ) -> None:
        self.said = list[str]()
        self._lines = deque[str]()
        self._meanwhile = deque(meanwhile)
        self.session = Session(parse_spec(agent), parse_board(board), self._hear, self.said.append)

    def say(self, *lines: str) -> list[str]:
        """Have the session obey lines, to its end if one of them is `quit`; what it answers."""
        before = len(self.said)
        self._lines.extend(lines)
        self.session.run()
        return self.said[before:]

    def _hear(self, seconds: float | None) -> str | None:
        if seconds is None:
            if not self._lines:
                raise EOFError
            return self._lines.popleft()
        return self._meanwhile.popleft() if self._meanwhile else None
