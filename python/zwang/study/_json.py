# SPDX-License-Identifier: BSD-3-Clause
"""JSON of files that others may have written."""
import json
from typing import Any

_MOST_LEVELS = 100  # a model has at most 64, and a study holds one
_TOO_DEEP = f"nested deeper than {_MOST_LEVELS} levels"


def read_json(text: str) -> Any:
    """Raises ValueError, also for what is nested so deep that those who read it would run out of stack."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    level = [found]
    for _ in range(_MOST_LEVELS + 1):
        level = [x for y in level if isinstance(y, (dict, list)) for x in (y.values() if isinstance(y, dict) else y)]
    if level:
        raise ValueError(_TOO_DEEP)
    return found


def canonical(document: Any) -> str:
    """The one text of a document: keys sorted, numbers as repr has them."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
