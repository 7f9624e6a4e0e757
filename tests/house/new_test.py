#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What tools/new.py begins keeps the house's rules and compiles, for every kind; nothing is written where a name or a list is in the way.

--whole compiles its tests, too. That their laws fail until something is written is seen by building them (CONTRIBUTING.md, Something new).
"""
import argparse
import concurrent.futures
import pathlib
import shutil
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import new  # noqa: E402
import sources  # noqa: E402
from own_git import run  # noqa: E402

COMPILER, INCLUDE, WHOLE = "g++", "/usr/include/eigen3", False
NAMES = {"joint": "pin_slot", "relation": "angle", "method": "row_elimination", "algorithm": "speed_sum", "question": "loop_stiffness"}
INSTANCES = """
#include "zwang/algorithm/page/speed_sum.hpp"
#include "zwang/constraint/page/angle.hpp"
#include "zwang/model/joint_types.hpp"
namespace zwang {
static_assert(JointTypes::size > 14);
template void PinSlot::place<double, double>(const Body<double>&, const JointInput<double>&, Transform<double>&);
template void PinSlot::columns<double>(const JointInput<double>&, Motion<double>*);
template void page::AngleGeometry::operator()<double>(const Transform<double>&, const Transform<double>&, double*, Force<double>*) const;
template double page::speed_sum<double>(const BasicData<double>&);
}
"""
LEFT_OUT = (".github/", "docs/pictures/", "models/", "tests/fuzz/corpus/")


class New(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.tree = pathlib.Path(cls.temporary.name) / "tree"
        for path in sources.project_files():
            name = sources.relative(path)
            if not name.startswith(LEFT_OUT):
                (cls.tree / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, cls.tree / name)
        run(cls.tree, "git", "init", "--quiet")
        cls.made = {kind: run(cls.tree, sys.executable, "tools/new.py", kind, name) for kind, name in NAMES.items()}

    def test_it_says_what_it_wrote_and_which_law_fails(self):
        self.assertEqual(set(new.KINDS), set(NAMES))
        self.assertIn("tools/check_c_abi.py --write", self.made["algorithm"])  # its number in C
        for kind, said in self.made.items():
            files = [line.split()[1] for line in said.splitlines() if line.startswith(("new ", "changed "))]
            self.assertTrue(all((self.tree / name).is_file() for name in files), files)
            self.assertIn("The law that fails until it is written: make check FOLDER=", said)
            self.assertNotIn("@", "".join((self.tree / name).read_text() for name in files if NAMES[kind] in name and name.endswith((".hpp", ".cpp"))))

    def test_the_rules_of_the_house_hold(self):
        for tool in ("check_layers", "check_files", "check_recipes"):
            run(self.tree, sys.executable, f"tools/{tool}.py")
        if shutil.which(new.FORMATTER):
            changed = [line.split()[1] for said in self.made.values() for line in said.splitlines() if line.startswith(("new ", "changed "))]
            run(self.tree, new.FORMATTER, "--dry-run", "-Werror", *{name for name in changed if name.endswith((".hpp", ".cpp"))})

    def test_it_compiles(self):
        words = [COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-Wno-psabi", "-fsyntax-only", "-Iinclude", "-Isrc",
                 "-Itests", "-isystem", INCLUDE]
        law = self.tree.parent / "instances.cpp"  # of the templates, which no source of theirs instantiates
        law.write_text(INSTANCES)
        files = [str(law)] + [line.split()[1] for said in self.made.values() for line in said.splitlines()
                              if line.startswith("new ") and line.endswith(".cpp") and "python/" not in line and (WHOLE or "tests/" not in line)]
        self.assertGreaterEqual(len(files), 6)
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda name: run(self.tree, *words, name), files))

    def test_nothing_is_written_where_something_is_in_the_way(self):
        for kind, name, word in (("relation", "distance", "taken"), ("joint", "pin_slot", "taken"), ("method", "bbo", "taken"), ("algorithm", "mass_matrix", "taken"),
                                 ("question", "mobility", "taken"), ("relation", "Angle", "snake_case"), ("relation", "angle", "taken")):
            self.assertIn(word, run(self.tree, sys.executable, "tools/new.py", kind, name, code=1))
        page = self.tree / "mkdocs.yml"
        kept = page.read_text()
        page.write_text(kept.replace("Your own rows: constraints/custom.md", "Other rows: constraints/custom.md"))
        said = run(self.tree, sys.executable, "tools/new.py", "relation", "area", code=1)
        page.write_text(kept)
        self.assertIn("mkdocs.yml has 0 places like", said)
        self.assertFalse(list(self.tree.rglob("area*")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compiler", default=COMPILER)
    parser.add_argument("--include", default=INCLUDE)
    parser.add_argument("--whole", action="store_true")
    arguments, rest = parser.parse_known_args()
    COMPILER, INCLUDE, WHOLE = arguments.compiler, arguments.include, arguments.whole
    unittest.main(argv=[sys.argv[0], *rest])
