"""Comparison of two recordings: which cases differ, and how."""

from collections.abc import Iterator
from difflib import unified_diff
from pathlib import Path
from typing import Final

WIDTH: Final = 200
"""Lines are truncated to this length; the files have all of it."""


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
    for told, cases in (("only before", missing), ("only after", added)):
        yield from (f"=== {case}: {told}" for case in cases)
    alike = len(old.keys() & new.keys()) - differing
    yield (
        f"{len(old.keys() | new.keys())} cases: {alike} alike, {differing} different, "
        f"{len(missing)} only before, {len(added)} only after"
    )


def _differences(old: dict[str, Path], new: dict[str, Path]) -> Iterator[str]:
    for name in sorted(old.keys() | new.keys()):
        one, other = (
            files[name].read_text(encoding="utf-8").splitlines() if name in files else []
            for files in (old, new)
        )
        if one != other:
            yield from unified_diff(one, other, f"before/{name}", f"after/{name}", n=1, lineterm="")
