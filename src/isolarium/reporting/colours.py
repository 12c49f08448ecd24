"""The colours of charts and pages.

They are read in three ways: on white paper, on a dark page, whose style sheet exchanges INK, MUTED and GRID, and in
black and white. So no chart says anything by hue alone.
"""

from typing import Final

from isolarium.game.svg import PLAYER_COLOURS

INK: Final = "#20242c"
MUTED: Final = "#5a6170"
GRID: Final = "#dcdfe5"
PAPER: Final = "#ffffff"
BLUE, ORANGE = PLAYER_COLOURS
NEUTRAL: Final = "#c9ced8"
ON_LIGHT: Final = "#14171d"  # text on coloured cells, which stay as they are on a dark page
ON_DARK: Final = "#fefefe"
