"""The engine in Chromium chooses as native code does: every search, on boards of one and two words."""

import random

import pytest

from tests.web.pages.javascript import RunJs
from tools.build_wasm.comparison import SEARCHES, differences, native_choice, positions

pytestmark = pytest.mark.slow

IMPORT = """import { loadEngine } from "/pages/engine/wasm_engine.js";
import { formatSquare, parsePosition } from "/pages/game/notation.js";"""
CHOOSE = """
  const engine = await loadEngine("/pages/engine/");
  const found = [];
  for (const [spec, text] of argument) {
    const position = parsePosition(text);
    const choice = await engine.choose(spec, position, { seed: 1 });
    const isInfinite = choice.score !== null && !Number.isFinite(choice.score);
    const line = choice.line.map((square) => formatSquare(square, position.cols));
    found.push({ ...choice, move: line[0], line, score: isInfinite ? String(choice.score) : choice.score });
  }
  return found;
"""


def test_choices_equal_native_ones(js_in_browser: RunJs) -> None:
    chance = random.Random(32)
    asked = []
    for board in ("7x7", "9x11"):
        for search in SEARCHES:
            spec = search.replace("HEURISTIC", chance.choice(("improved", "learned")))
            (position,) = positions(board, 1, chance)
            asked.append((spec, position))
    found = js_in_browser(IMPORT, CHOOSE, [(spec, str(position)) for spec, position in asked])
    assert len(found) == len(asked)
    for (spec, position), choice in zip(asked, found, strict=True):
        assert not differences(native_choice(spec, position, 1), choice), (spec, str(position))
