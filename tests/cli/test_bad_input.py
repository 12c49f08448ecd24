"""Whatever people get wrong on the command line costs them one line and exit status 2."""

import pytest

from tests.command import assert_refused, run_isolarium

pytestmark = pytest.mark.slow

POSITION = "7/7/2A4/3x3/4B2/7/7 a"

HOSTILE = {
    "no such command": (["plai"], "play"),
    "no such option": (["perft", "7x7", "2", "--jason"], "--jason"),
    "argument missing": (["perft", "7x7"], "DEPTH"),
    "argument too many": (["perft", "7x7", "2", "3"], "3"),
    "depth is a word": (["perft", "7x7", "deep"], "DEPTH 'deep': expected a whole number"),
    "depth is negative": (["perft", "7x7", "--", "-1"], "DEPTH"),
    "depth has non-ASCII digits": (["perft", "7x7", "٣"], "DEPTH"),
    "depth past the board": (["perft", "3x3", "10"], "0 to 9"),
    "depth past everything": (["perft", "7x7", "9" * 5000], "DEPTH"),
    "start is empty": (["perft", "", "2"], "7x7"),
    "start has a line break": (["perft", "7x7\n7x7", "2"], "7x7"),
    "board too small": (["perft", "2x2", "2"], "3 to 13"),
    "board too large": (["perft", "500x500", "2"], "3 to 13"),
    "board has non-ASCII digits": (["perft", "７x７", "2"], "7x7"),
    "row too long": (["perft", "7/7/8/7/7/7/7 a", "2"], "row 3"),
    "two first players": (["perft", "7/A6/2A4/3x3/4B2/7/7 a", "2"], "row 3"),
    "no side to move": (["perft", "7/7/2A4/3x3/4B2/7/7", "2"], "a or b"),
    "play on no board": (["play", "--board", ""], "7x7"),
    "play on a board too small": (["play", "--board", "2x2"], "3 to 13"),
    "play from no position": (["play", "--position", "7x7"], "position"),
    "play from two starts": (["play", "--board", "7x7", "--position", POSITION], "--board"),
    "play without an agent": (["play", "--first", "nobody"], "nobody"),
    "play with an empty agent": (["play", "--second", ""], "agent"),
    "play with a heuristic misspelt": (["play", "--second", "greedy:opne"], "'open'"),
    "play with a seed in words": (["play", "--seed", "one"], "--seed"),
    "play at a level that is not": (["play", "--level", "99"], "--level '99': expected at most 7"),
    "play at a level and with both": (["play", "--level=1", "--first=a", "--second=b"], "two"),
    "play with a negative seed": (["play", "--seed", "-1"], "--seed"),
    "play with the seed of another": (["play", "--first", "random", "--seed", str(2**64)], "seed"),
    "a run of too long a name": (["report", "x" * 300], "shorter name"),
    "bench of nothing known": (["bench", "--only", "everything"], "--only"),
    "a person in JSON": (["play", "--json"], "--json"),
}


@pytest.mark.parametrize(("arguments", "named"), HOSTILE.values(), ids=HOSTILE.keys())
def test_one_line_and_status_2(arguments: list[str], named: str) -> None:
    result = run_isolarium(*arguments)
    assert_refused(result, named)


def test_message_stays_short_for_long_input() -> None:
    assert len(run_isolarium("perft", "7/" * 30_000, "2").stderr) < 300
