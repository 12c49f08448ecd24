"""Tables of boards: compiled code keeps their addresses, so each board has one table in all threads."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from isolarium.game.board import Board
from isolarium.game.symmetry import symmetries
from isolarium.game.tables import table_address


def test_concurrent_threads_get_the_same_tables() -> None:
    threads = 8
    together = Barrier(threads)
    boards = [Board(11, cols) for cols in range(3, 14)]

    def addresses() -> list[int]:
        together.wait()
        return [table_address(board, image) for board in boards for image in symmetries(board)]

    with ThreadPoolExecutor(threads) as pool:
        found = [pool.submit(addresses) for _ in range(threads)]
    assert len({tuple(future.result()) for future in found}) == 1
