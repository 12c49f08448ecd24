"""Count the files of the package that a command enters, in all of its processes.

    python -m tools.count_files_entered [COMMAND ...]      by default a match of 50 pairs

A file is entered if one of its functions is called after the file is imported; decorators and other calls while
modules are imported do not count. Prints the count, and the files by package.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "isolarium"
MATCH = ("match", "alphabeta:improved", "alphabeta:open", "--pairs", "50")
HOOK = """
import os, sys, threading
_seen = set()
def _profile(frame, event, argument):
    code = frame.f_code
    name = code.co_filename
    if event != "call" or name in _seen or not name.startswith({package!r}) or not code.co_flags & 1:
        return
    caller = frame
    while (caller := caller.f_back) is not None:
        if caller.f_code.co_filename.startswith("<frozen importlib"):
            return
    _seen.add(name)
    try:
        with open({log!r}, "a") as log:  # opened each time: a new process closes inherited files
            log.write(name + "\\n")
    except OSError:
        pass
threading.setprofile(_profile)
sys.setprofile(_profile)
"""
"""`sitecustomize.py` of every process: a process may be killed, so each file is recorded as soon as
it is entered."""


def files_entered(command: tuple[str, ...]) -> list[str]:
    """Run a command, and return the files that it entered, as paths within the package."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        log.touch()
        hook = HOOK.format(log=str(log), package=f"{PACKAGE}{os.sep}")
        (Path(folder) / "sitecustomize.py").write_text(hook, encoding="utf-8")
        subprocess.run(
            [sys.executable, "-m", "isolarium", *command, "--runs", folder],
            env={**os.environ, "PYTHONPATH": folder},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        lines = log.read_text(encoding="utf-8").splitlines()
    return sorted({str(Path(line).relative_to(PACKAGE)) for line in lines})


def main() -> None:
    """Print how many files a command enters, and which."""
    found = files_entered(tuple(sys.argv[1:]) or MATCH)
    print(f"{len(found)} files")
    for package in sorted({name.rpartition("/")[0] for name in found}):
        names = [name.rpartition("/")[2] for name in found if name.rpartition("/")[0] == package]
        print(f"{package or '.'}: {len(names)}: {' '.join(names)}")


if __name__ == "__main__":
    main()
