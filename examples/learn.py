"""A player that learns knight Isolation by itself: a small neural network in NumPy, under a minute on 5x5.

    python examples/learn.py

It plays many games at once against itself (`isolarium.env.BatchEnv`) and learns what each move is worth: after a move
the opponent is to play, so a move is worth the opposite of the best that the opponent then has. Every so often it meets
`greedy:open`, who takes the move that leaves it the most moves; and at the end the truth says how many of the won
positions that it met it kept. docs/how-to/learning-environment.md explains it.
"""

import argparse
import os
from itertools import pairwise

# With matrices so small, threads only wait for each other. NumPy reads this when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np

import isolarium
from isolarium.agents import parse_agent
from isolarium.env import BatchEnv, move_values
from isolarium.solver.solver import ExactValues

GAMES = 64  # at once
HIDDEN = 128
ILLEGAL = -2.0  # less than any value


class Network:
    """Two hidden layers; for each square the value of going there, between -1 and 1. It learns by Adam."""

    def __init__(self, inputs, outputs, random):
        sizes = (inputs, HIDDEN, HIDDEN, outputs)
        self.weights = []
        for before, after in pairwise(sizes):
            self.weights.append(random.normal(0, before**-0.5, (before, after)).astype(np.float32))
            self.weights.append(np.zeros(after, dtype=np.float32))
        self.weights[4] *= 0.1  # to begin without opinions
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.updates = 0

    def layers(self, seen):
        """What every layer makes of what is seen; the last has the values of all moves."""
        w1, b1, w2, b2, w3, b3 = self.weights
        one = np.maximum(seen @ w1 + b1, 0)
        two = np.maximum(one @ w2 + b2, 0)
        return one, two, np.tanh(two @ w3 + b3)

    def values(self, seen, masks):
        """The value of every move, and less than any of those for what is not legal."""
        return np.where(masks == 1, self.layers(seen)[-1], ILLEGAL)

    def learn(self, seen, moves, targets, rate):
        """Bring the values of the moves played a little nearer to the targets."""
        one, two, values = self.layers(seen)
        rows = np.arange(len(moves))
        error = np.zeros_like(values)
        played = values[rows, moves]
        error[rows, moves] = (played - targets) * (1 - played**2) / len(moves)
        below_two = (error @ self.weights[4].T) * (two > 0)
        below_one = (below_two @ self.weights[2].T) * (one > 0)
        self.updates += 1
        for place, (before, after) in enumerate(((seen, below_one), (one, below_two), (two, error))):
            self.adjust(2 * place, before.T @ after, rate)
            self.adjust(2 * place + 1, after.sum(axis=0), rate)

    def adjust(self, place, gradient, rate):
        """Take one step of Adam with one array of weights (Kingma and Ba 2015)."""
        mean, square = self.means[place], self.squares[place]
        mean += 0.1 * (gradient - mean)
        square += 0.001 * (gradient**2 - square)
        step = mean / (1 - 0.9**self.updates)
        scale = np.sqrt(square / (1 - 0.999**self.updates)) + 1e-8
        self.weights[place] -= rate * step / scale


def seen_by(batch):
    """What the network is shown of each game: own square, other square and blanks, as one row of numbers."""
    return batch.observations[:, :3].reshape(len(batch.players), -1).astype(np.float32)


def train(board, rounds, seed, report=lambda moves, network: None):
    """A network after so many rounds of one move in each game; `report` is told of it six times."""
    random = np.random.default_rng(seed)
    env = BatchEnv(board, GAMES, random_plies=2, seed=seed)
    size = env.start.board.size
    network = Network(3 * size, size, random)
    batch = env.reset()
    seen, masks = seen_by(batch), batch.action_masks.copy()
    for done in range(rounds):
        share = done / rounds
        if done % max(1, rounds // 5) == 0:
            report(done * GAMES, network)
        moves = network.values(seen, masks).argmax(axis=1)
        curious = random.random(GAMES) < max(0.05, 0.3 - 0.45 * share)
        moves = np.where(curious, env.sample(), moves)
        batch = env.step(moves)
        after, masks = seen_by(batch), batch.action_masks.copy()
        best_reply = network.values(after, masks).max(axis=1)
        targets = np.where(batch.terminations, batch.rewards, -best_reply)
        network.learn(seen, moves, targets, rate=1e-3 * (1 - 0.9 * share))
        seen = after
    report(rounds * GAMES, network)
    return network


def share_won(network, board, openings=100, opponent="greedy:open"):
    """The share of games that a network wins against an agent: every opening is played twice, with either side."""
    won = sum(games_won(network, board, openings, opponent, side) for side in (0, 1))
    return won / (2 * openings)


def games_won(network, board, openings, opponent, side, seed=2026):
    """How many games the network wins as the first (0) or the second player (1)."""
    env = BatchEnv(board, openings, random_plies=2, seed=seed)
    agent = parse_agent(opponent)
    batch, on, won = env.reset(), np.ones(openings, dtype=bool), 0
    while on.any():
        moves = network.values(seen_by(batch), batch.action_masks).argmax(axis=1)
        ours = batch.players == side
        for game in np.flatnonzero(on & ~ours):
            agent.new_game(int(game))
            position = env.position(int(game))
            moves[game] = position.board.index(agent.choose(position).move)
        batch = env.step(moves)
        won += np.count_nonzero(on & ours & (batch.rewards == 1))
        on &= ~batch.terminations
    return won


def kept(network, board, games=40, seed=7):
    """How many won positions of its games with itself a network meets, and in how many its move keeps the win."""
    env, truth = BatchEnv(board, games, random_plies=2, seed=seed), ExactValues()
    batch, on = env.reset(), np.ones(games, dtype=bool)
    regrets = []
    while on.any():
        moves = network.values(seen_by(batch), batch.action_masks).argmax(axis=1)
        for game in np.flatnonzero(on):
            known = move_values(env.position(int(game)), truth)
            if known.wins:
                regrets.append(known.regret(int(moves[game])))
        batch = env.step(moves)
        on &= ~batch.terminations
    return len(regrets), regrets.count(0.0)


def main():
    """Learn, and say what was learnt."""
    parser = argparse.ArgumentParser(description="Learn knight Isolation by self-play.")
    parser.add_argument("--board", default="5x5")
    parser.add_argument("--rounds", type=int, default=40_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()

    def report(moves, network):
        share = share_won(network, chosen.board)
        print(f"{moves:>9,} moves   wins {share:.1%} of 200 games against greedy:open", flush=True)

    network = train(chosen.board, chosen.rounds, chosen.seed, report)
    met, right = kept(network, chosen.board)
    print(f"keeps the win in {right} of {met} won positions ({right / met:.1%})")
    print(enter(network, chosen.board))


def enter(network, board):
    """Enter a network in a tournament, and return its standings."""

    def learner(observation, mask):
        """Return the legal action that the network values most."""
        seen = observation[:3].reshape(1, -1).astype(np.float32)
        return network.values(seen, mask)[0].argmax()

    agents = [isolarium.policy(learner), "greedy:open", "alphabeta:improved@nodes=300", "random"]
    met = isolarium.tournament(agents, board=board, pairs=50, progress=False)
    lines = [f"{row['agent']:32}{row['score']:>9.1%}" for row in met.records()]
    return "\n".join(["in a tournament, 100 games a meeting:", *lines])


if __name__ == "__main__":
    main()
