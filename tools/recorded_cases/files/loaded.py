"""Which of the heavy packages each command loads."""

import subprocess
import sys

HEAVY = {"llvmlite", "numba", "numpy", "rich", "altair", "fastapi", "pydantic", "uvicorn"}

for arguments in (["--help"], ["--version"], ["play", "--help"], ["perft", "--help"], ["agents"]):
    traced = [sys.executable, "-X", "importtime", "-m", "isolarium", *arguments]
    trace = subprocess.run(traced, capture_output=True, text=True, check=True).stderr
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in trace.splitlines()}
    print(*arguments, *sorted(HEAVY & loaded))
