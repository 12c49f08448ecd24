"""The progress bar: shown and removed on terminals and in notebooks, absent elsewhere."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from isolarium.api.display import progress_bar


def test_no_bar_is_shown_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress_bar(None) as bar:
        assert bar is None
    assert capsys.readouterr() == ("", "")


def test_a_line_shows_the_share_fits_the_terminal_and_goes_away(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    with progress_bar(True) as bar:
        assert bar is not None
        bar.count(5, 10, "positions")
        bar.count(6, 10, "positions")  # too soon after the one before
        bar.count(10, 10, "positions of a very long description")
    first, last, nothing, end = capsys.readouterr().err.split("\r")[1:]
    assert first == "[##########----------] 5 of 10 positions"[:39]
    assert last == "[####################] 10 of 10 positions of"[:39]
    assert (nothing, end) == (" " * 39, "")


class Place:
    """What IPython gives for something that is shown."""

    def __init__(self, shown: list[dict[str, str]]) -> None:
        self.shown = shown

    def update(self, forms: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(forms)


def test_a_cell_shows_a_bar_in_one_place_and_leaves_it_empty(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = list[dict[str, str]]()

    def display(forms: dict[str, str], *, raw: bool, display_id: bool) -> Any:
        assert raw
        assert display_id
        shown.append(forms)
        return Place(shown)

    kernel = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    with progress_bar(None) as bar:
        assert bar is not None
        bar.tell("loading <this>")
        bar.count(1, 4, "games")
    assert [forms["text/html"] for forms in shown] == [
        "loading &lt;this&gt;",
        '<progress value="0.250"></progress> 1 of 4 games',
        "",
    ]
    assert capsys.readouterr() == ("", "")
    with progress_bar(False) as bar:
        assert bar is None
