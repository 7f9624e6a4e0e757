# SPDX-License-Identifier: BSD-3-Clause
"""Commands in a repository that a test makes: git looks at it alone, whatever the user's settings and the hook that runs the test."""
import os
import subprocess

import sources


def run(folder, *words, code=0, environment=None):
    """What the command says."""
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True,
                          env=sources.environment(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1", **(environment or {})))
    if done.returncode != code:
        raise AssertionError(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip() + done.stderr.strip()


def git(folder, *words):
    return run(folder, "git", "-c", "user.name=a", "-c", "user.email=a@b.invalid", *words)
