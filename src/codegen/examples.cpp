// SPDX-License-Identifier: BSD-3-Clause
#include "codegen/examples.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "codegen/joint_lines.hpp"
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/core/error.hpp"
#include "zwang/core/random.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/data.hpp"
#include "zwang/solve/solver.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::codegen {
namespace {

using Numbers = std::vector<double>;
using Vector = Eigen::Map<Eigen::VectorXd>;

Vector as_vector(Numbers& x) { return {x.data(), static_cast<Eigen::Index>(x.size())}; }
void put(const double* first, Index size, Numbers& out) { out.insert(out.end(), first, first + size); }
void put(const VectorView& x, Numbers& out) { put(x.data(), static_cast<Index>(x.size()), out); }
void put(const Vec3<double>& x, Numbers& out) { out.insert(out.end(), {x.x, x.y, x.z}); }
void put(const Transform<double>& X, Numbers& out) {
  for (int r = 0; r < 3; ++r) out.insert(out.end(), {X.R[r][0], X.R[r][1], X.R[r][2], X.p[r]});
  out.insert(out.end(), {0, 0, 0, 1});
}

/// The last column becomes the solution: Gauss-Jordan with the largest entry of a column as its pivot.
void solve(double (&A)[6][7]) {
  for (int k = 0; k < 6; ++k) {
    int pivot = k;
    for (int r = k; r < 6; ++r)
      if (std::fabs(A[r][k]) > std::fabs(A[pivot][k])) pivot = r;
    std::swap(A[k], A[pivot]);
    for (int r = 0; r < 6; ++r) {
      const double factor = r == k ? 0 : A[r][k] / A[k][k];
      for (int c = k; c < 7; ++c) A[r][c] -= factor * A[k][c];
    }
  }
  for (int k = 0; k < 6; ++k) A[k][6] /= A[k][k];
}

/// The library's call for a formula.
class Call {
 public:
  Call(const Model& model, const Formula& formula, const FormulaOptions& options)
      : model_(model),
        function_(formula.function),
        options_(options),
        data_(model) {
    if (options.gravity) data_.gravity = *options.gravity;
    if (function_ != "constrained_dynamics") return;
    SolverSettings settings;
    settings.joint_effects = options.effects;
    solver_.emplace(model, *options.constraints, settings);
  }

  /// Inputs and results at one random state; false where the library has no answer there.
  bool at(std::uint64_t seed, const Formula& formula, Example& out) {
    Random random(seed, 1);
    Numbers result;
    x_.clear();
    for (const FormulaArgument& argument : formula.inputs) {
      Numbers& x = x_.emplace_back(static_cast<std::size_t>(argument.size()));
      if (argument.name[0] == 'q')
        zwang::random(model_, random.integer(1u << 30), as_vector(x));
      else
        for (double& entry : x) entry = random.uniform(-1, 1);
    }
    if (function_ == "inverse_kinematics_step") aim(random);
    read_wrenches(formula);
    if (!call(result)) return false;
    out = {};
    for (const Numbers& x : x_) put(x.data(), static_cast<Index>(x.size()), out.inputs);
    out.outputs = std::move(result);
    return true;
  }

 private:
  Vector x(std::size_t k) { return as_vector(x_[k]); }

  /// A target that some configuration reaches, and a damping that is one.
  void aim(Random& random) {
    Numbers q(x_[0].size()), X;
    zwang::random(model_, random.integer(1u << 30), as_vector(q));
    put(frame_pose(model_, data_, as_vector(q), options_.frame), X);
    x_[1] = X;
    x_[2][0] = random.uniform(0.05, 0.5);
  }
  /// Six numbers each, behind the other inputs, of functions that take them.
  void read_wrenches(const Formula& formula) {
    external_.clear();
    for (std::size_t k = 0; k < options_.wrenches.size(); ++k) {
      const std::size_t first = x_.size() - options_.wrenches.size();
      if (formula.inputs.back().name.rfind("wrench_", 0) != 0) return;
      const Numbers& w = x_[first + k];
      Force<double> wrench{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}};
      if (options_.wrench_axes) {
        const Mat3<double> R = frame_pose(model_, data_, x(0), options_.wrench_axes).R;
        wrench = {R * wrench.f, R * wrench.n};
      }
      external_.push_back(external_wrench(model_, options_.wrenches[k], wrench, options_.wrenches_in));
    }
  }
  void put_turned(const Motion<double>& m, Numbers& out) {
    Motion<double> seen = m;
    if (options_.axes) {
      const Mat3<double> R = frame_pose(model_, data_, x(0), options_.axes).R;
      seen = {transpose_times(R, m.v), transpose_times(R, m.w)};
    }
    put(seen.v, out), put(seen.w, out);
  }
  /// rows x columns numbers that `fill` writes, row by row.
  template <class F> void put_matrix(Index rows, Index columns, Numbers& out, F&& fill) {
    Numbers memory(static_cast<std::size_t>(rows * columns));
    Eigen::Map<Eigen::MatrixXd> matrix(memory.data(), rows, columns);
    fill(matrix);
    for (Index r = 0; r < rows; ++r)
      for (Index c = 0; c < columns; ++c) out.push_back(matrix(r, c));
  }
  void put_jacobian(Numbers& out) {
    const Index n = model_.nv();
    put_matrix(6, n, out,
               [&](MatrixOut J) { zwang::jacobian(model_, data_, x(0), options_.frame, options_.reference, J); });
    if (!options_.axes) return;
    for (Index c = 0; c < n; ++c) {
      const auto at = [&](Index r) { return out[static_cast<std::size_t>(r * n + c)]; };
      Numbers column;
      put_turned({{at(0), at(1), at(2)}, {at(3), at(4), at(5)}}, column);
      for (Index r = 0; r < 6; ++r) out[static_cast<std::size_t>(r * n + c)] = column[static_cast<std::size_t>(r)];
    }
  }
  void put_kinematics_step(Numbers& out) {
    const Numbers& X = x_[1];
    const Transform<double> here = frame_pose(model_, data_, x(0), options_.frame);
    const Mat3<double> R{{X[0], X[1], X[2]}, {X[4], X[5], X[6]}, {X[8], X[9], X[10]}};
    const Vec3<double> linear = transpose_times(here.R, Vec3<double>{X[3], X[7], X[11]} - here.p),
                       angular = log_so3(transpose(here.R) * R);
    const double e[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    const auto n = static_cast<std::size_t>(model_.nv());
    Numbers J(6 * n);  // column by column
    zwang::jacobian(model_, data_, x(0), options_.frame, Reference::local,
                    Eigen::Map<Eigen::MatrixXd>(J.data(), 6, model_.nv()));
    double A[6][7];  // [J J^T + lambda^2 1 | e]
    for (std::size_t r = 0; r < 6; ++r) {
      for (std::size_t c = 0; c < 6; ++c) {
        A[r][c] = r == c ? x_[2][0] * x_[2][0] : 0;
        for (std::size_t k = 0; k < n; ++k) A[r][c] += J[6 * k + r] * J[6 * k + c];
      }
      A[r][6] = e[r];
    }
    solve(A);
    for (std::size_t k = 0; k < n; ++k) {
      double step = 0;
      for (std::size_t r = 0; r < 6; ++r) step += J[6 * k + r] * A[r][6];
      out.push_back(step);
    }
    put(e, 6, out);
  }
  bool put_solution(Numbers& out) {
    SolveInput input{x_[0], x_[1], x_[2]};
    input.external = &external_;
    const Solution& s = solver_->try_solve(input);
    if (s.report.status != Status::ok || !s.report.redundant.empty()) return false;
    put(s.acceleration, out);
    std::size_t k = 0;
    for (const Constraint& c : options_.constraints->constraints())
      for (Index r = 0; r < c.size(); ++r, ++k)
        if (c.active) out.push_back(s.multipliers[static_cast<Eigen::Index>(k)]);
    return true;
  }

  bool call(Numbers& out) {
    const JointEffects& e = options_.effects;
    const Index n = model_.nv();
    const std::string& frame = options_.frame;
    const auto is = [&](const char* name) { return function_ == name; };
    if (is("inverse_dynamics")) {
      put(zwang::inverse_dynamics(model_, data_, x(0), x(1), x(2), external_, e), out);
    } else if (is("forward_dynamics")) {
      put(zwang::forward_dynamics(model_, data_, x(0), x(1), x(2), external_, e), out);
    } else if (is("constrained_dynamics")) {
      return put_solution(out);
    } else if (is("bias_forces")) {
      put(zwang::bias_forces(model_, data_, x(0), x(1), external_, e), out);
    } else if (is("gravity_forces")) {
      put(zwang::gravity_forces(model_, data_, x(0)), out);
    } else if (is("mass_matrix")) {
      put_matrix(n, n, out, [&](MatrixOut M) { zwang::mass_matrix(model_, data_, x(0), M, e); });
    } else if (is("coriolis_matrix")) {
      put_matrix(n, n, out, [&](MatrixOut C) { zwang::coriolis_matrix(model_, data_, x(0), x(1), C); });
    } else if (is("inverse_dynamics_regressor")) {
      put_matrix(n, 10 * static_cast<Index>(model_.links().size()), out,
                 [&](MatrixOut Y) { zwang::inverse_dynamics_regressor(model_, data_, x(0), x(1), x(2), Y); });
    } else if (is("pose")) {
      put(frame_pose(model_, data_, x(0), frame), out);
    } else if (is("position")) {
      put(frame_pose(model_, data_, x(0), frame).p, out);
    } else if (is("velocity")) {
      put_turned(frame_velocity(model_, data_, x(0), x(1), frame, options_.reference), out);
    } else if (is("acceleration")) {
      put_turned(frame_acceleration(model_, data_, x(0), x(1), x(2), frame, options_.kind, options_.reference), out);
    } else if (is("jacobian")) {
      put_jacobian(out);
    } else if (is("inverse_kinematics_step")) {
      put_kinematics_step(out);
    } else if (is("centre_of_mass")) {
      put(zwang::centre_of_mass(model_, data_, x(0)), out);
    } else if (is("integrate")) {
      Numbers result(static_cast<std::size_t>(model_.nq()));
      zwang::integrate(model_, x(0), x(1), as_vector(result));
      put(result.data(), model_.nq(), out);
    } else if (is("difference")) {
      Numbers result(static_cast<std::size_t>(n));
      zwang::difference(model_, x(0), x(1), as_vector(result));
      put(result.data(), n, out);
    } else {
      throw std::logic_error("generate: the library's call of " + function_ + " is not known");
    }
    return true;
  }

  const Model& model_;
  std::string function_;
  const FormulaOptions& options_;
  Data data_;
  std::vector<Numbers> x_;  ///< the arguments
  Externals external_;
  std::optional<Solver> solver_;
};

}  // namespace

namespace {

double scale_of(const Formula& formula, const Example& example) {
  double largest = 0;
  for (const double x : example.outputs) largest = std::fmax(largest, std::fabs(x));
  if (formula.singular != 0) return largest > 0 ? largest : 1;  // 0: of a frame that nothing moves
  Formula whole = formula;
  whole.outputs.resize(1);
  whole.outputs[0].nodes.clear();
  for (std::size_t k = 0; k < formula.nodes.size(); ++k)
    if (formula.nodes[k].operation > Operation::input) whole.outputs[0].nodes.push_back(static_cast<int>(k));
  for (const double x : evaluate(whole, example.inputs))  // a side of a selection that is not taken may be infinite
    if (std::isfinite(x)) largest = std::fmax(largest, std::fabs(x) / 10);
  return largest > 0 ? largest : 1;
}

/// A pivot of M = L^T D L is not twice as large as the smallest that counts: those near the limit are left alone.
bool has_small_pivots(const Model& model, const FormulaOptions& options, Numbers q) {
  const auto n = static_cast<std::size_t>(model.nv());
  q.resize(static_cast<std::size_t>(model.nq()));
  Data data(model);
  Numbers M(n * n);
  zwang::mass_matrix(model, data, as_vector(q), Eigen::Map<Eigen::MatrixXd>(M.data(), model.nv(), model.nv()),
                     options.effects);
  const Numbers whole = M;
  bool small = false;
  for (std::size_t k = n; k-- > 0;) {
    small = small || !(M[k * n + k] > 2 * options.least_pivot * whole[k * n + k]);
    for (std::size_t i = 0; i < k; ++i)
      for (std::size_t j = 0; j <= i; ++j) M[i * n + j] -= M[k * n + i] * M[k * n + j] / M[k * n + k];
  }
  return small;
}

}  // namespace

bool is_singular(const Formula& formula, const std::vector<double>& inputs) {
  if (formula.singular == 0) return false;
  Formula status = formula;
  status.outputs = {{"singular", 1, 1, false, "", {formula.singular}}};
  return evaluate(status, inputs)[0] != 0;
}

double difference(const std::vector<double>& outputs, const Example& example) {
  double worst = outputs.size() == example.outputs.size() ? 0 : HUGE_VAL;
  for (std::size_t k = 0; k < std::min(outputs.size(), example.outputs.size()); ++k) {
    const double d = std::fabs(outputs[k] - example.outputs[k]);
    worst = std::fmax(worst, std::isfinite(d) ? d : HUGE_VAL);
  }
  return worst == 0 ? 0 : worst / example.scale;
}

std::vector<Example> examples(const Model& model, const Formula& formula, const FormulaOptions& options, int count,
                              Pivots pivots) {
  Call call(model, formula, options);
  const bool of_loops = pivots == Pivots::of_mass_matrix && formula.function == "forward_dynamics";
  const std::vector<bool> slides = without_turning(model.tree<double>());
  // Loops keep digits behind joints that slide, which the formula doubts.
  const bool has_doubt = !of_loops || std::count(slides.begin(), slides.end(), true) == 1;
  std::vector<Example> all;
  Example next;
  int unanswered = 0, small = 0;
  for (std::uint64_t seed = 1; unanswered + small <= count / 2 && static_cast<int>(all.size()) < count; ++seed)
    if (!call.at(seed, formula, next)) {
      ++unanswered;
    } else if ((has_doubt && is_singular(formula, next.inputs)) ||
               (of_loops && has_small_pivots(model, options, next.inputs))) {
      ++small;
    } else {
      next.scale = scale_of(formula, next);
      all.push_back(next);
    }
  if (static_cast<int>(all.size()) == count) return all;
  const std::string at = "E_UNSUPPORTED generate: " + formula.function + ": at most of " +
                         std::to_string(all.size() + static_cast<std::size_t>(unanswered + small)) + " random states ";
  if (unanswered > small)
    throw UnsupportedError(
        at +
        "rows depend on each other, have no solution, or a coordinate has no inertia; a formula is for "
        "rows of full rank");
  throw UnsupportedError(at + "a pivot is too small: more digits are lost than a formula may lose without a word");
}

}  // namespace zwang::codegen
