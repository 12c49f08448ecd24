"""The wording that every room shares."""

import pytest

from isolarium.text import counted, duration, listed, shortened


def test_long_text_is_shortened_in_its_middle() -> None:
    assert shortened("abcdefghij", 5) == "ab…ij"
    assert shortened("abcde", 5) == "abcde"


@pytest.mark.parametrize(("number", "text"), [(0, "0 games"), (1, "1 game"), (1200, "1,200 games")])
def test_counts_agree_with_their_noun(number: int, text: str) -> None:
    assert counted(number, "game") == text


def test_a_list_ends_with_and() -> None:
    assert (listed(["a"]), listed(["a", "b", "c"])) == ("a", "a, b and c")


@pytest.mark.parametrize(("seconds", "text"), [(8.4, "8 s"), (130, "2 min 10 s"), (11_100, "3 h 5 min")])
def test_durations_are_what_people_can_grasp(seconds: float, text: str) -> None:
    assert duration(seconds) == text
