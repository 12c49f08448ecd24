"""Train the weights of `learned`: `python -m tools.training.train LABELS... --out FOLDER`.

It takes minutes on a GPU. LABELS are folders of `isolarium label` and files of `labels.cu` and
`games.cu`. There are three objectives: ranking winning moves first in positions with winning and
losing moves, predicting the winner of every exact position, and predicting the winner of the game
after the move made in positions beyond the solver's reach. Weights are whole numbers during most of
the rounds, so that the exported weights are the trained ones. The folder receives the file of
weights with its SHA-256 in the name, a JSON with its history and its results on held-out games,
charts of both, the packed weights for the two CUDA programs, and the values that this program
computes for 10,000 positions, for the tests.
"""

# mypy: disable-error-code="misc, untyped-decorator"
# The types of PyTorch are missing if it is not installed.

import argparse
import json
import sys
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import embedding

from isolarium.heuristics.catalogue.learned import MOST_OPINION, ROWS
from isolarium.native.simd_rows import CHANNELS
from tools.training.charts import draw
from tools.training.features import KINDS, PARTS, SIZES, Seen, read_rows
from tools.training.objective import BOARDS, STAGES, Lesson, weighed

ONE: Final = 64
LANES, BIAS = 4, 128  # of what `values.cuh` reads
STORED: Final = 10_000
EDGE_WORTH: Final = 0.15
"""The initial value of a move within a player's region: training starts from `stealer`."""
FREE: Final = 0.3
"""The share of the rounds without rounding the weights to whole numbers."""


class Rounded(torch.autograd.Function):
    """Rounds to multiples of 1 / ONE and passes gradients through."""

    @staticmethod
    def forward(context: Any, weights: Tensor, most: float) -> Tensor:
        """Return the rounded values."""
        return torch.clamp(torch.round(weights * ONE), -most, most) / ONE

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """Return the gradients unchanged."""
        return gradients[0], None


class Evaluation(nn.Module):
    """The evaluation in training; see `catalogue/learned.py` for what it computes."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.rounds = False
        self.squares = nn.Parameter(torch.randn(2 * PARTS * KINDS, channels) * 0.02)
        self.knights = nn.Parameter(torch.randn(2 * 2 * KINDS, channels) * 0.02)
        self.offsets = nn.Parameter(torch.zeros(2 * 13 * 13, channels))
        self.sizes = nn.Parameter(torch.zeros(2 * 4 * SIZES, channels))
        self.opinions = nn.Parameter(torch.randn(2, channels - 1) * 2)
        # Not exported: who wins by the roles alone; and how values predict the ends of games, by board and stage
        self.role = nn.Parameter(torch.zeros(2))
        self.luck = nn.Parameter(torch.zeros(BOARDS * STAGES, 2))
        self.clarity = nn.Parameter(torch.full((BOARDS * STAGES,), 0.5))
        part = torch.arange(2 * PARTS * KINDS) // KINDS % PARTS
        within = torch.arange(2 * PARTS * KINDS) % KINDS // 9
        with torch.no_grad():
            self.squares[:, 0] = EDGE_WORTH * (within - 0.5) * torch.where(part < PARTS // 2, 1, -1)
            self.knights[:, 0] = 0

    def tables(self) -> list[Tensor]:
        """Return the rows and the output weights, rounded in the later rounds."""
        rows = [self.squares, self.knights, self.offsets, self.sizes]
        if not self.rounds:
            return [*rows, self.opinions]
        return [*(Rounded.apply(row, 127.0) for row in rows), Rounded.apply(self.opinions, float(MOST_OPINION))]

    def forward(self, seen: Seen, at: Tensor, tables: list[Tensor] | None = None) -> Tensor:
        """Return the values of some positions for the player not to move."""
        squares, knights, offsets, sizes, opinions = tables or self.tables()
        role = seen.role[at]
        of_both = squares.view(2, PARTS * KINDS, -1).movedim(0, 1).flatten(1)
        both = (seen.squares[at].to(squares.dtype) @ of_both).view(len(at), 2, squares.shape[-1])
        sums = both[torch.arange(len(at), device=role.device), role]
        players = torch.arange(2, device=role.device)
        sums = sums + embedding(seen.knights[at] + (2 * role[:, None] + players) * KINDS, knights).sum(1)
        sums = sums + embedding(seen.offset[at] + role * 13 * 13, offsets)
        groups = torch.arange(4, device=role.device)
        sums = sums + embedding(seen.sizes[at] + (4 * role[:, None] + groups) * SIZES, sizes).sum(1)
        activations = torch.clamp(sums[:, 1:], 0, 1) ** 2
        return sums[:, 0] + (activations * opinions[role]).sum(1)


def begin_from(net: Evaluation, file: Path) -> None:
    """Load the weights of a file."""
    with np.load(file) as arrays, torch.no_grad():
        for name in (*ROWS, "opinions"):
            table = getattr(net, name)
            taken = arrays[name].reshape(-1, arrays[name].shape[-1])
            table.copy_(torch.from_numpy(taken.astype(np.float32) / ONE))


def train(lesson: Lesson, net: Evaluation, rounds: int, batch: int, rate: float) -> list[dict[str, float]]:
    """Train, and print the progress after each round."""
    learn = torch.nonzero(~lesson.held_out)[:, 0]
    batch = min(batch, len(learn))
    steps = rounds * (len(learn) // batch)
    optimiser = torch.optim.Adam(net.parameters(), rate, betas=(0.9, 0.99))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, steps + 1, pct_start=0.1)
    history = []
    for number in range(rounds):
        net.rounds = number >= rounds * FREE
        order = learn[torch.randperm(len(learn), device=learn.device)]
        total = torch.zeros((), device=learn.device)
        for chosen in order[: len(learn) // batch * batch].split(batch):
            loss = weighed(lesson.losses(net, chosen))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
            total += loss.detach()
        progress = {"round": number + 1, "loss": round(float(total) / (len(learn) // batch), 4)}
        history.append({**progress, **lesson.progress(net, batch)})
        print(json.dumps(history[-1]), flush=True)
    return history


def export(net: Evaluation, lesson: Lesson, made: dict[str, Any], out: Path) -> Path:
    """Write the weights, their history and the values of held-out positions; return the path of the weights."""
    net.rounds = True
    tables = [table.detach() for table in net.tables()]
    whole = [(table * ONE).round().cpu().numpy() for table in tables]
    shaped = [_filled(table.reshape(2, -1, table.shape[-1]), CHANNELS) for table in whole[:-1]]
    arrays: dict[str, Any] = {name: table.astype(np.int8) for name, table in zip(ROWS, shaped, strict=True)}
    opinions = _filled(whole[-1], CHANNELS - 1).astype(np.int16)
    buffer = BytesIO()
    np.savez_compressed(buffer, **arrays, opinions=opinions)
    out.mkdir(parents=True, exist_ok=True)
    file = out / f"learned-{sha256(buffer.getvalue()).hexdigest()}.npz"
    file.write_bytes(buffer.getvalue())
    file.with_suffix(".json").write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    for_the_card({**arrays, "opinions": opinions}).tofile(out / "weights.words")
    np.savez_compressed(out / "values.npz", **values(net, lesson, tables))
    return file


def for_the_card(arrays: dict[str, Any]) -> NDArray[np.int64]:
    """Return the weights as `values.cuh` reads them: four per word, offset so that no sum borrows."""
    words = []
    for role in range(2):
        rows = np.concatenate([arrays[name][role] for name in ROWS]).astype(np.int64) + BIAS
        lanes = rows.reshape(-1, LANES) << 16 * np.arange(LANES)
        words += [np.bitwise_or.reduce(lanes, axis=1), [0], arrays["opinions"][role]]
    return np.concatenate(words).astype(np.int64)


def _filled(table: NDArray[Any], channels: int) -> NDArray[Any]:
    """Return the weights padded with empty channels."""
    return np.pad(table, [(0, 0)] * (table.ndim - 1) + [(0, channels - table.shape[-1])])


@torch.no_grad()
def values(net: Evaluation, lesson: Lesson, tables: list[Tensor]) -> dict[str, Any]:
    """Return the exact values of moves of held-out games, in units of ONE ** -3."""
    held_out = torch.nonzero(lesson.held_out[lesson.seen.position])[:, 0]
    at = held_out[torch.randperm(len(held_out), device=held_out.device)[:STORED]]
    found = net(lesson.seen, at, [table.double() for table in tables])
    position = lesson.seen.position[at].cpu().numpy()
    direction = lesson.seen.direction[at].cpu().numpy()
    blank = np.concatenate([one.blank for one in lesson.rows])[position]
    mover = np.concatenate([one.mover for one in lesson.rows])[position].astype(np.int64)
    board = lesson.board.cpu().numpy()[position]
    down = np.array([-2, -2, -1, -1, 1, 1, 2, 2])[direction]
    across = np.array([-1, 1, -2, 2, -2, 2, -1, 1])[direction]
    waits = mover + down * (board % 100) + across
    row = np.arange(len(waits))
    blank[row, waits >> 6] &= ~(np.uint64(1) << (waits & 63).astype(np.uint64))
    return {
        "board": board,
        "blank": blank,
        "waits": waits.astype(np.uint8),
        "moves": np.concatenate([one.other for one in lesson.rows])[position],
        "value": (found * ONE**3).round().long().cpu().numpy(),
    }


def main() -> None:
    """Read, train, evaluate and export."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labels", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="weights to begin from, of as many channels")
    parser.add_argument("--rounds", type=int, default=12, help="0: judge those it begins from")
    parser.add_argument("--batch", type=int, default=16384)
    parser.add_argument("--rate", type=float, default=0.004)
    parser.add_argument("--channels", type=int, default=CHANNELS)
    parser.add_argument("--seed", type=int, default=3)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    lesson = Lesson([rows for path in options.labels for rows in read_rows(path)], device)
    print(f"{len(lesson.exact):,} positions, {int(lesson.decisive.sum()):,} decisive", flush=True)
    net = Evaluation(options.channels).to(device)
    if options.start:
        begin_from(net, options.start)
    history = train(lesson, net, options.rounds, options.batch, options.rate)
    net.rounds = True
    made = {"command": sys.argv, "torch": torch.__version__, "history": history, "judged": lesson.judged(net)}
    print(json.dumps(made["judged"]["right moves"]), flush=True)
    draw(made, options.out)
    print(export(net, lesson, made, options.out))


if __name__ == "__main__":
    main()
