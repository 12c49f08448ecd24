"""What is said of a run while somebody holds its lock, as the process that plays it does."""

import sqlite3
import subprocess
import sys
from pathlib import Path

(folder,) = Path("runs").iterdir()
base = sqlite3.connect(folder / "run.lock", isolation_level=None)
base.execute("BEGIN EXCLUSIVE")
for arguments in (["resume", "last"], ["runs"], ["runs", "--json"], ["export", "last", "--text"]):
    subprocess.run([sys.executable, "-m", "isolarium", *arguments], check=False)
