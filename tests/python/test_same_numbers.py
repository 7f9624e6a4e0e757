# SPDX-License-Identifier: BSD-3-Clause
"""This processor's numbers are those of the record."""
import json

import same_numbers


def test_numbers_are_those_of_every_processor():
    record = json.loads(same_numbers.RECORD.read_text(encoding="utf-8"))
    for name, difference in same_numbers.differences(same_numbers.numbers(), record).items():
        assert difference <= same_numbers.TOLERANCE, f"{name} differs by {difference:.1e}"
