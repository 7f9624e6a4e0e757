// SPDX-License-Identifier: BSD-3-Clause
#include "zwang/algorithm/quantities.hpp"

#include <algorithm>

#include "algorithm/instances.hpp"
#include "algorithm/support.hpp"

namespace zwang {

using detail::check_data, detail::check_stage, detail::check_q, detail::check_v, detail::check_matrix,
    detail::check_result, detail::frame_of;

namespace {

Index stride_of(const MatrixOut& out) { return static_cast<Index>(out.outerStride()); }
page::MatrixView<double> view_of(MatrixOut& out) {
  return {out.data(), static_cast<Index>(out.rows()), static_cast<Index>(out.cols()), 1, stride_of(out)};
}
void check_size(const VectorOut& out, Index size, const char* function) {
  if (out.size() != size) detail::throw_size(function, "out", static_cast<long>(out.size()), size);
}
Index parameters_of(const Model& model) { return page::k_link_parameters * static_cast<Index>(model.links().size()); }
/// The spanning tree's coordinates of the last kinematics.
SweepInput<double> swept(const Data& data, VectorIn q) {
  return {data.tree().mimic ? data.q_spanning.data() : q.data(), data.sin.data(), data.cos.data()};
}
/// From world axes about the branch's centre to those of the frame, about its origin.
Transform<double> frame_from_centre(const Data& data, const Frame& frame) {
  return inverse(page::frame_about_centre(data, frame.body.value, frame.in_body));
}
/// Sum of the inertias of a subtree, world axes about the branch's centre.
Inertia<double> composite(const Data& data, Index body) {
  Inertia<double> sum = Inertia<double>::zero();
  for (Index i = body; i < data.tree().body[body].last; ++i) sum += data.position.placement[i] * data.inertia[i];
  return sum;
}
void check_moving(const Frame& frame, const char* function) {
  if (frame.body.value == 0)
    throw std::invalid_argument(std::string(function) + ": frame '" + frame.name + "' is fixed to the ground");
}
void check_inertia(const Inertia<double>& I, const char* function) {
  const double numbers[] = {I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.xy, I.I.xz, I.I.yy, I.I.yz, I.I.zz};
  detail::check_result(numbers, 10, function);
}

}  // namespace

void coriolis_matrix(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) {
  check_data(model, data, "coriolis_matrix");
  check_q(model, q, "coriolis_matrix");
  check_v(model, v, "coriolis_matrix", "v");
  check_matrix(out, model.nv(), model.nv(), "coriolis_matrix");
  if (!kernels().quantity->coriolis_matrix(&data, q.data(), v.data(), out.data(), stride_of(out)))
    check_result(out, "coriolis_matrix");
}

void generalised_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut momentum,
                          VectorOut coriolis, const JointEffects& effects) {
  const char* const function = "generalised_momentum";
  check_data(model, data, function);
  check_q(model, q, function);
  check_v(model, v, function, "v");
  check_size(momentum, model.nv(), function);
  check_size(coriolis, model.nv(), function);
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  kernels().quantity->generalised_momentum(&data, q.data(), v.data(), momentum.data(), coriolis.data());
  check_result(momentum.data(), model.nv(), function);
  check_result(coriolis.data(), model.nv(), function);
}

VectorView static_torque(const Model& model, Data& data, VectorIn q, ExternalsIn external,
                         const JointEffects& effects) {
  check_data(model, data, "static_torque");
  check_q(model, q, "static_torque");
  detail::set_external(model, data, q.data(), external.data(), external.size(), effects.gravity_scale);
  for (double& x : data.work) x = 0;
  JointEffects at_rest = effects;
  at_rest.armature = at_rest.damping = at_rest.friction = false;
  double* const tau = data.bias_out.data();
  page::inverse_dynamics(data, q.data(), data.work.data(), data.work.data(), tau);
  detail::add_passive(data, q.data(), data.work.data(), at_rest, -1.0, tau);
  return detail::checked(data.bias_out, "static_torque");
}

double mechanical_energy(const Model& model, Data& data, VectorIn q, VectorIn v, const JointEffects& effects) {
  const double kinetic = kinetic_energy(model, data, q, v, effects);
  return detail::checked(kinetic + page::potential_energy(data) + detail::energy_of_effects(data, q.data(), effects),
                         "mechanical_energy");
}

void centroidal_map(const Model& model, Data& data, VectorIn q, MatrixOut out) {
  check_data(model, data, "centroidal_map");
  check_q(model, q, "centroidal_map");
  check_matrix(out, 6, model.nv(), "centroidal_map");
  kernels().quantity->centroidal_map(&data, q.data(), out.data(), stride_of(out));
  check_result(out, "centroidal_map");
}
void centroidal_map_dot(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) {
  check_data(model, data, "centroidal_map_dot");
  check_q(model, q, "centroidal_map_dot");
  check_v(model, v, "centroidal_map_dot", "v");
  check_matrix(out, 6, model.nv(), "centroidal_map_dot");
  kernels().quantity->centroidal_map_dot(&data, q.data(), v.data(), out.data(), stride_of(out));
  check_result(out, "centroidal_map_dot");
}
Force<double> centroidal_momentum(const Model& model, Data& data, VectorIn q, VectorIn v) {
  forward_kinematics(model, data, q, v);
  return detail::checked(page::centroidal_momentum(data), "centroidal_momentum");
}
Force<double> centroidal_momentum_rate(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a) {
  forward_kinematics(model, data, q, v, a);
  return detail::checked(page::centroidal_momentum_rate(data), "centroidal_momentum_rate");
}
Inertia<double> centroidal_inertia(const Model& model, Data& data, VectorIn q) {
  forward_kinematics(model, data, q);
  const Inertia<double> I = page::centroidal_inertia(data);
  check_inertia(I, "centroidal_inertia");
  return I;
}

double subtree_mass(const Model& model, const Data& data, FrameIn id) {
  check_data(model, data, "subtree_mass");
  const Frame& frame = frame_of(model, id, "subtree_mass");
  check_moving(frame, "subtree_mass");
  double mass = 0;
  for (Index i = frame.body.value; i < data.tree().body[frame.body.value].last; ++i) mass += data.inertia[i].m;
  return mass;
}
Vec3<double> subtree_centre_of_mass(const Model& model, Data& data, VectorIn q, FrameIn id) {
  const Frame& frame = frame_of(model, id, "subtree_centre_of_mass");
  check_moving(frame, "subtree_centre_of_mass");
  forward_kinematics(model, data, q);
  const Index body = frame.body.value;
  const Inertia<double> I = composite(data, body);
  const Vec3<double> c = I.m > 0 ? I.h * (1 / I.m) : data.position.placement[body].p;
  return detail::checked(c + data.position.centre[data.tree().body[body].root], "subtree_centre_of_mass");
}
namespace {
/// Sum of m x over the bodies of a subtree, divided by their mass; x of the subtree's root where they have none.
template <class OfBody> Vec3<double> mass_mean(const Data& data, Index body, const OfBody& of) {
  Vec3<double> sum = Vec3<double>::zero();
  double mass = 0;
  for (Index i = body; i < data.tree().body[body].last; ++i) {
    const double m = data.inertia[i].m;
    if (!(m > 0)) continue;
    sum += of(i, data.position.placement[i] * (data.inertia[i].h * (1 / m))) * m;
    mass += m;
  }
  return mass > 0 ? sum * (1 / mass) : of(body, data.position.placement[body].p);
}
}  // namespace

Vec3<double> subtree_centre_of_mass_velocity(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn id) {
  const Frame& frame = frame_of(model, id, "subtree_centre_of_mass_velocity");
  check_moving(frame, "subtree_centre_of_mass_velocity");
  forward_kinematics(model, data, q, v);
  const auto of = [&](Index i, const Vec3<double>& c) {
    const Motion<double> twist = data.velocity.twist[i];
    return twist.v + cross(twist.w, c);
  };
  return detail::checked(mass_mean(data, frame.body.value, of), "subtree_centre_of_mass_velocity");
}
Vec3<double> subtree_centre_of_mass_acceleration(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a,
                                                 FrameIn id) {
  const Frame& frame = frame_of(model, id, "subtree_centre_of_mass_acceleration");
  check_moving(frame, "subtree_centre_of_mass_acceleration");
  forward_kinematics(model, data, q, v, a);
  const auto of = [&](Index i, const Vec3<double>& c) {
    const Motion<double> twist = data.velocity.twist[i], x = page::body_acceleration(data, i);
    return x.v + cross(x.w, c) + cross(twist.w, twist.v + cross(twist.w, c));
  };
  return detail::checked(mass_mean(data, frame.body.value, of), "subtree_centre_of_mass_acceleration");
}
void subtree_centre_of_mass_jacobian(const Model& model, Data& data, VectorIn q, FrameIn id, MatrixOut out) {
  const Frame& frame = frame_of(model, id, "subtree_centre_of_mass_jacobian");
  check_moving(frame, "subtree_centre_of_mass_jacobian");
  check_data(model, data, "subtree_centre_of_mass_jacobian");
  check_q(model, q, "subtree_centre_of_mass_jacobian");
  check_matrix(out, 3, model.nv(), "subtree_centre_of_mass_jacobian");
  page::columns(data, q.data());
  const page::MatrixView<double> J = view_of(out);
  page::clear(J);
  const auto& tree = data.tree();
  const Index root = frame.body.value, last = tree.body[root].last;
  double mass = 0;
  for (Index i = root; i < last; ++i) mass += data.inertia[i].m;
  const auto add = [&](Index i, const Vec3<double>& c, double share) {
    page::for_each_column_towards_root(tree, i, [&](Index k, Index) {
      const Motion<double> s = data.articulated.column[k].s;
      const Vec3<double> x = (s.v + cross(s.w, c)) * (share * tree.column[k].multiplier);
      for (int r = 0; r < 3; ++r) J(r, tree.column[k].v) += x[r];
    });
  };
  for (Index i = root; i < last; ++i)
    if (const double m = data.inertia[i].m; m > 0)
      add(i, data.position.placement[i] * (data.inertia[i].h * (1 / m)), m / mass);
  if (!(mass > 0)) add(root, data.position.placement[root].p, 1);
  check_result(out, "subtree_centre_of_mass_jacobian");
}
Inertia<double> composite_inertia(const Model& model, Data& data, VectorIn q, FrameIn id) {
  const Frame& frame = frame_of(model, id, "composite_inertia");
  check_moving(frame, "composite_inertia");
  forward_kinematics(model, data, q);
  const Transform<double> X = frame_from_centre(data, frame);
  Inertia<double> sum = Inertia<double>::zero();
  for (Index i = frame.body.value; i < data.tree().body[frame.body.value].last; ++i)
    sum += X * data.position.placement[i] * data.inertia[i];
  check_inertia(sum, "composite_inertia");
  return sum;
}
void composite_inertia_rate(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn id, MatrixOut out) {
  const Frame& frame = frame_of(model, id, "composite_inertia_rate");
  check_moving(frame, "composite_inertia_rate");
  check_matrix(out, 6, 6, "composite_inertia_rate");
  forward_kinematics(model, data, q, v);
  const Transform<double> X = frame_from_centre(data, frame);
  page::clear(view_of(out));
  for (Index i = frame.body.value; i < data.tree().body[frame.body.value].last; ++i) {
    const Inertia<double> I = X * data.position.placement[i] * data.inertia[i];
    const Motion<double> twist = X * Motion<double>(data.velocity.twist[i]);
    for (Index k = 0; k < 6; ++k) {
      Motion<double> e = Motion<double>::zero();
      e[k] = 1;
      const Force<double> f = cross(twist, I * e) - I * cross(twist, e);
      for (Index r = 0; r < 6; ++r) out(r, k) += f[r];
    }
  }
  check_result(out, "composite_inertia_rate");
}
void articulated_inertia(const Model& model, Data& data, VectorIn q, FrameIn id, MatrixOut out,
                         const JointEffects& effects) {
  const Frame& frame = frame_of(model, id, "articulated_inertia");
  check_moving(frame, "articulated_inertia");
  check_matrix(out, 6, 6, "articulated_inertia");
  check_data(model, data, "articulated_inertia");
  check_q(model, q, "articulated_inertia");
  const auto& tree = data.tree();
  const Index body = frame.body.value, last = tree.body[body].last;
  for (Index k = 0; k < tree.spanning_nv; ++k)
    if (tree.column[k].deferred && tree.column[k].body > body && tree.column[k].body < last)
      throw UnsupportedError("articulated_inertia: joints behind frame '" + frame.name +
                             "' mimic each other; composite_inertia and operational_inertia take them");
  data.armature_factor = effects.armature ? 1.0 : 0.0;
  page::columns(data, q.data());
  data.stages &= ~static_cast<unsigned>(stage_factor);
  data.articulated.singular_column = -1;
  data.articulated.gross_ratio = 0;
  Level<double>* const level = data.level.data();
  for (Index i = body; i < last; ++i) {
    const Inertia<double> I = data.position.placement[i] * data.inertia[i];
    Level<double>& x = level[i];
    x.IA = column_inertia_of(I);
    x.gross_mass = I.m;
    x.gross_moment = trace(I.I);
  }
  for (Index i = last - 1; i > body; --i) {
    const auto& b = tree.body[i];
    Level<double>&x = level[i], &up = level[b.parent];
    for (Index k = b.v + b.nv - 1; k >= b.v; --k) {
      Eliminated<double>& e = data.articulated.column[k];
      const double D = enter_column(data, k, x);
      e.inv_D = 1 / D;
      note_inertia(data.articulated, k, gross_inertia(x, e.s), D, e.inv_D);
      subtract_outer(x.IA, e.U * e.inv_D, e.U);
    }
    up.IA += x.IA;
    up.gross_mass += x.gross_mass;
    up.gross_moment += x.gross_moment;
  }
  if (data.articulated.singular_column >= 0) detail::throw_singular(data);
  const Transform<double> X = page::frame_about_centre(data, body, frame.in_body);
  for (Index k = 0; k < 6; ++k) {
    Motion<double> e = Motion<double>::zero();
    e[k] = 1;
    const Force<double> f =
        inverse_times(X, Force<double>(StoredForce<double>(level[body].IA * StoredMotion<double>(X * e))));
    for (Index r = 0; r < 6; ++r) out(r, k) = f[r];
  }
  check_result(out, "articulated_inertia");
}
Force<double> body_momentum(const Model& model, Data& data, VectorIn q, VectorIn v, FrameIn id) {
  const Frame& frame = frame_of(model, id, "body_momentum");
  check_moving(frame, "body_momentum");
  forward_kinematics(model, data, q, v);
  const Index body = frame.body.value;
  const Motion<double> twist = inverse_times(data.position.placement[body], Motion<double>(data.velocity.twist[body]));
  return detail::checked(inverse_times(frame.in_body, data.inertia[body] * twist), "body_momentum");
}

std::vector<Index> support(const Model& model, FrameIn id) {
  const Frame& frame = frame_of(model, id, "support");
  const auto& tree = model.tree<double>();
  std::vector<Index> coordinates;
  page::for_each_column_towards_root(tree, frame.body.value, [&](Index k, Index) {
    if (tree.column[k].multiplier != 0) coordinates.push_back(tree.column[k].v);
  });
  std::sort(coordinates.begin(), coordinates.end());
  coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
  return coordinates;
}

Motion<double> joint_columns(const Model& model, Data& data, VectorIn q, VectorIn v, JointId id, MatrixOut S,
                             MatrixOut S_dot) {
  if (id.value < 0 || id.value >= static_cast<Index>(model.joints().size()))
    throw std::invalid_argument("joint_columns: no joint has the id " + std::to_string(id.value));
  const Joint& joint = model.joints()[static_cast<std::size_t>(id.value)];
  if (joint.lumped || joint.body.value == 0)
    throw std::invalid_argument("joint_columns: joint '" + joint.name + "' is fixed and was merged: it has no columns");
  check_matrix(S, 6, joint.v.size, "joint_columns");
  check_matrix(S_dot, 6, joint.v.size, "joint_columns");
  check_data(model, data, "joint_columns");
  check_q(model, q, "joint_columns");
  check_v(model, v, "joint_columns", "v");
  forward_kinematics(model, data, q, v);
  page::columns_of_positions(data, q.data());
  page::clear(view_of(S));
  page::clear(view_of(S_dot));
  const auto& tree = model.tree<double>();
  const double* const moving = tree.mimic ? data.v_spanning.data() : v.data();
  Motion<double> rate[max_joint_columns], bias = Motion<double>::zero();
  const Index before =
      joint.parent.value < 0 ? 0 : model.links()[static_cast<std::size_t>(joint.parent.value)].body.value;
  // A composite joint may be several bodies, one behind the other.
  for (Index body = joint.body.value; body != before; body = tree.body[body].parent) {
    page::column_rates(data, body, swept(data, q), moving, rate);
    const Vec3<double> to_world = -data.position.centre[tree.body[body].root];
    for (Index k = tree.body[body].v; k < tree.body[body].v + tree.body[body].nv; ++k) {
      const Index at = tree.column[k].v - joint.v.first;
      const Motion<double> s = with_reference_point(Motion<double>(data.articulated.column[k].s), to_world);
      const Motion<double> s_dot = with_reference_point(rate[k - tree.body[body].v], to_world);
      for (Index r = 0; r < 6; ++r) {
        S(r, at) += s[r] * tree.column[k].multiplier;
        S_dot(r, at) += s_dot[r] * tree.column[k].multiplier;
      }
      bias += s_dot * moving[k];
    }
  }
  check_result(S, "joint_columns");
  check_result(S_dot, "joint_columns");
  return detail::checked(bias, "joint_columns");
}

void joint_columns(const Model& model, Data& data, MatrixOut S) {
  check_data(model, data, "joint_columns");
  check_stage(data, stage_position, "joint_columns", "positions");
  check_matrix(S, 6, model.nv(), "joint_columns");
  if ((data.stages & stage_columns) == 0) page::columns_of_positions(data, data.q.data());
  page::clear(view_of(S));
  const auto& tree = model.tree<double>();
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    const Vec3<double> to_world = -data.position.centre[tree.body[c.body].root];
    const Motion<double> s = with_reference_point(Motion<double>(data.articulated.column[k].s), to_world);
    for (Index r = 0; r < 6; ++r) S(r, c.v) += s[r] * c.multiplier;
  }
  check_result(S, "joint_columns");
}

void kinematic_hessian(const Model& model, Data& data, VectorIn q, FrameIn id, Reference reference, VectorOut out) {
  check_data(model, data, "kinematic_hessian");
  check_q(model, q, "kinematic_hessian");
  check_size(out, 6 * model.nv() * model.nv(), "kinematic_hessian");
  const Frame& frame = frame_of(model, id, "kinematic_hessian");
  page::columns(data, q.data());
  page::kinematic_hessian(data, swept(data, q), frame.body.value, frame.in_body, reference, out.data());
  check_result(out.data(), static_cast<Index>(out.size()), "kinematic_hessian");
}

void column_rates(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut S, MatrixOut psi_dot,
                  MatrixOut psi_ddot) {
  forward_kinematics(model, data, q, v, a);
  MatrixOut* const out[] = {&S, &psi_dot, &psi_ddot};
  for (MatrixOut* const x : out) {
    check_matrix(*x, 6, model.nv(), "column_rates");
    page::clear(view_of(*x));
  }
  const auto& tree = data.tree();
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& c = tree.column[k];
    const Index parent = tree.body[c.body].parent;
    const Vec3<double> o = -data.position.centre[tree.body[c.body].root];
    const Motion<double> s = data.articulated.column[k].s, up = data.velocity.twist[parent];
    const Motion<double> acceleration = data.acceleration.joint[parent] + data.velocity.bias[parent];
    const Motion<double> rate = cross(up, s), second = cross(acceleration, s) + cross(up, rate);
    const Motion<double> columns[] = {with_reference_point(s, o), with_reference_point(rate, o),
                                      with_reference_point(second, o)};
    for (int i = 0; i < 3; ++i)
      for (Index r = 0; r < 6; ++r) (*out[i])(r, c.v) += columns[i][r] * c.multiplier;
  }
  for (MatrixOut* const x : out) check_result(*x, "column_rates");
}

void inertial_parameters(const Model& model, VectorOut out) {
  check_size(out, parameters_of(model), "inertial_parameters");
  Index k = 0;
  for (const Link& link : model.links()) {
    const Inertia<double> I = from_centre(link.mass, link.centre, link.inertia);
    for (const double x : {I.m, I.h.x, I.h.y, I.h.z, I.I.xx, I.I.xy, I.I.yy, I.I.xz, I.I.yz, I.I.zz}) out[k++] = x;
  }
}
void inverse_dynamics_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, MatrixOut out) {
  check_data(model, data, "inverse_dynamics_regressor");
  check_q(model, q, "inverse_dynamics_regressor");
  check_v(model, v, "inverse_dynamics_regressor", "v");
  check_v(model, a, "inverse_dynamics_regressor", "a");
  check_matrix(out, model.nv(), parameters_of(model), "inverse_dynamics_regressor");
  if (!kernels().quantity->regressor(&data, q.data(), v.data(), a.data(), out.data(), stride_of(out)))
    check_result(out, "inverse_dynamics_regressor");
}
void frame_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorIn a, FrameIn id, MatrixOut out) {
  const Frame& frame = frame_of(model, id, "frame_regressor");
  check_matrix(out, 6, page::k_link_parameters, "frame_regressor");
  forward_kinematics(model, data, q, v, a);
  page::regressor_of(page::local_frame(data, frame.body.value, frame.in_body), view_of(out));
  check_result(out, "frame_regressor");
}
void body_regressor(const Motion<double>& velocity, const Motion<double>& acceleration, MatrixOut out) {
  check_matrix(out, 6, page::k_link_parameters, "body_regressor");
  const page::LocalFrame<double> x{Transform<double>::identity(), velocity,
                                   acceleration.v + cross(velocity.w, velocity.v), acceleration.w};
  page::regressor_of(x, view_of(out));
  check_result(out, "body_regressor");
}
void kinetic_energy_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, VectorOut out) {
  check_size(out, parameters_of(model), "kinetic_energy_regressor");
  forward_kinematics(model, data, q, v);
  page::kinetic_energy_regressor(data, out.data());
  check_result(out.data(), static_cast<Index>(out.size()), "kinetic_energy_regressor");
}
void potential_energy_regressor(const Model& model, Data& data, VectorIn q, VectorOut out) {
  check_size(out, parameters_of(model), "potential_energy_regressor");
  forward_kinematics(model, data, q);
  page::potential_energy_regressor(data, out.data());
  check_result(out.data(), static_cast<Index>(out.size()), "potential_energy_regressor");
}
void momentum_regressor(const Model& model, Data& data, VectorIn q, VectorIn v, MatrixOut out) {
  check_matrix(out, 6, parameters_of(model), "momentum_regressor");
  forward_kinematics(model, data, q, v);
  page::momentum_regressor(data, view_of(out));
  check_result(out, "momentum_regressor");
}
void static_regressor(const Model& model, Data& data, VectorIn q, MatrixOut out) {
  check_matrix(out, 3, 4 * static_cast<Index>(model.links().size()), "static_regressor");
  forward_kinematics(model, data, q);
  page::static_regressor(data, view_of(out));
  check_result(out, "static_regressor");
}

void friction_regressor(const Model& model, VectorIn v, MatrixOut out) {
  check_v(model, v, "friction_regressor", "v");
  check_matrix(out, model.nv(), 2 * model.nv(), "friction_regressor");
  page::clear(view_of(out));
  for (Index k = 0; k < model.nv(); ++k) {
    out(k, k) = v[k];
    out(k, model.nv() + k) = v[k] > 0 ? 1 : v[k] < 0 ? -1 : 0;
  }
}
void kinematic_regressor(const Model& model, Data& data, VectorIn q, FrameIn id, Reference reference, MatrixOut out) {
  const Frame& frame = frame_of(model, id, "kinematic_regressor");
  check_matrix(out, 6, 6 * static_cast<Index>(model.joints().size()), "kinematic_regressor");
  forward_kinematics(model, data, q);
  page::clear(view_of(out));
  const Index body = frame.body.value;
  const page::PointOfView<double> view = page::point_of_view(data, body, frame.in_body, reference);
  for (LinkId at = frame.link; at.value >= 0;) {
    const Link& link = model.links()[static_cast<std::size_t>(at.value)];
    at = link.parent;
    if (link.joint.value < 0) break;
    const Joint& joint = model.joints()[static_cast<std::size_t>(link.joint.value)];
    Transform<double> X = joint.description.origin;
    Index before = 0;
    if (at.value >= 0) {
      const Link& parent = model.links()[static_cast<std::size_t>(at.value)];
      before = parent.body.value;
      X = parent.in_body * X;
    }
    X = page::frame_about_centre(data, before, X);
    const Vec3<double> shift = detail::between_centres(data, before, body);
    for (Index k = 0; k < 6; ++k) {
      Motion<double> e = Motion<double>::zero();
      e[k] = 1;
      const Motion<double> seen = view.see(detail::at_point(X * e, shift));
      for (Index r = 0; r < 6; ++r) out(r, 6 * link.joint.value + k) = seen[r];
    }
  }
  check_result(out, "kinematic_regressor");
}

}  // namespace zwang
