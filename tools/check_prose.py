"""Check our texts for words and phrases that do not read as plain English.

    python -m tools.check_prose            print each place; exit status 1 if there is one
    python -m tools.check_prose --count    count each pattern instead

The check covers the documentation and everything in the source: docstrings, comments, messages and
names. A phrase may span a line break. Recorded evidence and third-party texts are not checked. The
list is our own: each pattern was common here, and always has a plainer form. A line that must use
one anyway ends with `prose: ok`.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

PAGES: Final = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "src", "tools")
SUFFIXES: Final = frozenset((".md", ".py", ".js", ".html", ".toml", ".css"))
NOT_OURS: Final = ("docs/evidence", "docs/dataset", "tools/recorded_cases", "tools/check_prose.py")
"""Recorded output, and this list."""
GAP: Final = r"(?:[ \t]+|[ \t]*\n[ \t]*(?:#|//|\*|>|\|)?[ \t]*)"
"""The gap between two words: a space, or a line break with a comment marker."""
PERMITTED: Final = "prose: ok"

PATTERNS: Final = {
    "somebody|somebody's": "name the person: you, the user, the player, the author",
    "whoever|whomever|whosoever": "users, the player who, anyone who",
    "whom|to whom": "rewrite with 'who', or name the person",
    "nobody": "no one, or say which user, player or process",
    "anew": "again, or a verb with re-",
    "in good order": "cleanly; say what is saved",
    "(?:go|goes|gone|went|going) on(?: with)?": "continue, resume, last",
    "(?:say|says|said) of": "reports, describes, shows",
    "by lot": "at random",
    "(?:is|are|was|were|be|been) told(?! apart)(?: (?:of|that))?": "name the message: is notified, receives, is shown",
    "(?:hear|hears|heard) (?:of|from)": "receives, is notified",
    "(?:is|are|was|were) no (?!longer|more|less|fewer|better|worse|way|one)[a-z]+": "is not a ...",
    "to be had": "available",
    "shut in|fenced in": "sandboxed",
    "held back": "prevented, delayed, reserved",
    "(?:let|lets) go of": "release, close",
    "reckon(?:s|ed|ing)?": "compute, estimate",
    "what is (?:given|asked|told|said) to": "name the thing",
    "who is to move": "the player to move",
    "nursery": "fork server",
    "cargo": "file bundle",
    "fair coin": "significance against 50%",
    "wins kept": "critical-move accuracy",
    "plies a move(?! in)": "mean search depth",
    "one's own": "your own",
    "errs now and then": "makes occasional mistakes",
    "take it along": "download, share",
    "as it goes": "live, while it runs",
    "sees to it": "ensures",
    "in its turn": "then, or leave it out",
    "of its own accord": "by itself",
    "thereof|therein|thereby|whereby|hereby|whence|hence": "name the thing",
    "lest": "so that ... not",
    "at any rate": "in any case, or leave it out",
    "for good": "permanently",
    "many a": "many",
    "else than": "anything but, other than",
    "(?:comes|arrives|ended|answers) in that time": "within the timeout",
    "(?:process|processes|thread|search|module|modules|bug) of ours": "our ...",
    "(?:is|are|was|were) handed": "is passed, receives",
    "is waited for": "waits until",
    "those that are there": "the existing ones",
    "for ever": "forever",
    "clock on the wall|wall's clock": "wall-clock time",
    "expected a text": "expected text",
    "is to move and cannot": "has no legal move",
    "comes? twice": "is repeated",
    "held against": "compared with",
    "as (?:a|the) search takes": "in the form that searches accept",
    "(?:can|could|may) be had": "is available",
    "says (?:what|which|why|where|whether|how)": "states, shows, explains",
    "tells (?:what|which|whether|how)": "states, shows",
    "the page (?:play|analyse|watch|learn|write)": "the Play page",
    "which is (?:why|what)": "so, or a new sentence",
}


@dataclass(frozen=True)
class Place:
    """A place where a listed phrase occurs."""

    path: Path
    line: int
    phrase: str
    advice: str


def compiled() -> dict[re.Pattern[str], str]:
    """Return the patterns as regular expressions that cross line breaks, with the advice for each."""
    return {_compiled(words): advice for words, advice in PATTERNS.items()}


def _compiled(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?<!there )(?:{words.replace(' ', GAP)})\b", re.IGNORECASE)


ANY: Final = _compiled("|".join(PATTERNS))
"""All patterns at once, which take a fraction of the time of one after the other."""


def files(pages: Iterator[str]) -> Iterator[Path]:
    """Yield every file of ours below the given files and folders."""
    for page in map(Path, pages):
        for path in sorted(page.rglob("*")) if page.is_dir() else [page]:
            name = path.as_posix()
            if path.suffix in SUFFIXES and path.is_file() and not name.startswith(NOT_OURS):
                yield path


def places(path: Path, patterns: dict[re.Pattern[str], str]) -> Iterator[Place]:
    """Yield the places in a file where listed phrases occur."""
    text = path.read_text(encoding="utf-8")
    if not ANY.search(text):
        return
    lines = text.splitlines()
    for pattern, advice in patterns.items():
        for match in pattern.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            if PERMITTED not in lines[line - 1]:
                yield Place(path, line, " ".join(match.group().split()), advice)


def main() -> int:
    """Print each place, or the counts; return the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", action="store_true", help="count each pattern")
    parser.add_argument("paths", nargs="*", default=PAGES, help="files and folders to read")
    chosen = parser.parse_args()
    patterns = compiled()
    found = [place for path in files(chosen.paths) for place in places(path, patterns)]
    if chosen.count:
        for advice, count in Counter(place.advice for place in found).most_common():
            print(f"{count:>5}  {advice}")
    else:
        for place in found:
            print(f"{place.path}:{place.line}: '{place.phrase}': {place.advice}")
    print(f"{len(found)} phrases to reword", file=sys.stderr)
    return int(bool(found) and not chosen.count)


if __name__ == "__main__":
    sys.exit(main())
