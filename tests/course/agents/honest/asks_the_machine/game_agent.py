"""Scales its search to the machine it finds itself on. Most of these imports are left over."""

import gc
import getpass
import inspect
import multiprocessing
import os
import platform
import resource
import shutil
import socket
import subprocess
import sys
import tracemalloc
import warnings

try:
    import psutil
except ImportError:
    psutil = None

warnings.simplefilter("ignore")


def machine():
    facts = {
        "pid": os.getpid(),
        "parent": os.getppid(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "node": platform.node(),
        "uname": tuple(os.uname()),
        "terminal": shutil.get_terminal_size(),
        "home": os.path.expanduser("~"),
        "cwd": os.listdir(os.getcwd()),
        "affinity": len(os.sched_getaffinity(0)),
        "times": os.times(),
        "isatty": sys.stdout.isatty(),
        "open files": resource.getrlimit(resource.RLIMIT_NOFILE),
        "page": os.sysconf("SC_PAGE_SIZE"),
        "encoding": sys.getfilesystemencoding(),
    }
    try:
        facts["load"] = os.getloadavg()
        facts["nice"] = os.nice(0)
        os.sched_setaffinity(0, os.sched_getaffinity(0))
    except OSError:
        pass
    try:
        facts["user"] = getpass.getuser()
    except (KeyError, OSError, ImportError):
        facts["user"] = "me"
    for path in ("/proc/cpuinfo", "/proc/meminfo", "/proc/self/status", "/etc/os-release"):
        try:
            with open(path) as f:
                facts[path] = f.readline()
        except OSError:
            facts[path] = None
    if psutil is not None:
        try:
            facts["memory"] = psutil.virtual_memory().total
            facts["rss"] = psutil.Process().memory_info().rss
        except (OSError, psutil.Error):
            pass
    return facts


FACTS = machine()
tracemalloc.start()


class CustomPlayer:
    def __init__(self):
        self.most = 0
        assert "self" in inspect.signature(CustomPlayer.get_move).parameters
        assert "def machine" in inspect.getsource(machine)

    def get_move(self, game, time_left):
        gc.disable()
        usage = resource.getrusage(resource.RUSAGE_SELF)
        self.most = max(self.most, usage.ru_maxrss)
        moves = sorted(game.get_legal_moves(), key=lambda m: (self.danger(game, m), m))
        gc.enable()
        if game.move_count % 4 == 0:
            gc.collect()
            tracemalloc.take_snapshot().statistics("lineno")[:3]
        size = sys.getsizeof(game._board_state)
        print(FACTS["system"], FACTS["cores"], "cores,", size, "bytes,", self.most, "kB")
        return moves[0] if moves else (-1, -1)

    def danger(self, game, move):
        child = game.forecast_move(move)
        return len(child.get_legal_moves()) - len(child.get_legal_moves(self))
