"""The losses on labelled positions, and the progress of training."""

# mypy: disable-error-code="untyped-decorator"
# The types of PyTorch are missing if it is not installed.

from typing import Any, Final

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from tools.training.features import Rows, Seen, see

ALWAYS: Final = -1e9
CHUNK: Final = 100_000
STAGE: Final = 8
"""The number of blank squares that a stage of the game spans."""
STAGES: Final = 22
BOARDS: Final = 16
"""The maximum number of stages, and of boards."""
BLANKS_STEP: Final = 4
SHARES: Final = {"order": 1.0, "exact": 0.3, "games": 4.0}
"""The weights of the losses: the order of moves, exact winners, and winners of games."""


def weighed(losses: dict[str, Tensor]) -> Tensor:
    """Return the weighted sum."""
    return torch.stack([SHARES[name] * loss for name, loss in losses.items()]).sum()


class Lesson:
    """Positions with their moves: eight places for each position, some empty."""

    def __init__(self, rows: list[Rows], device: str) -> None:
        parts, before = list[Seen](), 0
        for part in (part for one in rows for part in one.parts(CHUNK)):
            seen = see(part, device)
            parts.append(seen._replace(position=seen.position + before))
            before += len(part.mover)

        def joined(arrays: list[Any]) -> Tensor:
            return torch.from_numpy(np.concatenate(arrays)).to(device)

        self.rows = rows
        self.seen = Seen(*(torch.cat(tensors) for tensors in zip(*parts, strict=True)))
        wins = joined([one.wins for one in rows])
        self.wins = wins[self.seen.position, self.seen.direction]
        self.exact = joined([one.exact for one in rows])
        self.held_out = joined([one.held_out for one in rows])
        sizes = [100 * one.board.rows + one.board.cols for one in rows]
        self.board = joined([np.full(len(r.mover), s) for r, s in zip(rows, sizes, strict=True)])
        self.blanks = joined([np.bitwise_count(r.blank).sum(1).astype(np.int64) for r in rows])
        boards = torch.unique(self.board, return_inverse=True)[1]
        self.stage = boards * STAGES + self.blanks // STAGE
        many = torch.bincount(self.seen.position, minlength=len(self.exact))
        start = many.cumsum(0) - many
        place = torch.arange(8, device=device)[None]
        self.there = place < many[:, None]
        self.grid = torch.where(self.there, start[:, None] + place, start[:, None])
        some = (self.wins[self.grid] & self.there).any(1)
        others = (~self.wins[self.grid] & self.there).any(1)
        self.decisive = self.exact & some & others

    def losses(self, net: Any, chosen: Tensor) -> dict[str, Tensor]:
        """Return the losses of some positions."""
        there, places = self.there[chosen], self.grid[chosen]
        at = places[there]
        values = net(self.seen, at)
        grid = torch.full(there.shape, ALWAYS, device=values.device).masked_scatter(there, values)
        wins = self.wins[places] & there
        right = torch.logsumexp(torch.where(wins, grid, ALWAYS), 1)
        order = torch.logsumexp(grid, 1) - right
        wrong = binary_cross_entropy_with_logits(
            self.log_odds(net, values, at), self.wins[at].float(), reduction="none"
        )
        exact = self.exact[self.seen.position[at]]
        return {
            "order": _mean_where(order, self.decisive[chosen]),
            "exact": _mean_where(wrong, exact),
            "games": _mean_where(wrong, ~exact),
        }

    def log_odds(self, net: Any, values: Tensor, at: Tensor) -> Tensor:
        """Return the log-odds of winning that the values of moves imply."""
        role, stage = self.seen.role[at], self.stage[self.seen.position[at]]
        exactly = values + net.role[role]
        return torch.where(
            self.exact[self.seen.position[at]], exactly, net.clarity[stage] * values + net.luck[stage, role]
        )

    @torch.no_grad()
    def progress(self, net: Any, batch: int) -> dict[str, float]:
        """Return the losses and right moves on held-out games."""
        test = torch.nonzero(self.held_out)[:, 0]
        drawn = test[torch.randperm(len(test), device=test.device)]  # some of each kind in each
        parts = [self.losses(net, chosen) for chosen in drawn.split(batch)]
        found = {name: torch.stack([part[name] for part in parts]).mean() for name in SHARES}
        figures = {
            "loss, held out": weighed(found),
            **{f"{name}, held out": loss for name, loss in found.items()},
            "right, of games held out": _mean(self.right(net, test)),
        }
        return {name: round(float(value), 4) for name, value in figures.items()}

    @torch.no_grad()
    def right(self, net: Any, positions: Tensor) -> Tensor:
        """Return whether the best-valued move wins, for each decisive position."""
        found = [torch.zeros(0, dtype=torch.bool, device=positions.device)]
        for part in positions[self.decisive[positions]].split(CHUNK // 8):
            there, places = self.there[part], self.grid[part]
            values = torch.full(there.shape, ALWAYS, device=there.device)
            values = values.masked_scatter(there, net(self.seen, places[there]))
            best = places.gather(1, values.argmax(1, keepdim=True))[:, 0]
            found.append(self.wins[best])
        return torch.cat(found)

    def judged(self, net: Any) -> dict[str, Any]:
        """Return the results on held-out games: right moves, and calibration."""
        test = torch.nonzero(self.held_out)[:, 0]
        decisive, games = test[self.decisive[test]], test[~self.exact[test]]
        right = self.right(net, decisive)
        blanks = self.blanks[decisive] // BLANKS_STEP * BLANKS_STEP
        return {
            "right moves": {"all": _mean(right), **_means(right, self.board[decisive])},
            "right moves by blanks": _means(right, blanks),
            "calibration, exact": self._calibration(net, decisive),
            "calibration, games": self._calibration(net, games),
        }

    @torch.no_grad()
    def _calibration(self, net: Any, positions: Tensor) -> list[dict[str, float]]:
        """Return predicted and actual win rates of moves, in tenths."""
        places = self.grid[positions][self.there[positions]]
        predicted = [torch.sigmoid(self.log_odds(net, net(self.seen, part), part)) for part in places.split(CHUNK)]
        chance = torch.cat(predicted)
        tenths = (10 * chance).long().clamp(0, 9)
        return [
            {
                "said": _mean(chance[tenths == tenth]),
                "won": _mean(self.wins[places][tenths == tenth]),
                "positions": int((tenths == tenth).sum()),
            }
            for tenth in range(10)
            if bool((tenths == tenth).any())
        ]


def _mean_where(values: Tensor, which: Tensor) -> Tensor:
    """Return the mean of the selected values; 0 if there are none."""
    return (values * which).sum() / which.sum().clamp(min=1)


def _mean(values: Tensor) -> float:
    """Return the mean; 0 if there are no values."""
    return round(float(values.float().mean()), 4) if len(values) else 0.0


def _means(values: Tensor, groups: Tensor) -> dict[str, float]:
    """Return the mean of each group by its number."""
    return {str(int(group)): _mean(values[groups == group]) for group in groups.unique()}
