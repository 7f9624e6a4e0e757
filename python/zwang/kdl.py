# SPDX-License-Identifier: BSD-3-Clause
"""Orocos KDL's names over zwang's algorithms: a script for PyKDL runs with `import zwang.kdl as PyKDL`.

tree_of(model) makes a tree of a robot, as kdl_parser does of URDF; `tree_of(model).getChain(root, tip)` is a chain of it.
"""
import os as _os
from typing import Any as _Any

import zwang as _zw

try:
    from zwang._kdl import *  # noqa: F403
    from zwang._kdl import Tree as _Tree, document_of_tree, tree_of_document, treeFromString as _tree_from_string
except ImportError as error:
    raise ImportError("zwang.kdl: this build of zwang has no KDL names (ZWANG_BUILD_KDL=OFF)") from error


def tree_of(robot: "_zw.Model | str | _os.PathLike[str]") -> _Tree:
    """A tree of a model, of a URDF file (its path) or of the text of one, as kdl_parser makes it.

    A segment for each joint, named after the link that it carries, with its tip at the link's frame and the armature
    (gear_ratio^2 rotor_inertia) as the joint's inertia; tree.getChain(root, tip) is the chain between two links. The root
    link's body is that of nobody. Limits, damping and friction are lost.
    Raises ValueError naming the joint that KDL does not have (more than one freedom, helical, mimic, a closed loop).
    """
    if not isinstance(robot, _zw.Model):
        if not isinstance(robot, (str, _os.PathLike)):
            raise TypeError(f"E_ARGUMENT tree_of: argument 'robot' has type {type(robot).__name__}, expected Model, a path or "
                            "the text of a URDF")
        is_text = isinstance(robot, str) and robot.lstrip().startswith("<")
        robot = _zw.loads(str(robot), root="fixed") if is_text else _zw.load(robot, root="fixed")
    return tree_of_document(robot.to_json())


def model_of(tree: _Tree) -> _zw.Model:
    """A model of a tree, with a fixed root: links have the names of segments, joints theirs.

    Coordinates are scale * q of the joint. Damping and stiffness of joints, which KDL's solvers do not use, count in zwang.
    Raises ValueError for a joint that moves and has the scale 0.
    """
    return _zw.model_from_json(document_of_tree(tree))


def treeFromUrdfModel(robot_model: "_Any", quiet: bool = False) -> "tuple[bool, _Tree]":
    """kdl_parser's: whether the robot of urdf_parser_py (what has to_xml_string()) makes a tree, and the tree."""
    return _tree_from_string(robot_model.to_xml_string())
