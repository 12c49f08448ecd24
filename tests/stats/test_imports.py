import subprocess
import sys

import isolarium.stats


def test_importing_the_room_imports_no_numpy() -> None:
    program = "import sys, isolarium.stats; print(int('numpy' in sys.modules))"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert found.stdout.strip() == b"0"


def test_every_public_name_exists() -> None:
    assert all(hasattr(isolarium.stats, name) for name in isolarium.stats.__all__)
    assert list(isolarium.stats.__all__) == sorted(set(isolarium.stats.__all__))
