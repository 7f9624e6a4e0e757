# SPDX-License-Identifier: BSD-3-Clause
"""Which files belong to the project: what the checks below this folder look at."""
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
SKIPPED = {".git", "build", ".venv", "__pycache__", "third_party"}


def project_files(root=ROOT):
    """Tracked files and new ones that git does not ignore; every file outside `SKIPPED` where there is no git."""
    command = ["git", "-C", str(root), "ls-files", "-co", "--exclude-standard", "-z"]
    try:
        names = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
        files = {root / name for name in names if name}
    except (OSError, subprocess.CalledProcessError):
        files = {p for p in root.rglob("*") if not SKIPPED & set(p.relative_to(root).parts)}
    return sorted(p for p in files if p.is_file())


def relative(path, root=ROOT):
    return path.relative_to(root).as_posix()
