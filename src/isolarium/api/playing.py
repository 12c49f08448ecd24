"""Plays in a folder that is given, or in a temporary one, and shows how far it is."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from isolarium.api.arguments import read_chosen_workers, read_path
from isolarium.api.progress_bar import ProgressBar, progress_bar
from isolarium.api.temporary_runs import make_folder, remove_folder
from isolarium.arena.cluster.connection import connected
from isolarium.arena.plan import Plan
from isolarium.arena.results import Results, read_results
from isolarium.arena.run_store import begin_run
from isolarium.arena.runner import play_run
from isolarium.errors import check_kind

if TYPE_CHECKING:
    from isolarium.arena.cluster.remote_workers import Cluster

Found = TypeVar("Found")


def play_plan(
    plan: Plan,
    workers: int | None,
    cluster: str | None,
    runs: str | Path | None,
    progress: bool | None,
) -> tuple[Results, Path, Path | None]:
    """Play a plan; what it says, where it is, and, if it is not to stay, what is to be removed."""
    chosen = read_chosen_workers(workers)

    def play(
        folder: Path, bar: ProgressBar | None, found: "Cluster | None"
    ) -> tuple[Results, Path]:
        with closing(begin_run(folder, plan)) as record:
            play_run(record, chosen, None if bar is None else bar.show, cluster=found)
            return read_results(record), record.folder

    return play_in(runs, chosen, cluster, progress, play)


def play_in(
    runs: str | Path | None,
    workers: int | None,
    cluster: str | None,
    progress: bool | None,
    play: "Callable[[Path, ProgressBar | None, Cluster | None], tuple[Found, Path]]",
) -> tuple[Found, Path, Path | None]:
    """Play something in a folder, or in a temporary one; what it says, where it is, and what is to be removed.

    Raises:
        InputError: what is asked for cannot be.
    """
    if cluster is not None:
        check_kind("cluster", cluster, str, "a text such as tcp://HOST:PORT")
    place = None if runs is None else read_path("runs", runs, "a folder")
    with connected(cluster, workers) as found, progress_bar(progress) as bar:
        if place is not None:
            return *play(place, bar, found), None
        temporary = make_folder()
        try:
            return *play(temporary, bar, found), temporary
        except BaseException:
            remove_folder(temporary)
            raise
