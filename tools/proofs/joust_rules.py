"""Play 1,000 random games of 8x8 by our rules and by Fairy-Stockfish's, and check that they agree at every move.

python -m tools.proofs.joust_rules
"""

from tests.engine.test_joust_rules import play_games

GAMES = 1_000


def main() -> None:
    """Print how much was compared; raise an exception at a difference."""
    moves = play_games(GAMES, seed=0)
    print(f"joust rules {GAMES:,} games of 8x8, {moves:,} moves: the same legal moves at each, and the same winners")


if __name__ == "__main__":
    main()
