"""However a command ends, it ends without a traceback."""

import subprocess
from pathlib import Path

from tests.command import COMMAND, environment

GAME = [COMMAND, "play", "--first", "random", "--second", "random", "--seed", "1"]


def test_a_reader_that_goes_away_ends_it_quietly() -> None:
    with subprocess.Popen(
        GAME, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as game:
        assert game.stdout is not None
        assert game.stderr is not None
        game.stdout.close()
        complaints = game.stderr.read()
    assert complaints == ""
    assert game.returncode == 1


def test_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        game = subprocess.run(GAME, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert game.stderr == "isolab: No space left on device\n"
    assert game.returncode == 1
