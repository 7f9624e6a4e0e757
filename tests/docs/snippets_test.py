#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The tool that runs the pages' blocks is itself held: it must fail where a page is wrong. Shell blocks need nothing but bash."""
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import docs_snippets  # noqa: E402


def run(page_text):
    """Problems of a page with shell blocks, and how many ran."""
    return checked(page_text, False)[0]


def updated(page_text):
    """The page with what its blocks print now."""
    return checked(page_text, True)[1]


def checked(page_text, update):
    setup = type("Setup", (), {"build": ROOT, "python": pathlib.Path(sys.executable), "update": update})
    in_docs = mock.patch.object(docs_snippets.sources, "relative", lambda path: f"docs/{path.name}")  # every block counts
    with tempfile.TemporaryDirectory() as folder, in_docs:
        page = pathlib.Path(folder) / "page.md"
        page.write_text(page_text, encoding="utf-8")
        return docs_snippets.check_page(setup, page, "sh"), page.read_text(encoding="utf-8")


class Snippets(unittest.TestCase):
    def test_blocks_share_one_session_and_what_they_print_is_compared(self):
        problems, count = run("```sh\nx=3\n```\n\ntext\n\n```sh\necho $x\n```\n<!-- prints -->\n```text\n3\n```\n")
        self.assertEqual((problems, count), ([], 2))

    def test_another_output_is_a_problem_that_names_the_line(self):
        problems, _ = run("```sh\necho 4\n```\n\n<!-- prints -->\n```text\n3\n```\n")
        self.assertEqual(len(problems), 1)
        self.assertIn("page.md:7", problems[0])

    def test_a_command_that_fails_is_a_problem(self):
        problems, _ = run("```sh\ntrue\n```\n\n```sh\nfalse\n```\n")
        self.assertEqual(len(problems), 1)
        self.assertIn("page.md:6", problems[0])

    def test_dots_stand_for_any_text(self):
        self.assertEqual(run("```sh\nprintf 'a\\nb\\nc 1e-16 d\\n'\n```\n"
                             "<!-- prints -->\n```text\na\n...\nc ... d\n```\n")[0], [])
        self.assertEqual(len(run("```sh\nprintf 'a\\nb\\n'\n```\n<!-- prints -->\n```text\n...\nc\n```\n")[0]), 1)

    def test_blanks_and_signs_of_zeros_do_not_count_but_numbers_do(self):
        self.assertTrue(docs_snippets.agrees("a  0.000 -1\n", "a -0.000   -1\n"))
        self.assertFalse(docs_snippets.agrees("a 0.000 -1\n", "a 0.000 1\n"))
        self.assertFalse(docs_snippets.agrees("a -0.1\n", "a 0.1\n"))
        self.assertFalse(docs_snippets.agrees("a\n", "a\nb\n"))

    def test_blocks_in_tabs_run_and_are_updated_where_they_stand(self):
        page = '=== "Shell"\n\n    ```sh\n    cat <<END\n      a\n    END\n    ```\n\n    <!-- prints -->\n    ```text\n    %s\n    ```\n\ntext\n'
        self.assertEqual(run(page % "  a"), ([], 1))
        problems, _ = run(page % "b")
        self.assertIn("page.md:11", problems[0])
        self.assertEqual(updated(page % "b"), page % "  a")

    def test_a_block_is_left_out_only_with_a_reason(self):
        self.assertEqual(run("<!-- not run: it would delete the disk -->\n```sh\nfalse\n```\n"), ([], 0))
        with self.assertRaises(SystemExit):
            run("<!-- not run: -->\n```sh\nfalse\n```\n")

    def test_outside_of_docs_only_marked_blocks_count(self):
        readme = ROOT / "README.md"
        blocks = docs_snippets.blocks_of(readme, "```python\n1\n```\n\n<!-- run -->\n```python\n2\n```\n")
        self.assertEqual([b.body for b in docs_snippets.chosen(readme, blocks)], ["2\n"])

    def test_a_fragment_and_a_program_are_told_apart(self):
        page = ROOT / "docs" / "page.md"
        text = "```cpp\n#include <vector>\nint a = 1;\n```\n```cpp\nint main() {}\n```\n```cpp\na = 2;\n```\n"
        blocks = docs_snippets.blocks_of(page, text)
        fragments, program = docs_snippets.cpp_programs(blocks)
        self.assertLess(fragments.index("#include <vector>"), fragments.index("int main()"))
        self.assertIn("a = 2;", fragments)
        self.assertNotIn("a = 2;", program)

    def test_python_tracebacks_name_the_lines_of_the_page(self):
        page = ROOT / "docs" / "page.md"
        code = docs_snippets.python_program(docs_snippets.blocks_of(page, "text\n\n```python\nraise ValueError\n```\n"))
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        self.assertIn("page.md\", line 4", done.stderr)


if __name__ == "__main__":
    unittest.main()
