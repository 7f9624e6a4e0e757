// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/recorder.hpp"

#include <cstdlib>
#include <utility>

#include "algorithm/page/excess_gravity.hpp"
#include "codegen/prune.hpp"
#include "codegen/refusals.hpp"
#include "codegen/small_solves.hpp"
#include "constraint/page/stabilise.hpp"
#include "zwang/algorithm/page/applied.hpp"
#include "zwang/algorithm/page/centre_of_mass.hpp"
#include "zwang/algorithm/page/coriolis.hpp"
#include "zwang/algorithm/page/forward_dynamics.hpp"
#include "zwang/algorithm/page/inverse_dynamics.hpp"
#include "zwang/algorithm/page/jacobian.hpp"
#include "zwang/algorithm/page/mass_matrix.hpp"
#include "zwang/algorithm/page/regressor.hpp"
#include "zwang/constraint/page/relations.hpp"
#include "zwang/constraint/relation.hpp"
#include "zwang/manifold/page/manifold.hpp"
#include "zwang/model/data_members.hpp"
#include "zwang/model/for_each_joint.hpp"
#include "zwang/rows/page/attach.hpp"

namespace zwang::codegen {
namespace {

constexpr Index k_vector = -1;  ///< in place of a number of columns

}  // namespace

Recorder::Recorder(const Model& model, const FormulaOptions& options, Digits digits)
    : model_(model),
      options_(options),
      least_share_(least_share(digits)),
      data_(model) {
  data_.gravity = options.gravity ? *options.gravity : model.gravity();
  data_.armature_factor = options.effects.armature ? 1.0 : 0.0;
}

// --- Inputs and results ---------------------------------------------------------------------------------------------

Symbols Recorder::input(const std::string& name, Index rows, Index columns, const std::string& meaning) {
  FormulaArgument x{name, rows, std::abs(columns), columns != k_vector, meaning, {}};
  Symbols all;
  for (Index k = 0; k < rows * x.columns; ++k) all.push_back(record_.input());
  for (const Symbol& s : all) x.nodes.push_back(s.node);
  inputs_.push_back(std::move(x));
  return all;
}

void Recorder::output(const std::string& name, Index rows, Index columns, const std::string& meaning,
                      const Symbols& x) {
  FormulaArgument out{name, rows, std::abs(columns), columns != k_vector, meaning, {}};
  for (const Symbol& s : x) out.nodes.push_back(s.node);
  outputs_.push_back(std::move(out));
}

Symbols Recorder::configuration(const std::string& name) {
  Symbols q = input(name, model_.nq(), k_vector, "configuration [rad, m]");
  if (!options_.normalize) return q;
  for_each_joint(data_.tree(), [&](const auto& joint) {
    normalize_or_refuse(q.data() + joint.q, joint.nq, [&](Symbol* x) { joint.normalize(x); });
  });
  return q;
}
Symbols Recorder::rates(const std::string& name) {
  return input(name, model_.nv(), k_vector,
               name == "v"     ? "velocities [rad/s, m/s]"
               : name == "tau" ? "torques and forces of the joints [N m, N]"
                               : "accelerations [rad/s^2, m/s^2]");
}

Mat3<Symbol> Recorder::axes_of(FrameId id) const {
  const Frame& f = model_.frame(id);
  return page::frame_about_centre(data_, f.body.value, f.in_body).R;
}

/// In the world. Reads the positions of q.
Transform<Symbol> Recorder::frame_pose() const {
  const Frame& f = frame();
  const Transform<Symbol> X = page::frame_about_centre(data_, f.body.value, f.in_body);
  return {X.R, X.p + data_.position.centre[data_.tree().body[f.body.value].root]};
}

/// Wrenches of the call on their bodies. Reads the positions of q.
void Recorder::take_wrenches(const Symbols& q) {
  const bool excess = options_.effects.gravity_scale && data_.excess.size() > 0;
  data_.force.has_external = !options_.wrenches.empty() || excess;
  for (auto& f : data_.force.external) f = Force<Symbol>::zero();
  if (!data_.force.has_external) return;
  page::kinematics(data_, q.data());
  if (excess) page::add_excess_gravity(data_);
  for (const std::string& name : options_.wrenches) {
    const Symbols w = input("wrench_" + name, 6, k_vector, "external wrench on " + name + " [N, N m]: force, moment");
    Force<Symbol> wrench{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
    if (options_.wrench_axes)
      wrench = {axes_of(options_.wrench_axes) * wrench.f, axes_of(options_.wrench_axes) * wrench.n};
    const Frame& f = model_.frame(name);
    if (f.body.value > 0) page::add_wrench(data_, f.body.value, f.in_body, options_.wrenches_in, wrench);
  }
}

// --- Dynamics -------------------------------------------------------------------------------------------------------

/// tau of M a + h = tau, with the effects of joints. Wrenches have been taken.
Symbols Recorder::inverse(const Symbols& q, const Symbols& v, const Symbols& a) {
  const JointEffects& e = options_.effects;
  Symbols tau(static_cast<std::size_t>(model_.nv()), Symbol(0.0));
  page::inverse_dynamics(data_, q.data(), v.data(), a.data(), tau.data());
  page::add_passive(data_.tree(), q.data(), v.data(), page::PassiveEffects{e.damping, e.friction, e.springs}, -1.0,
                    tau.data());
  return tau;
}

void Recorder::inverse_dynamics() {
  const Symbols q = configuration(), v = rates(), a = rates("a");
  take_wrenches(q);
  output("tau", model_.nv(), k_vector, "torques and forces that produce the accelerations [N m, N]", inverse(q, v, a));
}

void Recorder::bias_forces() {
  const Symbols q = configuration(), v = rates(), a(v.size(), Symbol(0.0));
  take_wrenches(q);
  output("h", model_.nv(), k_vector, "inverse dynamics at a = 0 [N m, N]", inverse(q, v, a));
}

void Recorder::gravity_forces() {
  const Symbols q = configuration(), zero(static_cast<std::size_t>(model_.nv()), Symbol(0.0));
  Symbols g(zero.size(), Symbol(0.0));
  data_.force.has_external = false;
  page::inverse_dynamics(data_, q.data(), zero.data(), zero.data(), g.data());
  output("g", model_.nv(), k_vector, "torques and forces that hold the robot still against gravity [N m, N]", g);
}

void Recorder::forward_dynamics() {
  const Symbols q = configuration(), v = rates();
  Symbols tau = rates("tau");
  take_wrenches(q);
  const JointEffects& e = options_.effects;
  Symbols a(v.size(), Symbol(0.0));
  page::add_passive(data_.tree(), q.data(), v.data(), page::PassiveEffects{e.damping, e.friction, e.springs}, 1.0,
                    tau.data());
  page::forward_dynamics(data_, q.data(), v.data(), tau.data(), a.data());
  singular_ = small_pivots();
  output("a", model_.nv(), k_vector, "accelerations [rad/s^2, m/s^2]", a);
}

/// Of the last forward dynamics: D of some column is less than `least_pivot` times its entry of M, s^T I^c s + rotors.
/// Of models with mimics, whose columns are eliminated together, beside a bound of that entry from masses and distances
/// to the root, which is some hundred times larger.
Choice Recorder::small_pivots() {
  const Symbol most(1.0 / options_.least_pivot);
  if (data_.tree().mimic) return less(most * Symbol(100.0), data_.articulated.gross_ratio);
  Choice found = known(false);
  page::composite_inertias(data_);
  for (Index k = 0; k < data_.tree().spanning_nv; ++k) {
    const auto& column = data_.tree().column[k];
    const Eliminated<Symbol>& e = data_.articulated.column[k];
    const Symbol* const c = data_.mass.composite.data() + column.body - 1;
    const Inertia<Symbol> I = inertia_from<Symbol>([&](Index r) { return c[r * data_.mass.stride]; });
    const Symbol entry = dot(e.s, I * e.s) + Symbol(column.armature * data_.armature_factor);
    found = found | less(most, entry * e.inv_D) | less(Symbol(1.0 / least_share_), cancelling(k) * e.inv_D);
  }
  return found;
}

/// The magnitudes that cancel in column k's entry of M, about the centre of its branch: m v^2 + sum of w_i^2 I_ii, at
/// least a third of sum |w_i I_ij w_j|. Reads the composite inertias.
Symbol Recorder::cancelling(Index k) const {
  const auto& column = data_.tree().column[k];
  const Motion<Symbol> s = data_.articulated.column[k].s;
  const Symbol* const c = data_.mass.composite.data() + column.body - 1;
  const Inertia<Symbol> I = inertia_from<Symbol>([&](Index r) { return c[r * data_.mass.stride]; });
  return I.m * dot(s.v, s.v) + s.w.x * s.w.x * I.I.xx + s.w.y * s.w.y * I.I.yy + s.w.z * s.w.z * I.I.zz +
         Symbol(column.armature * data_.armature_factor);
}

void Recorder::mass_matrix() {
  const Symbols q = configuration();
  const Index n = model_.nv();
  Symbols M(static_cast<std::size_t>(n * n), Symbol(0.0));
  page::mass_matrix(data_, q.data(), M.data(), n);
  output("M", n, n, "mass matrix, both triangles [kg m^2, kg m, kg]", M);
}

void Recorder::coriolis_matrix() {
  const Symbols q = configuration(), v = rates();
  const Index n = model_.nv();
  Symbols C(static_cast<std::size_t>(n * n), Symbol(0.0));
  page::coriolis_matrix(data_, q.data(), v.data(), C.data(), n, false);
  output("C", n, n, "C v: velocity products of h; dM/dt - 2 C is skew [kg m^2/s, kg m/s, kg/s]", C);
}

void Recorder::inverse_dynamics_regressor() {
  const Symbols q = configuration(), v = rates(), a = rates("a");
  const Index n = model_.nv(), columns = page::k_link_parameters * data_.tree().links;
  Symbols Y(static_cast<std::size_t>(n * columns), Symbol(0.0));
  page::kinematics(data_, q.data(), v.data(), a.data());
  page::inverse_dynamics_regressor(data_, page::MatrixView<Symbol>{Y.data(), n, columns, columns, 1});
  output(
      "Y", n, columns,
      "Y p: inverse dynamics without rotors, dampers, springs; p of each link in turn: m, m c, I about its origin xx "
      "xy yy xz yz zz",
      Y);
}

// --- Frames ---------------------------------------------------------------------------------------------------------

void Recorder::pose() {
  const Symbols q = configuration();
  page::kinematics(data_, q.data());
  const Transform<Symbol> X = frame_pose();
  const Symbol zero(0.0), one(1.0);
  output("X", 4, 4, "pose of the frame in the world: [R p; 0 1] [m]",
         {X.R.r0.x, X.R.r0.y, X.R.r0.z, X.p.x, X.R.r1.x, X.R.r1.y, X.R.r1.z, X.p.y, X.R.r2.x, X.R.r2.y, X.R.r2.z, X.p.z,
          zero, zero, zero, one});
}

void Recorder::position() {
  const Symbols q = configuration();
  page::kinematics(data_, q.data());
  const Vec3<Symbol> p = frame_pose().p;
  output("p", 3, k_vector, "position of the frame in the world [m]", {p.x, p.y, p.z});
}

Symbols Recorder::seen(const Motion<Symbol>& m) const {
  Motion<Symbol> x = m;
  if (options_.axes) {
    const Mat3<Symbol> R = axes_of(options_.axes);
    x = {transpose_times(R, m.v), transpose_times(R, m.w)};
  }
  return {x.v.x, x.v.y, x.v.z, x.w.x, x.w.y, x.w.z};
}

void Recorder::velocity() {
  const Symbols q = configuration(), v = rates();
  page::kinematics(data_, q.data(), v.data());
  const Frame& f = frame();
  const auto view = page::point_of_view(data_, f.body.value, f.in_body, options_.reference);
  output("V", 6, k_vector, "velocity of the frame: linear, angular [m/s, rad/s]",
         seen(view.see(data_.velocity.twist[f.body.value])));
}

void Recorder::acceleration() {
  const Symbols q = configuration(), v = rates(), a = rates("a");
  page::kinematics(data_, q.data(), v.data(), a.data());
  const Frame& f = frame();
  const auto view = page::point_of_view(data_, f.body.value, f.in_body, options_.reference);
  const Motion<Symbol>& twist = data_.velocity.twist[f.body.value];
  Motion<Symbol> x = f.body.value == 0 ? Motion<Symbol>::zero() : page::body_acceleration(data_, f.body.value);
  if (options_.kind == AccelerationKind::classical) x.v += cross(twist.w, twist.v + cross(twist.w, view.point));
  output("A", 6, k_vector, "acceleration of the frame: linear, angular [m/s^2, rad/s^2]", seen(view.see(x)));
}

/// 6 x nv, row by row. Reads the columns of q.
Symbols Recorder::frame_jacobian(Reference reference) {
  const Index n = model_.nv();
  const Frame& f = frame();
  Symbols J(static_cast<std::size_t>(6 * n), Symbol(0.0));
  page::jacobian(data_, f.body.value, f.in_body, reference, page::MatrixView<Symbol>{J.data(), 6, n, n, 1});
  return J;
}

void Recorder::jacobian() {
  const Symbols q = configuration();
  page::columns(data_, q.data());
  const Index n = model_.nv();
  Symbols J = frame_jacobian(options_.reference);
  for (Index c = 0; options_.axes && c < n; ++c) {
    const auto at = [&](Index r) -> Symbol& { return J[static_cast<std::size_t>(r * n + c)]; };
    const Symbols x = seen({{at(0), at(1), at(2)}, {at(3), at(4), at(5)}});
    for (Index r = 0; r < 6; ++r) at(r) = x[static_cast<std::size_t>(r)];
  }
  output("J", 6, n, "Jacobian of the frame: V = J v, linear rows first [m, 1]", J);
}

/// Levenberg's step towards a pose:  dq = J^T (J J^T + lambda^2 1)^-1 e,  e: the way there in the frame's axes,
/// position and rotation vector.
void Recorder::inverse_kinematics_step() {
  const Symbols q = configuration(), target = input("target", 4, 4, "pose wanted in the world: [R p; 0 1] [m]");
  const Symbol damping = input("damping", 1, k_vector, "lambda of J^T (J J^T + lambda^2)^-1 e [m]")[0];
  page::columns(data_, q.data());
  const Transform<Symbol> X = frame_pose();
  const Transform<Symbol> wanted{
      {{target[0], target[1], target[2]}, {target[4], target[5], target[6]}, {target[8], target[9], target[10]}},
      {target[3], target[7], target[11]}};
  const Mat3<Symbol> turn = transpose(X.R) * wanted.R;
  const Vec3<Symbol> linear = transpose_times(X.R, wanted.p - X.p), angular = log_so3(turn);
  const Symbols e{linear.x, linear.y, linear.z, angular.x * one_of_rotation(turn), angular.y, angular.z};
  const Symbols J = frame_jacobian(Reference::local);
  const auto n = static_cast<std::size_t>(model_.nv());
  SymmetricFactor::Rows A(6, Symbols(6, Symbol(0.0)));
  Symbols diagonal, x = e;
  for (std::size_t r = 0; r < 6; ++r) {
    for (std::size_t c = 0; c <= r; ++c)
      for (std::size_t k = 0; k < n; ++k) A[r][c] += J[r * n + k] * J[c * n + k];
    A[r][r] += damping * damping;
    diagonal.push_back(A[r][r]);
  }
  const SymmetricFactor factor(A);
  singular_ = factor.is_singular(diagonal, options_.least_pivot);
  factor.solve(x);
  Symbols dq(n, Symbol(0.0));
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t r = 0; r < 6; ++r) dq[k] += J[r * n + k] * x[r];
  output("dq", model_.nv(), k_vector, "step: the next configuration is integrate(q, dq) [rad, m]", dq);
  output("error", 6, k_vector, "way to the pose in the axes of the frame: position, rotation vector [m, rad]", e);
}

void Recorder::centre_of_mass() {
  const Symbols q = configuration();
  page::kinematics(data_, q.data());
  const Vec3<Symbol> c = page::centre_of_mass(data_).position;
  output("c", 3, k_vector, "centre of mass of what moves [m]", {c.x, c.y, c.z});
}

// --- Configurations -------------------------------------------------------------------------------------------------

void Recorder::integrate() {
  const Symbols q = configuration(),
                d = input("dq", model_.nv(), k_vector, "difference, as velocities times a time [rad, m]");
  Symbols out(q.size());
  page::integrate(data_.tree(), q.data(), d.data(), out.data());
  output("q_next", model_.nq(), k_vector, "the configuration there [rad, m]", out);
}

void Recorder::difference() {
  const Symbols q0 = configuration("q0"), q1 = configuration("q1");
  Symbols d(static_cast<std::size_t>(model_.nv()));
  page::difference(data_.tree(), q0.data(), q1.data(), d.data());
  output("dq", model_.nv(), k_vector, "what takes q0 to q1 [rad, m]", d);
}

// --- Constraints ----------------------------------------------------------------------------------------------------

/// The rows of a constraint:  J a = b, b = beta - stabilisation - J' v.  Reads positions, velocities, columns.
void Recorder::append_rows(const Constraint& c, const Symbols& q, const Symbols& v, std::vector<Symbols>& J, Symbols& b,
                           Symbols& compliance) {
  const auto m = static_cast<std::size_t>(c.size());
  const std::size_t first = J.size();
  Symbols free(m, Symbol(0.0)), error(m, Symbol(0.0)), rate(m, Symbol(0.0));
  for (std::size_t r = 0; r < m; ++r) J.emplace_back(static_cast<std::size_t>(model_.nv()), Symbol(0.0));
  const auto add = [&](std::size_t r, Index body, const Force<Symbol>& K) {
    page::for_each_column_towards_root(data_.tree(), body, [&](Index k, Index) {
      const auto& column = data_.tree().column[k];
      J[first + r][static_cast<std::size_t>(column.v)] += dot(data_.articulated.column[k].s, K) * column.multiplier;
    });
    if (body > 0) rate[r] += dot(Motion<Symbol>(data_.velocity.twist[body]), K);
  };
  if (c.relation.value() != nullptr) {
    const RelationShape on = c.relation->shape();
    std::vector<Force<Symbol>> K(static_cast<std::size_t>(on.rows * on.body_count));
    evaluate(*c.relation->page(), data_, q.data(), v.data(), on,
             BasicRowValues<Symbol>{error.data(), free.data(), K.data(), nullptr});
    for (Index t = 0; t < on.body_count; ++t)
      for (std::size_t r = 0; r < m; ++r) {
        const Force<Symbol>& row = K[static_cast<std::size_t>(t) * m + r];
        add(r, on.bodies[t], row);
        if (on.bodies[t] == 0) continue;  // the ground does not move
        Motion<Symbol> a = data_.velocity.bias[on.bodies[t]];
        a.v += data_.gravity;
        free[r] += dot(a, row);
      }
  } else {
    const RowsOnBody& on = c.rows_on_body;
    const page::SeenRows<Symbol> seen(data_, on, c.acceleration);
    for (std::size_t r = 0; r < m; ++r) {
      const double* const k = &on.matrix[6 * r];
      Vec3<Symbol> f{k[0], k[1], k[2]}, n{k[3], k[4], k[5]};
      if (seen.turned) f = seen.A * f, n = seen.A * n;
      add(r, on.body, seen.wrench(f, n));
      free[r] = seen.bias(f, n);
    }
  }
  const Stabilisation& s = c.stabilisation;
  const double inverse_time = s.time_constant > 0 ? 1 / s.time_constant : 0;
  for (std::size_t r = 0; r < m; ++r) {
    if (!c.target.empty()) error[r] -= Symbol(c.target[r]);
    if (!c.target_velocity.empty()) rate[r] -= Symbol(c.target_velocity[r]);
    b.push_back(Symbol(c.beta[r]) - page::stabilisation(error[r], rate[r], inverse_time, s.damping_ratio) - free[r]);
    compliance.push_back(c.policy == Policy::soft ? Symbol(c.compliance[c.compliance.size() == 1 ? 0 : r])
                                                  : Symbol(0.0));
  }
}

/// Gauss' principle by the range space (Khatib 1987):
///   (J M^-1 J^T + R) lambda = b - J a_free,   a = a_free + M^-1 J^T lambda,   a_free = M^-1 (tau - h)
void Recorder::constrained_dynamics() {
  const Symbols q = configuration(), v = rates(), tau = rates("tau");
  const auto n = static_cast<std::size_t>(model_.nv());
  take_wrenches(q);
  const Symbols h = inverse(q, v, Symbols(n, Symbol(0.0)));
  Symbols flat(n * n, Symbol(0.0));
  page::mass_matrix(data_, q.data(), flat.data(), model_.nv());
  page::kinematics(data_, q.data(), v.data());
  page::columns(data_, q.data());
  page::kinematics(data_, q.data(), v.data());
  std::vector<Symbols> J;
  Symbols b, compliance;
  for (const Constraint& c : options_.constraints->constraints())
    if (c.active) append_rows(c, q, v, J, b, compliance);

  SymmetricFactor::Rows M(n, Symbols(n, Symbol(0.0)));
  Symbols inertia, a(n), gross(n, Symbol(0.0));
  for (Index k = 0; k < data_.tree().spanning_nv; ++k) {
    const auto& column = data_.tree().column[k];
    gross[static_cast<std::size_t>(column.v)] += cancelling(k) * Symbol(column.multiplier * column.multiplier);
  }
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c <= r; ++c) M[r][c] = flat[r * n + c];
    inertia.push_back(M[r][r]);
    a[r] = tau[r] - h[r];
  }
  const SymmetricFactor mass(M);
  mass.solve(a);
  std::vector<Symbols> half = J;
  for (Symbols& row : half) mass.half(row);
  SymmetricFactor::Rows G(J.size(), Symbols(J.size(), Symbol(0.0)));
  Symbols diagonal, lambda = b;
  for (std::size_t r = 0; r < J.size(); ++r) {
    for (std::size_t c = 0; c <= r; ++c) G[r][c] = mass.product(half[r], half[c]);
    G[r][r] += compliance[r];
    diagonal.push_back(G[r][r]);
    for (std::size_t k = 0; k < n; ++k) lambda[r] -= J[r][k] * a[k];
  }
  const SymmetricFactor rows(G);
  singular_ = mass.is_singular(inertia, options_.least_pivot) | mass.is_singular(gross, least_share_) |
              rows.is_singular(diagonal, options_.least_pivot);
  rows.solve(lambda);
  Symbols force(n, Symbol(0.0));
  for (std::size_t r = 0; r < J.size(); ++r)
    for (std::size_t k = 0; k < n; ++k) force[k] += J[r][k] * lambda[r];
  mass.solve(force);
  for (std::size_t k = 0; k < n; ++k) a[k] += force[k];
  output("a", model_.nv(), k_vector, "accelerations [rad/s^2, m/s^2]", a);
  output("multipliers", static_cast<Index>(J.size()), k_vector,
         "of the rows, in their order in the set: J^T multipliers acts", lambda);
}

// --- The formula ----------------------------------------------------------------------------------------------------

Formula Recorder::finish(const std::string& function) {
  return prune({function, record_.nodes(), std::move(inputs_), std::move(outputs_), singular_.node});
}

}  // namespace zwang::codegen
