# SPDX-License-Identifier: BSD-3-Clause
"""zwang.pinocchio: Lie groups, maps of tangents, what is drawn."""
import numpy as np
import pytest
import zwang as zw
import zwang.pinocchio as pin
from conftest import EPS, ROOT
from nearness import nearness

URDF = ROOT / "models" / "quadruped.urdf"


@pytest.fixture(autouse=True)
def same_numbers():
    pin.seed(31)


near = nearness(1e3 * EPS)


GROUPS = [pin.liegroups.R3(), pin.liegroups.Rn(5), pin.liegroups.SO2(), pin.liegroups.SO3(), pin.liegroups.SE2(), pin.liegroups.SE3(),
          pin.liegroups.SE3() * pin.liegroups.Rn(2) * pin.liegroups.SO2()]


@pytest.mark.parametrize("group", GROUPS, ids=lambda g: g.name)
def test_groups_integrate_and_differentiate(group):
    rng = np.random.default_rng(0)
    q, v, d, h = group.random(), rng.uniform(-1, 1, group.nv), rng.uniform(-1, 1, group.nv), 1e-6
    r = group.integrate(q, v)
    near(group.difference(q, r), v, 1e-13)
    near(group.integrate(group.neutral, group.difference(group.neutral, q)), group.normalize(q) * sign_of(group, q), 1e-13)
    near(group.interpolate(q, r, 0.5), group.integrate(q, v / 2), 1e-13)
    assert np.isclose(group.squaredDistance(q, r), group.distance(q, r)**2)
    slope = group.difference(group.integrate(q, v - h * d), group.integrate(q, v + h * d)) / (2 * h)
    near(group.dIntegrate_dv(q, v) @ d, slope, 1e-8)
    slope = group.difference(group.integrate(group.integrate(q, -h * d), v), group.integrate(group.integrate(q, h * d), v)) / (2 * h)
    near(group.dIntegrate_dq(q, v) @ d, slope, 1e-8)
    near(group.dIntegrateTransport(q, v, np.eye(group.nv), pin.ARG0), group.dIntegrate(q, v, pin.ARG0))
    slope = (group.difference(group.integrate(q, h * d), r) - group.difference(group.integrate(q, -h * d), r)) / (2 * h)
    near(group.dDifference(q, r, pin.ARG0) @ d, slope, 1e-8)
    near(group.tangentMap(q) @ d, (group.integrate(q, h * d) - group.integrate(q, -h * d)) / (2 * h), 1e-8)


def sign_of(group, q):
    """Quaternions of both signs are one rotation: that of the way from neutral has w > 0."""
    out = np.ones(group.nq)
    if group.name.startswith(("SO(3)", "SE(3)")):
        k = group.nq - 4 if group.name in ("SO(3)", "SE(3)") else 3
        out[k:k + 4] = np.sign(q[k + 3])
    return out


def test_tangent_maps_of_every_joint():
    model = pin.Model()
    composite = pin.JointModelComposite(pin.JointModelRUBX())
    composite.addJoint(pin.JointModelSpherical()).addJoint(pin.JointModelPX())
    for k, joint in enumerate((pin.JointModelPlanar(), composite, pin.JointModelFreeFlyer(), pin.JointModelSphericalZYX())):
        model.addJoint(k, joint, pin.SE3.Random(), f"j{k}")
    rng, h = np.random.default_rng(1), 1e-6
    q = pin.integrate(model, pin.neutral(model), rng.uniform(-1, 1, model.nv))
    T = pin.tangentMap(model, q)
    for d in np.eye(model.nv):
        near(T @ d, (pin.integrate(model, q, h * d) - pin.integrate(model, q, -h * d)) / (2 * h), 1e-8)
    m = rng.uniform(-1, 1, (model.nv, 3))
    near(pin.tangentMapProduct(model, q, m), T @ m)
    near(pin.tangentMapTransposeProduct(model, q, T @ m), T.T @ T @ m)
    near(pin.integrateCoeffWiseJacobian(model, q), T)


class Page:
    """Stands for a LiveView."""

    def __init__(self):
        self.shown = []

    def show(self, q):
        self.shown.append(np.array(q))

    def close(self):
        self.shown = None


@pytest.mark.parametrize("root", [None, pin.JointModelFreeFlyer(), pin.JointModelPlanar()])
def test_what_is_drawn_is_the_robot_of_the_file(root):
    model, collision, visual = pin.buildModelsFromUrdf(URDF, str(ROOT / "models"), root)
    viz = pin.visualize.MeshcatVisualizer(model, collision, visual)
    with pytest.raises(RuntimeError, match="initViewer"):
        viz.display(pin.neutral(model))
    page = Page()
    viz.initViewer(page)
    viz.loadViewerModel("robot")
    q = pin.integrate(model, pin.neutral(model), np.random.default_rng(0).uniform(-1, 1, model.nv))
    viz.display(q)
    viz.play([q, pin.neutral(model)], 0.0)
    assert len(page.shown) == 3
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    robot = viz.drawn()
    assert sum(len(link.shapes) for link in robot.links) == sum(len(link.shapes) for link in zw.load(URDF).links) > 0
    for name in ("LF_foot", "trunk", "RH_shank"):
        near(zw.frame_pose(robot, page.shown[0], name), data.oMf[model.getFrameId(name, pin.BODY)].homogeneous, 1e-13)
    assert visual.ngeoms + collision.ngeoms == sum(len(link.shapes) for link in robot.links) and visual.ngeoms > 0
    placed = visual.createData()
    pin.updateGeometryPlacements(model, data, visual, placed, q)
    k = visual.getGeometryId("LF_thigh_0")
    near(placed.oMg[k], zw.frame_pose(robot, page.shown[0], "LF_thigh") @ next(x for x in robot.links if x.name == "LF_thigh").shapes[0].origin, 1e-13)
    with pytest.raises(NotImplementedError, match="zwang.Scene"):
        collision.collide
    with pytest.raises(NotImplementedError, match="geometry='collision'"):
        viz.displayCollisions(True)
    viz.clean()
    assert viz.viewer is None


def test_a_model_without_a_file_is_drawn_too():
    model = pin.buildSampleModelManipulator()
    page, robot = Page(), pin.RobotWrapper(model)
    viz = pin.visualize.MeshcatVisualizer(model)
    viz.initViewer(page)
    robot.setVisualizer(viz)
    robot.display(np.full(6, 0.5))
    near(page.shown[0], np.full(6, 0.5))
    assert viz.drawn() is model.core().model
