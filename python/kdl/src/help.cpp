// SPDX-License-Identifier: BSD-3-Clause
// The help of the classes: what they compute, in which axes and units.
#include "bind.hpp"

namespace zwang::python::kdl {
namespace {

struct Help {
  const char *name, *text;
};

constexpr Help k_geometry[] = {
    {"Vector", "Three numbers: a point [m], or a direction."},
    {"Rotation", "A rotation matrix: columns are the axes of the frame in its reference."},
    {"Frame",
     "A pose: rotation M and origin p [m] of a frame in its reference. F1 * F2 is F2 seen from F1's reference."},
    {"Twist", "A velocity: vel [m/s] of the reference point and rot [rad/s]; [vel; rot] as six numbers."},
    {"Wrench", "A force [N] and a torque [N m] about the reference point; [force; torque] as six numbers."},
    {"Vector2", "Two numbers: a point of the plane [m]."},
    {"Rotation2", "A rotation in the plane."},
    {"Frame2", "A pose in the plane."},
    {"doubleVel", "A number and its rate: t and grad."},
    {"VectorVel", "A point p and its velocity v, in the base's axes."},
    {"RotationVel", "A rotation R and its angular velocity w [rad/s], in the base's axes."},
    {"FrameVel",
     "A pose and its velocity: M (RotationVel) and p (VectorVel). GetTwist(): base axes, about the moving origin."},
    {"TwistVel", "A twist and its rate."},
    {"doubleAcc", "A number with its first and second rate: t, d and dd."},
    {"VectorAcc", "A point with velocity and acceleration: p, v, dv, in the base's axes."},
    {"RotationAcc", "A rotation with angular velocity and acceleration: R, w, dw, in the base's axes."},
    {"FrameAcc", "A pose with velocity and acceleration. GetAccTwist(): base axes, at the moving origin."},
    {"TwistAcc", "A twist with its first and second rate."},
    {"JntArray", "One number for each joint that moves, (n,) [rad, m]; `data` is a view of NumPy."},
    {"JntArrayVel", "Positions q and velocities qdot of the joints, (n,) each."},
    {"JntArrayAcc", "Positions q, velocities qdot and accelerations qdotdot of the joints, (n,) each."},
    {"Jacobian", "6 x n: for each joint the twist [vel; rot] at unit velocity. `data` is a view of NumPy."},
    {"JntSpaceInertiaMatrix", "M(q), n x n [kg m^2, kg m, kg]. `data` is a view of NumPy."},
};

constexpr Help k_structures[] = {
    {"RotationalInertia",
     "The symmetric 3 x 3 matrix of moments of inertia [kg m^2]. Arguments: Ixx, Iyy, Izz, then Ixy, Ixz, Iyz."},
    {"RigidBodyInertia",
     "Mass m [kg], centre of mass oc [m] from the reference point, rotational inertia Ic about the centre [kg m^2].\n\n"
     "Solvers read the inertia of a segment in the axes of the segment's tip, about the tip."},
    {"ArticulatedBodyInertia", "[f; n] = [M H^T; H I] [v; omega]: what a body with joints behind it resists."},
    {"Joint",
     "Turns about or moves along one axis, or is fixed: its motion is scale * q + offset [rad, m].\n\n"
     "inertia: of a rotor that turns with q [kg m^2, kg]; it counts in M(q). Damping and stiffness are kept; no "
     "solver\n"
     "reads them."},
    {"Segment",
     "A rigid body that a joint carries, and the tip to which the next segment is attached.\n\n"
     "f_tip: the tip at q = 0 in the segment's reference frame. I: in the axes of the tip, about the tip."},
    {"Chain", "Segments one after the other. Solvers keep it, and follow its changes."},
    {"Tree", "Segments by name, each attached to the tip of its parent. tree_of(model) makes one of a zwang model."},
};

constexpr Help k_solvers[] = {
    {"SolverI",
     "What all solvers say of their last call: 0 it succeeded, above 0 with a loss, below 0 it failed and results are "
     "as\n"
     "they were. getError() is the number, strError(code) a sentence."},
    {"ChainFkSolverPos",
     "Poses of the segments of a chain: the interface. segmentNr: how many segments count, below 0 all."},
    {"ChainFkSolverPos_recursive",
     "Poses of the tips of segments in the base. q_in (n,); p_out one frame, or a list of them."},
    {"ChainFkSolverVel", "Poses and velocities of the segments of a chain: the interface."},
    {"ChainFkSolverVel_recursive", "Poses and velocities of the tips: twists in the base's axes, at the tip."},
    {"ChainJntToJacSolver",
     "The Jacobian of a chain: twist of the tip = jac * qdot, 6 x n, base axes, at the tip of the last of seg_nr "
     "segments.\n\n"
     "setLockedJoints: columns of locked joints are left out, those behind them move up."},
    {"ChainJntToJacDotSolver",
     "The time derivative of a chain's Jacobian, or times qdot the twist J' qdot.\n\n"
     "Representations: HYBRID (base axes, at the tip), BODYFIXED (axes of the tip, at the tip), INERTIAL (base axes, "
     "at\n"
     "the base's origin)."},
    {"ChainIdSolver", "Inverse dynamics of a chain: the interface."},
    {"ChainIdSolver_RNE",
     "Inverse dynamics of a chain: torques = M qdd + C qd + g - J^T f, (n,) [N m, N].\n\n"
     "grav: gravity as it is, (0, 0, -9.81) for a base that stands upright. f_ext: a wrench for each segment, in the "
     "axes of\n"
     "its tip about its tip. Rotors count, damping and stiffness do not."},
    {"ChainFdSolver_RNE",
     "Forward dynamics of a chain: M qdd = torques - C qd - g + J^T f, (n,) [rad/s^2, m/s^2].\n\n"
     "grav and f_ext as of ChainIdSolver_RNE. E_UNDEFINED where a joint moves without inertia."},
    {"ChainDynParam",
     "The terms of a chain's equation of motion: M(q) qdd + C(q, qd) qd + g(q) = torques.\n\n"
     "grav: gravity as it is, (0, 0, -9.81). JntToMass: M, rotors included; JntToCoriolis: C qd; JntToGravity: g;\n"
     "JntToCoriolisMatrix: C with dM/dt = C + C^T (not in KDL)."},
    {"ChainHdSolver_Vereshchagin",
     "Hybrid dynamics of a chain whose last tip is held in some directions (Popov & Vereshchagin 1974).\n\n"
     "    M qdd + h = ff_torques + J^T f_ext - J^T alfa nu,      alfa^T (X_dotdot_tip + root_acc) = beta\n\n"
     "chain; root_acc: the acceleration of the base as gravity makes it seem, (0, 0, +9.81) upright, the opposite of "
     "the\n"
     "other solvers' grav; nc: columns of alfa. q, q_dot, ff_torques (n,) are given; alfa, a Jacobian 6 x nc of unit "
     "forces\n"
     "[force; torque] in the base's axes at the tip, and beta (nc,) say what is asked for; a column of zeros asks for\n"
     "nothing. f_ext: a wrench for each segment, in the base's axes about the segment's tip. Results: q_dotdot (n,), "
     "and\n"
     "constraint_torques (n,): KDL's number, not a torque to command, which is getMotorTorque().\n"
     "X_dotdot is the spatial acceleration in the base's axes at the tip; that of the point is omega x v more. beta = "
     "0\n"
     "along the vertical lets the tip fall: to hold it, beta = alfa^T root_acc.\n"
     "0: beta is met. E_DEGRADED: some directions cannot be met, the others are. E_UNDEFINED: a joint moves without "
     "inertia,\n"
     "or numbers are not finite. getRank(), getResidual() (relative) and getConstraintWrench() [N, N m] (base axes, at "
     "the\n"
     "tip) are of the last call."},
    {"ChainExternalWrenchEstimator",
     "The wrench at the tip of a chain, from positions, velocities and torques of its joints (De Luca & Mattone "
     "2005).\n\n"
     "    r = K (p - p_0 - integral of (tau + C^T v - g + r)),      p = M v\n\n"
     "r follows the external torques as a filter with the time constant 1 / K. One call every 1 / sample_frequency "
     "seconds\n"
     "[Hz]; estimation_gain K [1/s]; filter_constant from 0 (none) to 1; gravity as it is, (0, 0, -9.81). "
     "external_wrench:\n"
     "on the last segment, in the tip's axes about the tip [N, N m]. zw.WrenchObserver also knows constraints and "
     "floating\n"
     "bases."},
    {"TreeFkSolverPos", "Poses of the segments of a tree: the interface."},
    {"TreeFkSolverPos_recursive", "The pose of the tip of a segment, by its name, in the root."},
    {"TreeJntToJacSolver",
     "The Jacobian of a segment's tip, 6 x n: root axes, at the tip; 0 for joints that do not move it."},
    {"TreeIdSolver_RNE",
     "Inverse dynamics of a tree: torques (n,) [N m, N]. f_ext: {segment: wrench in the axes of its tip about its "
     "tip}.\n\n"
     "grav: gravity as it is, (0, 0, -9.81)."},
    {"ChainIkSolverVel",
     "Joint velocities with which the tip moves by a twist v_in (base axes, at the tip): the interface."},
    {"ChainIkSolverVel_pinv", "qdot = V S^+ U' v with J = U S V'. Singular values below eps count as zero."},
    {"ChainIkSolverVel_pinv_givens", "As ChainIkSolverVel_pinv; what is rounding counts as zero, and is E_DEGRADED."},
    {"ChainIkSolverVel_pinv_nso",
     "qdot = J^+ v, and in the null space of J towards a posture: setOptPos(q) [rad, m], setWeights(w), (n,) each."},
    {"ChainIkSolverVel_wdls",
     "Damped least squares with weights: qdot = M_q V S~ U' M_x v with U S V' = M_x J M_q.\n\n"
     "S~ = 1/s, and for singular values below eps s / (s^2 + l^2), l = lambda sqrt(1 - (s_min / eps)^2). M_q (n, n) "
     "and\n"
     "M_x (6, 6): setWeightJS, setWeightTS."},
    {"ChainIkSolverPos",
     "Joint values that bring the tip to p_in in the base: the interface. q_init: where the search begins."},
    {"ChainIkSolverPos_NR",
     "Newton-Raphson steps until each of the six entries of diff(tip, p_in) [m, rad] is below eps."},
    {"ChainIkSolverPos_NR_JL",
     "Newton-Raphson steps between limits q_min and q_max (n,) [rad, m]. Where they fail, a search with several "
     "descents\n"
     "is tried."},
    {"ChainIkSolverPos_LMA",
     "Minimises |L e|, e = diff(tip, p_in) [m, rad] in base axes, L a diagonal of weights (Levenberg and Marquardt). "
     "No\n"
     "limits."},
    {"TreeIkSolverVel",
     "Joint velocities of a tree for twists of several tips (root axes, at the tips): the interface."},
    {"TreeIkSolverVel_wdls",
     "qdot = M_q V S / (S^2 + lambda^2) U' M_x v with U S V' = M_x J M_q, J the Jacobians of the endpoints, one below "
     "the\n"
     "other in the order of their names."},
    {"TreeIkSolverPos", "Joint values that bring the tips of segments to poses in the root: the interface."},
    {"TreeIkSolverPos_NR_JL",
     "Newton-Raphson steps of all endpoints, put into the limits q_min and q_max (n,) [rad, m]."},
    {"TreeIkSolverPos_Online",
     "One step of the endpoints towards their poses, for control loops: twists and joint velocities (per step) are "
     "made\n"
     "shorter until they are within their limits."},
};

constexpr Help k_motion[] = {
    {"RotationalInterpolation",
     "A path of rotations by an angle theta [rad], 0 <= theta <= Angle(); paths keep a copy."},
    {"RotationalInterpolation_SingleAxis", "About one axis from start to end: what paths take where none is given."},
    {"Path",
     "Poses by a length s, 0 <= s <= PathLength() [m]: the interface. Twists are in base axes, at the moving point."},
    {"Path_Line",
     "A straight line with a rotation. Its length: the larger one of the distance and eqradius * angle [m]."},
    {"Path_Circle", "An arc about V_base_center by alpha [rad], at first to the side of V_base_p, with a rotation."},
    {"Path_Point", "A path that stays."},
    {"Path_Composite", "Paths one after the other."},
    {"Path_RoundedComposite", "Lines whose corners are arcs of a radius [m]."},
    {"Path_Cyclic_Closed", "A closed path that is gone along several times."},
    {"VelocityProfile", "A length by time, 0 <= time <= Duration() [s]: the interface."},
    {"VelocityProfile_Trap", "Constant acceleration, velocity, deceleration, within maxvel [m/s] and maxacc [m/s^2]."},
    {"VelocityProfile_TrapHalf", "Half a trapezium: it begins, or ends, at the full velocity."},
    {"VelocityProfile_Rectangular", "A constant velocity [m/s]."},
    {"VelocityProfile_Dirac", "A jump to the end at time 0: its duration is 0."},
    {"VelocityProfile_Spline", "A polynomial of degree 1, 3 or 5 in time."},
    {"Trajectory",
     "Poses by time, 0 <= time <= Duration() [s]: the interface. Twists are in base axes, at the moving point."},
    {"Trajectory_Segment", "A path with a velocity profile."},
    {"Trajectory_Stationary", "A pose that is kept for a while [s]."},
    {"Trajectory_Composite", "Trajectories one after the other."},
};

template <std::size_t N> void write(nb::module_& m, const Help (&all)[N]) {
  for (const Help& help : all) {
    const nb::object type = nb::getattr(m, help.name, nb::none());
    if (!type.is_none()) type.attr("__doc__") = help.text;
  }
}

}  // namespace

void write_help(nb::module_& m) {
  write(m, k_geometry);
  write(m, k_structures);
  write(m, k_solvers);
  write(m, k_motion);
}

}  // namespace zwang::python::kdl
