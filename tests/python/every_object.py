# SPDX-License-Identifier: BSD-3-Clause
"""An object of every class of the package, for tests that look at all of them."""
import numpy as np
import zwang as zw
from zwang import _zwang


def classes():
    """Name and class, exceptions and tuples with names left out."""
    return {name: x for name, x in vars(_zwang).items()
            if isinstance(x, type) and not issubclass(x, (BaseException, tuple))}


def parts():
    """What the objects are made of: a model, a set with one constraint, a state."""
    arm = zw.sample("arm7")
    tool = "tool0"
    constraints = zw.ConstraintSet(arm)
    constraint = constraints.add_frame("tool", tool, "linear")
    constraints.add_group("group", ["tool"])
    return arm, constraints, constraint, tool, arm.random(seed=1), np.full(arm.nv, 0.1)


def objects():
    arm, constraints, constraint, tool, q, v = parts()
    solver = zw.Solver(arm, constraints)
    solution = solver.solve(q, v)
    derivatives, gradient = solver.derivatives(), solver.vjp(acceleration=v)
    variation, curved = solver.jvp(q=v), solver.hvp(q=v, acceleration=v)
    impulse = solver.impulse(q, v)
    of_impulse, impulse_gradient = solver.impulse_derivatives(), solver.impulse_vjp(velocity=v)
    impulse_variation = solver.impulse_jvp(q=v)
    solver.solve(q, v)
    assembled = zw.assemble(arm, constraints, q)
    poses = zw.InverseKinematics(arm, tool)
    line = zw.ConfigurationPath.line(arm, q, arm.neutral())
    pose = zw.frame_pose(arm, q, tool)
    moved = pose.copy()
    moved[2, 3] -= 0.01
    straight = zw.PosePath.line(pose, moved)
    profile = zw.MotionProfile(0, 1, velocity=1, acceleration=1)
    timing = zw.time_path(line, velocity=np.ones(arm.nv), acceleration=np.ones(arm.nv))
    inverse = zw.constrained_inverse_dynamics(arm, constraints, q, v)
    posed = zw.ConstraintSet(arm)
    posed.add_joint("joint", arm.joint_names[0])
    path = zw.assemble_path(arm, posed, q, "joint", q[0] + np.linspace(0, 0.1, 3).reshape(-1, 1))
    trajectory = zw.simulate(arm, None, q, time=0.01)
    scene = zw.Scene(arm).ground().add_box("box", (1, 1, 1), pose=[0, 0, 9]).set_pair("box", "ground", friction=0.1)
    touching = zw.simulate(arm, None, q, time=0.01, integrator="contact", scene=scene)
    batch = zw.BatchSimulator(arm, None, 2, scene=scene)
    batch.reset(q)
    observer = zw.WrenchObserver(arm, tool)
    observer.start(q, v)
    estimate = observer.update(q, v, v, 0.001)
    torque2, acceleration2 = (zw.inverse_dynamics_second_derivatives(arm, q, v, v),
                              zw.forward_dynamics_second_derivatives(arm, q, v, v))
    mobility = zw.mobility(arm, constraints, q)
    builder = zw.ModelBuilder("robot")
    looped = (zw.ModelBuilder("loop").add_link("a", 1).add_link("b", 1)
              .add_joint("joint", "revolute", "a", "b").add_loop("closed", "fixed", "a", "b").build())
    found = zw.check_text("<robot name='x'><link name='a'/><unknown/></robot>")
    made = [
        arm, arm.joint(arm.joint_names[0]), arm.link(tool), looped.loops[0], builder, constraints, constraint, zw.JointEffects(), found[0],
        arm.frames([tool]), arm.frame(tool), solver, solution, solution.report, solution["tool"], solution.group("group"),
        derivatives, derivatives.acceleration, derivatives.residual, gradient, variation, curved,
        impulse, impulse["tool"], of_impulse, of_impulse.velocity, impulse_gradient, impulse_variation,
        assembled, assembled.report, zw.Assembler(arm, constraints), path, poses, poses.solve(pose, q),
        line, straight, zw.follow(arm, tool, straight, q), profile, timing, zw.move(arm, q, arm.neutral(), velocity=v, acceleration=v),
        inverse, inverse.report, trajectory, scene, touching.contacts, batch, observer, estimate, mobility, mobility.jacobian(tool),
        zw.mobility(arm, constraints, np.stack([q, q])),
        torque2, acceleration2, torque2.contract(v), acceleration2.contract(v),
        zw.inverse_dynamics_derivatives(arm, q, v, v), zw.forward_dynamics_derivatives(arm, q, v, v),
        zw.bias_forces_derivatives(arm, q, v), zw.frame_velocity_derivatives(arm, q, v, tool),
        zw.frame_acceleration_derivatives(arm, q, v, v, tool), zw.centre_of_mass_velocity_derivatives(arm, q, v),
        zw.centroidal_derivatives(arm, q, v, v), zw.centroidal_derivatives(arm, q, v, v).momentum,
        zw.centroidal_derivatives(arm, q, v, v).rate,
        zw.joint_wrench_derivatives(arm, q, v, v, arm.joint_names[0]),
        zw.inverse_dynamics_vjp(arm, q, v, v, v), zw.forward_dynamics_vjp(arm, q, v, v, v),
        zw.all_terms(arm, q, v), zw.base_parameters(arm), zw.cholesky(arm, q),
        solver.contact_cholesky(), zw.Delassus(arm, constraints, q), constraints.evaluate(q, v),
        zw.solve_system(np.eye(2), np.ones((1, 2)), np.ones(2), np.ones(1)), zw.solve_contacts([0.5], np.eye(3), [1.0, 0, -1]),
        zw.centre_of_pressure([0, 0, 1, 0, 0, 0]), zw.Status.ok, zw.set_threads(zw.threads()),
        zw.contact_step_derivatives(arm, None, q, scene=scene), zw.ContactRollout(arm, None, q, v, np.zeros((2, arm.nv)), scene=scene),
        zw.view(arm, q, geometry="skeleton"), zw.inverse_dynamics_derivatives(arm, q, v, v, wrt="armature"),
    ]
    return {type(x).__name__: x for x in made}
