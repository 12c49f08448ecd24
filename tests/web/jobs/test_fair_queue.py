"""FairQueue: who asks for little does not wait behind who asks for much, over however many connections that comes."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import pytest

from isolarium.web.connection_limits import SERVER, Client, network_of
from isolarium.web.jobs.fair_queue import HALF_LIFE_S, MOST_ACCOUNTS, RECENT_S, FairQueue

_numbers = count()


@dataclass(frozen=True)
class Wish:
    """Something that somebody wants."""

    client: Client
    cost_s: float = 0.0
    number: int = field(default_factory=lambda: next(_numbers))


def wish(address: str, connection: int = 1, cost_s: float = 0.1) -> Wish:
    return Wish(Client(address, connection), cost_s)


class Clock:
    """A time that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def turns(clock: Clock) -> FairQueue[Wish]:
    return FairQueue(most=20, most_each=10, clock=clock)


def served(turns: FairQueue[Wish], took_s: float = 0.1) -> Iterator[Wish]:
    """All that wait, in the order in which one worker does them."""
    while (job := turns.take(1)) is not None:
        turns.finish(job, took_s)
        yield job


def added(turns: FairQueue[Wish], *wishes: Wish) -> list[Wish]:
    for one in wishes:
        assert turns.add(one) is None
    return list(wishes)


def test_one_client_is_served_in_order(turns: FairQueue[Wish]) -> None:
    wishes = added(turns, *(wish("a") for _ in range(5)))
    assert list(served(turns)) == wishes


def test_addresses_take_turns_however_many_connections_they_have(turns: FairQueue[Wish]) -> None:
    added(turns, *(wish("abuser", connection) for connection in range(6)))
    added(turns, wish("b"), wish("c"), wish("c"))
    assert [one.client.address for one in served(turns)][:5] == ["abuser", "b", "c", "abuser", "c"]


def test_connections_of_an_address_take_turns(turns: FairQueue[Wish]) -> None:
    added(turns, *(wish("school", 1) for _ in range(4)), wish("school", 2))
    assert [one.client.connection for one in served(turns)][:3] == [1, 2, 1]


def test_who_had_little_comes_before_who_had_much(turns: FairQueue[Wish]) -> None:
    for address, took_s in (("much", 5.0), ("little", 0.1)):
        added(turns, wish(address))
        list(served(turns, took_s))
    added(turns, wish("much"), wish("little"), wish("little"))
    assert [one.client.address for one in served(turns)] == ["little", "little", "much"]


def test_who_had_much_long_ago_is_forgiven(turns: FairQueue[Wish], clock: Clock) -> None:
    for address, took_s in (("much", 5.0), ("little", 1.0)):
        added(turns, wish(address))
        list(served(turns, took_s))
        clock.now += 4 * HALF_LIFE_S
    added(turns, wish("little"), wish("much"))
    assert [one.client.address for one in served(turns)] == ["much", "little"]


def test_who_asks_for_little_comes_before_who_asks_for_much(turns: FairQueue[Wish]) -> None:
    added(turns, *(wish("school", connection) for connection in range(1, 4)))
    added(turns, wish("school", 4, cost_s=0.01))
    assert next(served(turns)).client.connection == 4


def test_a_worker_is_kept_for_what_is_light(clock: Clock) -> None:
    turns = FairQueue[Wish](most=20, most_each=20, kept=1, clock=clock)
    added(turns, *(wish(address) for address in ("a", "b", "c")))
    assert turns.take(2) is not None
    assert turns.take(2) is None
    light = wish("a", 7, cost_s=0.01)
    turns.add(light)
    assert turns.take(2) is light


def test_what_says_that_it_is_light_and_is_not_is_known_the_next_time(clock: Clock) -> None:
    turns = FairQueue[Wish](most=20, most_each=20, kept=1, clock=clock)
    added(turns, wish("liar", cost_s=0.01))
    list(served(turns, took_s=1.0))
    added(turns, wish("liar", cost_s=0.01), wish("a"))
    assert [turns.take(2) is None for _ in range(2)] == [False, True]


def test_no_address_has_every_worker_while_others_may_come(turns: FairQueue[Wish]) -> None:
    added(turns, wish("other"))
    list(served(turns))
    added(turns, *(wish("abuser", connection) for connection in range(6)))
    assert turns.take(3) is not None
    assert turns.take(3) is not None
    assert turns.take(3) is None
    newcomer = wish("other")
    turns.add(newcomer)
    assert turns.take(3) is newcomer


def test_who_is_alone_may_have_them_all(turns: FairQueue[Wish], clock: Clock) -> None:
    added(turns, wish("other"), Wish(SERVER))
    list(served(turns))
    clock.now = RECENT_S + 1
    added(turns, *(wish("a", connection) for connection in range(3)))
    assert None not in [turns.take(3) for _ in range(3)]


def test_an_address_has_only_so_many_places(turns: FairQueue[Wish]) -> None:
    added(turns, *(wish("abuser", connection) for connection in range(10)))
    refused = wish("abuser", 11)
    assert turns.add(refused) is refused
    assert turns.add(wish("other")) is None


def test_a_connection_with_many_gives_a_place_to_one_without(turns: FairQueue[Wish]) -> None:
    many = added(turns, *(wish("school", 1) for _ in range(10)))
    newcomer = wish("school", 2)
    assert turns.add(newcomer) is many[-1]
    assert newcomer in turns
    assert len(turns) == 10


def test_an_address_with_many_gives_a_place_to_one_without(turns: FairQueue[Wish]) -> None:
    first = added(turns, *(wish("a") for _ in range(10)))
    added(turns, *(wish("b") for _ in range(9)), wish("c"))
    assert turns.add(wish("d")) is first[-1]
    assert len(turns) == 20


def test_where_nobody_has_more_the_newcomer_goes_without() -> None:
    turns = FairQueue[Wish](most=2, most_each=2)
    added(turns, wish("a"), wish("b"))
    newcomer = wish("c")
    assert turns.add(newcomer) is newcomer


def test_of_very_many_clients_those_at_work_are_kept(turns: FairQueue[Wish]) -> None:
    added(turns, wish("at work"))
    job = turns.take(1)
    assert job is not None
    for number in range(2 * MOST_ACCOUNTS):
        added(turns, wish(f"address {number}"))
        (other,) = [turns.take(9)]
        assert other is not None
        turns.finish(other, 0.1)
    added(turns, wish("at work"), wish("another"))
    following = turns.take(9)
    assert following is not None
    assert following.client.address == "another"


@pytest.mark.parametrize(
    ("host", "home"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
        ("no address", "no address"),
    ],
)
def test_a_home_is_one_address_or_what_one_has_of_ipv6(host: str, home: str) -> None:
    assert network_of(host) == home
