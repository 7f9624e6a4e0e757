# SPDX-License-Identifier: BSD-3-Clause
"""The words: reference frames, kinds of frames, levels, arguments."""
from __future__ import annotations

import enum

__all__ = ["ReferenceFrame", "FrameType", "KinematicLevel", "ArgumentPosition", "Convention", "WORLD", "LOCAL",
           "LOCAL_WORLD_ALIGNED", "OP_FRAME", "JOINT", "FIXED_JOINT", "BODY", "SENSOR", "POSITION", "VELOCITY",
           "ACCELERATION", "ARG0", "ARG1", "ARG2", "ARG3", "ARG4"]


class Word(enum.IntEnum):
    """A number that prints its name."""

    def __str__(self) -> str:
        return self.name


class ReferenceFrame(Word):
    """Axes and point of a velocity, an acceleration or a Jacobian."""
    WORLD = 0
    LOCAL = 1
    LOCAL_WORLD_ALIGNED = 2


class FrameType(enum.IntFlag):
    """What a frame stands for."""
    OP_FRAME = 1
    JOINT = 2
    FIXED_JOINT = 4
    BODY = 8
    SENSOR = 16

    def __str__(self) -> str:
        return self.name or str(int(self))


class KinematicLevel(Word):
    """What centerOfMass computes."""
    POSITION = 0
    VELOCITY = 1
    ACCELERATION = 2


class ArgumentPosition(Word):
    """By which argument dIntegrate and dDifference are differentiated."""
    ARG0 = 0
    ARG1 = 1
    ARG2 = 2
    ARG3 = 3
    ARG4 = 4


class Convention(Word):
    """How aba and crba compute: the numbers are the same."""
    WORLD = 0
    LOCAL = 1


WORLD, LOCAL, LOCAL_WORLD_ALIGNED = ReferenceFrame.WORLD, ReferenceFrame.LOCAL, ReferenceFrame.LOCAL_WORLD_ALIGNED
OP_FRAME, JOINT, FIXED_JOINT = FrameType.OP_FRAME, FrameType.JOINT, FrameType.FIXED_JOINT
BODY, SENSOR = FrameType.BODY, FrameType.SENSOR
ANY_FRAME = FrameType(31)
POSITION, VELOCITY, ACCELERATION = KinematicLevel.POSITION, KinematicLevel.VELOCITY, KinematicLevel.ACCELERATION
ARG0, ARG1, ARG2, ARG3, ARG4 = ArgumentPosition

REFERENCES = ("world", "local", "local_world_aligned")  # by number
