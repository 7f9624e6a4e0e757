#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the tools of packaging promise: bills of materials, archives, notices, and how a stranger's build is configured."""
import argparse
import ast
import contextlib
import hashlib
import io
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tools"))
import check_sdist  # noqa: E402
import check_systems  # noqa: E402
import dependencies  # noqa: E402
import edit_cost  # noqa: E402
import make_notices  # noqa: E402
import make_sbom  # noqa: E402
import third_party  # noqa: E402

CMAKE, COMPILER = "cmake", "c++"


def names(bill):
    return [c["name"] for c in bill["components"]]


class Systems(unittest.TestCase):
    def test_sources_that_ask_are_found_by_their_words_and_through_headers(self):
        found = {path.relative_to(ROOT).as_posix() for path in check_systems.asking()}
        self.assertLessEqual({"cli/written_file.cpp", "viewer/embedded.cpp", "src/core/instruction_set.cpp"}, found)
        self.assertNotIn("src/path/motion_profile.cpp", found)


class Arguments(unittest.TestCase):
    def test_of_the_tests_on_arm_are_checked_before_anything_is_done(self):
        for words, what in ((["--jobs"], "at least 1"), (["--jobs", "0"], "at least 1"), (["--jobs", "x"], "at least 1"),
                            (["--smoke", "--release"], "one of them"), (["--such"], "unknown option")):
            done = subprocess.run([ROOT / "tools/test_arm64.sh", "--installed", *words], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(what, done.stderr)

    def test_that_ask_for_help_get_the_head_of_the_script_and_nothing_else(self):
        scripts = {path for path in (ROOT / "tools").glob("*.sh") if path.stat().st_mode & 0o100}
        scripts -= {ROOT / "tools/lint_python.sh"}  # its words are those of `ruff check`
        self.assertGreater(len(scripts), 8)
        for script in sorted(scripts):
            head = re.match(r"#!.*\n# SPDX.*\n((?:#.*\n)+)", script.read_text())[1]
            self.assertIn(f"\n#   tools/{script.name}", head)
            asked = '\nset -euo pipefail\nsource "$(dirname "${BASH_SOURCE[0]}")/help.sh"\n' in script.read_text()
            self.assertTrue(asked, script.name)  # else it would do its work below
            for words in (["--help"], ["-h"], ["--such", "--help"]):
                done = subprocess.run([script.relative_to(ROOT), *words], cwd=ROOT, capture_output=True, text=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), script.name)
                self.assertEqual(done.stdout, re.sub("^# ?", "", head, flags=re.MULTILINE))

    def test_of_the_wheel_for_arm_are_checked_and_its_packages_asked_of_apt(self):
        """Names of a release that is not this one, as its apt would say them; one of these packages is installed."""
        said = {"python3-minimal": "  PreDepends: python3.13-minimal:arm64\n  Depends: dpkg:arm64\n    dpkg\n",
                "python3.13-minimal": "  PreDepends: libc6:arm64\n  Depends: libpython3.13-minimal:arm64\n  Conflicts: other:arm64\n",
                "libpython3.13-minimal": "  Depends: libc6:arm64\n  Depends: libssl3t64:arm64\n  Recommends: more:arm64\n",
                "libpython3.13-stdlib": " |Depends: <media-types:arm64>\n    media-types\n  Depends: <mime-support:arm64>\n  Depends: libffi8:arm64\n"}
        script = ROOT / "tools/wheel_arm64.sh"
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for package, text in said.items():
                (folder / f"{package}:arm64").write_text(f"{package}:arm64\n{text}")
            for program, line in (("apt-cache", f'[ "$1 $LC_ALL" = "depends C" ] && shift && cd {name} && cat "$@"'),
                                  ("dpkg-query", 'case "$*" in *libc6:arm64) printf " installed" ;; *) exit 1 ;; esac')):
                (folder / program).write_text(f"#!/bin/sh\n{line}\n")
                (folder / program).chmod(0o755)

            def run(*words):
                return subprocess.run([script, *words], capture_output=True, text=True, check=False,
                                      env={k: v for k, v in os.environ.items() if k != "LC_ALL"} | {"PATH": f"{name}:{os.environ['PATH']}"})
            done = run("--packages")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertEqual(done.stdout.split(), [f"{x}:arm64" for x in ("python3.13-minimal", "libpython3.13-minimal", "libpython3.13-stdlib",
                                                                          "libffi8", "libssl3t64", "libpython3.13-dev")])
            (folder / "python3-minimal:arm64").unlink()
            done = run("--packages")
            self.assertEqual(done.returncode, 1)
            self.assertIn("apt-cache knows no python3-minimal:arm64", done.stderr)
            for words, what in (([], "no folder with lib/libzwang.a"), ([name], "no folder with lib/libzwang.a"), (["--jobs", "0"], "at least 1")):
                done = run(*words)
                self.assertEqual(done.returncode, 2)
                self.assertIn(what, done.stderr)

    def test_of_groups_of_packages_are_known(self):
        script = ROOT / "tools/install_dependencies.sh"
        self.assertEqual(subprocess.run([script, "--missing", "arm64"], capture_output=True, check=False).returncode, 0)
        self.assertIn("such", subprocess.run([script, "--missing", "such"], capture_output=True, text=True, check=False).stderr)


class BillOfMaterials(unittest.TestCase):
    def test_optional_parts_are_listed_where_they_were_found(self):
        self.assertNotIn("three.js", names(make_sbom.bill(["cli"], {"fmt": "9.1.0"})))
        self.assertIn("three.js", names(make_sbom.bill(["cli"], {"three.js": "111"})))
        unknown = next(c for c in make_sbom.bill(["cli"], {"three.js": "unknown"})["components"] if c["name"] == "three.js")
        self.assertNotIn("version", unknown)
        self.assertFalse({"KaTeX", "MkDocs"} & set(names(make_sbom.bill(list(dependencies.PARTS), {}))))

    def test_licences_within_a_part_are_listed(self):
        eigen = next(c for c in make_sbom.bill(["library"], {})["components"] if c["name"] == "Eigen")
        licences = [next(iter(x["license"].values())) for x in eigen["licenses"]]
        self.assertEqual(licences, ["MPL-2.0", "Apache-2.0", "Giesen"])  # what only source distributions have is not in the library
        self.assertIn("TensorFlow Authors", eigen["copyright"])

    def test_a_python_that_cannot_make_it_leaves_it_out(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            old = folder / "python"
            old.write_text("#!/bin/sh\necho 'SyntaxError: too old' >&2\nexit 1\n")
            old.chmod(0o755)
            (folder / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(bill LANGUAGES NONE)\n"
                f"set(PROJECT_SOURCE_DIR {ROOT})\ninclude({ROOT}/cmake/bill_of_materials.cmake)\nzwang_sbom({folder}/bill.json library)\n")
            for python, made in ((old, False), (sys.executable, True), (old, False)):  # the last takes the old file away
                done = subprocess.run([CMAKE, "-S", name, "-B", f"{name}/build", f"-DZWANG_SBOM_PYTHON={python}"],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual((folder / "bill.json").exists(), made)
                said = " ".join(done.stderr.split())
                self.assertEqual("the bill of materials is left out" in said and "too old" in said, not made, said)


class Archives(unittest.TestCase):
    def test_each_pattern_must_be_met(self):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as archive:
            for name in ("a.h", "b.h", "c.h"):
                archive.addfile(tarfile.TarInfo(f"x-1/include/{name}"), io.BytesIO(b""))
        d = {"name": "x", "folder": "x", "files": ["include/*.h", "LICENSE"]}
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as changed:
            changed.enter_context(unittest.mock.patch.object(third_party, "FOLDER", pathlib.Path(name)))
            with self.assertRaisesRegex(SystemExit, "has no file named LICENSE"):  # three files are named, two patterns
                third_party.unpack(d, data.getvalue(), "1")
            with contextlib.redirect_stdout(io.StringIO()):
                third_party.unpack({**d, "files": ["include/*.h"]}, data.getvalue(), "1")


    def test_what_is_there_is_not_fetched_again_unless_it_was_changed(self):
        data = io.BytesIO()
        with tarfile.open(fileobj=data, mode="w:gz") as archive:
            archive.addfile(tarfile.TarInfo("x-1/x.h"), io.BytesIO(b""))
        x = {"name": "x", "folder": "x", "files": ["*.h"],
             "archives": [{"version": "1", "sha256": hashlib.sha256(data.getvalue()).hexdigest(), "url": "no://where"}]}
        program = {"name": "p", "folder": "p", "header_folders": ["HEADERS"], "names": {"debian": "p"}}
        with tempfile.TemporaryDirectory() as name, contextlib.ExitStack() as changed:
            headers, archives, target = (pathlib.Path(name) / part for part in ("p", "archives", "third_party"))
            headers.mkdir()
            (headers / "Version.hpp").write_text('#define P_VERSION "2.1"\n')
            program["header_folders"] = [str(headers)]
            archives.mkdir()
            (archives / "x.tar.gz").write_bytes(data.getvalue())
            changed.enter_context(unittest.mock.patch.object(third_party, "FOLDER", target))
            changed.enter_context(unittest.mock.patch.object(dependencies, "read", lambda: [x, program]))
            changed.enter_context(contextlib.redirect_stdout(io.StringIO()))

            def run(*words):
                with unittest.mock.patch.object(sys, "argv", ["third_party.py", *words]):
                    return third_party.main()
            self.assertEqual(run("--check"), 1)
            self.assertFalse(target.exists())
            self.assertEqual(run("--archives", str(archives)), 0)
            self.assertEqual((run("--check"), run("--check", "--program")), (0, 1))
            self.assertEqual((run("--program"), run("--check", "--program")), (0, 0))  # no archive is at hand, none is asked for
            self.assertEqual((target / "p/version.txt").read_text(), "2.1\n")
            for other in (lambda: (headers / "Version.hpp").write_text('#define P_VERSION "2.2"\n'), lambda: (headers / "more.hpp").write_text(""),
                          lambda: (target / "p/version.txt").unlink(), lambda: (target / "p/include/p/more.hpp").unlink()):
                other()
                self.assertEqual((run("--check"), run("--check", "--program")), (0, 1))
                self.assertEqual((run("--program"), run("--check", "--program")), (0, 0))
            self.assertEqual((target / "p/version.txt").read_text(), "2.2\n")
            for spoil in (lambda: (target / "x/x.h").write_text("changed"), lambda: (target / "x/more.h").write_text(""),
                          lambda: (target / "x/x.h").unlink(), lambda: (target / "x/version.txt").write_text("1\n"),
                          lambda: x.update(files=["*.?"]), lambda: x["archives"][0].update(version="2")):
                spoil()
                self.assertEqual(run("--check"), 1)
                with self.assertRaisesRegex(SystemExit, "x: no://where cannot be read"):
                    run("--program")
                self.assertEqual(run("--archives", str(archives)), 0)
                self.assertEqual(sorted(p.name for p in (target / "x").iterdir()), ["version.txt", "x.h"])
                self.assertEqual(run("--check"), 0)

    def test_a_source_distribution_takes_along_what_the_package_is_built_with_alone(self):
        line = re.search(r"^sdist\.include = (\[.*\])$", (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
        folders = {d["folder"] for d in dependencies.read() if "folder" in d and "python" in d["parts"]}
        self.assertIn("eigen", folders)
        self.assertNotIn("cli11", folders)  # of the program alone
        self.assertEqual(set(ast.literal_eval(line[1])), {f"/third_party/{folder}/**" for folder in folders})
        self.assertIn("/third_party/", (ROOT / ".gitignore").read_text().split())  # what no line includes stays out
        names = {"third_party/cli11/include/CLI/App.hpp", "third_party/other.txt", "third_party/fmt/version.txt", "src/x.cpp"}
        self.assertEqual(check_sdist.not_of_the_package(names), ["third_party/cli11", "third_party/other.txt"])


class Notices(unittest.TestCase):
    def test_a_licence_that_the_list_does_not_name_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name) / "Eigen"
            folder.mkdir()
            (folder / "More.h").write_text("// Licensed under the Apache License, Version 2.0\n")
            eigen = next(d for d in dependencies.read() if d["name"] == "Eigen")
            self.assertRegex(make_notices.unnamed(eigen, folder, "$^")[0], "More.h says .*Apache")
            self.assertEqual(make_notices.unnamed({**eigen, "within": [{"files": ["Eigen/More.h"]}]}, folder, "$^"), [])

    def test_the_site_has_its_own(self):
        notices, site = make_notices.text("THIRD_PARTY_NOTICES.md"), make_notices.text("packaging/SITE_NOTICES.md")
        for word in ("TensorFlow Authors", "Fabian Giesen", "Abseil Authors", "Apache License"):
            self.assertIn(word, notices)
        for word in ("KaTeX", "Material for MkDocs", "Lunr", "SIL OPEN FONT LICENSE"):
            self.assertIn(word, site)
            self.assertNotIn(word, notices)


class Skipping(unittest.TestCase):
    def test_a_recipe_that_is_not_looked_at_says_so(self):
        program = ("import sys; sys.modules['yaml'] = None; sys.path.insert(0, 'tools'); sys.argv = ['x', '--conda']\n"
                   "import check_packages; sys.exit(check_packages.main())")
        done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(done.returncode, 77, done.stderr)
        self.assertRegex(done.stdout, "^SKIPPED: packaging/conda/recipe.yaml .* no module yaml")


class Configuration(unittest.TestCase):
    """A plain build, as colcon makes one, and a project that contains zwang."""
    OPTIONS = ("-DZWANG_BUILD_TESTS=OFF", "-DZWANG_BUILD_EXAMPLES=OFF", "-DZWANG_BUILD_CLI=OFF", "-DZWANG_BUILD_KDL=OFF", "-DZWANG_BUILD_RBDL=OFF", "-DZWANG_LEVELS=")

    def configure(self, source, folder, *options):
        done = subprocess.run([CMAKE, "-S", source, "-B", folder, f"-DCMAKE_CXX_COMPILER={COMPILER}", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                               *self.OPTIONS, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((pathlib.Path(folder) / "compile_commands.json").read_text())

    def test_warnings_are_errors_in_the_presets_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            for entry in self.configure(str(ROOT), folder):
                self.assertNotIn("-Werror", entry["command"])
        presets = {p["name"]: p for p in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}
        self.assertEqual(presets["base"]["cacheVariables"]["ZWANG_WERROR"], "ON")

    def test_documents_go_to_a_folder_of_their_own(self):
        with tempfile.TemporaryDirectory() as name:
            (pathlib.Path(name) / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(robot LANGUAGES CXX)\ninclude(GNUInstallDirs)\n"
                f"add_subdirectory({ROOT} zwang)\n")
            self.configure(name, f"{name}/build")
            text = (pathlib.Path(name) / "build/zwang/cmake_install.cmake").read_text()
            self.assertTrue(re.search(r"share/doc/zwang\b", text))
            self.assertFalse(re.search(r"share/doc/robot\b", text))


class StableInterface(unittest.TestCase):
    """A module for Python 3.12 and all later versions may call what is in CPython's limited interface alone."""
    def test_modules_call_the_limited_interface_alone(self):
        headers = sysconfig.get_paths()["include"]
        if not (pathlib.Path(headers) / "Python.h").is_file():
            self.skipTest(f"{headers} has no Python.h (Debian: python3-dev)")
        with tempfile.TemporaryDirectory() as name:
            source = pathlib.Path(name) / "limited.cpp"
            source.write_text("#include <Python.h>\n")
            words = set()
            for option in ("-E", "-dM"):
                done = subprocess.run([COMPILER, "-E", option, "-DPy_LIMITED_API=0x030C0000", f"-I{headers}", str(source)],
                                      capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                words |= set(re.findall(r"\bPy[A-Z]\w+", done.stdout))
        self.assertIn("PyObject_GetBuffer", words)
        self.assertNotIn("PyGILState_Check", words)
        for path in sorted([*(ROOT / "python/src").glob("*.[ch]pp"), *(ROOT / "python/kdl").rglob("*.[ch]pp"),
                            *(ROOT / "python/rbdl").rglob("*.[ch]pp")]):
            text = re.sub(r"#ifdef Py_LIMITED_API(.*?)#else.*?#endif", r"\1", path.read_text(), flags=re.DOTALL)
            called = set(re.findall(r"\b(Py[A-Z]\w*_\w+)\(", text))
            self.assertFalse(called - words, f"{path} calls what the limited interface does not have")


class Hooks(unittest.TestCase):
    def hook(self, name):
        return re.search(rf"- id: {name}\n(.*?)(?=- id: |\Z)", (ROOT / ".pre-commit-config.yaml").read_text(), re.DOTALL)[1]

    def test_what_cannot_be_had_stops_no_commit(self):
        entry = shlex.split(re.search(r"entry: (.*?)(?:  #.*)?$", self.hook("ruff"), re.MULTILINE)[1])
        self.assertEqual(entry[0], "bash")
        for status, wanted in ((77, 0), (1, 1), (0, 0)):
            with tempfile.TemporaryDirectory() as name:
                script = pathlib.Path(name) / "tools/lint_python.sh"
                script.parent.mkdir()
                script.write_text(f"#!/bin/sh\nexit {status}\n")
                script.chmod(0o755)
                self.assertEqual(subprocess.run(entry, cwd=name).returncode, wanted)

    def test_lists_of_packages_are_compared_where_one_changes(self):
        files = re.compile(re.search(r"files: (.*)", self.hook("packages"))[1])
        for name in ("packaging/dependencies.json", "tools/install_dependencies.sh", "CMakeLists.txt"):
            self.assertTrue(files.search(name), name)


class CostOfEdits(unittest.TestCase):
    def test_rows_that_were_written_are_those_of_the_list(self):
        page = "a\n" + edit_cost.BEGIN + "| touch this | for example | x |\n|---|---|---|\n| a test | `a.cpp` | 1 |\n" + edit_cost.END
        self.assertEqual(edit_cost.rows_of(page), [("a test", "a.cpp")])
        self.assertEqual(edit_cost.rows_of(edit_cost.BEGIN + edit_cost.END), [])
        self.assertFalse(edit_cost.says_when_and_where(page))
        self.assertTrue(edit_cost.says_when_and_where(page.replace(edit_cost.END, edit_cost.measured_here() + edit_cost.END)))
        self.assertRegex(edit_cost.measured_here(), r"^\n\d{4}-\d\d-\d\d, ")
        rows = edit_cost.rows_of((ROOT / "CONTRIBUTING.md").read_text())
        self.assertIn(rows, ([], [(what, file) for what, file, _ in edit_cost.EDITS]))

    def test_what_an_edit_compiles_is_told_where_ninja_would_first_make_its_file_anew(self):
        with tempfile.TemporaryDirectory() as folder:
            build = pathlib.Path(folder)
            (build / "a.cpp").write_text("")
            (build / "build.ninja").write_text(
                "rule cmake\n  command = true\n  description = Re-running CMake...\n  generator = 1\n"
                "rule cc\n  command = false\n  description = Building CXX object $out\n"
                "rule link\n  command = false\n  description = Linking CXX executable $out\n"
                "build always: phony missing\nbuild missing: phony\nbuild build.ninja: cmake | always\nbuild a.o: cc a.cpp\nbuild a: link a.o\n")
            self.assertEqual(edit_cost.what_ninja_would_do(build), ({"a.o"}, {"a"}))
            self.assertEqual(sorted(path.name for path in build.iterdir() if not path.name.startswith(".")), ["a.cpp", "build.ninja"])


class Groups(unittest.TestCase):
    def test_what_fuzzing_needs_can_be_installed(self):
        script = (ROOT / "tools/install_dependencies.sh").read_text()
        self.assertRegex(script, r"fuzz\) packages\+=\(clang\)")
        self.assertIn("install_dependencies.sh fuzz", (ROOT / ".ci/run").read_text())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cmake", default=CMAKE)
    parser.add_argument("--compiler", default=COMPILER)
    arguments, rest = parser.parse_known_args()
    CMAKE, COMPILER = arguments.cmake, arguments.compiler
    unittest.main(argv=[sys.argv[0], *rest])
