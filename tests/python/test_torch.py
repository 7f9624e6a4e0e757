# SPDX-License-Identifier: BSD-3-Clause
"""zwang.torch: gradients against differences of the library's own calls, and PyTorch's gradcheck."""
import subprocess
import sys

import numpy as np
import pytest

import zwang as zw

torch = pytest.importorskip("torch", reason="the package torch is not installed")
zt = zw.torch
FRAME = {"arm7": "tool0", "quadruped": "LF_foot"}


def tensor(x):
    return torch.tensor(np.asarray(x), dtype=torch.float64, requires_grad=True)


def of_groups(seed=3):
    """Every joint whose velocity is not q's rate, also within a composite joint."""
    b = zw.ModelBuilder("groups").add_link("world_link")
    shifted = np.eye(4)
    shifted[:3, 3] = [0.2, -0.1, 0.3]
    composites = [[{"type": "planar"}, {"type": "revolute_unbounded", "axis": [1, 0, 0], "origin": shifted}],
                  [{"type": "prismatic"}, {"type": "spherical", "origin": shifted}]]
    joints = ["floating", "revolute_unbounded", "spherical", "planar", "revolute", "composite", "composite"]
    before = "world_link"
    for k, type_ in enumerate(joints):
        b.add_link(f"l{k}", mass=1 + k, centre=[0.1, -0.2, 0.3], inertia=np.diag([0.2, 0.3, 0.4]))
        parts = composites[k - 5] if type_ == "composite" else None
        pose = np.eye(4)
        pose[:3, 3] = [0.3, 0.1, -0.2]
        b.add_joint(f"j{k}", type_, before, f"l{k}", origin=pose, parts=parts)
        before = f"l{k}"
    return b.build()


@pytest.fixture(params=["arm7", "quadruped", "groups"])
def robot(request):
    if request.param == "groups":
        return of_groups(), "l6"
    return zw.load(f"models/{request.param}.urdf", root="floating" if request.param == "quadruped" else "fixed"), \
        FRAME[request.param]


def draw(model, n=None, seed=1):
    r = np.random.default_rng(seed)
    lead = () if n is None else (n,)
    q = model.random(seed) if n is None else np.stack([model.random(seed + k) for k in range(n)])
    return q, *(r.uniform(-1, 1, (*lead, model.nv)) for _ in range(3))


def along(model, f, q, d, h=1e-5):
    """d f(q (+) e d)/de at 0, central."""
    g = lambda e: f(zw.integrate(model, q, e * d))
    return (8 * (g(h) - g(-h)) - (g(2 * h) - g(-2 * h))) / (12 * h)


def check_q(model, f, q, d, gradient, tolerance=1e-7):
    """gradient by nq numbers: right along q (+) d, and nothing along the normal."""
    h = 1e-4
    step = (zw.integrate(model, q, h * d) - zw.integrate(model, q, -h * d)) / (2 * h)
    expected = along(model, f, q, d)
    assert abs(gradient @ step - expected) <= tolerance * (1 + abs(expected)) + 1e-7 * np.abs(gradient).max()


def test_dynamics(robot):
    model, frame = robot
    q, v, x, d = draw(model)
    w, wrench = np.linspace(-1, 1, model.nv), np.array([1., -2, 3, 0.4, 0.5, -0.6])
    for name in ("inverse_dynamics", "forward_dynamics"):
        for in_ in ("local", "world", "local_world_aligned"):
            tq, tv, tx, tf = map(tensor, (q, v, x, wrench))
            out = getattr(zt, name)(model, tq, tv, tx, {frame: tf}, in_=in_)
            f = lambda q=q, wrench=wrench: w @ getattr(zw, name)(model, q, v, x, external={frame: wrench}, in_=in_)
            assert np.allclose(w @ out.detach().numpy(), f(), rtol=1e-11)
            (out @ torch.tensor(w)).backward()
            check_q(model, lambda y: f(q=y), q, d, tq.grad.numpy(), 1e-6)
            g = getattr(zw, name + "_vjp")(model, q, v, x, w, external={frame: wrench}, in_=in_)
            assert np.allclose(tv.grad, g.v, rtol=1e-12)
            by_wrench = [f(wrench=wrench + 0.5 * e) - f(wrench=wrench - 0.5 * e) for e in np.eye(6)]
            assert np.allclose(tf.grad, by_wrench, rtol=1e-8, atol=1e-8 * np.abs(by_wrench).max())


def test_gradcheck(robot):
    """By all numbers of q: the functions read directions of quaternions alone, as their gradients say."""
    model, frame = robot
    q, v, x, dq = map(tensor, draw(model, 2))
    check = lambda f, *a: torch.autograd.gradcheck(f, a, eps=1e-6, atol=2e-5, rtol=1e-5)
    assert check(lambda *a: zt.inverse_dynamics(model, *a), q, v, x)
    assert check(lambda *a: zt.integrate(model, *a), q, dq)
    far = tensor(zw.integrate(model, q.detach().numpy(), 0.3 * dq.detach().numpy()))
    assert check(lambda *a: zt.difference(model, *a), q, far)
    assert check(lambda q: zt.frame_pose(model, q, frame), q)
    assert check(lambda q: zt.frame_position(model, q, frame), q)
    assert check(lambda q: zt.centre_of_mass(model, q), q)
    for reference in ("local", "world", "local_world_aligned"):
        assert check(lambda *a: zt.frame_velocity(model, *a, frame, reference), q, v)
        for kind in ("classical", "spatial"):
            assert check(lambda *a: zt.frame_acceleration(model, *a, frame, kind, reference), q, v, x)


def test_lengths_of_quaternions_do_not_count():
    model = of_groups()
    q, v, x, _ = draw(model)
    long = q.copy()
    long[3:7] *= 3
    a, b = tensor(q), tensor(long)
    ya, yb = zt.inverse_dynamics(model, a, v, x), zt.inverse_dynamics(model, b, v, x)
    assert np.allclose(ya.detach(), yb.detach(), rtol=1e-12)
    ya.sum().backward(), yb.sum().backward()
    assert np.allclose(a.grad[3:7], 3 * b.grad[3:7])
    assert abs(float(a.grad[3:7] @ a[3:7].detach())) < 1e-12 * float(a.grad.norm())


def contacts():
    model = zw.load("models/quadruped.urdf", root="floating")
    s = zw.ConstraintSet(model)
    s.add_contact("hard", frame="LF_foot", beta=[0.1, 0.2, 0.3])
    s.add_contact("soft", frame="RF_foot", policy="soft", compliance=0.05)
    s.add_frame("trunk", frame="trunk", rows=["angular.x"], role="driver", beta=[0.5])
    return model, s, zw.Solver(model, s)


def test_solve():
    model, s, solver = contacts()
    rng = np.random.default_rng(2)
    q = np.stack([zw.integrate(model, model.neutral(), rng.uniform(-0.4, 0.4, model.nv)) for _ in range(2)])
    v, tau, beta = rng.uniform(-1, 1, (2, model.nv)), rng.uniform(-5, 5, (2, model.nv)), rng.uniform(-1, 1, (2, s.rows))
    wrench = rng.uniform(-5, 5, (2, 6))
    args = [tensor(x) for x in (q, v, tau, beta, wrench)]

    def f(q, v, tau, beta, wrench):
        out = zt.solve(solver, q, v, tau, {"RH_foot": wrench}, beta=beta)
        assert out.status.tolist() == [0, 0]
        return torch.cat([out.acceleration, 0.1 * out.multipliers, 0.1 * out.motor_torque], dim=-1)

    w = torch.tensor(rng.uniform(-1, 1, f(*args).shape))
    g = torch.autograd.grad((w * f(*args)).sum(), args)
    for k in range(5):
        d = rng.uniform(-1, 1, args[k].shape)
        h, values = 1e-5, []
        for e in (h, -h):
            moved = [a.detach().clone() for a in args]
            moved[k] = torch.tensor(zw.integrate(model, q, e * d[:, :model.nv])) if k == 0 and d.shape[1] == model.nv \
                else moved[k] + e * torch.tensor(d)
            values.append(float((w * f(*moved)).sum()))
        expected, got = (values[0] - values[1]) / (2 * h), float((g[k] * torch.tensor(d)).sum())
        assert abs(got - expected) < 1e-5 * (1 + abs(expected)), (k, got, expected)
    assert np.allclose(s["hard"].beta, [0.1, 0.2, 0.3])  # as it was
    plain = zt.solve(solver, *args[:3]).acceleration[0].detach()
    assert np.allclose(plain, solver.solve(q[0], v[0], tau[0]).acceleration, rtol=1e-9)


def test_a_solution_without_a_derivative_says_so():
    model, s, solver = contacts()
    s.add_contact("twice", frame="LF_foot", beta=[1, 0, 0])
    q = tensor(zw.integrate(model, model.neutral(), np.linspace(-0.3, 0.3, model.nv)))
    out = zt.solve(zw.Solver(model, s), q, torch.zeros(model.nv), torch.zeros(model.nv))
    with pytest.raises(RuntimeError, match="state 0 has no derivative: not_differentiable"):
        out.acceleration.sum().backward()


def test_a_gradient_through_a_rollout():
    model = of_groups()
    q0, v0, _, _ = draw(model, 3)

    def cost(tau):
        q, v = torch.tensor(q0), torch.tensor(v0)
        for step in range(4):
            v = v + 0.01 * zt.forward_dynamics(model, q, v, tau[:, step])
            q = zt.integrate(model, q, 0.01 * v)
        return zt.difference(model, torch.tensor(q0), q).square().sum() + v.square().sum()

    tau = tensor(np.random.default_rng(5).uniform(-1, 1, (3, 4, model.nv)))
    cost(tau).backward()
    d, h = torch.randn(tau.shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1)), 1e-4
    with torch.no_grad():
        expected = float(cost(tau + h * d) - cost(tau - h * d)) / (2 * h)
    assert abs(float((tau.grad * d).sum()) - expected) < 1e-6 * (1 + abs(expected))


def test_types_shapes_and_transforms():
    arm = zw.load("models/arm7.urdf")
    q, v, a, _ = map(tensor, draw(arm, 4))
    tau = zt.inverse_dynamics(arm, q, v, a)
    halves = [x.detach().float().requires_grad_() for x in (q, v, a)]
    single = zt.inverse_dynamics(arm, *halves)
    single.sum().backward()
    assert single.dtype == torch.float32 and halves[0].grad.dtype == torch.float32
    assert torch.allclose(single.double(), tau, rtol=1e-4, atol=1e-4)
    assert zt.inverse_dynamics(arm, q.reshape(2, 2, 7), v[0], a[0]).shape == (2, 2, 7)
    assert zt.inverse_dynamics(arm, q[:0], v[:0], a[:0]).shape == (0, 7)
    expected = zt.inverse_dynamics(arm, q, v[0], a[0])
    assert torch.allclose(torch.vmap(lambda x: zt.inverse_dynamics(arm, x, v[0], a[0]))(q), expected)
    J = torch.func.jacrev(lambda x: zt.inverse_dynamics(arm, x, v[0], a[0]))(q[0])
    assert np.allclose(J.detach(), zw.inverse_dynamics_derivatives(arm, *(x[0].detach().numpy() for x in (q, v, a))).q)
    each = torch.vmap(torch.func.grad(lambda x, y: zt.forward_dynamics(arm, x, y, a[0]).sum()))(q, v)
    assert torch.allclose(each, torch.autograd.grad(zt.forward_dynamics(arm, q, v, a[0]).sum(), q)[0])
    with pytest.raises(TypeError, match="'q' is torch.float16"):
        zt.inverse_dynamics(arm, q.half(), v, a)
    with pytest.raises(ValueError, match=r"'v' has the shape \(4, 6\), expected \(\.\.\., 7\)"):
        zt.inverse_dynamics(arm, q, v[:, :6], a)
    g = torch.autograd.grad(zt.inverse_dynamics(arm, q, v, a).square().sum(), q, create_graph=True)[0]
    with pytest.raises(RuntimeError, match="first derivatives only"):
        g.sum().backward()


def test_a_graph_that_lives_until_the_end_is_no_leak():
    program = ("import torch, zwang as zw\narm = zw.load('models/arm7.urdf')\n"
               "q = torch.zeros(7, dtype=torch.float64, requires_grad=True)\n"
               "y = zw.torch.frame_position(arm, q, 'tool0')")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert said.returncode == 0 and "leaked" not in said.stderr, said.stderr
