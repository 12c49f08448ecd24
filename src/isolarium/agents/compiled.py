"""The built-in agents as compiled functions, without Python between their moves.

Each built-in search is one compiled function `choose(inputs, quota)`. `search/kernel_state.py`
defines its inputs, what it returns, and the state in which it leaves the move, the score, the
depth, the nodes and the line. The functions are:

    random                 `random_move` in search/driver.py
    greedy, minimax,       `alphabeta` in search/alphabeta.py, with TABLE false; its MEMORY has
    alphabeta              MEMORY_WORDS words
    strong                 the same with TABLE true, and a transposition table (search/kernel_state.py)
    champion               `champion` in agents/prover.py, which calls the solver and
                           `selective_alphabeta` of search/champion_kernel.py; its PROOFS has
                           `proof_words` words
    mcts                   `mcts` in search/mcts.py; its MEMORY has CAPACITY nodes, its PATH 170
                           words
    minmax_approximation   in search/minmax_approximation.py; its MEMORY has HEAD_WORDS words, and
                           FIRST and FIRST_END in it are the addresses of a block of nodes

A search that Python drives (`CompiledSearch`) and one that compiled code drives
(`CompiledSearch.seat`) run the same function. Opening books, the oracle, several threads, time
limits and third-party heuristics need Python.
"""

from collections.abc import Mapping

from isolarium.heuristics.bound_heuristic import Bound
from isolarium.search.driver import CompiledSearch, Entry
from isolarium.spec.registry import SearchKind
from isolarium.spec.spec import AgentSpec, parse_spec


def compiled_search(spec: AgentSpec) -> CompiledSearch | None:
    """Return an agent's search if compiled code alone can choose the agent's moves, else None.

    Raises:
        InputError: If the agent's heuristic does not exist.
    """
    kind = spec.kind
    if not isinstance(kind, SearchKind) or spec.book or spec.is_third_party or spec.is_of_course:
        return None
    search = _search(kind, spec)
    return search if search is not None and search.ends_by_itself(spec.limit) else None


def _search(kind: SearchKind, spec: AgentSpec) -> CompiledSearch | None:
    if kind.name == "random":
        from isolarium.search.driver import CompiledRandom

        return CompiledRandom()
    evaluator = spec.evaluator()
    if evaluator is not None and not isinstance(evaluator, Bound):
        return None
    search = kind.make(evaluator, spec.options)
    return search if isinstance(search, CompiledSearch) else None


def choose_entries(spec: str, words: int) -> Mapping[str, Entry]:
    """Return the compiled function of an agent, and the functions that it calls by address.

    Args:
        spec: A search with its heuristic, such as `alphabeta:improved`.
        words: The number of 64-bit words in a set of the board's squares.

    Returns:
        The arguments of `compile_entry`: `choose` for the agent. For the champion also `search` and `solver`; its
        inputs SEARCH and SOLVER hold their addresses.

    Raises:
        InputError: If the spec is invalid.
        KeyError: If compiled code alone cannot choose the agent's moves.
    """
    search = compiled_search(parse_spec(spec))
    if search is None:
        raise KeyError(spec)
    return search.entries(words)
