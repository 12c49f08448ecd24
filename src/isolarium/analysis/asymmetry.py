"""The asymmetry of heat maps, and whether chance alone explains it.

Over evenly spread openings, an agent without a bias visits a square as often as its mirror images.
An asymmetric heat map in report 000 revealed that the course's heuristic `center` is off-centre. The unit of evidence
is the opening, because visits within a game, and games from one opening, are not independent.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from isolarium.game.board import Board
from isolarium.game.symmetry import Symmetry, symmetries
from isolarium.stats.distributions import beta_cdf, student_t_quantile

CONFIDENCE: Final = 0.95
SIGNIFICANCE: Final = 0.01
"""The significance level, stricter than 0.05 because reports test every agent."""
FEWEST_OPENINGS: Final = 20
MIRRORS: Final = {
    Symmetry.LEFT_RIGHT: "left-right",
    Symmetry.TOP_BOTTOM: "top-bottom",
    Symmetry.DIAGONAL: "diagonal from a1",
    Symmetry.ANTIDIAGONAL: "other diagonal",
}

Table = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Asymmetry:
    """How a heat map differs from its mirror images.

    Attributes:
        openings: The number of openings, which are the independent units.
        visits: The total number of visits.
        down: How far the centre of mass lies below the board's centre, in squares.
        right: How far the centre of mass lies to the right.
        down_error: Half the width of the 95% interval of `down`.
        right_error: Half the width of the 95% interval of `right`.
        centre_p: The p-value of the centre's offset.
        uneven: The share of visits that would have to move to make the map symmetric.
        uneven_by_chance: The expected share for an agent without a bias.
        uneven_p: The p-value of that share.
        broken: The names of the symmetries that the map breaks.
    """

    openings: int
    visits: int
    down: float
    right: float
    down_error: float
    right_error: float
    centre_p: float
    uneven: float
    uneven_by_chance: float
    uneven_p: float
    broken: tuple[str, ...]

    @property
    def is_known(self) -> bool:
        """Whether there are enough openings for a verdict."""
        return self.openings >= FEWEST_OPENINGS

    @property
    def offset(self) -> str:
        """The centre's offset, such as `0.12 ± 0.02 down, 0.11 ± 0.02 right`."""
        down = _directed(self.down, self.down_error, "down", "up")
        return f"{down}, {_directed(self.right, self.right_error, 'right', 'left')}"

    @property
    def verdict(self) -> str:
        """The verdict in words."""
        if not self.is_known:
            return f"too few openings for a verdict ({self.openings})"
        found = []
        if self.centre_p < SIGNIFICANCE:
            found.append(f"leans {self._direction()}")
        if self.uneven_p < SIGNIFICANCE:
            found.append("differs from its mirror images" + self._mirrors())
        return "; ".join(found) or "no significant asymmetry"

    def _mirrors(self) -> str:
        return f" ({', '.join(self.broken)})" if self.broken else ""

    def _direction(self) -> str:
        words = []
        if abs(self.down) > self.down_error:
            words.append("down" if self.down > 0 else "up")
        if abs(self.right) > self.right_error:
            words.append("right" if self.right > 0 else "left")
        return " and ".join(words) or "off the centre"


def measure(by_opening: NDArray[np.integer], board: Board) -> Asymmetry:
    """Measure the asymmetry of a heat map.

    The centre has the interval of a ratio of sums over openings, and Hotelling's p-value. Asymmetry
    is tested by the sum of squared deviations from the mean of all mirror images, whose variance is
    estimated from the openings with Box's approximation (Brunner, Dette and Munk, "Box-type
    approximations in nonparametric factorial designs", JASA 92, 1997). Unlike a chi-square test
    with a full covariance, it does not need more openings than squares.

    Args:
        by_opening: The visits, with a row for each opening and a column for each square.
        board: The board.
    """
    visits = _Sums(by_opening[by_opening.any(axis=1)], board)
    openings, total = visits.openings, visits.total
    if openings < FEWEST_OPENINGS:
        nothing = (0.0, 0.0, math.inf, math.inf, 1.0, 0.0, 0.0, 1.0)
        return Asymmetry(openings, int(total), *nothing, broken=())
    down, right, down_error, right_error, centre_p = _centre(visits)
    itself = np.eye(board.size)
    of_all = np.mean([_moved(symmetry, board) for symmetry in symmetries(board)], axis=0)
    deviation, products = visits.mapped(itself - of_all)
    spread = np.sqrt(np.diag(products))
    broken = [
        words
        for mirror, words in MIRRORS.items()
        if mirror in symmetries(board)
        and _p_value(*visits.mapped(itself - _moved(mirror, board)), openings) < SIGNIFICANCE
    ]
    return Asymmetry(
        openings,
        int(total),
        down,
        right,
        down_error,
        right_error,
        centre_p,
        uneven=float(np.abs(deviation).sum()) / (2 * total),
        # The mean of |x| for a normal x is its spread times sqrt(2 / pi).
        uneven_by_chance=float(spread.sum()) * math.sqrt(2 / math.pi) / (2 * total),
        uneven_p=_p_value(deviation, products, openings),
        broken=tuple(broken),
    )


AT_ONCE: Final = 32768
"""The number of openings whose visits are converted to floats at a time."""


class _Sums:
    """Sums over openings, all exact; a map of the squares maps them too.

    Attributes:
        openings: The number of openings.
        total: The number of visits.
        sizes: The visits from each opening.
        offsets: The sum of their distances from the board's centre, down and right.
    """

    def __init__(self, by_opening: NDArray[np.integer], board: Board) -> None:
        centre = [(board.rows - 1) / 2, (board.cols - 1) / 2]
        places = np.array(board.squares, dtype=np.float64) - centre
        self.openings = len(by_opening)
        self.sizes, self.offsets = np.zeros(self.openings), np.zeros((self.openings, 2))
        self._sums = np.zeros(board.size)
        self._products = np.zeros((board.size, board.size))
        for first in range(0, self.openings, AT_ONCE):
            own = slice(first, first + AT_ONCE)
            part = by_opening[own].astype(np.float64)
            self.sizes[own], self.offsets[own] = part.sum(axis=1), part @ places
            self._sums += part.sum(axis=0)
            self._products += part.T @ part
        self.total = float(self.sizes.sum())

    def mapped(self, squares: Table) -> tuple[Table, Table]:
        """Return the sum of the mapped visits, and of the products of each two squares."""
        return self._sums @ squares, squares.T @ self._products @ squares


def _moved(symmetry: Symmetry, board: Board) -> Table:
    """Return the map of each square's visits to its image."""
    found = np.zeros((board.size, board.size))
    found[_images(symmetry, board), np.arange(board.size)] = 1.0
    return found


def _images(symmetry: Symmetry, board: Board) -> list[int]:
    """Return the index of each square's image."""
    return [board.index(symmetry.square(square, board)) for square in board.squares]


def _centre(visits: _Sums) -> tuple[float, float, float, float, float]:
    """Return the centre's offset, the half widths of its intervals, and its p-value."""
    openings, total = visits.openings, visits.total
    centre = visits.offsets.sum(axis=0) / total
    residuals = visits.offsets - visits.sizes[:, None] * centre
    covariance = residuals.T @ residuals / total**2 * openings / (openings - 1)
    errors = student_t_quantile(CONFIDENCE, openings - 1) * np.sqrt(np.diag(covariance))
    distance = float(centre @ np.linalg.pinv(covariance) @ centre)
    # Hotelling's T^2 in two dimensions has this tail in closed form.
    p_value = (1 + distance / (openings - 1)) ** (-(openings - 2) / 2)
    return float(centre[0]), float(centre[1]), float(errors[0]), float(errors[1]), p_value


def _p_value(sums: Table, products: Table, openings: int) -> float:
    """Return the p-value of deviations against a mean of 0, from their sums over openings."""
    trace = float(np.trace(products))
    if trace == 0.0:
        return 1.0
    observed = float((sums**2).sum()) / trace
    degrees = trace**2 / float((products**2).sum())
    below = degrees * max(1.0, openings - 1.0)
    return beta_cdf(below / (below + degrees * observed), below / 2, degrees / 2)


def _directed(value: float, error: float, forth: str, back: str) -> str:
    return f"{abs(value):.2f} ± {error:.2f} {forth if value >= 0 else back}"
