"""Certificates prove what they claim, and nothing else is accepted."""

import random
import zlib
from pathlib import Path

import pytest

from isolarium.errors import InputError
from isolarium.game.notation import parse_position
from isolarium.limits import Limit
from isolarium.solver.certificate import Strategy, packed, verify
from isolarium.solver.solver import Solver, certify
from tests.samples import how_many
from tests.solver.brute_force import BruteForce
from tests.solver.positions import random_position

START = "5/1A3/5/3B1/5 a"


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


@pytest.fixture(scope="module")
def certificate(solver: Solver) -> bytes:
    return certify(solver.solve(parse_position(START)), solver)[0]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "proof"


def refused(file: Path, data: bytes) -> str:
    file.write_bytes(data)
    with pytest.raises(InputError) as caught:
        verify(file)
    message = str(caught.value)
    assert message.startswith(f"{file}: ")
    assert "\n" not in message
    return message.removeprefix(f"{file}: ")


def replies_of(certificate: bytes) -> bytes:
    return zlib.decompress(certificate.split(b"\n", 4)[4])


def with_replies(replies: bytes) -> bytes:
    position = parse_position(START)
    return packed(position, position.to_move, replies)


def test_a_certificate_is_accepted(solver: Solver, file: Path) -> None:
    rng = random.Random(60)
    for _ in range(150):
        position = random_position(rng, 18)
        solution = solver.solve(position)
        data, strategy = certify(solution, solver)
        file.write_bytes(data)
        proved = verify(file)
        assert proved == strategy
        assert proved.position == position
        assert (proved.winner == position.to_move) == BruteForce(position.board).wins(position)


@pytest.mark.parametrize("text", ["3/3/3 a", "4/4/4 a", "2A1/4/4 b"])
def test_placements_are_moves_too(text: str, solver: Solver, file: Path) -> None:
    solution = solver.solve(parse_position(text))
    file.write_bytes(certify(solution, solver)[0])
    assert (verify(file).winner == solution.position.to_move) == solution.wins


STARTS = [("6/6/6/2A3/6/4B1/6 a", 10_000), ("7/7/2A4/7/4B2/7/7 a", 100_000)]


@pytest.mark.slow
@pytest.mark.parametrize(("start", "least"), STARTS[: how_many(2, 1)])
def test_a_start_of_a_large_board_is_small(start: str, least: int, solver: Solver, file: Path) -> None:
    data, strategy = certify(solver.solve(parse_position(start)), solver)
    file.write_bytes(data)
    assert verify(file) == strategy
    assert least < strategy.replies < 10 * least
    assert len(data) < 3 * least


def test_a_mirror_position_needs_no_replies(solver: Solver, file: Path) -> None:
    solution = solver.solve(parse_position("A5/6/6/6/6/5B a"))
    data, strategy = certify(solution, solver)
    assert (solution.wins, strategy.replies, strategy.mirrors) == (False, 0, 1)
    file.write_bytes(data)
    assert verify(file) == strategy


def test_no_byte_can_be_changed_to_prove_something_false(certificate: bytes, file: Path) -> None:
    for place in range(len(certificate)):
        for flip in (1, 4, 128):
            changed = bytearray(certificate)
            changed[place] ^= flip
            file.write_bytes(changed)
            proved = judged(file)
            if isinstance(proved, Strategy):
                truth = BruteForce(proved.position.board)
                assert (proved.winner == proved.position.to_move) == truth.wins(proved.position)


def test_a_changed_reply_is_refused_and_named(certificate: bytes, file: Path) -> None:
    """Unless it wins as well, and so do those that follow it."""
    replies = replies_of(certificate)
    refusals = 0
    for place in range(0, len(replies), 11):
        for reply in set(range(9)) - {replies[place]}:
            file.write_bytes(with_replies(replies[:place] + bytes([reply]) + replies[place + 1 :]))
            verdict = judged(file)
            if isinstance(verdict, str):
                refusals += 1
                assert "reply" in verdict or "replies" in verdict
    assert refusals > 200


def judged(file: Path) -> Strategy | str:
    """What the checker says: what was proved, or why nothing was."""
    try:
        return verify(file)
    except InputError as error:
        return str(error)


def test_an_impossible_reply_is_named_with_its_position(certificate: bytes, file: Path) -> None:
    replies = replies_of(certificate)
    message = refused(file, with_replies(bytes([8]) + replies[1:]))
    assert message == f"reply 1: {START}: move 8; expected 0 to 3"


def test_a_reply_that_loses_is_refused_where_the_winner_is_stuck(file: Path) -> None:
    position = parse_position("Axx/xx1/B1x/1x1 a")
    assert BruteForce(position.board).wins(position) is False
    message = refused(file, packed(position, position.to_move, bytes([0])))
    assert message.startswith("after 1 replies: ")
    assert message.endswith("the winner has no legal move")


def test_the_other_side_as_winner_is_refused(certificate: bytes, file: Path) -> None:
    assert "repl" in refused(file, certificate.replace(b"a wins", b"b wins"))


def test_another_position_is_refused(certificate: bytes, file: Path) -> None:
    assert "repl" in refused(file, certificate.replace(b"5/1A3/5/3B1/5 a", b"5/1A3/5/2B2/5 a"))


def test_missing_and_additional_replies_are_refused(certificate: bytes, file: Path) -> None:
    replies = replies_of(certificate)
    assert "ends early" in refused(file, with_replies(replies[:-1]))
    assert "one too many" in refused(file, with_replies(replies + b"\0"))


@pytest.mark.parametrize("kept", [0, 5, 30, 60, -1, -5])
def test_a_truncated_file_is_refused(kept: int, certificate: bytes, file: Path) -> None:
    refused(file, certificate[:kept])


@pytest.mark.parametrize("more", [b"\0", b"x", b"\n" * 20_000])
def test_an_extended_file_is_refused(more: bytes, certificate: bytes, file: Path) -> None:
    assert "data after the end" in refused(file, certificate + more)


@pytest.mark.parametrize(
    ("was", "becomes", "named"),
    [
        (b"certificate 1", b"certificate 2", "line 1: version 2; expected 1"),
        (b"isolarium", b"otherlab", "line 1"),
        (b"5/1A3", b"4/1A3", "line 2"),
        (b"a wins", b"A wins", "line 3"),
        (b" replies", b" answers", "line 4"),
    ],
)
def test_a_wrong_header_is_named(was: bytes, becomes: bytes, named: str, certificate: bytes, file: Path) -> None:
    assert named in refused(file, certificate.replace(was, becomes, 1))


def test_a_wrong_number_of_replies_in_the_header_is_refused(certificate: bytes, file: Path) -> None:
    many = len(replies_of(certificate))
    wrong = certificate.replace(f"\n{many} ".encode(), f"\n{many + 1} ".encode(), 1)
    assert f"expected {many + 1} as in line 4" in refused(file, wrong)


def test_an_unsolved_position_is_not_certified(solver: Solver) -> None:
    with pytest.raises(InputError, match="unknown"):
        certify(solver.solve(parse_position("7/7/2A4/7/4B2/7/7 a"), Limit(nodes=5)), solver)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a certificate"):
        verify(tmp_path / "none")
