# SPDX-License-Identifier: BSD-3-Clause
"""The joint types that gradients of zwang.torch, jax and casadi know: those of the library's own list, and no others."""
import numpy as np
import pytest
import zwang as zw
from conftest import EPS
from zwang import _tangent
from zwang._tangent import Tangent


def of_type(type_):
    """Two joints of a type, the second within a composite joint."""
    words = {"parameters": {"helical": [0.1], "ellipsoid": [0.3, 0.2, 0.4]}.get(type_, [])}
    b = zw.ModelBuilder("two").add_link("base")
    for name in ("l0", "l1"):
        b.add_link(name, mass=1.5, centre=[0.1, -0.2, 0.3], inertia=np.diag([0.2, 0.3, 0.4]))
    b.add_joint("alone", type_, "base", "l0", **words)
    b.add_joint("inner", "composite", "l0", "l1", parts=[{"type": type_, **words}, {"type": "revolute", "axis": [1, 0, 0]}])
    return b.build()


def test_the_table_holds_every_type_of_the_library_and_no_other():
    table = zw._zwang._joint_table()
    assert set(table) == {*zw.joint_types(), "fixed", "continuous",  # composite joints are made of these
                          "spline"}  # joints of Python have sizes of their own
    assert {group for _, _, group in table.values()} == set(_tangent._PARTS)
    for parts in _tangent._PARTS.values():
        assert all(hasattr(Tangent(zw.sample("arm7")), part) and part in _tangent._SIZES for part, _, _ in parts)


@pytest.mark.parametrize("type_", [*zw.joint_types(), "continuous"])
def test_increments_are_those_of_integrate_for_every_type(type_):
    m = of_type(type_)
    nq, nv, _ = zw._zwang._joint_table()[type_]
    assert (m.nq, m.nv) == (2 * nq + 1, 2 * nv + 1)
    tangent, q, r = Tangent(m), m.random(3), np.random.default_rng(4)
    d, g, h = r.uniform(-1, 1, m.nv), r.uniform(-1, 1, m.nv), EPS ** (1 / 3)
    rate = (zw.integrate(m, q, h * d) - zw.integrate(m, q, -h * d)) / (2 * h)  # G d to h^2 of third derivatives, some tens
    np.testing.assert_allclose(tangent.lowered(q, rate, inverse=True), d, rtol=0, atol=1e2 * h * h)
    np.testing.assert_allclose(tangent.raised(q, g) @ rate, g @ d, rtol=0, atol=1e2 * h * h)  # g^T G^+ G d
    np.testing.assert_allclose(tangent.lowered(q, tangent.raised(q, g)), g, rtol=0, atol=20 * EPS)


def test_a_type_that_gradients_do_not_know_is_an_error_by_its_name(monkeypatch):
    m = of_type("universal")
    table = dict(zw._zwang._joint_table())
    monkeypatch.setattr(_tangent, "_JOINTS", {name: x for name, x in table.items() if name != "universal"})  # as if it were new
    with pytest.raises(NotImplementedError, match=r"do not know the joint type 'universal' \(joint 'alone'\)"):
        Tangent(m)
    monkeypatch.setattr(_tangent, "_JOINTS", {**table, "universal": (2, 2, "torus")})  # of a group that Python does not have
    with pytest.raises(NotImplementedError, match="'universal'"):
        Tangent(m)
