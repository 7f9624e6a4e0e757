# SPDX-License-Identifier: BSD-3-Clause
"""What reading a robot makes of its numbers and words: links without mass, limits of mimic groups, elements of other programs."""
import numpy as np
import pytest
import zwang as zw

X, Z, SKEW, HERE, ALONG, OFF = (1, 0, 0), (0, 0, 1), (0.6, 0, 0.8), (0, 0, 0), (0, 0, 0.4), (0.3, 0.2, 0)
HINGE, SLIDE = "revolute", "prismatic"


def at(p):
    T = np.eye(4)
    T[:3, 3] = p
    return T


def chain(rows):
    """Links without mass but the first and the last, between joints of these types, axes and places; a fourth number is a rotor."""
    b, last = zw.ModelBuilder("chain").add_link("base", 1, inertia=np.eye(3)), "base"
    for k, row in enumerate(rows):
        name = f"l{k}"
        b.add_link(name, *((2, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.15])) if k + 1 == len(rows) else ()))
        b.add_joint(f"j{k}", row[0], last, name, at(row[2]), row[1], rotor_inertia=row[3] if len(row) > 3 else 0.0)
        last = name
    return b.build()


@pytest.mark.parametrize(("rows", "singular"), [
    ([(SLIDE, X, OFF), (SLIDE, X, OFF)], True), ([(SLIDE, X, OFF), (SLIDE, Z, OFF)], False),
    ([(SLIDE, X, OFF), (SLIDE, Z, OFF), (SLIDE, SKEW, OFF)], True),  # three in a plane
    ([(HINGE, Z, OFF), (HINGE, Z, ALONG)], True), ([(HINGE, Z, OFF), (HINGE, Z, OFF)], False),
    ([(HINGE, Z, OFF), (HINGE, Z, ALONG, 1e-3)], False),  # a rotor on one
    ([("continuous", SKEW, OFF), (HINGE, SKEW, (0.3, 0, 0.4))], True),
    ([(HINGE, Z, OFF)] * 3, False), ([(HINGE, Z, OFF)] * 4, True),  # a plane has three freedoms
    ([(SLIDE, Z, OFF), (HINGE, Z, OFF), (SLIDE, Z, OFF)], True), ([(SLIDE, X, OFF), (HINGE, Z, OFF), (SLIDE, X, OFF)], False),
    ([(HINGE, X, HERE), (HINGE, Z, HERE), (HINGE, X, HERE)], False),  # a wrist is singular at some configurations alone
    ([("spherical", Z, OFF), (HINGE, SKEW, HERE)], True), ([("spherical", Z, OFF), (HINGE, SKEW, OFF)], False),
    ([("planar", Z, OFF), (SLIDE, X, OFF)], True), ([("planar", Z, OFF), (SLIDE, Z, OFF)], False),
    ([("cylindrical", Z, OFF), (SLIDE, Z, OFF)], True)])
def test_joints_that_undo_each_other_are_said_where_the_mass_matrix_is_singular_everywhere(rows, singular):
    model = chain(rows)
    assert any(d.code == "W_MASSLESS" for d in model.diagnostics) == singular
    least = 1.0
    for seed in range(1, 6):
        M = zw.mass_matrix(model, model.random(seed))
        s = 1 / np.sqrt(np.diag(M))
        least = min(least, np.linalg.eigvalsh(M * np.outer(s, s))[0])
    assert (least < 1e-12) == singular  # rounding of M is 1e-15; what is not singular is above 1e-3 here


def test_a_branch_of_a_link_without_mass_holds_it():
    def warns(axis):
        b = zw.ModelBuilder("fork").add_link("base").add_link("light").add_joint("rail", SLIDE, "base", "light", axis=X)
        for side in "ab":
            b.add_link(side, 1, inertia=np.eye(3)).add_joint("slide_" + side, SLIDE, "light", side, axis=X if side == "a" else axis)
        return any(d.code == "W_MASSLESS" for d in b.build().diagnostics)
    assert warns(X) and not warns((0, 1, 0))


def pair(low, high, multiplier, offset, **more):
    b = zw.ModelBuilder("pair").add_link("base", 1, inertia=np.eye(3)).add_link("la", 1, inertia=np.eye(3)).add_link("lb", 1, inertia=np.eye(3))
    b.add_joint("a", HINGE, "base", "la", lower=-1, upper=2, velocity=3)
    return b.add_joint("b", HINGE, "la", "lb", lower=low, upper=high, mimic=("a", multiplier, offset), **more)


@pytest.mark.parametrize("multiplier", [0.5, 2, -1.5, -0.25])
@pytest.mark.parametrize("offset", [0, 0.3, -0.4])
@pytest.mark.parametrize("high", [0.2, 0.9, 5.0])
def test_a_group_moves_within_the_limits_of_all_its_joints(multiplier, offset, high):
    model = pair(-0.7, high, multiplier, offset).build()
    q = np.linspace(-1, 2, 300001)
    inside = q[(multiplier * q + offset >= -0.7) & (multiplier * q + offset <= high)]
    assert abs(model.lower[0] - inside[0]) < 1.1e-5 and abs(model.upper[0] - inside[-1]) < 1.1e-5  # the grid
    assert model.velocity_limit[0] == 3
    assert pair(-0.7, high, multiplier, offset, velocity=0.6).build().velocity_limit[0] == min(3, 0.6 / abs(multiplier))
    assert list(pair(-0.7, high, multiplier, offset).build(expand_mimic=True).lower) == [-1, -0.7]


def test_limits_that_leave_a_group_no_room_are_said():
    model = pair(0, 0.5, -1, 3).build()  # q_b = 3 - q_a is above 1
    assert (model.lower[0], model.upper[0]) == (-1, 2)
    assert any(d.code == "W_LIMIT" and "'b'" in d.found for d in model.diagnostics)
    with pytest.raises(zw.ModelError, match="W_LIMIT"):
        pair(0, 0.5, -1, 3).build(mode="strict")


INERTIAL = '<inertial><mass value="1"/><inertia ixx=".1" iyy=".2" izz=".25" ixy="0" ixz="0" iyz="0"/></inertial>'


def row(more):
    def hinge(name, parent, child, x):
        return (f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/><origin xyz="{x} 0 0"/>'
                '<axis xyz="0 0 1"/></joint>')
    links = "".join(f'<link name="{n}">{INERTIAL}</link>' for n in ("ground", "crank", "rod", "rocker"))
    joints = hinge("j1", "ground", "crank", 0) + hinge("j2", "crank", "rod", 1) + hinge("j3", "rod", "rocker", 1)
    return f'<robot name="row" xmlns:drake="http://drake.mit.edu">{links}{joints}{more}</robot>'


def turned(p, r, y):
    T = at(p)
    T[:3, :3] = [[np.cos(y) * np.cos(r), -np.sin(y), np.cos(y) * np.sin(r)], [np.sin(y) * np.cos(r), np.cos(y), np.sin(y) * np.sin(r)],
                 [-np.sin(r), 0, np.cos(r)]]  # pitch r, then yaw y
    return T


@pytest.mark.parametrize(("kind", "ours", "axis"), [("spherical", "spherical", None), ("ball", "spherical", None), ("fixed", "fixed", None),
                                                   ("revolute", "revolute", (0, 0.6, 0.8)), ("prismatic", "prismatic", (0, 1, 0))])
def test_a_loop_joint_closes_its_loop_as_rows_between_two_frames_do(kind, ours, axis):
    tag = (f'<loop_joint name="close" type="{kind}"><link1 link="rocker" xyz="1 0.1 0" rpy="0 0.2 0.3"/>'
           f'<link2 link="ground" xyz="2 0 0.2" rpy="0 -0.4 0.2"/>' + (f'<axis xyz="{" ".join(map(str, axis))}"/>' if axis else "") + "</loop_joint>")
    model = zw.loads(row(tag), loops=True)
    assert model.nv == 3 and [(x.name, x.type) for x in model.loops] == [("close", ours)]
    closed = zw.ConstraintSet(model)
    closed.add_loops()
    open_ = zw.loads(row("")).with_frame("a", "rocker", turned((1, 0.1, 0), 0.2, 0.3)).with_frame("b", "ground", turned((2, 0, 0.2), -0.4, 0.2))
    by_hand = zw.ConstraintSet(open_)
    by_hand.add_loop("l", ("a", "b"), {"joint": ours, **({"axis": axis} if axis else {})})
    q, v, tau = [0.1, -0.2, 0.3], [0.5, 0.4, -0.7], [1.0, -2.0, 3.0]
    x, y = (zw.Solver(m, s).solve(q, v, tau).acceleration for m, s in ((model, closed), (open_, by_hand)))
    assert np.allclose(x, y, rtol=0, atol=1e-10 * (1 + np.abs(y).max()))  # rows that nearly depend amplify rounding
    assert len(zw.Model.from_json(model.to_json()).loops) == 1
    left_open = zw.loads(row(tag))
    told = [d for d in left_open.diagnostics if d.code == "W_LOOP"]
    assert not left_open.loops and len(told) == 1 and "'close'" in told[0].found
    with pytest.raises(zw.ModelError, match="W_LOOP"):
        zw.loads(row(tag), mode="strict")


def test_joints_of_drake():
    def robot(tag, kind, inside):
        return zw.loads(f'<robot name="r" xmlns:drake="d"><link name="a">{INERTIAL}</link><link name="b">{INERTIAL}</link><{tag} name="j" type="{kind}">'
                        f'<parent link="a"/><child link="b"/><origin xyz="1 2 3"/>{inside}</{tag}></robot>')
    assert robot("drake:joint", "ball", "") == robot("joint", "spherical", "")
    assert robot("drake:joint", "planar", "") == robot("joint", "planar", '<axis xyz="0 0 1"/>')
    screw = robot("drake:joint", "screw", '<axis xyz="0 0 1"/><drake:screw_thread_pitch value="0.5"/>')
    assert np.allclose(zw.frame_pose(screw, [2 * np.pi], "b")[:3, 3], (1, 2, 3.5), atol=1e-14)  # one turn travels the pitch
    for kind, inside in (("universal", ""), ("screw", '<axis xyz="0 0 1"/>')):
        with pytest.raises(zw.ModelError):
            robot("drake:joint", kind, inside)
    tag = '<drake:joint name="close" type="ball"><parent link="rocker"/><child link="ground"/></drake:joint>'
    assert [x.type for x in zw.loads(row(tag), loops=True).loops] == ["spherical"]
    assert any(d.code == "W_LOOP" for d in zw.loads(row(tag)).diagnostics)


@pytest.mark.parametrize(("inside", "told"), [
    ('<gazebo><joint name="close" type="revolute"/></gazebo>', True), ('<gazebo reference="j1"><springStiffness>3</springStiffness></gazebo>', True),
    ("<gazebo><static>true</static></gazebo>", True), ('<mujoco><equality name="close"/></mujoco>', True), ("<drake:ball_constraint/>", True),
    ('<ros2_control name="x"><joint name="j1"><param name="mimic">j2</param></joint></ros2_control>', True),
    ('<gazebo><plugin name="p" filename="x"><joint>j1</joint></plugin></gazebo>', False), ('<gazebo reference="rod"><mu1>1</mu1></gazebo>', False),
    ('<ros2_control name="x"><joint name="j1"><command_interface name="position"/></joint></ros2_control>', False)])
def test_what_says_how_a_robot_moves_is_not_passed_over_without_a_word(inside, told):
    found = [d for d in zw.loads(row(inside)).diagnostics if d.code == "W_UNKNOWN_TAG"]
    assert len(found) == told and all("it says how the robot moves" in d.hint for d in found)
