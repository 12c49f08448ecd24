"""Bundles of the pages' files.

There are few bundles. Each bundle is compressed, and its address changes with its content.

The modules are separate source files. Each page has a bundle of the modules that it needs first,
and each module loaded on demand (`import("./sheet.js")`) has another bundle. In a bundle, each
module is a function. The function runs once, even if several bundles contain the module, so every
module exists only once, as when a browser loads the files. Modules must have a simple form: imports
and exports start a line, exports are constant, and imports do not form cycles; a module of another
form is an error. Bundles find each other relative to their own address, so they work from any
folder of any host. `new URL("./file", import.meta.url)` names another file of the pages: data, or
the module of a Web Worker, which has a bundle of its own.
"""

import gzip
import posixpath
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Final

from fastapi import Request, Response

from isolarium.safe_files import MOST_OWN, read_small

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".ico": "image/x-icon",
    ".bin": "application/octet-stream",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".jsonl": "application/jsonl",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".weights": "application/octet-stream",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
MAIN: Final = "main.js"
INDEX: Final = "index.html"
STYLE: Final = "-/index.css"
ADDRESS: Final = "/packs"
REVALIDATE: Final = "no-cache"
CODE: Final = (".css", ".html", ".js")
IMMUTABLE: Final = "public, max-age=31536000, immutable"
FRESH_S: Final = 1.0
"""How long files are assumed to be unchanged, in seconds."""
_IMPORT: Final = re.compile(r'^import\s+(?:([^"\'();]+?)\s+from\s+)?"([^"]+)";?[ \t]*$', re.MULTILINE)
# A pattern that starts with plain letters is ten times as fast as one that starts with \b, so \b is
# in a lookbehind.
_LAZY: Final = re.compile(r'import(?<=\bimport)\(\s*"(\.[^"]+)"\s*\)')
_BESIDE: Final = re.compile(r'new URL\(\s*"(\.[^"]*)",\s*import\.meta\.url\s*\)')
_EXPORT: Final = re.compile(r"^export (?=(?:async )?function\*? (\w+)|class (\w+)|const (\w+) ?=)", re.MULTILINE)
_LIST: Final = re.compile(r"^export \{([^}]*)\};?[ \t]*$", re.MULTILINE)
_OTHER: Final = (
    re.compile(r"^(?:export\b|import\b(?!\())", re.MULTILINE),
    re.compile(r'import(?<=\bimport)(?:\.meta\b|\((?!\s*"\.))'),
)
_SHEETS: Final = re.compile(r'(?:[ \t]*<link rel="stylesheet" href="/pages/[^"]+">\n)+')
_ENTRY: Final = re.compile(r'<script src="/pages/([^"]+)" type="module">')
_SCRIPT: Final = re.compile(r'<script src="/pages/([^"]+)"')
_SHEET: Final = re.compile(r'href="/pages/([^"]+)"')
_COMMENT: Final = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)
_START: Final = """\
const { define, need, load, beside } = (globalThis.isolariumModules ??= (() => {
  const made = new Map();
  const beside = (name) => new URL(`../${name}`, import.meta.url); // bundles that start are one folder deep
  return {
    define: (name, make) => made.has(name) || made.set(name, make()),
    need: (name) => made.get(name),
    load: (name) => (made.has(name) ? made.get(name) : import(beside(name)).then(() => made.get(name))),
    beside,
  };
})());
"""


class BundleError(ValueError):
    """A module in a form that cannot be bundled."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as sent to browsers.

    Attributes:
        content: Its content.
        zipped: The content, compressed.
        kind: Its media type.
        tag: Its ETag.
    """

    content: bytes
    zipped: bytes
    kind: str
    tag: str


def asset(content: bytes, suffix: str) -> Asset:
    """Return an asset with the given content."""
    tag = f'"{sha256(content).hexdigest()[:20]}"'
    return Asset(content, gzip.compress(content, 9, mtime=0), TYPES[suffix], tag)


def asset_response(request: Request, packed: Asset, cache: str) -> Response:
    """Return the response: not modified, compressed if accepted, or plain."""
    headers = {"ETag": packed.tag, "Cache-Control": cache, "Vary": "Accept-Encoding"}
    if packed.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(packed.content, media_type=packed.kind, headers=headers)
    headers["Content-Encoding"] = "gzip"
    return Response(packed.zipped, media_type=packed.kind, headers=headers)


@dataclass(frozen=True)
class Module:
    """A module that can be bundled.

    Attributes:
        name: Its path below the pages' folder.
        text: Its source.
        needs: The imported names by module.
        lazy: The modules that it loads on demand.
        beside: The other files that it names, such as the modules of its Web Workers.
        exports: The internal name of each export, by exported name.
    """

    name: str
    text: str
    needs: dict[str, list[str]] = field(init=False, default_factory=dict)
    lazy: set[str] = field(init=False, default_factory=set)
    beside: set[str] = field(init=False, default_factory=set)
    exports: dict[str, str] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Parse the source.

        Raises:
            BundleError: If the module does not have the required form.
        """
        for match in _IMPORT.finditer(self.text):
            self.needs.setdefault(self._beside(match[2]), []).extend(_names(match[1]))
        self.lazy.update(self._beside(match[1]) for match in _lazy(self.text))
        for match in _EXPORT.finditer(self.text):
            name = match[1] or match[2] or match[3]
            self.exports[name] = name
        for match in _LIST.finditer(self.text):
            for part in filter(None, map(str.strip, match[1].split(","))):
                inner, _, outer = part.partition(" as ")
                self.exports[outer or inner] = inner
        self.beside.update(self._beside(match[1]) for match in _BESIDE.finditer(self.text))
        rest = _BESIDE.sub("", _IMPORT.sub("", _LIST.sub("", _EXPORT.sub("", self.text))))
        for pattern in _OTHER:
            if (found := pattern.search(rest)) is not None:
                raise BundleError(f"{self.name}: {rest.count(chr(10), 0, found.start())}: {found[0]}")

    def _beside(self, path: str) -> str:
        found = posixpath.normpath(posixpath.join(posixpath.dirname(self.name), path))
        return f"{found}/" if path.endswith("/") else found

    def bundled(self) -> str:
        """Return the module as a function that returns its exports."""

        def bound(match: re.Match[str]) -> str:
            source = f'await need("{self._beside(match[2])}")'
            what = (match[1] or "").strip()
            if what.startswith("* as "):
                return f"const {what.removeprefix('* as ')} = {source};"
            return f"const {what.replace(' as ', ': ')} = {source};" if what else f"{source};"

        text = _LIST.sub("", _EXPORT.sub("", _IMPORT.sub(bound, _without_comments(self.text))))
        for match in reversed(list(_lazy(text))):
            name = self._beside(match[1])
            text = text[: match.start()] + f'load("{name}")' + text[match.end() :]
        text = _BESIDE.sub(lambda match: f'beside("{self._beside(match[1])}")', text)
        exported = ", ".join(f"{outer}: {inner}" for outer, inner in self.exports.items())
        return f'define("{self.name}", async () => {{\n{text}\nreturn {{ {exported} }};\n}});\n'


def _names(what: str | None) -> Iterator[str]:
    """Yield the names in an import.

    Raises:
        BundleError: If the module imports a default export.
    """
    if what is None or what.startswith("* as "):
        return
    if not (what.startswith("{") and what.endswith("}")):
        raise BundleError(f"import {what}: a default")
    for part in filter(None, map(str.strip, what[1:-1].split(","))):
        yield part.partition(" as ")[0]


def _without_comments(text: str) -> str:
    """Return a module without comment lines.

    A module with multi-line strings is returned unchanged, because their lines may look like
    comments.
    """
    has_long_texts = any(line.count("`") % 2 for line in text.splitlines())
    return text if has_long_texts else _COMMENT.sub("", text)


def _lazy(text: str) -> Iterator[re.Match[str]]:
    """Yield the places that load modules on demand.

    Types in comments use the same syntax and are skipped.
    """
    for match in _LAZY.finditer(text):
        line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].lstrip()
        if not line.startswith(("*", "/*", "//")):
            yield match


class PageBundle:
    """The bundles of one state of the pages.

    Args:
        files: The contents of the files by path.

    Attributes:
        files: The same.
        version: A digest of the files.
    """

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files
        whole = sha256()
        for name, content in sorted(files.items()):
            whole.update(b"%s %d " % (name.encode(), len(content)) + content)
        self.version = whole.hexdigest()[:16]
        self._ready: dict[str, Asset] = {}
        self._texts: dict[str, str] = {}

    @cached_property
    def _modules(self) -> dict[str, Module]:
        """The modules.

        Raises:
            BundleError: If one of them cannot be bundled.
        """
        modules = {name: Module(name, content.decode()) for name, content in self.files.items() if name.endswith(".js")}
        for module in modules.values():
            _check(module, modules)
        _in_order(modules, modules)
        return modules

    def page(self, place: str, template: str = INDEX) -> Asset:
        """Return the HTML of a page such as `play`; the HTML loads bundles."""
        return self._once(f"page {template} {place}", ".html", lambda: self.html(place, template, ADDRESS))

    def html(self, place: str, template: str, address: str) -> str:
        """Return the HTML of a page whose bundles are at an address."""
        html = self.files[template].decode()
        base = f"{address}/{self.version}"
        sheet = f"{base}/-/{template.removesuffix('.html')}.css"
        html = _SHEETS.sub(f'    <link rel="stylesheet" href="{sheet}">\n', html)
        html = html.replace(f'"/pages/{MAIN}"', f'"{base}/-/{place}.js"')
        return html.replace('"/pages/', f'"{base}/')

    def file(self, name: str) -> Asset | None:
        """Return a bundle or a single file; None if the name is unknown."""
        modules = self._modules
        template = name.removeprefix("-/").replace(".css", ".html")
        if name.startswith("-/") and template in self.files:
            return self._once(name, ".css", lambda: self._style(template))
        if name.startswith("-/"):
            place = name.removeprefix("-/").removesuffix(".js")
            first = [f"{place}/page.js", MAIN]
            if all(one in modules for one in first):
                return self._once(name, ".js", lambda: self._bundle_of(first))
        if any(name in module.lazy for module in modules.values()):
            has = set(_in_order([MAIN], modules))
            return self._once(name, ".js", lambda: self._bundle_of([name], has))
        if name in self._entries:
            return self._once(name, ".js", lambda: self._bundle_of([name]))
        content = self.files.get(name)
        suffix = posixpath.splitext(name)[1]
        if content is None or suffix == ".html":
            return None
        return self._once(name, suffix, lambda: content)

    def names(self, places: Iterable[str]) -> set[str]:
        """Return the names of all files that some pages and the embedded board can load."""
        entries = self._entries - {MAIN}
        lazy = set[str]()
        waiting = [*(f"{place}/page.js" for place in places), *entries]
        while waiting:
            for name in _in_order([waiting.pop()], self._modules):
                waiting += self._modules[name].lazy - lazy
                lazy |= self._modules[name].lazy
        scripts = {name for text in self._pages for name in _SCRIPT.findall(text)} - {MAIN}
        data = {name for name in self.files if posixpath.splitext(name)[1] not in CODE}
        bundles = {"-/index.css", "-/embed.css", *(f"-/{place}.js" for place in places)}
        return bundles | entries | lazy | scripts | data

    def _bundle_of(self, first: list[str], has: Iterable[str] = ()) -> str:
        modules = self._modules
        names = [name for name in _in_order(first, modules) if name not in set(has)]
        return _START + "".join(map(self._text, names)) + f'await need("{first[-1]}");\n'

    def _text(self, name: str) -> str:
        """Return a module's text in bundles, cached because most bundles share modules."""
        if name not in self._texts:
            self._texts[name] = self._modules[name].bundled()
        return self._texts[name]

    @cached_property
    def _entries(self) -> set[str]:
        """The entry modules of the HTML files and of Web Workers."""
        workers = {name for module in self._modules.values() for name in module.beside}
        named = {name for text in self._pages for name in _ENTRY.findall(text)}
        return named | workers & set(self._modules)

    @cached_property
    def _pages(self) -> list[str]:
        """The HTML files."""
        return [text.decode() for name, text in self.files.items() if name.endswith(".html")]

    def _style(self, template: str) -> str:
        names = _SHEET.findall("".join(_SHEETS.findall(self.files[template].decode())))
        return "\n".join(self.files[name].decode() for name in names)

    def _once(self, name: str, suffix: str, make: Callable[[], str | bytes]) -> Asset:
        if name not in self._ready:
            made = make()
            self._ready[name] = asset(made.encode() if isinstance(made, str) else made, suffix)
        return self._ready[name]


def _check(module: Module, modules: dict[str, Module]) -> None:
    """Check that a module's imports exist."""
    for name, wanted in module.needs.items():
        known = modules[name].exports if name in modules else {}
        for one in wanted:
            if one not in known:
                raise BundleError(f"{module.name}: {name} has no constant export {one}")
    named = [name for name in module.beside if name.endswith(".js")]
    for name in (*module.needs, *module.lazy, *named):
        if name not in modules:
            raise BundleError(f"{module.name}: no module {name}")


def _in_order(first: Iterable[str], modules: dict[str, Module]) -> list[str]:
    """Return modules and all their imports, each module after its own imports.

    Raises:
        BundleError: If imports form a cycle.
    """
    done: dict[str, None] = {}
    begun = set[str]()

    def add(name: str) -> None:
        if name in done:
            return
        if name in begun:
            raise BundleError(f"{name}: needs itself")
        begun.add(name)
        for one in modules[name].needs:
            add(one)
        done[name] = None

    for name in first:
        add(name)
    return list(done)


class PageFolder:
    """The bundles of a folder, rebuilt when a file changes.

    Args:
        folder: The folder.
        others: Files of other folders, by their names among the pages.
    """

    def __init__(self, folder: Path, others: Mapping[str, Path] | None = None) -> None:
        self._folder = folder
        self._others = dict(others or {})
        self._seen: dict[str, tuple[int, int]] = {}
        self._checked = float("-inf")
        self._edition = PageBundle({})

    def bundle(self) -> PageBundle:
        """Return the current bundles, at most `FRESH_S` old."""
        if time.monotonic() - self._checked > FRESH_S:
            self._check_files()
            self._checked = time.monotonic()
        return self._edition

    def _check_files(self) -> None:
        files = {
            path.relative_to(self._folder).as_posix(): path
            for path in self._folder.rglob("*")
            if path.suffix in TYPES and path.is_file()
        } | self._others
        stats = {name: path.stat() for name, path in files.items()}
        seen = {name: (stat.st_mtime_ns, stat.st_size) for name, stat in stats.items()}
        if seen != self._seen:
            texts = {name: read_small(path, MOST_OWN, follow_links=True) for name, path in files.items()}
            self._edition = PageBundle(texts)
            self._seen = seen
