# SPDX-License-Identifier: BSD-3-Clause
"""The pages for users of Pinocchio, Drake and MuJoCo have every name of theirs once, and of ours only what exists.

A row of a table is | names of theirs | Python | C++ | what differs |. Python names start with `zw.`. In C++ "=" stands
for functions of the same names in namespace zwang; other names there are looked for as words in the headers. A row
without a name of zwang says why in the first words of its second cell.
"""
import functools
import re

import pytest
import zwang as zw
from conftest import ROOT

import migration_names as names

REASONS = ("dead", "scratch", "not there yet", "not needed")
PAGES = {
    "pinocchio": names.PINOCCHIO_DATA + names.PINOCCHIO_FUNCTIONS,
    "drake": names.DRAKE,
    "mujoco": names.MUJOCO_DATA + names.MUJOCO_FUNCTIONS,
}
PYTHON_NAME = re.compile(r"zw((?:\.[A-Za-z_]\w*)+)")


def text_of(page):
    """Without blocks of code, which tools/docs_snippets.py runs."""
    text = (ROOT / "docs" / "migrate" / f"{page}.md").read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def rows_of(page):
    """Of the tables whose second column is Python."""
    rows, inside = [], False
    for line in text_of(page).splitlines():
        if not line.startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in line.strip()[1:].removesuffix("|").split("|")]
        if cells[1] == "Python":
            inside = True
        elif inside and not cells[1].startswith("---"):
            assert len(cells) == 4, f"{page}: a row has {len(cells)} cells: {line}"
            rows.append(cells)
    return rows


def in_backticks(cell):
    return re.findall(r"`([^`]+)`", cell)


def their_names(cell):
    """`com[0]` is the name com; (`x`) in brackets is a remark."""
    return [re.sub(r"\[.*?\]$", "", name) for name in in_backticks(re.sub(r"\([^()]*`[^()]*\)", "", cell))]


@functools.lru_cache
def words_of_headers():
    found = set()
    for path in sorted((ROOT / "include").rglob("*.hpp")):
        code = re.sub(r"//[^\n]*|/\*.*?\*/|#[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        found |= set(re.findall(r"[A-Za-z_]\w*", code))
    return found


@pytest.mark.parametrize("page", PAGES)
def test_every_name_of_theirs_is_there_once(page):
    said = [name for row in rows_of(page) for name in their_names(row[0])]
    wanted = PAGES[page]
    assert len(wanted) == len(set(wanted))
    assert sorted(set(wanted) - set(said)) == [], "missing"
    assert sorted({name for name in said if said.count(name) > 1}) == [], "more than once"
    assert sorted(set(said) - set(wanted)) == [], "not in migration_names.py"


@pytest.mark.parametrize("page", PAGES)
def test_every_row_has_a_name_of_ours_or_says_why_not(page):
    for theirs, python, _, _ in rows_of(page):
        assert PYTHON_NAME.search(python) or python.startswith(REASONS), f"{theirs}: {python}"


def test_dead_members_are_marked_with_a_reason():
    dead = {name: row for row in rows_of("pinocchio") for name in their_names(row[0]) if row[1].startswith("dead")}
    assert sorted(dead) == sorted(names.PINOCCHIO_DEAD)
    assert all(len(row[3]) > 20 for row in dead.values())


def exists(name):
    place = zw
    for part in name.split("."):
        if not hasattr(place, part):
            return False
        place = getattr(place, part)
    return True


@pytest.mark.parametrize("page", PAGES)
def test_python_names_of_ours_exist(page):
    found = {name.strip(".") for name in PYTHON_NAME.findall(text_of(page))}
    assert len(found) > 50
    missing = {name for name in found if not exists(name)}
    assert sorted(name for name in missing if name.split(".")[-1] not in names.ARRIVES_WITH_THIS_RELEASE) == []


def test_what_is_called_not_there_yet_is_not_there():
    assert [name for name in names.NOT_THERE_YET if exists(name)] == [], "docs/migrate calls this 'not there yet'"


@pytest.mark.parametrize("page", PAGES)
def test_cpp_names_of_ours_exist(page):
    known = words_of_headers() | set(names.ARRIVES_WITH_THIS_RELEASE)
    assert {"inverse_dynamics", "TreeCholesky", "Solver"} <= known
    for theirs, python, cpp, _ in rows_of(page):
        if not PYTHON_NAME.search(python):
            assert cpp == "", f"{theirs}: C++ has {cpp}, Python nothing"
            continue
        assert cpp == "=" or in_backticks(cpp) or cpp.startswith(REASONS), f"{theirs}: {cpp}"
        called = PYTHON_NAME.findall(python) if cpp == "=" else in_backticks(cpp)
        for name in called:
            for word in re.findall(r"[A-Za-z_]\w*", re.sub(r"<.*?>|\(.*?\)", "", name)):
                assert word in known | {"zwang", "zw", "Eigen"}, f"{theirs}: {name}: the headers have no {word}"


def test_a_wrong_page_is_noticed():
    """The reading of names, on small examples."""
    assert their_names("`com[0]`, `vcom`") == ["com", "vcom"]
    assert their_names("`qM` (4: `M`)") == ["qM"]
    assert PYTHON_NAME.findall("`zw.Solver.resolve`, `zw.jacobian(…)`") == [".Solver.resolve", ".jacobian"]
    assert "no_such_word_anywhere" not in words_of_headers()
