"""python make_book.py > writes book.pickle"""

import pickle

from book import OpeningBook

if __name__ == "__main__":
    book = OpeningBook()
    for size in (5, 7):
        middle = size // 2
        book.add([], (middle, middle))
        for r in range(size):
            for c in range(size):
                # mirror through the centre; next to the centre when that is taken
                reply = (size - 1 - r, size - 1 - c)
                book.add([(r, c)], reply if reply != (r, c) else (middle, middle + 1))
    with open("book.pickle", "wb") as f:
        pickle.dump(book, f, protocol=2)
