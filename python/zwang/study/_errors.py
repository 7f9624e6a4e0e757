# SPDX-License-Identifier: BSD-3-Clause
"""What goes wrong with a study."""


class StudyError(RuntimeError):
    """A study cannot begin or go on: the message says why, and what of it is kept."""


class BlockFailed(StudyError):
    """A block has failed, and the study was to stop at the first."""


class StudyWarning(UserWarning):
    """Something of a study that can hardly be meant."""


class FailedBlocks(StudyWarning):
    """A run has ended without some blocks."""


class StateError(Exception):
    """A calculation failed at one state of a block; `at` counts from the block's first state."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at, self.reason = at, reason
