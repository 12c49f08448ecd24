"""The prose of Markdown, wrapped at 100 columns.

Paragraphs, list items and quotes are wrapped. Code, tables, headings, comments and pictures on a line of their own
stay as they are.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

WIDTH: Final = 100
MARKER: Final = re.compile(r"^( *)([-*+]|\d+[.)]) +")
QUOTE: Final = re.compile(r"^> ?")
FENCE: Final = re.compile(r"^ *(```+|~~~+)")
VERBATIM: Final = re.compile(r"^ *(\||#|<!--|</?[a-z]|!\[[^\]]*\]\([^)]*\)$|---+$)|^ {4,}\S")
CODE: Final = re.compile(r"(`+)(?:(?!\1).)+?\1", re.DOTALL)
STARTS_BLOCK: Final = re.compile(r"^([-*+>|]|#+|\d+[.)]|```.*|~~~.*)$")
"""A word that would begin a list, a heading or the like at the start of a line."""


def wrapped(text: str) -> str:
    """Return a page with its prose wrapped."""
    return "\n".join(_blocks(text.split("\n")))


def pages() -> list[Path]:
    """Return the pages whose prose is wrapped: all but the evidence."""
    found = [*Path().glob("*.md"), *Path("docs").rglob("*.md")]
    return sorted(page for page in found if "evidence" not in page.parts)


def _blocks(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a page, gathering those of a paragraph or a list item."""
    paragraph: list[str] = []
    fence = ""
    is_list = False
    for line in lines:
        opened = FENCE.match(line)
        if fence:
            yield line
            if line.strip() == fence:
                fence = ""
            continue
        marked = MARKER.match(line)
        indented = line.startswith("    ") and not paragraph and not is_list
        stands = bool(VERBATIM.match(line)) and (not line.startswith("    ") or indented)
        if opened or not line.strip() or stands or marked or (paragraph and _is_quote_edge(paragraph, line)):
            yield from _wrap(paragraph)
            paragraph = []
        if opened:
            fence = opened[1]
        if opened or not line.strip() or stands:
            is_list = is_list and (not line.strip() or line.startswith(" "))
            yield line
            continue
        if marked:
            is_list = True
        elif not paragraph and not line.startswith(" "):
            is_list = False
        paragraph.append(line)
    yield from _wrap(paragraph)


def _is_quote_edge(paragraph: list[str], line: str) -> bool:
    return bool(QUOTE.match(paragraph[0])) != bool(QUOTE.match(line))


def _wrap(paragraph: list[str]) -> Iterator[str]:
    """Yield the lines of a paragraph, wrapped below its marker."""
    if not paragraph:
        return
    first = paragraph[0]
    marked = MARKER.match(first)
    if marked:
        lead, rest = first[: marked.end()], " " * marked.end()
    elif QUOTE.match(first):
        lead = rest = "> "
    else:
        lead = rest = first[: len(first) - len(first.lstrip())]
    inner = [first[len(lead) :] if marked else first, *paragraph[1:]]
    words = list(_words(" ".join(QUOTE.sub("", line).strip() for line in inner)))
    line = lead + words[0]
    for word in words[1:]:
        if len(line) + 1 + len(word) <= WIDTH or STARTS_BLOCK.match(word):
            line += f" {word}"
        else:
            yield line
            line = rest + word
    yield line


def _words(text: str) -> Iterator[str]:
    """Yield the unbreakable pieces of a text: words, and code with its brackets."""
    codes: list[str] = []

    def held(code: re.Match[str]) -> str:
        codes.append(code[0])
        return f"\0{len(codes) - 1}\0"

    for word in CODE.sub(held, text).split():
        yield re.sub("\0(\\d+)\0", lambda place: codes[int(place[1])], word)
