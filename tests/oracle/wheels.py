"""Two wheels, each installed into an environment of its own: the one of a commit, and the one of the working tree."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

__all__ = ["BASE", "HOME", "ROOT", "environment_of_base", "environment_of_tree"]

# What everything is compared with.
BASE = "ba78655f3aebb714a58031a909245bb888874af4"

ROOT = Path(__file__).parents[2]
# Where the environments are kept.
HOME = ROOT / ".oracle"
_EXTRAS = "cli,bulk"


def environment_of_base() -> Path:
    """The Python that has the package of the commit; made where it is missing."""
    if (HOME / BASE / "done").exists():
        return HOME / BASE / "bin" / "python"
    data = subprocess.run(["git", "-C", ROOT, "archive", BASE], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            archive.extractall(folder, filter="data")
        return _install(Path(folder), BASE)


def environment_of_tree() -> Path:
    """The Python that has the package of the working tree; made anew when one of its files has changed."""
    parts = [path for top in ("grammar", "planspec_lark") for path in sorted((ROOT / top).rglob("*"))]
    files = [path for path in [*parts, ROOT / "pyproject.toml", ROOT / "hatch_build.py"] if path.is_file()]
    made = hashlib.blake2b(digest_size=8)
    for path in files:
        if "__pycache__" not in path.parts and "compiled" not in path.parts:
            made.update(str(path.relative_to(ROOT)).encode() + b"\n" + path.read_bytes())
    return _install(ROOT, f"tree-{made.hexdigest()}")


def _install(source: Path, name: str) -> Path:
    home = HOME / name
    python = home / "bin" / "python"
    done = home / "done"
    if not done.exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", f"{source}[{_EXTRAS}]"], check=True)
        done.touch()
    return python
