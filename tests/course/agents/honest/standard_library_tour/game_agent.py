from __future__ import annotations

import heapq
import itertools
import math
import operator
import statistics
from bisect import insort
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, IntEnum, auto
from fractions import Fraction
from functools import lru_cache, reduce, total_ordering
from typing import Dict, List, NamedTuple, Optional, Tuple

Move = Tuple[int, int]
Weights = namedtuple("Weights", "mobility distance overlap")


class Phase(IntEnum):
    OPENING = 1
    MIDDLE = 2
    END = 3


class Kind(Enum):
    EXACT = auto()
    BOUND = auto()


WEIGHTS: Dict[Phase, Weights] = {
    Phase.OPENING: Weights(2, 1, 1),
    Phase.MIDDLE: Weights(3, 1, 0),
    Phase.END: Weights(5, 0, 2),
}


class Entry(NamedTuple):
    value: Fraction
    kind: Kind = Kind.EXACT


@total_ordering
@dataclass
class Candidate:
    score: Fraction
    move: Move = field(compare=False)

    def __lt__(self, other: Candidate) -> bool:
        return (self.score, self.move) < (other.score, other.move)


@lru_cache(maxsize=None)
def knight(square: Move, height: int, width: int) -> Tuple[Move, ...]:
    steps = itertools.chain(itertools.product((1, -1), (2, -2)), itertools.product((2, -2), (1, -1)))
    there = (tuple(map(operator.add, square, step)) for step in steps)
    return tuple(sorted(s for s in there if 0 <= s[0] < height and 0 <= s[1] < width))


def bfs(start: Move, blank: frozenset, height: int, width: int) -> Dict[Move, int]:
    found, todo = OrderedDict({start: 0}), deque([start])
    while todo:
        here = todo.popleft()
        for there in knight(here, height, width):
            if there in blank and there not in found:
                found[there] = found[here] + 1
                todo.append(there)
    return found


class CustomPlayer:
    def __init__(self) -> None:
        self.table: Dict[tuple, Entry] = {}
        self.history: List[Move] = []
        self.visits: Counter = Counter()
        self.by_phase: Dict[Phase, List[int]] = defaultdict(list)

    def phase(self, game) -> Phase:
        share = Decimal(game.move_count) / Decimal(game.width * game.height)
        return Phase.OPENING if share < Decimal("0.2") else Phase.MIDDLE if share < Decimal("0.5") else Phase.END

    def evaluate(self, game, me: Move, you: Optional[Move], phase: Phase) -> Entry:
        key = (tuple(game._board_state), phase)
        if key not in self.table:
            blank = frozenset(game.get_blank_spaces())
            mine = bfs(me, blank, game.height, game.width)
            yours = bfs(you, blank, game.height, game.width) if you else {}
            closer = sum(1 for s in blank if mine.get(s, math.inf) < yours.get(s, math.inf))
            shared = len(mine.keys() & yours.keys())
            w = WEIGHTS[phase]
            terms = (w.mobility * (len(mine) - len(yours)), w.distance * closer, -w.overlap * shared)
            self.table[key] = Entry(Fraction(reduce(operator.add, terms), len(blank) + 1))
        return self.table[key]

    def get_move(self, game, time_left) -> Move:
        phase = self.phase(game)
        heap: List[Candidate] = []
        for move in game.get_legal_moves():
            child = game.forecast_move(move)
            you = child.get_player_location(child.active_player)
            entry = self.evaluate(child, move, you, phase)
            heapq.heappush(heap, Candidate(entry.value, move))
        if not heap:
            return (-1, -1)
        best = heapq.nlargest(1, heap)[0]
        insort(self.history, best.move)
        self.visits[best.move[0] % 2] += 1
        self.by_phase[phase].append(len(heap))
        print(phase.name, statistics.median(self.by_phase[phase]), self.visits.most_common(1))
        return best.move
