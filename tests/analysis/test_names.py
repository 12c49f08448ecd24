"""Names are short, printable, and different."""

from isolab.analysis.names import LONGEST, names_of
from isolab.arena.plan import Format, Plan


def plan_of(*agents: str) -> Plan:
    return Plan(Format.MATCH if len(agents) == 2 else Format.ROUND_ROBIN, agents)


def renamed(*agents: str) -> Plan:
    """A plan whose agents have names that no spec has, as a record might hold them."""
    plan = plan_of(*["random"] * len(agents))
    object.__setattr__(plan, "agents", agents)
    return plan


def test_a_tournament_leaves_out_what_all_share() -> None:
    shown = names_of(plan_of("alphabeta:open", "alphabeta:improved", "alphabeta:center"))
    assert shown.names == ("open", "improved", "center")
    assert shown.left_out == "all alphabeta, nodes=8000"


def test_the_usual_limit_is_left_out() -> None:
    shown = names_of(plan_of("alphabeta:improved", "alphabeta:open", "minimax:open@depth=3"))
    assert shown.names == ("alphabeta:improved", "alphabeta:open", "minimax:open@depth=3")
    assert shown.left_out == "limit nodes=8000 where a name says no other"


def test_a_match_names_the_search() -> None:
    shown = names_of(plan_of("alphabeta:improved", "alphabeta:open"))
    assert shown.names == ("alphabeta:improved", "alphabeta:open")
    assert shown.left_out == "limit nodes=8000"


def test_one_agents_own_limit_stays() -> None:
    shown = names_of(plan_of("mcts@nodes=100", "random"))
    assert (shown.names, shown.left_out) == (("mcts@nodes=100", "random"), "")


def test_copies_are_numbered() -> None:
    assert names_of(plan_of("mcts", "mcts")).names == ("mcts", "mcts #2")


def test_long_names_stay_different() -> None:
    agents = [f"{'a' * 40}{middle}{'z' * 40}" for middle in "xy"]
    one, other = names_of(renamed(*agents)).names
    assert one != other
    assert max(len(one), len(other)) <= LONGEST + len(" #2")


def test_what_has_no_shape_is_marked() -> None:
    assert names_of(renamed("a\x00b\u202ec\nd", "e")).names[0] == "a\ufffdb\ufffdc\ufffdd"
