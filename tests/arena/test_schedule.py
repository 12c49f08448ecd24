"""The schedule hands out every missing pair once, and lost pairs again."""

from hypothesis import given
from hypothesis import strategies as st

from isolarium.arena.schedule import (
    LONGEST_S,
    MOST_PAIRS,
    MOST_SHRINKING,
    PATIENCE,
    PATIENCE_S,
    TASK_S,
    WORKER_S,
    Schedule,
    Span,
)

sets_of_pairs = st.sets(st.tuples(st.integers(0, 3), st.integers(0, 40)))


@given(done=sets_of_pairs, seconds=st.lists(st.floats(0, 2), min_size=1))
def test_every_missing_pair_is_handed_out_once(done: set[tuple[int, int]], seconds: list[float]) -> None:
    schedule = Schedule(4, 41, lambda encounter, pair: (encounter, pair) in done)
    given_out: list[tuple[int, int]] = []
    number = 0
    while (span := schedule.next()) is not None:
        given_out += [(span.encounter, pair) for pair in range(span.first, span.end)]
        schedule.note_time(span, seconds[number % len(seconds)])
        number += 1
    assert len(given_out) == len(set(given_out))
    assert set(given_out) == {(e, p) for e in range(4) for p in range(41)} - done


def test_encounters_grow_evenly() -> None:
    schedule = Schedule(3, 10, lambda encounter, pair: False)
    first = [schedule.next() for _ in range(6)]
    assert [span.encounter for span in first if span] == [0, 1, 2, 0, 1, 2]


def test_slow_encounters_get_small_batches_beside_quick_ones() -> None:
    schedule = Schedule(2, 10_000, lambda encounter, pair: False)
    for _ in range(60):
        span = schedule.next()
        assert span is not None
        per_pair = 1.0 if span.encounter == 0 else 0.0001
        schedule.note_time(span, per_pair * (span.end - span.first))
    sizes = {0: 0, 1: 0}
    for _ in range(40):
        span = schedule.next()
        assert span is not None
        sizes[span.encounter] = max(sizes[span.encounter], span.end - span.first)
    assert sizes[0] == 1
    assert 1 < sizes[1] <= MOST_PAIRS
    assert sizes[1] * 0.0001 <= TASK_S


def test_lost_spans_are_requeued_first_and_in_order() -> None:
    schedule = Schedule(1, 10, lambda encounter, pair: False)
    spans = [span for span in (schedule.next(), schedule.next()) if span]
    assert schedule.requeue_lost(spans) == 1
    assert schedule.next() == spans[0]
    assert schedule.requeue_lost([spans[0]]) == 2
    assert [schedule.next(), schedule.next(), schedule.next()] == [*spans, Span(0, 2, 3)]


def test_batches_last_longer_for_many_workers() -> None:
    schedule = Schedule(1, 10_000_000, lambda encounter, pair: False)
    schedule.workers = 1000
    for _ in range(20):
        span = schedule.next()
        assert span is not None
        schedule.note_time(span, 0.01 * (span.end - span.first))
    span = schedule.next()
    assert span is not None
    assert 0.01 * (span.end - span.first) == WORKER_S * 1000


def test_batches_shrink_towards_the_end() -> None:
    schedule = Schedule(1, 4000, lambda encounter, pair: False)
    schedule.workers = 2
    sizes = []
    while (span := schedule.next()) is not None:
        sizes.append(span.end - span.first)
        schedule.note_time(span, TASK_S / 256 * (span.end - span.first))
    assert sizes[:10] == [1, 4, 16, 64, *[256] * 6]
    assert sizes[10:] == sorted(sizes[10:], reverse=True)
    assert max(sizes[-8:]) == 256 // MOST_SHRINKING


def test_a_batch_may_take_many_times_as_long_as_the_slowest() -> None:
    schedule = Schedule(2, 100, lambda encounter, pair: False)
    assert schedule.time_limit_s(Span(0, 0, 1)) == LONGEST_S
    schedule.note_time(Span(0, 0, 2), 0.2)
    assert schedule.time_limit_s(Span(0, 2, 3)) == PATIENCE_S
    schedule.note_time(Span(0, 2, 4), 200.0)
    schedule.note_time(Span(0, 4, 8), 2.0)
    assert schedule.time_limit_s(Span(0, 8, 12)) == PATIENCE * 400.0
    assert schedule.time_limit_s(Span(1, 0, 1)) == LONGEST_S
