#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What the pages say about the source is compared with the source.

    tests/docs/facts_test.py

  migrate/kdl.md       every code of a KDL solver that Python knows
  troubleshooting.md   every error and warning code of library and Python package, and no other; statuses, exceptions
  report.md            every status, every kind of warning, every reason for giving a row up
  kdl-limits.md        thirty limits; every test it names exists, in the file it is said to be in
  examples.md          every example is named, and every pair is complete but for those in Python alone
  mkdocs.yml           every page is in the menu
  benchmarks.md        its tables and picture are those of the results beside it, as tools/plot_benchmarks.py draws them
  rbdl-migration.md    every function of RBDL 3.3.1's constraint headers has a row, and so has every defect
  migrate/rbdl_names.md  they and all names of compat/rbdl's headers; what is said to be here is, what is said not to be is not
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from reference_test import cpp_names  # noqa: E402

DOCS = ROOT / "docs"
problems = []


def text(path):
    return (ROOT / path).read_text(encoding="utf-8")


def words(source, declaration):
    """The names of a C++ enumeration."""
    body = re.search(re.escape(declaration) + r"\s*\{(.*?)\};", source, re.DOTALL)[1]
    return re.findall(r"^\s*(\w+)", re.sub(r"//[^\n]*", "", body).replace(",", "\n"), re.MULTILINE)


def expect_words(page, names, what):
    for name in names:
        if f"`{name}`" not in text(page):
            problems.append(f"{page}: says nothing of {what} '{name}'")


def check_codes():
    used, of_kdl = set(), set()
    for folder in ("src", "python", "include", "cli"):
        for path in sorted((ROOT / folder).rglob("*.[ch]pp")):
            found = set(re.findall(r'"([EWN]_[A-Z][A-Z_]*[A-Z])\b', path.read_text(encoding="utf-8")))
            (of_kdl if "python/kdl" in path.as_posix() else used).update(found)
    for code in sorted(of_kdl - set(re.findall(r"`(E_[A-Z_]+)`", text("docs/migrate/kdl.md")))):
        problems.append(f"docs/migrate/kdl.md: does not explain {code}")
    said = set(re.findall(r"`([EWN]_[A-Z][A-Z_]*[A-Z])`", text("docs/troubleshooting.md")))
    for code in sorted(used - said):
        problems.append(f"docs/troubleshooting.md: does not explain {code}")
    for code in sorted(said - used):
        problems.append(f"docs/troubleshooting.md: explains {code}, which nothing reports")
    if len(used) < 50:
        problems.append(f"only {len(used)} codes were found in the source")


def check_enumerations():
    status = words(text("include/zwang/core/status.hpp"), "enum class Status")
    report = text("include/zwang/certify/solve_report.hpp")
    kinds, reasons = words(report, "enum class Kind"), words(report, "enum class Reason")
    for page in ("docs/report.md", "docs/troubleshooting.md"):
        expect_words(page, status, "the status")
        expect_words(page, kinds, "the warning")
    expect_words("docs/report.md", reasons, "the reason")
    exceptions = re.findall(r"^class (\w+) : public std::", text("include/zwang/core/error.hpp"), re.MULTILINE)
    expect_words("docs/troubleshooting.md", exceptions, "the exception")
    settings = text("include/zwang/rows/settings.hpp")
    expect_words("docs/hybrid-dynamics.md", words(settings, "enum class Singularity"), "the singularity policy")
    methods = re.findall(r"a_method\((\w+)\)", text("include/zwang/factor/methods.hpp"))
    expect_words("docs/hybrid-dynamics.md", methods, "the method")


def check_limits():
    page = text("docs/kdl-limits.md")
    if [int(n) for n in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)] != list(range(1, 31)):
        problems.append("docs/kdl-limits.md: the table does not have the limits 1 to 30")
    for row in re.findall(r"^\| \d+ \|.*", page, re.MULTILINE):
        if "| lifted |" in row and "](../" not in row:
            problems.append(f"docs/kdl-limits.md: no test holds this: {row[:60]}")
    for test, file in re.findall(r"\[HybridRow\.(\w+)\]\(\.\./([^)]+)\)", page):
        if not (ROOT / file).is_file() or not re.search(rf"TEST\w*\(HybridRow, *{test}\)", text(file)):
            problems.append(f"docs/kdl-limits.md: {file} has no test HybridRow.{test}")


# Public functions of RBDL 3.3.1's Constraints.h, Constraint.h, Constraint_Contact.h and Constraint_Loop.h.
RBDL = """
AddContactConstraint AddCustomConstraint AddLoopConstraint Bind CalcAssemblyQ CalcAssemblyQDot CalcConstrainedSystemVariables
CalcConstraintsJacobian CalcConstraintsPositionError CalcConstraintsVelocityError ComputeConstraintImpulsesDirect
ComputeConstraintImpulsesNullSpace ComputeConstraintImpulsesRangeSpaceSparse Copy ForwardDynamicsConstraintsDirect
ForwardDynamicsConstraintsNullSpace ForwardDynamicsConstraintsRangeSpaceSparse ForwardDynamicsContactsKokkevis
InverseDynamicsConstraints InverseDynamicsConstraintsRelaxed SetActuationMap SetSolver SolveConstrainedSystemDirect
SolveConstrainedSystemNullSpace SolveConstrainedSystemRangeSpaceSparse addInBaumgarteStabilizationForces appendConstraintAxis
appendNormalVector bind calcBaumgarteStabilizationForces calcConstraintForces calcConstraintJacobian calcForces calcGamma
calcImpulses calcPointAccelerationError calcPointAccelerations calcPointForceJacobian calcPositionError calcVelocityError clear
disableBaumgarteStabilization enableBaumgarteStabilization enableConstraintErrorFromAcceleration enableConstraintErrorFromPosition
enableConstraintErrorFromVelocity getBaumgarteStabilizationCoefficients getBaumgarteStabilizationForces
getBaumgarteStabilizationParameters getBodyFrames getBodyIds getConstraintAxes getConstraintIndex getConstraintJacobian
getConstraintNormalVectors getConstraintSize getConstraintType getGamma getGroupAssignedId getGroupId getGroupIndexByAssignedId
getGroupIndexById getGroupIndexByName getGroupIndexMax getGroupName getGroupSize getGroupType getPositionError
getPositionLevelError getUserDefinedId getVelocityError getVelocityLevelError isBaumgarteStabilizationEnabled
isConstrainedSystemFullyActuated setBaumgarteTimeConstant setConstraintIndex setEnableBaumgarteStabilization size
""".split()


# Names of compat/rbdl that RBDL does not have.
RBDL_OWN = {"SquareMatrix", "rotation_about", "angle_rates_to_body"}


def check_rbdl():
    page = text("docs/rbdl-migration.md")
    rows = "\n".join(line.split("|")[1] for line in page.splitlines() if line.startswith("| "))
    for name in RBDL:
        if not re.search(rf"`(\w+::)?{name}\b", rows):
            problems.append(f"docs/rbdl-migration.md: has no row for {name}")
    defects = [f"D{k}" for k in range(1, 17)]
    if re.findall(r"^\| (D\d+) \|", page, re.MULTILINE) != defects:
        problems.append("docs/rbdl-migration.md: the table of defects does not have D1 to D16")


def check_rbdl_names():
    page = "docs/migrate/rbdl_names.md"
    here, absent = text(page).split("## Here")[1].split("## Not here")
    here, absent = (set(re.findall(r"`(\w+)`", part)) for part in (here, absent))
    folder = ROOT / "compat/rbdl/include"
    headers = {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in folder.rglob("*.h")}
    code = re.sub(r"//[^\n]*", "", "\n".join(headers.values()))
    for name in sorted(here):
        if not re.search(rf"\b{name}\b", code):
            problems.append(f"{page}: says that {name} is here, and no header has it")
    for name in sorted(absent - here):
        if re.search(rf"^(?:class|struct|using|enum) {name}\b|^\w[^=(]*\b{name}\(", code, re.MULTILINE):
            problems.append(f"{page}: says that {name} is not here, and a header has it")
    for name in sorted(set(RBDL) - here - absent):
        problems.append(f"{page}: says nothing of RBDL's {name}")
    for name, source in headers.items():
        if f"`{name}`" not in text(page):
            problems.append(f"{page}: does not name the header {name}")
        for declared in sorted(cpp_names(source, ("RigidBodyDynamics", "Math", "Utils", "Errors", "Addons")) - here - RBDL_OWN):
            problems.append(f"{page}: does not name {declared} of {name}")


# They need more linear algebra than robots, or are there for a robot that is built in code.
PYTHON_ALONE = {"car", "ddp_step", "identification", "ik_success_study", "reachability_study", "rollout_gradient", "stance_inertia_study",
                "stewart_path", "trot", "learn_to_walk", "written_for_pinocchio"}


def check_pages():
    menu = text("mkdocs.yml")
    for page in sorted(DOCS.rglob("*.md")):
        if f": {page.relative_to(DOCS).as_posix()}" not in menu:
            problems.append(f"mkdocs.yml: {page.name} is not in the menu")
        for target in re.findall(r"\]\(\.\./([^)#\s]+)", page.read_text(encoding="utf-8")):
            if not (page.parent.parent / target).is_file():
                problems.append(f"{page.relative_to(ROOT).as_posix()}: links to ../{target}, which does not exist")
    examples = text("docs/examples.md")
    names = {path.stem for path in (ROOT / "examples").glob("*.cpp")} | {path.stem for path in (ROOT / "examples").glob("*.py")}
    for name in sorted(names):
        if f"../examples/{name}." not in examples:
            problems.append(f"docs/examples.md: does not name {name}")
    for path in sorted((ROOT / "examples").glob("*.py")):
        if path.stem not in PYTHON_ALONE and not path.with_suffix(".cpp").is_file():
            problems.append(f"examples/{path.name}: has no partner in C++")


def check_code():
    """Blocks of code fit beside the menu of the site (tools/check_site.py looks at what a browser makes of them)."""
    for page in sorted(DOCS.rglob("*.md")):
        for block in re.finditer(r"^ *```(?:python|cpp|sh)\n(.*?)^ *```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL):
            for line in block[1].splitlines():
                if len(line) > 92:
                    problems.append(f"{page.relative_to(ROOT).as_posix()}: a line of code with more than 92 columns: {line.strip()[:60]}")


def check_benchmarks():
    with tempfile.TemporaryDirectory() as folder:
        page, place = pathlib.Path(folder) / "benchmarks.md", pathlib.Path(folder) / "benchmarks"
        shutil.copytree(DOCS / "benchmarks", place)
        page.write_text(text("docs/benchmarks.md"), encoding="utf-8")
        for file in sorted(place.glob("*.json.gz")):
            block = re.search(r"\d-([a-z]+)\.json", file.name)
            subprocess.run([sys.executable, ROOT / "tools/plot_benchmarks.py", file, "--page", page, *(["--block", block[1]] if block else [])],
                           check=True, stdout=subprocess.DEVNULL)
        for made in (page, *place.glob("*.svg")):
            if made.read_text(encoding="utf-8") != text(DOCS / made.relative_to(folder)):
                problems.append(f"docs/{made.relative_to(folder).as_posix()}: is not what the results say; tools/plot_benchmarks.py writes it")


for check in (check_code, check_codes, check_enumerations, check_limits, check_rbdl, check_rbdl_names, check_pages, check_benchmarks):
    check()
print("\n".join(problems) if problems else "facts: ok")
sys.exit(1 if problems else 0)
