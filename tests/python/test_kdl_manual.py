# SPDX-License-Identifier: BSD-3-Clause
"""zwang.kdl: what PyKDL does without a word, and forms of KDL's manual and of kdl_parser."""
import numpy as np
import pytest

kdl = pytest.importorskip("zwang.kdl", reason="this build has no KDL names")
from test_kdl import Q, QD, arm  # noqa: E402


def test_what_moves_equals_what_rests():
    v, R = kdl.Vector(1, 2, 3), kdl.Rotation.RPY(0.1, 0.2, 0.3)
    t, F = kdl.Twist(v, kdl.Vector(4, 5, 6)), kdl.Frame(R, v)
    for resting, moving, turning in [
        (v, kdl.VectorVel(v), kdl.VectorVel(v, v)), (t, kdl.TwistVel(t), kdl.TwistVel(t, t)),
        (R, kdl.RotationVel(R), kdl.RotationVel(R, v)), (F, kdl.FrameVel(F), kdl.FrameVel(F, t))
    ]:
        assert moving == resting and resting == moving and not moving != resting and not resting != moving
        assert turning != resting and resting != turning and not turning == resting and kdl.Equal(moving, resting)
        assert moving != 3 and moving != None and resting != "x" and not resting == v.x  # noqa: E711
    assert v != R and R != F


def test_frames_as_the_manual_has_them():
    R, p = kdl.Rotation.RPY(0.1, 0.2, 0.3), kdl.Vector(1, 2, 3)
    F, t = kdl.Frame(p, R), kdl.Twist(kdl.Vector(1, 0, 0), kdl.Vector(0, 0, 0.5))
    assert F == kdl.Frame(R, p)
    assert kdl.Equal(F.addDelta(t, 0.1), kdl.addDelta(F, t, 0.1), 1e-15) and F.addDelta(t) == kdl.addDelta(F, t)
    inverse = kdl.Frame(F)
    inverse.SetInverse()
    assert kdl.Equal(inverse * F, kdl.Frame(), 1e-14) and inverse == F.Inverse()
    assert kdl.Rotation.RotX(2 * np.pi).GetRotAngle() == (0, kdl.Vector(0, 0, 1))
    assert kdl.Rotation.RotY(1e-9).GetRotAngle(0)[0] == pytest.approx(1e-9, rel=1e-12)


def test_lists_of_results():
    chain = arm(kdl)
    q, qd, n = kdl.JntArray(Q), kdl.JntArray(QD), 7
    tip, moving = kdl.Frame(), kdl.FrameVel()
    positions, velocities = kdl.ChainFkSolverPos_recursive(chain), kdl.ChainFkSolverVel_recursive(chain)
    assert positions.JntToCart(q, tip) == 0 == velocities.JntToCart(kdl.JntArrayVel(q, qd), moving)
    frames, rates = [None] * n, [None] * n
    assert positions.JntToCart(q, frames) == 0 and velocities.JntToCart(kdl.JntArrayVel(q, qd), rates) == 0
    assert kdl.Equal(frames[-1], tip, 1e-14) and kdl.Equal(rates[-1], moving, 1e-14)
    assert all(kdl.Equal(a, b.GetFrame(), 1e-14) for a, b in zip(frames, rates))
    first = rates[0] = kdl.FrameVel()
    assert velocities.JntToCart(kdl.JntArrayVel(q, qd), rates) == 0 and rates[0] is first and kdl.Equal(first.GetFrame(), frames[0], 1e-14)
    few = [None] * 3
    assert positions.JntToCart(q, few) == kdl.SolverI.E_SIZE_MISMATCH and few == [None] * 3
    assert positions.JntToCart(q, few, 3) == 0 and kdl.Equal(few[2], frames[2], 1e-14)
    with pytest.raises(TypeError):
        velocities.JntToCart(kdl.JntArrayVel(q, qd), [kdl.FrameVel()] * 6 + [kdl.Frame()])


def test_a_solver_follows_its_chain():
    chain, tip = kdl.Chain(), kdl.Frame()
    fk = kdl.ChainFkSolverPos_recursive(chain)
    for i in range(3):
        chain.addSegment(kdl.Segment(kdl.Joint(kdl.Joint.RotZ), kdl.Frame(kdl.Vector(1, 0, 0))))
        assert fk.JntToCart(kdl.JntArray(i + 1), tip) == 0 and tip.p == kdl.Vector(i + 1, 0, 0)


def test_chains_of_the_manual():
    segments = [kdl.Segment(f"s{i}", kdl.Joint(f"j{i}", kdl.Joint.RotX), kdl.Frame(kdl.Vector(0, 0, i))) for i in range(5)]
    chain, out, part, found = kdl.Chain(True), kdl.Segment("none"), kdl.Chain(), []
    assert all(chain.addSegment(segment) for segment in segments) and not chain.addSegment(segments[2])
    assert chain.getSegment(3, out) and out.getName() == "s3" and not chain.getSegment(5, out)
    assert chain.getSegment("s1", out) and out.getName() == "s1" and not chain.getSegment("nobody", out)
    assert chain.getRootSegment(out) and out.getName() == "s0" and chain.getLeafSegment(out) and out.getName() == "s4"
    assert chain.getSegments(found) and [s.getName() for s in found] == [f"s{i}" for i in range(5)] == [s.getName() for s in chain.getSegments()]
    names = lambda: [s.getName() for s in part.getSegments()]
    assert chain.getChain_Including(1, 3, part) and names() == ["s1", "s2", "s3"]
    assert chain.getChain_Including("s1", "s2", part) and names() == ["s1", "s2"]
    assert chain.getChain_Excluding(1, 3, part) and names() == ["s2", "s3"]
    assert chain.getChain_Excluding("s0", "s1", part) and names() == ["s1"]
    assert chain.copy(2, part) and names() == ["s0", "s1"] and chain.copy("s1", part) and names() == ["s0"]
    assert not chain.copy("nobody", part) and not kdl.Chain().getRootSegment(out)


def test_trees_of_the_manual():
    tree = kdl.Tree("base")
    for name, hook in [("a", "base"), ("b", "a"), ("c", "a"), ("d", "c")]:
        assert tree.addSegment(kdl.Segment(name, kdl.Joint(name, kdl.Joint.RotX), kdl.Frame(kdl.Vector(0, 0, 1))), hook)
    out, chain, other = kdl.Segment("none"), kdl.Chain(), kdl.Tree()
    assert tree.getRootSegment() == "base" and tree.getLeafSegments() == ["b", "d"] and tree.getSegments() == ["a", "b", "base", "c", "d"]
    assert tree.getSegment("c", out) and out.getName() == "c" and not tree.getSegment("nobody", out)
    assert tree.getChain("base", "d", chain) and chain.getNrOfSegments() == 3 and not tree.getChain("base", "nobody", chain)
    assert tree.getChain("a", "d", other, "hand") and other.getRootSegment() == "hand" and other.getSegments() == ["c", "d", "hand"]
    assert tree.getSubTree("c", other) and other.getSegments() == ["c", "d"]
    assert tree.copy("c", other) and other.getSegments() == ["a", "b", "base"]
    assert tree.copy(["b", "d"], other) and other.getSegments() == ["a", "base", "c"]
    assert kdl.Tree(tree).getSegments() == tree.getSegments()


def test_names_of_kdl_parser(capfd):
    from conftest import ROOT
    path = ROOT / "models" / "arm7.urdf"
    is_read, tree = kdl.treeFromFile(str(path))
    again, same = kdl.treeFromString(path.read_text())
    assert is_read and again and tree.getNrOfJoints() == same.getNrOfJoints() == 7

    class Robot:
        """As of urdf_parser_py."""

        def to_xml_string(self):
            return path.read_text()

    assert kdl.treeFromUrdfModel(Robot())[0] and kdl.treeFromUrdfModel(Robot(), quiet=True)[1].getNrOfJoints() == 7
    is_read, tree = kdl.treeFromString("<robot")
    assert not is_read and tree.getNrOfSegments() == 0 and "kdl_parser" in capfd.readouterr().err
    assert not kdl.treeFromFile("/there/is/no/file.urdf")[0]
