"""Trials: a match with the attacker in it, and the judgement of every attempt that it made."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from isolarium.course.loader import ModuleSet
from tests.course.attacks.attempt import Account, Attempt, Form, Result
from tests.course.attacks.scene import Scene, scene

KIT: Final = (Path(__file__).parent / "kit.py").read_text()
MOST_TOGETHER: Final = 100
"""Attempts in one process; a heuristic file must be loaded within ten seconds."""
REPORT: Final = re.compile(r"ATTEMPT\|([^|]*)\|(did|stopped)\|([^|]*)\|")
COURSE: Final = """
class CustomPlayer:
    def get_move(self, game, time_left):
        if not AT_IMPORT:
            run_all(json.loads(SCENE), json.loads(ATTEMPTS))
        moves = game.get_legal_moves()
        return moves[0] if moves else (-1, -1)

if AT_IMPORT:
    run_all(json.loads(SCENE), json.loads(ATTEMPTS))
"""
AGENT: Final = """
class CustomPlayer:
    def choose(self, position, limit):
        if not AT_IMPORT:
            run_all(json.loads(SCENE), json.loads(ATTEMPTS))
        return position.legal_moves()[0]

if AT_IMPORT:
    run_all(json.loads(SCENE), json.loads(ATTEMPTS))
"""
HEURISTIC: Final = '''
from isolarium.heuristics import heuristic, mobility

@heuristic
def attacker(view, own, opp):
    """Prefer to have more moves."""
    return mobility(view, own) - mobility(view, opp)

run_all(json.loads(SCENE), json.loads(ATTEMPTS))
'''
TEXTS: Final = {Form.COURSE: COURSE, Form.AGENT: AGENT, Form.HEURISTIC: HEURISTIC}
SPECS: Final = {
    Form.COURSE: "course:{}@calls=100",
    Form.AGENT: "agent:{}:CustomPlayer",
    Form.HEURISTIC: "alphabeta:{}:attacker@nodes=50",
}
DESCRIPTIONS: Final[dict[Form, dict[str, Any]]] = {
    Form.COURSE: {"name": "CustomPlayer", "modules": ModuleSet.FIRST},
    Form.AGENT: {"takes_limit": True},
    Form.HEURISTIC: {},
}
"""What a process answers when it has loaded its file, besides the names of files."""


class TrialError(Exception):
    """The attacker was never run, so nothing is known."""


def try_all(attempts: Iterable[Attempt], form: Form, account: Account, cache: Path) -> Iterator[Result]:
    """Try those attempts that are meant for this form and account, as few processes as possible.

    An attempt without a report, because another has ended its process, is tried again alone.
    """
    wanted = [one for one in attempts if form in one.forms and account in one.accounts]
    for together in batches(wanted):
        reported = try_together(together, form, account, cache)
        for attempt in together:
            result = reported.get(attempt.name)
            if result is None and len(together) > 1:
                result = try_together([attempt], form, account, cache)[attempt.name]
            assert result is not None
            yield result


def batches(attempts: Sequence[Attempt]) -> Iterator[list[Attempt]]:
    """Divide attempts into those that share a process."""
    for alone in (one for one in attempts if one.alone):
        yield [alone]
    shared = sorted((one for one in attempts if not one.alone), key=lambda one: one.opponent)
    for _, several in groupby(shared, key=lambda one: one.opponent):
        group = list(several)
        for start in range(0, len(group), MOST_TOGETHER):
            yield group[start : start + MOST_TOGETHER]


def try_together(attempts: Sequence[Attempt], form: Form, account: Account, cache: Path) -> dict[str, Result]:
    """Play a match in which one process makes all these attempts; what is known of each."""
    with scene(account, cache) as place:
        spec = write(attempts, form, place)
        opponent = attempts[0].opponent
        board = "5x5" if opponent == "random" else "7x7"  # where a search has something to do
        place.run(
            *("match", spec, opponent, "--pairs", "1", "--board", board),
            *("--workers", "1", "--no-accuracy", "--runs", str(place.runs)),
        )
        reports = read_reports(place)
        judged = (judge(one, reports.get(one.name), place, form, len(attempts)) for one in attempts)
        found = {one.attempt.name: one for one in judged if one is not None}
        if "started" not in reports and not any(one.succeeded for one in found.values()):
            raise TrialError(place.found.output.decode(errors="replace") + place.found.logs)
        return found


def write(attempts: Sequence[Attempt], form: Form, place: Scene) -> str:
    """Write the attacker's file; the agent's spec."""
    codes = {one.name: one.code for one in attempts}
    known = {**place.facts(), "description": DESCRIPTIONS[form]}
    facts = (
        f"SCENE = {json.dumps(json.dumps(known))}\n"
        f"ATTEMPTS = {json.dumps(json.dumps(codes))}\n"
        f"AT_IMPORT = {any(one.at_import for one in attempts)}\n"
    )
    file = place.agent / ("attacker.py" if form is Form.HEURISTIC else "game_agent.py")
    file.write_text(f"{KIT}\nimport json\n{facts}{TEXTS[form]}")
    return SPECS[form].format(file)


def read_reports(place: Scene) -> dict[str, tuple[bool, str]]:
    """What the attacker has reported of each attempt; success in one process is success."""
    text = place.found.output.decode(errors="replace").replace("\r", "") + place.found.logs
    found = dict[str, tuple[bool, str]]()
    for name, outcome, detail in REPORT.findall(text):
        if not found.get(name, (False, ""))[0]:
            found[name] = outcome == "did", detail
    return found


def judge(attempt: Attempt, report: tuple[bool, str] | None, place: Scene, form: Form, together: int) -> Result | None:
    """Decide whether an attempt succeeded; None if nothing is known of it."""
    says, detail = report or (False, ended(place))
    if attempt.effect is not None:
        succeeded = attempt.effect(place)
    elif attempt.secret:
        succeeded = place.secret in detail
        detail = detail.replace(place.secret, "the secret")
    else:
        succeeded = says
    if report is None and not succeeded and together > 1:
        return None
    return Result(attempt, form, place.account, succeeded, detail)


def ended(place: Scene) -> str:
    """What is known where the attacker reported nothing."""
    status = place.found.status
    return "the command hung" if status is None else "no report; its process ended"
