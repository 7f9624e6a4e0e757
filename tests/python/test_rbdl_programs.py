# SPDX-License-Identifier: BSD-3-Clause
"""Programs written for RBDL print what independent mechanics says (tests/consumer/rbdl_programs): the numbers checked in are those of the
oracle, and the Python program prints them. The test `consumer_find_package` runs the C++ ones."""
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "consumer/rbdl_programs"
sys.path.insert(0, str(FOLDER))
import compare  # noqa: E402
import oracle  # noqa: E402


@pytest.mark.parametrize("program", list(oracle.PROGRAMS))
def test_numbers_checked_in_are_those_of_the_oracle(program):
    assert compare.differences(compare.read(FOLDER / f"expected/{program}.txt"), oracle.numbers(program)) == []


def test_the_python_program_prints_them(tmp_path):
    pytest.importorskip("zwang.rbdl", reason="this build has no RBDL names")
    printed = tmp_path / "arm.txt"
    with printed.open("w") as out:
        subprocess.run([sys.executable, str(FOLDER / "arm.py")], check=True, stdout=out)
    assert compare.differences(compare.read(FOLDER / "expected/arm.txt"), compare.read(printed)) == []


def test_a_difference_is_a_sentence():
    numbers = [("q[0]", 1.0), ("q[1]", 2.0)]
    assert compare.differences(numbers, numbers) == []
    assert compare.differences(numbers, [("q[0]", 1.0), ("q[1]", 2.0 + 1e-8)]) == ["q[1]: 2.00000001, expected 2.0"]
    assert "other names" in compare.differences(numbers, numbers[:1])[0]
