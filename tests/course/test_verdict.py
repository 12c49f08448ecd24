"""The answer of a course study: what is better than the baseline, and by how much."""

from pathlib import Path

import pytest

from isolarium.arena.plan import Format
from isolarium.course.grading_report import advice, verdict
from isolarium.stats import likely_missed, rounded
from isolarium.studies.study import Study, StudyPart
from isolarium.studies.study_file import format_study
from isolarium.studies.study_results import StudyResults
from isolarium.studies.study_runner import begin_study, play_study

pytestmark = pytest.mark.slow

BASELINE = "your AB_Improved"


def played(folder: Path, agents: dict[str, str], pairs: int = 12) -> StudyResults:
    """Play agents against two opponents, and compare them with the first."""
    part = StudyPart(
        name="tournament",
        title="A tournament",
        format=Format.GAUNTLET,
        agents=tuple(agents),
        opponents=("random", "greedy:improved"),
        pairs=pairs,
        baseline=next(iter(agents)),
    )
    study = Study(name="course", title="", about="", agents=agents, parts=(part,), is_graded=True)
    text = format_study(study)
    assert "baseline" in text
    return play_study(begin_study(study, folder), workers=1)


def test_a_better_and_a_worse_heuristic_are_named_with_their_difference(tmp_path: Path) -> None:
    agents = {
        BASELINE: "greedy:improved",
        "AB_Custom": "random",
        "AB_Custom_2": "alphabeta:improved@nodes=4000",
        "AB_Custom_3": "greedy:open",
    }
    found = played(tmp_path, agents, pairs=20)
    (part,) = found.parts
    better, worse = (part.beside(name, BASELINE) for name in ("AB_Custom_2", "AB_Custom"))
    assert (better.verdict, worse.verdict) == ("better", "worse")
    answer = verdict(found)
    for one, words in ((better, f"AB_Custom_2 is better than {BASELINE} by"), (worse, "AB_Custom is worse by")):
        size = rounded(100 * abs(one.difference))
        error = rounded(100 * (one.high - one.difference))
        assert f"{words} {size} ± {error} points." in answer
    assert "AB_Custom_3" not in answer
    assert advice(found) == ""


def test_without_a_better_heuristic_the_difference_that_would_be_missed_is_named(tmp_path: Path) -> None:
    found = played(tmp_path, {BASELINE: "greedy:improved", "AB_Custom": "greedy:improved"})
    (part,) = found.parts
    missed = rounded(100 * likely_missed(part.beside("AB_Custom", BASELINE)))
    assert verdict(found) == (
        f"AB_Custom is not shown to be better than {BASELINE}; "
        f"differences under {missed} points would likely be missed."
    )
    assert "--pairs 20" in advice(found)


def test_few_openings_have_no_answer(tmp_path: Path) -> None:
    found = played(tmp_path, {BASELINE: "random", "AB_Custom": "greedy:improved"}, pairs=4)
    assert verdict(found) == (
        f"4 distinct openings cannot show whether AB_Custom is better than {BASELINE}; "
        "at least 5 are needed (--pairs 5)."
    )
