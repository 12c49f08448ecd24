"""Strengths of play, from first steps to perfect."""

from typing import Final

from isolab.web.schemas import Level

LEVELS: Final = tuple(
    Level(level=number, name=name, agent=agent, about=about)
    for number, (name, agent, about) in enumerate(
        (
            ("first steps", "random", "any legal move"),
            ("beginner", "greedy:open", "looks one move ahead"),
            ("casual", "alphabeta:improved@nodes=100", "a few moves ahead"),
            ("steady", "alphabeta:improved@nodes=1000", "several moves ahead"),
            ("course", "alphabeta:improved@nodes=8000", "what the course's programs do"),
            ("strong", "strong:distance@nodes=30000", "orders its moves and remembers them"),
            ("expert", "strong:distance@nodes=400000", "sees most endings coming"),
            ("perfect", "oracle@nodes=2000000", "never errs where the solver finishes"),
        ),
        start=1,
    )
)
