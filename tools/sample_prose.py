"""Draw a random sample of the texts that people read, for review one by one.

    python -m tools.sample_prose --seed 29

Prints Markdown: 20 paragraphs of the documentation, 60 docstrings, 30 help texts and messages, and 20 texts of the
pages, each with its file and line. The same seed draws the same texts from the same sources.
"""

import argparse
import ast
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

SOURCE: Final = Path("src/isolarium")
PAGES: Final = SOURCE / "web" / "pages"
THIRD_PARTY: Final = PAGES / "vendor"
RECORDED: Final = ("docs/evidence", "docs/tutorials/notebooks")
LEAST_WORDS: Final = 3
PARAGRAPH_WORDS: Final = 15
LITERAL: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
WORD: Final = re.compile(r"\b[a-z]{3,}\b")
"""Literals without such a word are paths of SVG pictures."""
NOT_PROSE: Final = ("|", "#", "<", "!", "```", ":::")


class Text(NamedTuple):
    """A text and its location."""

    place: str
    words: str


def paragraphs() -> Iterator[Text]:
    """Yield the paragraphs and list items of the README and the documentation."""
    for path in [Path("README.md"), *sorted(Path("docs").rglob("*.md"))]:
        if path.as_posix().startswith(RECORDED):
            continue
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"(?ms)^```.*?^```$", lambda code: "\n" * code.group().count("\n"), text)
        line = 1
        for block in re.split(r"(?<=\n)\n", text):
            words = block.strip()
            if len(words.split()) >= PARAGRAPH_WORDS and not words.startswith(NOT_PROSE):
                yield Text(f"{path}:{line}", words)
            line += block.count("\n") + 1


def docstrings() -> Iterator[Text]:
    """Yield the docstrings of the package."""
    for path, tree in _modules():
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                words = ast.get_docstring(node)
                if words:
                    yield Text(f"{path}:{getattr(node, 'lineno', 1)}", words)


def messages() -> Iterator[Text]:
    """Yield the help texts of the commands and the messages of errors."""
    for path, tree in _modules():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            name = ast.unparse(node.func).rpartition(".")[2]
            texts = [keyword.value for keyword in node.keywords if keyword.arg == "help"]
            if name in ("InputError", "RunAborted", "Refused") and node.args:
                texts.append(node.args[-1])
            for text in map(_written, texts):
                if len(text.split()) >= LEAST_WORDS:
                    yield Text(f"{path}:{node.lineno}", text)


def page_texts() -> Iterator[Text]:
    """Yield the texts of the pages: literals of several words."""
    for path in sorted(set(PAGES.rglob("*.js")) - set(THIRD_PARTY.rglob("*.js"))):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            code = line.partition("//")[0]
            if code.lstrip().startswith(("import", "export * from", "*", "/*")):
                continue
            for match in LITERAL.finditer(code):
                words = (match.group(1) or match.group(2) or "").strip()
                is_prose = words[:1].isupper() and WORD.search(words)
                if is_prose and len(words.split()) >= LEAST_WORDS:
                    yield Text(f"{path}:{number}", words)


KINDS: Final[dict[str, tuple[int, Callable[[], Iterator[Text]]]]] = {
    "Paragraphs": (20, paragraphs),
    "Docstrings": (60, docstrings),
    "Help texts and messages": (30, messages),
    "Texts of the pages": (20, page_texts),
}


def _modules() -> Iterator[tuple[Path, ast.Module]]:
    for path in sorted(SOURCE.rglob("*.py")):
        yield path, ast.parse(path.read_text(encoding="utf-8"))


def _written(node: ast.expr) -> str:
    """Return a literal as it is written, with the expressions of an f-string in braces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part)[1:-1]}}}"
            for part in node.values
        )
    return ""


def main() -> None:
    """Print the sample."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=29)
    chance = random.Random(parser.parse_args().seed)
    number = 0
    for kind, (count, find) in KINDS.items():
        found = list(find())
        print(f"## {kind}: {count} of {len(found):,}\n")
        for text in sorted(chance.sample(found, count)):
            number += 1
            quoted = "\n".join(f"> {line}".rstrip() for line in text.words.splitlines())
            print(f"{number}. {text.place}\n\n{quoted}\n")


if __name__ == "__main__":
    main()
