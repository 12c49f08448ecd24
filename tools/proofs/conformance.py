"""Play every agent of the conformance tests against itself on every board.

    python -m tools.proofs.conformance      the plies of each game; exit status 1 if an agent chose an illegal move

The tests play a sample. Games by the clock differ from run to run, so only that they ended is printed.
"""

import sys
import warnings

from isolarium.agents import parse_agent
from isolarium.errors import InputError
from isolarium.game.board import parse_board
from isolarium.game.position import Position
from isolarium.heuristics.compiler import HeuristicWarning
from tests.agents.conformance import BOARDS, SPECS, TIMED, play, short_name


def main() -> None:
    """Play and print a row for each agent."""
    warnings.simplefilter("ignore", HeuristicWarning)
    agents = [*SPECS, *TIMED]
    wide = max(len(short_name(spec)) for spec in agents)
    print(" " * wide, *(f"{board:>6}" for board in BOARDS))
    failures = 0
    for spec in agents:
        cells = [cell(spec, board) for board in BOARDS]
        failures += cells.count("failed")
        print(f"{short_name(spec):<{wide}}", *(f"{one:>6}" for one in cells), flush=True)
    games = len(agents) * len(BOARDS)
    print(f"{games - failures} of {games} games ended with every move legal")
    sys.exit(failures > 0)


def cell(spec: str, board: str) -> str:
    """Play one game and return its number of plies."""
    agent = parse_agent(spec)
    try:
        choices = play(agent, Position.empty(parse_board(board)), seed=1)
    except InputError as error:
        print(f"{short_name(spec)} on {board}: {error}", file=sys.stderr)
        return "failed"
    finally:
        agent.close()
    return "ended" if spec in TIMED else str(len(choices))


if __name__ == "__main__":
    main()
