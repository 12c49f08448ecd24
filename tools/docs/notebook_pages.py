"""The pages of `docs/tutorials/notebooks`: the notebooks of `examples` with their outputs and pictures."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

EXAMPLES: Final = Path("examples")
PAGES: Final = Path("docs/tutorials/notebooks")
TITLE: Final = re.compile(r"<title>(.*?)</title>")
LINKS: Final = ((re.compile(r"\]\((\w+)\.ipynb\)"), r"](\1.md)"), (re.compile(r"\]\(\.\./docs/"), "](../../"))


def pages() -> Iterator[tuple[Path, str]]:
    """Yield every page and every picture with its path."""
    for path in sorted(EXAMPLES.glob("*.ipynb")):
        notebook = json.loads(path.read_text(encoding="utf-8"))
        page = _Page(path.stem)
        for cell in notebook["cells"]:
            page.add(cell)
        yield PAGES / f"{path.stem}.md", page.text
        yield from page.pictures


class _Page:
    """A page under construction.

    Attributes:
        pictures: the pictures it shows, with their paths.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._parts = list[str]()
        self.pictures = list[tuple[Path, str]]()

    @property
    def text(self) -> str:
        title, *rest = self._parts
        source = f"[examples/{self._name}.ipynb](../../../examples/{self._name}.ipynb)"
        note = f"*The notebook {source} with its outputs; `python -m tools.run_notebooks` runs it again.*"
        first, _, more = title.partition("\n")
        return "\n\n".join([first, note, more.strip(), *rest]) + "\n"

    def add(self, cell: dict[str, Any]) -> None:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            for pattern, place in LINKS:
                source = pattern.sub(place, source)
            self._parts.append(source)
            return
        self._parts.append(f"```python\n{source}\n```")
        for output in cell["outputs"]:
            self._parts.append(self._shown(output))

    def _shown(self, output: dict[str, Any]) -> str:
        """Return an output in the best form for a page."""
        if output["output_type"] == "stream":
            return f"```text\n{''.join(output['text']).rstrip()}\n```"
        forms = {kind: "".join(form) for kind, form in output["data"].items()}
        if "image/svg+xml" in forms:
            return self._picture(forms["image/svg+xml"], forms["text/plain"])
        if "text/markdown" in forms:
            return forms["text/markdown"].strip()
        return f"```text\n{forms['text/plain'].rstrip()}\n```"

    def _picture(self, svg: str, plain: str) -> str:
        name = f"{self._name}-{len(self.pictures) + 1}.svg"
        self.pictures.append((PAGES / name, svg.rstrip() + "\n"))
        found = TITLE.search(svg)
        words = found[1] if found else plain.removeprefix("<picture: ").removesuffix(">")
        return f"![{words}]({name})"
