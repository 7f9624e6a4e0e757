# SPDX-License-Identifier: BSD-3-Clause
"""How often a long call looks at Ctrl-C and calls a function of the user."""
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real


@dataclass(frozen=True)
class ProgressEvery:
    """For `progress=` of long calls: `interval` seconds pass between two looks at Ctrl-C and two calls of `call`.

    interval: [s], 0.1 as without this object. 0: a look at every chunk of states, every 64 steps of a rollout, every step of a motion and
    whenever a long solve asks, and again and again while the calling thread waits for others. call: a function of (done, total), True: a bar on the terminal, None: none.
    """
    interval: float = 0.1
    call: Callable[[int, int], object] | bool | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.interval, Real) and self.interval >= 0):  # not of NaN
            raise ValueError(f"E_NUMBER ProgressEvery: argument 'interval' is {self.interval!r}, expected a time of 0 or more [s]")
        if not (self.call is None or isinstance(self.call, bool) or callable(self.call)):
            raise ValueError(f"E_DTYPE ProgressEvery: argument 'call' has type {type(self.call).__name__}, "
                             "expected None, True, False or a callable (done, total)")
