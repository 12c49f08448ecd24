"""Trains the weights of `learned`: `python -m tools.training.train LABELS... --out FOLDER`, minutes on a GPU.

LABELS are folders of `isolab label` and files of `labels.cu`. What is learned is the log-odds of winning after a move,
from two things: of positions with winning and losing moves, that the winning ones come first; and of all, who won.
Weights are rounded to whole numbers during the last two rounds, so that what is exported is what was trained. The
folder gets the file of weights with its SHA-256 in the name, a JSON that says what made it, and the values of 10,000
positions as this program computes them, for the tests.
"""

# mypy: disable-error-code="misc, untyped-decorator"
# PyTorch's types are not there where it is not.

import argparse
import json
import sys
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, embedding, embedding_bag

from isolab.heuristics.weights import CHANNELS, MOST_OPINION
from tools.training.rows import Rows, read_rows
from tools.training.seeing import KINDS, PARTS, SIZES, Seen, see

ONE: Final = 64
ALWAYS: Final = -1e9
CHUNK: Final = 100_000
STORED: Final = 10_000
EDGE_WORTH: Final = 0.15
"""What a move within one's region is worth before anything is learned: the start is `stealer`."""
EXACT_SHARE, OUTCOME_SHARE = 0.3, 1.0
"""How much who wins counts beside which move comes first, where it is exact and where it is not."""


class Rounded(torch.autograd.Function):
    """Rounds to multiples of 1 / ONE and lets gradients pass."""

    @staticmethod
    def forward(context: Any, weights: Tensor, most: float) -> Tensor:
        """Round."""
        return torch.clamp(torch.round(weights * ONE), -most, most) / ONE

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Let them pass."""
        return gradients[0], None


class Evaluation(nn.Module):
    """The evaluation while it is trained; see `catalogue/learned.py` for what it computes."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds = False
        self.squares = nn.Parameter(torch.randn(2 * PARTS * KINDS, CHANNELS) * 0.02)
        self.knights = nn.Parameter(torch.randn(2 * 2 * KINDS, CHANNELS) * 0.02)
        self.offsets = nn.Parameter(torch.zeros(2 * 13 * 13, CHANNELS))
        self.sizes = nn.Parameter(torch.zeros(2 * 4 * SIZES, CHANNELS))
        self.opinions = nn.Parameter(torch.randn(2, CHANNELS - 1) * 2)
        self.role = nn.Parameter(torch.zeros(2))  # who wins by the roles alone: not exported
        part = torch.arange(2 * PARTS * KINDS) // KINDS % PARTS
        within = torch.arange(2 * PARTS * KINDS) % KINDS // 9
        with torch.no_grad():
            self.squares[:, 0] = EDGE_WORTH * (within - 0.5) * torch.where(part < PARTS // 2, 1, -1)
            self.knights[:, 0] = 0

    def tables(self) -> list[Tensor]:
        """The rows, and last the opinions, rounded where it is time for that."""
        rows = [self.squares, self.knights, self.offsets, self.sizes]
        if not self.rounds:
            return [*rows, self.opinions]
        return [
            *(Rounded.apply(row, 127.0) for row in rows),
            Rounded.apply(self.opinions, float(MOST_OPINION)),
        ]

    def forward(self, seen: Seen, at: Tensor, tables: list[Tensor] | None = None) -> Tensor:
        """The values of some of what was seen, for who waits."""
        squares, knights, offsets, sizes, opinions = tables or self.tables()
        role = seen.role[at]
        place = seen.squares[at].long()
        rest = squares.shape[0]  # a row of zeros, for no square
        place = torch.where(place >= 0, place + role[:, None] * PARTS * KINDS, rest)
        padded = torch.cat([squares, torch.zeros_like(squares[:1])])
        sums = embedding_bag(place, padded, mode="sum", padding_idx=rest)
        players = torch.arange(2, device=role.device)
        sums = sums + embedding(
            seen.knights[at] + (2 * role[:, None] + players) * KINDS, knights
        ).sum(1)
        sums = sums + embedding(seen.offset[at] + role * 13 * 13, offsets)
        groups = torch.arange(4, device=role.device)
        sums = sums + embedding(seen.sizes[at] + (4 * role[:, None] + groups) * SIZES, sizes).sum(1)
        said = torch.clamp(sums[:, 1:], 0, 1) ** 2
        return sums[:, 0] + (said * opinions[role]).sum(1)


class Lesson:
    """Positions with their moves: a grid of eight places each, some of them empty."""

    def __init__(self, rows: list[Rows], device: str) -> None:
        parts, before = list[Seen](), 0
        for part in (part for one in rows for part in one.parts(CHUNK)):
            seen = see(part, device)
            parts.append(seen._replace(position=seen.position + before))
            before += len(part.mover)
        self.rows = rows
        self.seen = Seen(*(torch.cat(tensors) for tensors in zip(*parts, strict=True)))
        chance = torch.from_numpy(np.concatenate([one.chance for one in rows])).to(device)
        self.chance = chance[self.seen.position, self.seen.direction]
        self.exact = torch.from_numpy(np.concatenate([one.exact for one in rows])).to(device)
        self.held_out = torch.from_numpy(np.concatenate([one.held_out for one in rows])).to(device)
        many = torch.bincount(self.seen.position, minlength=len(self.exact))
        start = many.cumsum(0) - many
        place = torch.arange(8, device=device)[None]
        self.there = place < many[:, None]
        self.grid = torch.where(self.there, start[:, None] + place, start[:, None])
        wins = self.chance[self.grid] > 0.5
        some, others = (wins & self.there).any(1), (~wins & self.there).any(1)
        self.decisive = self.exact & some & others

    def loss(self, net: Evaluation, chosen: Tensor) -> Tensor:
        """That of some positions."""
        there, places = self.there[chosen], self.grid[chosen]
        at = places[there]
        values = net(self.seen, at)
        grid = torch.full(there.shape, ALWAYS, device=values.device).masked_scatter(there, values)
        wins = (self.chance[places] > 0.5) & there
        right = torch.logsumexp(torch.where(wins, grid, ALWAYS), 1)
        order = mean_where(torch.logsumexp(grid, 1) - right, self.decisive[chosen])
        wrong = binary_cross_entropy_with_logits(
            values + net.role[self.seen.role[at]], self.chance[at], reduction="none"
        )
        exact = self.exact[self.seen.position[at]]
        exactly, about = mean_where(wrong, exact), mean_where(wrong, ~exact)
        return order + EXACT_SHARE * exactly + OUTCOME_SHARE * about

    @torch.no_grad()
    def right(self, net: Evaluation, chosen: Tensor) -> float:
        """How often the best move of decisive positions wins."""
        chosen = chosen[self.decisive[chosen]]
        good = 0.0
        for part in chosen.split(CHUNK // 8):
            there, places = self.there[part], self.grid[part]
            values = torch.full(there.shape, ALWAYS, device=there.device)
            values = values.masked_scatter(there, net(self.seen, places[there]))
            best = places.gather(1, values.argmax(1, keepdim=True))[:, 0]
            good += float((self.chance[best] > 0.5).sum())
        return good / max(1, len(chosen))


def mean_where(values: Tensor, which: Tensor) -> Tensor:
    """The mean of those; 0 if there are none."""
    return (values * which).sum() / which.sum().clamp(min=1)


def train(lesson: Lesson, rounds: int, batch: int, rate: float) -> tuple[Evaluation, list[Any]]:
    """Train, and tell after each round how it goes."""
    device = lesson.grid.device
    net = Evaluation().to(device)
    learn = torch.nonzero(~lesson.held_out)[:, 0]
    test = torch.nonzero(lesson.held_out)[:, 0]
    steps = rounds * (len(learn) // batch)
    optimiser = torch.optim.Adam(net.parameters(), rate, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, steps + 1, pct_start=0.1)
    history = []
    for number in range(rounds):
        net.rounds = number >= rounds - 2
        order, total = learn[torch.randperm(len(learn), device=device)], 0.0
        for chosen in order[: len(learn) // batch * batch].split(batch):
            loss = lesson.loss(net, chosen)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += float(loss.detach())
        told = {
            "round": number + 1,
            "loss": round(total / (len(learn) // batch), 4),
            "right, of those trained on": round(lesson.right(net, learn[: len(test)]), 4),
            "right, of games held out": round(lesson.right(net, test), 4),
        }
        history.append(told)
        print(json.dumps(told), flush=True)
    return net, history


def export(net: Evaluation, lesson: Lesson, history: list[Any], out: Path) -> Path:
    """Write the weights, what made them and the values of positions held out; the file of weights."""
    net.rounds = True
    tables = [table.detach() for table in net.tables()]
    whole = [(table * ONE).round().cpu().numpy() for table in tables]
    shaped = [table.reshape(2, -1, table.shape[-1]).astype(np.int8) for table in whole[:-1]]
    names = ("squares", "knights", "offsets", "sizes")
    buffer = BytesIO()
    np.savez_compressed(
        buffer, **dict(zip(names, shaped, strict=True)), opinions=whole[-1].astype(np.int16)
    )
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"learned-{sha256(buffer.getvalue()).hexdigest()}.npz"
    file.write_bytes(buffer.getvalue())
    made = {"command": sys.argv, "torch": torch.__version__, "history": history}
    file.with_suffix(".json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    np.savez_compressed(out / "values.npz", **values(net, lesson, tables))
    return file


@torch.no_grad()
def values(net: Evaluation, lesson: Lesson, tables: list[Tensor]) -> dict[str, Any]:
    """The values of moves of games held out, exactly, in units of ONE ** -3."""
    held_out = torch.nonzero(lesson.held_out[lesson.seen.position])[:, 0]
    at = held_out[torch.randperm(len(held_out), device=held_out.device)[:STORED]]
    found = net(lesson.seen, at, [table.double() for table in tables])
    position = lesson.seen.position[at].cpu().numpy()
    direction = lesson.seen.direction[at].cpu().numpy()
    blank = np.concatenate([one.blank for one in lesson.rows])[position]
    mover = np.concatenate([one.mover for one in lesson.rows])[position].astype(np.int64)
    width = np.concatenate([np.full(len(r.mover), r.board.cols) for r in lesson.rows])[position]
    height = np.concatenate([np.full(len(r.mover), r.board.rows) for r in lesson.rows])[position]
    down = np.array([-2, -2, -1, -1, 1, 1, 2, 2])[direction]
    across = np.array([-1, 1, -2, 2, -2, 2, -1, 1])[direction]
    waits = mover + down * width + across
    row = np.arange(len(waits))
    blank[row, waits >> 6] &= ~(np.uint64(1) << (waits & 63).astype(np.uint64))
    return {
        "board": 100 * height + width,
        "blank": blank,
        "waits": waits.astype(np.uint8),
        "moves": np.concatenate([one.other for one in lesson.rows])[position],
        "value": (found * ONE**3).round().long().cpu().numpy(),
    }


def main() -> None:
    """Read, train and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument("--rate", type=float, default=0.004)
    parser.add_argument("--seed", type=int, default=3)
    asked = parser.parse_args()
    torch.manual_seed(asked.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lesson = Lesson([rows for path in asked.labels for rows in read_rows(path)], device)
    print(f"{len(lesson.exact):,} positions, {int(lesson.decisive.sum()):,} decisive", flush=True)
    net, history = train(lesson, asked.rounds, asked.batch, asked.rate)
    print(export(net, lesson, history, asked.out))


if __name__ == "__main__":
    main()
