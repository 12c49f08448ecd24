"""A small program that speaks UCI as Fairy-Stockfish does, and plays its variant joust, for tests.

Its board is a dictionary of squares named from the bottom, so that nothing here is shared with what is tested.
"""

import configparser
import sys

STEPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]
SIZES = {"joust": (8, 8)}


def say(line: str) -> None:
    print(line, flush=True)


def read_variants(path: str) -> None:
    """Learn the variants of a file."""
    found = configparser.ConfigParser()
    assert found.read(path)
    for section in found.sections():
        name, _, parent = section.partition(":")
        assert parent == "joust"
        rules = found[section]
        assert rules["nMoveRule"] == "0"
        SIZES[name] = int(rules["maxRank"]), ord(rules["maxFile"]) - ord("a") + 1
        read_fen(rules["startFen"], SIZES[name])


def read_fen(fen: str, size: tuple[int, int]) -> tuple[dict[str, str], str]:
    """The squares by name, and whose turn it is."""
    grid, side, *rest = fen.split()
    assert rest == ["-", "-", "0", "1"]
    rows = grid.split("/")
    squares = dict[str, str]()
    for above, row in enumerate(rows):
        cells = ""
        while row:
            digits = row[: len(row) - len(row.lstrip("0123456789"))]
            cells += "." * int(digits) if digits else row[0]
            row = row[max(1, len(digits)) :]
        assert len(cells) == size[1]
        for column, cell in enumerate(cells):
            squares[f"{chr(ord('a') + column)}{len(rows) - above}"] = cell
    assert len(rows) == size[0]
    assert sorted(cell for cell in squares.values() if cell not in ".*") == ["N", "n"]
    return squares, side


def moves(squares: dict[str, str], side: str) -> list[str]:
    """The legal moves, each with its wall."""
    (start,) = (name for name, cell in squares.items() if cell == {"w": "N", "b": "n"}[side])
    column, rank = ord(start[0]), int(start[1:])
    ends = [f"{chr(column + right)}{rank + up}" for right, up in STEPS]
    return sorted(f"{start}{end},{end}{start}" for end in ends if squares.get(end) == ".")


def main() -> None:
    """Obey lines."""
    size, asked = (8, 8), (dict[str, str](), "w")
    for line in sys.stdin:
        match line.split():
            case ["uci"]:
                say("id name Joust")
                say("option name UCI_Variant type combo default chess var chess var joust")
                if "--no-variants" not in sys.argv:
                    say("option name VariantPath type string default <empty>")
                say("uciok")
            case ["isready"]:
                say("readyok")
            case ["setoption", "name", "VariantPath", "value", path]:
                read_variants(path)
            case ["setoption", "name", "UCI_Variant", "value", name]:
                size = SIZES[name]
            case ["position", "fen", *fen]:
                asked = read_fen(" ".join(fen), size)
            case ["go", *_]:
                found = moves(*asked)
                say(f"info depth 3 seldepth 9 multipv 1 score mate 2 nodes {len(found)} pv {found[-1]}")
                say(f"bestmove {found[-1]} ponder a1a1,a1a1")
            case ["ucinewgame"] | ["stop"]:
                pass
            case ["quit"]:
                return
            case _:
                say(f"Unknown command: {line.strip()}")


main()
