# SPDX-License-Identifier: BSD-3-Clause
"""Which files belong to the project: what the checks below this folder look at."""
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
OF_THE_USER = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
SKIPPED = {".git", "build", ".venv", "__pycache__", "third_party"}


def environment(**more):
    """This process's, in which git finds the repository by its folder: in a hook variables name another one (GIT_DIR, GIT_INDEX_FILE)."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in OF_THE_USER} | more


def git(*words, root=ROOT):
    return subprocess.run(["git", "-C", str(root), *words], capture_output=True, text=True, env=environment())


def project_files(root=ROOT):
    """Tracked files and new ones that git does not ignore; every file outside `SKIPPED` where there is no git."""
    try:
        listed = git("ls-files", "-co", "--exclude-standard", "-z", root=root)
        listed.check_returncode()
        files = {root / name for name in listed.stdout.split("\0") if name}
    except (OSError, subprocess.CalledProcessError):
        files = {p for p in root.rglob("*") if not SKIPPED & set(p.relative_to(root).parts)}
    return sorted(p for p in files if p.is_file())


def relative(path, root=ROOT):
    return path.relative_to(root).as_posix()
