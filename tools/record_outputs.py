"""Record Isolarium's behaviour, to compare two versions: text, JSON, exit statuses and files.

    python -m tools.record_outputs --isolarium .venv/bin/isolarium --out before
    python -m tools.record_outputs --compare before after

A recording is a folder with a readable text for each case of `recorded_cases`; `diff -ru` compares two of them as well.
Values that differ from run to run (times, dates, paths, ports, facts of the machine) are replaced by a word. The
command may belong to any checkout: nothing of Isolarium is imported here.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from difflib import unified_diff
from pathlib import Path
from typing import Final

from tools.recording.case_runner import Subject, record_case, subject_at
from tools.recording.cases import Case, read_cases

WIDTH: Final = 200
"""Printed lines are truncated to this length; the files contain whole lines."""


def main() -> int:
    """Record or compare; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--isolarium", type=Path, help="the command to record")
    parser.add_argument("--out", type=Path, help="the folder to write")
    parser.add_argument(
        "--only", action="append", default=[], metavar="GLOB", help="cases to record, such as 'match/*'"
    )
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="cases at a time")
    parser.add_argument("--cache", type=Path, default=_cache(), help="compiled code, for all cases")
    parser.add_argument("--list", action="store_true", help="print the cases by group")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("BEFORE", "AFTER"))
    parser.add_argument("--lines", type=int, default=30, help="the most lines of differences for each case")
    chosen = parser.parse_args()
    if chosen.compare:
        before, after = chosen.compare
        *note, count = compare(before, after, chosen.lines)
        print(*note, count, sep="\n")
        return int(bool(note))
    cases = read_cases(chosen.only)
    if chosen.list:
        return _list(cases)
    if chosen.isolarium is None or chosen.out is None:
        parser.error("expected --isolarium and --out, or --compare")
    if chosen.out.exists() and not chosen.only:
        parser.error(f"{chosen.out} exists; expected a new folder")
    return _record(cases, subject_at(chosen.isolarium, chosen.cache), chosen.out, chosen.jobs)


def _cache() -> Path:
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "isolarium-recorded"


def _list(cases: list[Case]) -> int:
    counts = Counter(case.name.partition("/")[0] for case in cases)
    for group, count in counts.items():
        print(f"{count:>4}  {group}")
    print(f"{counts.total():>4}  cases")
    return 0


def _record(cases: list[Case], subject: Subject, out: Path, jobs: int) -> int:
    """Run the cases in parallel; return 1 if one of them could not be run."""
    began, failed = time.monotonic(), 0
    with ProcessPoolExecutor(jobs) as pool:
        started = {pool.submit(record_case, case, subject, out): case for case in cases}
        for done, future in enumerate(as_completed(started), start=1):
            name, error = started[future].name, future.exception()
            failed += error is not None
            note = f"{type(error).__name__}: {error}" if error else f"{future.result():.1f} s"
            print(f"{done:>4} of {len(cases)}  {name}  {note}", file=sys.stderr)
    print(f"{len(cases)} cases in {time.monotonic() - began:.0f} s, {failed} of them failed")
    return int(failed > 0)


def case_files(recording: Path) -> dict[str, dict[str, Path]]:
    """Return the files of each case by their names within the recording."""
    found: dict[str, dict[str, Path]] = {}
    for path in sorted(recording.rglob("*")):
        if path.is_file():
            name = str(path.relative_to(recording))
            group, case = path.relative_to(recording).parts[:2]
            found.setdefault(f"{group}/{case.removesuffix('.txt')}", {})[name] = path
    return found


def compare(before: Path, after: Path, lines: int) -> Iterator[str]:
    """Yield the name and first differences of each case that differs, then a count."""
    old, new = case_files(before), case_files(after)
    missing, added = sorted(old.keys() - new.keys()), sorted(new.keys() - old.keys())
    differing = 0
    for case in sorted(old.keys() & new.keys()):
        shown = list(_differences(old[case], new[case]))
        if shown:
            differing += 1
            yield f"=== {case}"
            yield from (line[:WIDTH] for line in shown[:lines])
            if len(shown) > lines:
                yield f"    ... and {len(shown) - lines} more lines"
    for note, cases in (("only before", missing), ("only after", added)):
        yield from (f"=== {case}: {note}" for case in cases)
    alike = len(old.keys() & new.keys()) - differing
    yield (
        f"{len(old.keys() | new.keys())} cases: {alike} alike, {differing} different, "
        f"{len(missing)} only before, {len(added)} only after"
    )


def _differences(old: dict[str, Path], new: dict[str, Path]) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        one, other = (
            files[name].read_text(encoding="utf-8").splitlines() if name in files else [] for files in (old, new)
        )
        if one != other:
            yield from unified_diff(one, other, f"before/{name}", f"after/{name}", n=1, lineterm="")


if __name__ == "__main__":
    sys.exit(main())
