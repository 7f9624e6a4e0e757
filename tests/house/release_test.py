#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A release is made by one command, in a clone of its own: docs/versioning.md. Nothing is built."""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import changelog  # noqa: E402
import dependencies  # noqa: E402
import sources  # noqa: E402
from own_git import git, run  # noqa: E402

NEEDED = ("CMakeLists.txt", "CITATION.cff", "CHANGELOG.md", "package.xml", "pyproject.toml", "changelog.d/", "packaging/", "tools/", "docs/benchmarks/")
VERSION = dependencies.project_version()
MAJOR, MINOR = map(int, VERSION.split(".")[:2])


class Release(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        origin = pathlib.Path(self.folder.name) / "origin"
        for path in sources.project_files():
            name = sources.relative(path)
            if name.startswith(NEEDED):
                (origin / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, origin / name)
        (origin / ".gitignore").write_text("__pycache__/\n")
        git(origin, "init", "--quiet")
        git(origin, "add", ".")
        git(origin, "commit", "--quiet", "-m", "a")
        self.clone = pathlib.Path(self.folder.name) / "clone"
        run(self.folder.name, "git", "clone", "--quiet", str(origin), "clone")
        for key, value in (("user.name", "a"), ("user.email", "a@b.invalid")):
            run(self.clone, "git", "config", key, value)

    def release(self, version, code=0, *more):
        return run(self.clone, sys.executable, "tools/release.py", version, *more, code=code)

    def write(self, name, text):
        (self.clone / name).write_text(text)

    def commit(self):
        git(self.clone, "add", ".")
        git(self.clone, "commit", "--quiet", "-m", "b")

    def test_git_describe_says_the_version_after_the_command(self):
        self.assertIn(f"git describe: v{VERSION}", self.release(VERSION))
        self.assertEqual(run(self.clone, "git", "describe"), f"v{VERSION}")
        self.assertEqual(run(self.clone, "git", "cat-file", "-t", f"v{VERSION}"), "tag")  # annotated
        self.assertEqual(run(self.clone, "git", "status", "--porcelain"), "")
        self.assertEqual(changelog.fragments(self.clone), [])
        self.assertIn("is there", self.release(VERSION, 1))

    def test_the_next_version_is_written_everywhere_and_has_its_section(self):
        self.release(VERSION)
        later = f"{MAJOR}.{MINOR + 1}.0"
        self.assertIn("nothing that", self.release(later, 1))
        self.assertEqual(run(self.clone, "git", "status", "--porcelain"), "")  # as it was
        self.write("changelog.d/curved.md", "### Python and the command line\n- A curved joint.\n  With two lines.\n")
        self.write("changelog.d/other.md", "- Something else.\n")
        self.assertIn("not committed", self.release(later, 1))
        self.commit()
        self.release(later, 0, "--date", "2027-02-03")
        self.assertEqual(run(self.clone, "git", "describe"), f"v{later}")
        self.assertIn(later, run(self.clone, sys.executable, "tools/check_packages.py"))
        self.assertIn("date-released: 2027-02-03", (self.clone / "CITATION.cff").read_text())
        page = (self.clone / "CHANGELOG.md").read_text()
        self.assertIn(f"## [{later}] - 2027-02-03\n\n### Python and the command line\n- A curved joint.\n  With two lines.\n\n"
                      f"### {changelog.OTHER}\n- Something else.\n\n## [{VERSION}]", page)
        self.assertIn("is below", self.release("0.0.9", 1))

    def test_what_is_no_day_is_refused(self):
        for day in ("2026-02-30", "2026-13-01", "20261130", "tomorrow"):
            self.assertIn("--date is a day", self.release(VERSION, 1, "--date", day))
            self.assertIn("--date a day", run(self.clone, sys.executable, "tools/changelog.py", "--cut", VERSION, "--date", day, code=1))

    def test_whatever_fails_leaves_the_checkout_as_it_was(self):
        self.write("changelog.d/a.md", "- a\n")
        self.commit()
        before = run(self.clone, "git", "rev-parse", "HEAD")
        later = f"{MAJOR}.{MINOR + 1}.0"
        lock = self.clone / f".git/refs/tags/v{later}.lock"  # no tag can be made beside it
        lock.parent.mkdir(exist_ok=True)
        lock.write_text("")
        self.assertIn("git tag", self.release(later, 1))
        lock.unlink()
        program = ("import sys; sys.path.insert(0, 'tools')\nimport release\n"
                   "def interrupted(*_): raise KeyboardInterrupt\nrelease.changelog.cut = interrupted\n"
                   f"try:\n  release.release('{later}', '2027-02-03')\nexcept KeyboardInterrupt:\n  print('interrupted')")
        self.assertEqual(run(self.clone, sys.executable, "-c", program), "interrupted")
        self.assertEqual(run(self.clone, "git", "rev-parse", "HEAD"), before)
        self.assertEqual(run(self.clone, "git", "status", "--porcelain"), "")
        self.release(later)

    def test_the_repository_of_a_hook_is_left_alone(self):
        hooked = pathlib.Path(self.folder.name) / "hooked"
        hooked.mkdir()
        git(hooked, "init", "--quiet", "--initial-branch=main")
        git(hooked, "commit", "--quiet", "--allow-empty", "-m", "a")
        settings = pathlib.Path(self.folder.name) / "settings"
        settings.write_text("[commit]\n\tgpgsign = true\n[tag]\n\tgpgsign = true\n[gpg]\n\tprogram = false\n")
        before = run(hooked, "git", "rev-parse", "--all"), (hooked / ".git/config").read_text()
        hook = {"GIT_DIR": str(hooked / ".git"), "GIT_WORK_TREE": str(hooked), "GIT_INDEX_FILE": str(hooked / ".git/index"),
                "GIT_CONFIG_GLOBAL": str(settings)}
        with unittest.mock.patch.dict(os.environ, hook):
            self.release(VERSION)
            git(self.clone, "commit", "--quiet", "--allow-empty", "-m", "b")
            self.assertEqual(sources.project_files(self.clone)[0], self.clone / ".gitignore")
        self.assertEqual((run(hooked, "git", "rev-parse", "--all"), (hooked / ".git/config").read_text()), before)
        # The tool, too, where no test cleans its surroundings.
        self.assertIn("is there", run(self.clone, sys.executable, "tools/release.py", VERSION, code=1,
                                      environment={name: hook[name] for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}))

    def test_a_fragment_in_another_form_is_refused_with_its_place(self):
        for text, word in (("A sentence.\n", "a.md:1: expected a bullet"), ("- " + 160 * "x" + "\n", "a.md:1: 162 columns"), ("### Python\n", "no bullet")):
            self.write("changelog.d/a.md", text)
            self.assertIn(word, run(self.clone, sys.executable, "tools/changelog.py", "--check", code=1))
        self.write("changelog.d/a.md", "- a\n")
        self.write("changelog.d/A b.md", "- a\n")
        self.assertIn("is named like", run(self.clone, sys.executable, "tools/changelog.py", "--check", code=1))

    def test_a_section_that_is_not_released_is_refused(self):
        page = (self.clone / "CHANGELOG.md").read_text()
        self.write("CHANGELOG.md", page.replace("\n## [", "\n## [Unreleased]\n- a\n\n## [", 1))
        self.assertIn("changelog.d/", run(self.clone, sys.executable, "tools/changelog.py", "--check", code=1))

    def test_benchmarks_become_an_archive_with_the_machine(self):
        first, second = (self.clone / name for name in ("one", "two"))
        self.assertIn("--earlier", run(self.clone, sys.executable, "tools/release_assets.py", "--version", "9.9.9", code=1))
        for folder in (first, second):
            run(self.clone, sys.executable, "tools/release_assets.py", "--earlier", "--out", str(folder))
        names = [path.name for path in sorted(first.iterdir())]
        self.assertEqual(names, ["SHA256SUMS", f"zwang-{VERSION}-benchmarks.tar.gz"])
        for name in names:
            self.assertEqual((first / name).read_bytes(), (second / name).read_bytes())
        run(first, "sha256sum", "--check", "SHA256SUMS")
        run(first, "tar", "xzf", names[1])
        machine = (first / f"zwang-{VERSION}-benchmarks/machine.json").read_text()
        for word in ("processor", "compiler", "flags", "instruction_set", "measured_with"):
            self.assertIn(f'"{word}"', machine)
        self.assertTrue(list((first / f"zwang-{VERSION}-benchmarks").glob("*.json.gz")))


if __name__ == "__main__":
    unittest.main()
