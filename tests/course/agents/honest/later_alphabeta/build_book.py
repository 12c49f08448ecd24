"""Writes data.pickle: where to stand first, and the answers to every first placement."""

import pickle

from isolation import Isolation

if __name__ == "__main__":
    start = Isolation()
    book = {(start.board, start.locs): 57}
    for cell in start.actions():
        state = start.result(cell)
        mirrored = 114 - cell
        book[state.board, state.locs] = mirrored if mirrored != cell else 57 + 13 * 2
    with open("data.pickle", "wb") as f:
        pickle.dump(book, f, protocol=4)
