"""Modules in packs do what they do as files."""

import re
from pathlib import Path

import pytest

from isolarium.web.bundles import BundleError, PageBundle, PageFolder
from isolarium.web.routes.static import FOLDER, PLACES

INDEX = '<link rel="stylesheet" href="/pages/a.css">\n<script src="/pages/main.js" type="module">'
PLAIN = {
    "index.html": INDEX,
    "a.css": "p { color: red }",
    "main.js": 'export const open = () => import("./here/page.js");',
    "here/page.js": 'import { one } from "../one.js";\nexport const title = one;',
    "one.js": "export const one = 1;",
}


def bundle(**changes: str) -> PageBundle:
    named = {f"{name}.js": text for name, text in changes.items()}
    return PageBundle({name: text.encode() for name, text in {**PLAIN, **named}.items()})


@pytest.mark.parametrize(
    "text",
    [
        "export let one = 1;",
        "export default 1;\nexport const one = 1;",
        'export * from "./two.js";',
        "const one = 1;",
        'import "./here/page.js";\nexport const one = 1;',
        'import two from "./two.js";\nexport const one = two;',
        "export const one = import.meta.url;",
        "export const one = (path) => import(path);",
        'export const one = () => import("./missing.js");',
        'export const one = () => new Worker(new URL("./missing.js", import.meta.url));',
    ],
)
def test_modules_of_another_kind_are_refused(text: str) -> None:
    changed = bundle(one=text, two="export const two = 2;")
    with pytest.raises(BundleError):
        changed.file("-/here.js")


def test_a_worker_has_a_bundle_of_its_own() -> None:
    changed = bundle(
        one='export const one = () => [new URL("./two.js", import.meta.url), new URL("./data/", import.meta.url)];',
        two='import { open } from "./main.js";\nopen();',
    )
    page, worker = changed.file("-/here.js"), changed.file("two.js")
    assert page is not None
    assert worker is not None
    assert b'[beside("two.js"), beside("data/")]' in page.content
    assert b'define("main.js"' in worker.content


def test_every_module_of_ours_can_be_packed() -> None:
    current = PageFolder(FOLDER).bundle()
    for place in PLACES:
        assert b"/pages/" not in current.page(place).content


def test_main_opens_every_page() -> None:
    text = (FOLDER / "main.js").read_text(encoding="utf-8")
    assert sorted(re.findall(r'(\w+): \(\) => import\("\./\1/page\.js"\)', text)) == list(PLACES)


def test_an_address_changes_with_what_is_behind_it(tmp_path: Path) -> None:
    assert bundle().version == bundle().version != bundle(one="export const one = 2;").version
    packed = bundle().file("-/here.js")
    assert packed is not None
    assert packed.content.index(b'define("one.js"') < packed.content.index(b'define("here/page.js"')
