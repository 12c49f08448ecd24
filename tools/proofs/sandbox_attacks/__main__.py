"""Try every attack on the sandbox, and record which are prevented.

    python -m tools.proofs.sandbox_attacks [--out FILE] [--subject SUBJECT] [--form FORM] [--account ACCOUNT]

Each attempt is made by a course agent, an agent file and a heuristic file in a real `isolarium
match` on a terminal, as root (where the tool runs as root) and as an ordinary user. Wherever
possible, the outcome is observed from outside the sandbox. The attempts and their expected outcomes
are in `tests/course/attacks`. The exit status is 1 if an attempt succeeds that should not, or one
fails that honest code needs. Run it on a machine of its own: some attempts that succeed change the
machine's state for a moment.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.course.attacks.attempt import Account, Form, Result
from tests.course.attacks.scene import USER
from tests.course.attacks.suite import SUITE
from tests.course.attacks.trial import try_all
from tools.proofs.sandbox_attacks.table import markdown

OUT = Path("docs/evidence/sandbox_attacks.md")


def main() -> None:
    """Try the selected attacks, and write the table."""
    options = parse_arguments()
    forms = [Form(options.form)] if options.form else list(Form)
    accounts = [Account(options.account)] if options.account else available_accounts()
    results = list[Result]()
    with tempfile.TemporaryDirectory(prefix="attack-cache-") as folder:
        Path(folder).chmod(0o755)
        for result in tried(options.subject or list(SUITE), forms, accounts, Path(folder)):
            print("  " if result.is_expected else "! ", result, sep="", flush=True)
            results.append(result)
    text = markdown(results, forms, accounts)
    options.out.write_text(text)
    unexpected = [result for result in results if not result.is_expected]
    print(f"{len(results)} attempts, {len(unexpected)} unexpected outcomes; see {options.out}")
    sys.exit(1 if unexpected else 0)


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Try every attack on the sandbox.")
    parser.add_argument("--out", type=Path, default=OUT, help="where the table is written")
    parser.add_argument("--subject", action="append", choices=SUITE, help="only these attempts")
    parser.add_argument("--form", choices=[str(form) for form in Form], help="only this form")
    parser.add_argument("--account", choices=[str(account) for account in Account], help="only as this account")
    return parser.parse_args()


def available_accounts() -> list[Account]:
    """Return both accounts if this process may change its user, otherwise the ordinary user's."""
    return list(Account) if os.geteuid() == 0 else [Account.USER]


def tried(
    subjects: Sequence[str], forms: Sequence[Form], accounts: Sequence[Account], folder: Path
) -> Iterator[Result]:
    """Try all attacks by account and form, with a code cache for each account."""
    for account in accounts:
        cache = folder / account
        cache.mkdir(mode=0o700)
        if account is Account.USER and os.geteuid() == 0:
            os.chown(cache, USER, USER)
        for form in forms:
            attempts = [attempt for subject in subjects for attempt in SUITE[subject]]
            yield from try_all(attempts, form, account, cache)


if __name__ == "__main__":
    main()
