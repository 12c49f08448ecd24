"""Certificates, written: the solver's reply in every position that its strategy leads to."""

from isolarium.errors import InputError
from isolarium.game.board import Square
from isolarium.game.position import Position
from isolarium.solver.proof.checker import Notice, Strategy, follow, packed
from isolarium.solver.solution import Solution
from isolarium.solver.solver import Solver


def certify(
    solution: Solution, solver: Solver, notice: Notice | None = None
) -> tuple[bytes, Strategy]:
    """The certificate of a solved position, which the checker accepts, and what is in it.

    Raises:
        InputError: nobody knows who wins.
    """
    position = solution.position
    if solution.wins is None:
        raise InputError(
            f"{position}: unknown within the limit; expected a position that is solved"
        )
    winner = position.to_move if solution.wins else position.to_move.other
    replies = bytearray()

    def reply_of(here: Position, number: int) -> Square:
        move = solver.solve(here).move
        assert move is not None  # the winner is to move
        replies.append(here.legal_moves().index(move))
        return move

    strategy = follow(position, winner, reply_of, notice)
    return packed(position, winner, bytes(replies)), strategy
