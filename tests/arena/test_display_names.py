"""Names are short, printable, and different."""

import pytest

from isolarium.arena.plan import Format, Plan
from isolarium.arena.run_store import LONGEST, names_of


def plan_of(*agents: str) -> Plan:
    return Plan(Format.MATCH if len(agents) == 2 else Format.ROUND_ROBIN, agents)


def renamed(*agents: str) -> Plan:
    """A plan whose agents have names that no spec has, as a record might hold them."""
    plan = plan_of(*["random"] * len(agents))
    object.__setattr__(plan, "agents", agents)
    return plan


def test_a_tournament_leaves_out_what_all_share() -> None:
    shown = names_of(plan_of("alphabeta:open", "alphabeta:improved", "alphabeta:center"))
    assert shown.short == ("open", "improved", "center")
    assert shown.left_out == "alphabeta, nodes=8000"


def test_the_usual_limit_is_left_out() -> None:
    shown = names_of(plan_of("alphabeta:improved", "alphabeta:open", "minimax:open@depth=3"))
    assert shown.short == ("alphabeta:improved", "alphabeta:open", "minimax:open@depth=3")
    assert shown.left_out == "limit nodes=8000 unless a name gives another"


def test_a_match_names_the_search() -> None:
    shown = names_of(plan_of("alphabeta:improved", "alphabeta:open"))
    assert shown.short == ("alphabeta:improved", "alphabeta:open")
    assert shown.left_out == "limit nodes=8000"


def test_one_agents_own_limit_stays() -> None:
    shown = names_of(plan_of("mcts@nodes=100", "random"))
    assert (shown.short, shown.left_out) == (("mcts@nodes=100", "random"), "")


def test_copies_are_numbered() -> None:
    assert names_of(plan_of("mcts", "mcts")).short == ("mcts", "mcts #2")


def test_long_names_stay_different() -> None:
    agents = [f"{'a' * 40}{middle}{'z' * 40}" for middle in "xy"]
    one, other = names_of(renamed(*agents)).short
    assert one != other
    assert max(len(one), len(other)) <= LONGEST + len(" #2")


def test_what_has_no_shape_is_marked() -> None:
    assert names_of(renamed("a\x00b\u202ec\nd", "e")).short[0] == "a\ufffdb\ufffdc\ufffdd"


def test_names_leave_out_what_all_share() -> None:
    names = names_of(plan_of("alphabeta:open@nodes=9", "alphabeta:improved@nodes=9", "alphabeta:open@nodes=9"))
    assert names.short == ("open", "improved", "open #2")
    assert names.left_out == "alphabeta, nodes=9"
    assert names.full[2] == "alphabeta:open@nodes=9 #2"


@pytest.mark.parametrize(
    ("agents", "short"),
    [
        (["random", "mcts@nodes=9", "alphabeta:open@nodes=9"], ("random", "mcts", "alphabeta:open")),
        (["mcts@nodes=9", "mcts@nodes=8"], ("mcts@nodes=9", "mcts@nodes=8")),
        (["random", "random"], ("random", "random #2")),
    ],
)
def test_names_stay_apart(agents: list[str], short: tuple[str, ...]) -> None:
    assert names_of(plan_of(*agents)).short == short
