"""The results of the attacks as a table in Markdown."""

import platform
from collections.abc import Mapping, Sequence

from tests.course.attacks.attempt import Account, Attempt, Form, Result
from tests.course.attacks.suite import SUITE

Key = tuple[str, Form, Account]


def markdown(results: Sequence[Result], forms: Sequence[Form], accounts: Sequence[Account]) -> str:
    """Write the table, with a summary and the reasons for what is not prevented."""
    found = {(one.attempt.name, one.form, one.account): one for one in results}
    columns = [(form, account) for form in forms for account in accounts]
    head = [
        "# Attacks on the sandbox",
        "",
        "Printed by `python -m tools.proofs.sandbox_attacks`, on "
        f"{platform.system()} {platform.release().partition('-')[0]} ({platform.machine()}), "
        f"Python {platform.python_version()}.",
        "",
        summary(results),
        "",
        "The last column names what should stop an attempt. It is declared beside the attempt, not measured.",
    ]
    body = [
        line
        for subject, attempts in SUITE.items()
        if any(one.attempt in attempts for one in results)
        for line in section(subject, attempts, found, columns)
    ]
    return "\n".join([*head, *body, *reasons(results)]) + "\n"


def summary(results: Sequence[Result]) -> str:
    """Count the outcomes in one line."""
    attacks = [one for one in results if not one.attempt.must_work]
    prevented = sum(not one.succeeded for one in attacks)
    allowed = sum(one.succeeded and bool(one.attempt.allowed) for one in attacks)
    names = len({one.attempt.name for one in attacks})
    needed = [one for one in results if one.attempt.must_work]
    return (
        f"{names} attacks, {len(attacks)} attempts: {prevented} prevented, {allowed} not prevented "
        f"for a reason that is given, **{len(attacks) - prevented - allowed} succeeded**. Of "
        f"{len(needed)} uses that honest code needs, {sum(one.succeeded for one in needed)} work."
    )


def section(
    subject: str, attempts: Sequence[Attempt], found: Mapping[Key, Result], columns: Sequence[tuple[Form, Account]]
) -> list[str]:
    """Write the rows of one subject."""
    titles = [f"{form}, {account}" for form, account in columns]
    lines = ["", f"## {subject}", "", f"| attempt | {' | '.join(titles)} | stopped by |"]
    lines.append("|" + "---|" * (len(columns) + 2))
    for attempt in attempts:
        cells = [cell(found.get((attempt.name, *column))) for column in columns]
        lines.append(f"| {attempt.name} | {' | '.join(cells)} | {attempt.stop} |")
    return lines


def cell(result: Result | None) -> str:
    """Describe one outcome."""
    if result is None:
        return "not tried"
    if result.attempt.must_work:
        return "works" if result.succeeded else "**fails**"
    if not result.succeeded:
        return "prevented"
    return "not prevented" if result.attempt.allowed else "**succeeded**"


def reasons(results: Sequence[Result]) -> list[str]:
    """Give the reason for each attack that is not prevented on purpose."""
    allowed = {one.attempt.name: one.attempt.allowed for one in results if one.succeeded and one.attempt.allowed}
    if not allowed:
        return []
    lines = [f"- {name}: {reason}." for name, reason in allowed.items()]
    return ["", "## Not prevented, and why", "", *lines]
