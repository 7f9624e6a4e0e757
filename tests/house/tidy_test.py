#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""tools/check_tidy.py looks at changed lines alone, finds what is new there, and says what it leaves out."""
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_tidy  # noqa: E402
import own_git  # noqa: E402
import sources  # noqa: E402

TOOLS = ("check_tidy.py", "check_layers.py", "sources.py")
OLD = "// SPDX-License-Identifier: BSD-3-Clause\nint* first() { return 0; }\n"


class Tidy(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.tree = pathlib.Path(temporary.name)
        for folder in ("tools", "src/core", "include/zwang/core"):
            (self.tree / folder).mkdir(parents=True)
        for name in TOOLS:
            shutil.copy2(ROOT / "tools" / name, self.tree / "tools")
        shutil.copy2(ROOT / ".clang-tidy", self.tree)
        self.write("src/core/a.cpp", OLD)
        self.write(".gitignore", "__pycache__/\n")
        self.git("init", "--quiet", "--initial-branch=main")
        self.commit()

    def write(self, name, text):
        (self.tree / name).write_text(text)

    def git(self, *words):
        own_git.git(self.tree, *words)

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "-m", "a")

    def look(self, *words, code=0):
        if shutil.which(check_tidy.TOOL) is None:
            self.skipTest(f"there is no {check_tidy.TOOL}")
        return own_git.run(self.tree, sys.executable, "tools/check_tidy.py", *words, code=code)

    def test_lines_that_were_there_do_not_count(self):
        self.assertIn("no revision before", self.look(code=77))
        self.write("src/core/a.cpp", OLD + "int second() { return 1; }\n")
        self.commit()
        self.assertIn("tidy: ok (1 sources, 0 known", self.look())
        self.write("src/core/a.cpp", OLD + "int* second() { return 0; }\n")
        said = self.look(code=1)
        self.assertIn("src/core/a.cpp:3: use nullptr [modernize-use-nullptr]", said)
        self.assertNotIn("a.cpp:2", said)

    def test_a_header_is_looked_at_through_a_source_that_reaches_it(self):
        self.write("include/zwang/core/b.hpp", "#pragma once\ninline int* third() { return 0; }\n")
        self.write("include/zwang/core/c.hpp", '#pragma once\n#include "zwang/core/b.hpp"\n')
        self.write("src/core/d.cpp", '#include "zwang/core/c.hpp"\n')
        self.commit()
        self.write("include/zwang/core/b.hpp", "#pragma once\ninline int* third() { return 0; }\ninline int* fourth() { return 0; }\n")
        said = self.look("--base", "HEAD", code=1)
        self.assertIn("include/zwang/core/b.hpp:3", said)
        self.assertNotIn("b.hpp:2", said)
        self.write("include/zwang/core/alone.hpp", "#pragma once\n")
        self.assertIn("SKIPPED: clang-tidy does not look at include/zwang/core/alone.hpp", self.look("--base", "HEAD", code=1))

    def test_what_is_known_passes_and_what_is_left_out_is_said(self):
        self.assertIn("1 findings more, 1 in all", self.look("--write-baseline", "src/core/a.cpp"))
        self.assertIn("tidy: ok (1 sources, 1 known findings)", self.look("src/core/a.cpp"))
        for name in "xy":
            self.write(f"src/core/{name}.cpp", "int* other() { return nullptr; }\n")
        self.assertIn("SKIPPED: clang-tidy on 1 of 2 changed sources", self.look("--base", "HEAD", "--most", "1"))
        self.write("src/core/x.cpp", "int* other() { return missing; }\n")
        self.assertIn("clang-diagnostic-error", self.look("--base", "HEAD", code=1))

    def test_what_git_refuses_is_no_success(self):
        self.assertIn("nosuchrevision", self.look("--base", "nosuchrevision", code=1))

    def test_settings_of_git_hide_no_line(self):
        self.git("config", "diff.noprefix", "true")
        self.git("config", "diff.external", "true")
        self.write("src/core/a.cpp", OLD + "int* second() { return 0; }\n")
        self.assertIn("src/core/a.cpp:3", self.look("--base", "HEAD", code=1))


class Folders(unittest.TestCase):
    def test_every_folder_of_sources_is_known(self):
        names = [sources.relative(path) for path in sources.project_files() if path.suffix == ".cpp"]
        unknown = {name for name in names if not check_tidy.part_of(name) and not name.startswith(tuple(f"{f}/" for f in check_tidy.ELSEWHERE))}
        self.assertEqual(unknown, set(), "a row of FOLDERS in tools/check_tidy.py, or of ELSEWHERE with the reason")
        for folder in (*check_tidy.FOLDERS, *check_tidy.ELSEWHERE):
            self.assertTrue(any(name.startswith(f"{folder}/") for name in names), folder)

    def test_folders_of_headers_are_there(self):
        for part, folders in check_tidy.FOLDERS.items():
            for folder in folders:
                self.assertTrue((ROOT / folder).is_dir(), part)


if __name__ == "__main__":
    unittest.main()
