// SPDX-License-Identifier: BSD-3-Clause
// Mobility: the public calls.
#include "zwang/question/mobility.hpp"

#include <algorithm>
#include <cmath>

#include "algorithm/support.hpp"
#include "question/mobility/mobility_parts.hpp"
#include "rows/check_constraint.hpp"
#include "zwang/core/strips.hpp"
#include "zwang/question/constrained_inverse_dynamics.hpp"

namespace zwang {
namespace {

constexpr double k_zero = 1e-9;    ///< length of a row of a frame's Jacobian, scaled: below, it does not move
constexpr double k_motors = 1e-9;  ///< smallest angle between rows of motors and of a frame, if no tolerance is given

MobilityParts& ready(const Owned<MobilityParts>& parts, const char* function) {
  if (parts == nullptr) throw std::logic_error(std::string(function) + ": this object was moved from");
  return *parts;
}
/// Rows that depend on rows before them, and on which.
void report_dependencies(MobilityParts& p, MobilityReport& r) {
  const Index circuits = p.row_rank.find_circuits();
  Index next = 0;  // they come in the order of their last rows
  for (Index k = 0; k < p.count; ++k) {
    const Index i = p.hard[k];
    const std::string& name = p.rows.constraint_of(i).name;
    if (r.loops.empty() || r.loops.back().name != name) r.loops.push_back({name, 0, 0});
    ++r.loops.back().rows;
    if (next == circuits || !p.row_rank.ends(next, i)) continue;
    ++r.loops.back().redundant;
    r.redundant.emplace_back(p.rows.name(i));
    std::vector<RowTerm>& terms = r.dependencies.emplace_back();
    for (Index j = 0; j <= k; ++j)
      if (const double c = p.row_rank.coefficient(next, p.hard[j]); c != 0)
        terms.push_back({std::string(p.rows.name(p.hard[j])), c});
    ++next;
  }
  std::erase_if(r.loops, [](const RedundantConstraint& c) { return c.redundant == 0; });
}

/// The complement of the rows, in the coordinates' own units, orthonormal.
void report_basis(MobilityParts& p, MobilityReport& r) {
  const Index n = p.rows.nv;
  p.span.complete();
  r.basis.assign(static_cast<std::size_t>(n * r.mobility), 0.0);
  for (Index k = 0; k < r.mobility; ++k) {
    double* const u = r.basis.data() + k * n;
    for (Index c = 0; c < n; ++c) u[c] = p.column_scale[c] * p.span.basis(r.rank + k)[c];
    for (int twice = 0; twice < 2; ++twice) {
      for (Index j = 0; j < k; ++j) {
        const double* const other = r.basis.data() + j * n;
        subtract_multiple(n, dot(n, other, u), other, u);
      }
      const double length = std::sqrt(dot(n, u, u));
      for (Index c = 0; c < n; ++c) u[c] /= length;
    }
  }
}

void begin(MobilityParts& p, const double* q) {
  p.scaled = false;
  p.evaluate(q, true);
  detail::check_result(p.rows.jacobian.data(), p.rows.rows * p.rows.nv, "mobility");
  p.find_rank();
}

}  // namespace

Mobility::Mobility(const Model& model, const ConstraintSet& constraints, const MobilitySettings& settings) {
  check_model("Mobility", model, constraints);
  if (!(settings.tolerance >= 0 && settings.tolerance < 1))
    throw std::invalid_argument("Mobility: tolerance is relative, in [0, 1); got " +
                                std::to_string(settings.tolerance));
  if (settings.samples < 0) throw std::invalid_argument("Mobility: samples is negative");
  if (!(settings.step > 0) || !is_finite(settings.step))
    throw std::invalid_argument("Mobility: step is not a positive number");
  parts_ = make_owned<MobilityParts>(model, constraints, settings);
}
Mobility::Mobility(Mobility&&) noexcept = default;
Mobility& Mobility::operator=(Mobility&&) noexcept = default;
Mobility::~Mobility() = default;

MobilityReport Mobility::at(VectorIn q) {
  MobilityParts& p = ready(parts_, "Mobility::at");
  detail::check_q(p.rows.problem.state.data.model(), q, "mobility");
  begin(p, q.data());
  MobilityReport r;
  const Index n = r.coordinates = p.rows.nv;
  r.rows = p.count;
  r.rank = p.span.rank();
  r.mobility = n - r.rank;
  r.count = n - r.rows;
  r.closure = p.closure();
  for (Index i = 0; i < p.rows.rows; ++i)
    if (p.open[i]) r.open.emplace_back(p.rows.name(i));
  report_dependencies(p, r);
  report_basis(p, r);
  p.scaled_rows();
  p.singular_values(p.count, n, r.singular_values);
  if (r.rank > 0) r.smallest_singular_value = r.singular_values[static_cast<std::size_t>(r.rank - 1)];
  if (p.settings.samples > 0) p.sample(r, q.data());
  return r;
}

PathMobility Mobility::along(MatrixIn q) {
  MobilityParts& p = ready(parts_, "Mobility::along");
  const Model& model = p.rows.problem.state.data.model();
  if (q.rows() != model.nq())
    detail::throw_size("mobility", "q (rows)", static_cast<long>(q.rows()), static_cast<long>(model.nq()));
  PathMobility r;
  std::vector<std::vector<double>> values;
  struct Alike {  // configurations at which the same rows count
    std::vector<Index> rows;
    Index rank;
  };
  std::vector<Alike> sets;
  std::vector<std::size_t> set_of;
  for (Eigen::Index k = 0; k < q.cols(); ++k) {
    check_configuration(model, q.data() + k * q.outerStride(), model.nq(), "mobility");
    begin(p, q.data() + k * q.outerStride());
    const Index rank = p.span.rank();
    r.rank = std::max(r.rank, rank);
    const std::vector<Index> rows(p.hard.data(), p.hard.data() + p.count);
    const auto at = std::find_if(sets.begin(), sets.end(), [&](const Alike& s) { return s.rows == rows; });
    set_of.push_back(static_cast<std::size_t>(at - sets.begin()));
    if (at == sets.end()) sets.push_back({rows, 0});
    sets[set_of.back()].rank = std::max(sets[set_of.back()].rank, rank);
    r.ranks.push_back(rank);
    r.mobility.push_back(p.rows.nv - rank);
    p.scaled_rows();
    p.singular_values(p.count, p.rows.nv, values.emplace_back());
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Index most = sets[set_of[k]].rank;
    r.singular.push_back(r.ranks[k] < most);
    r.smallest_singular_value.push_back(most == 0 ? 0 : values[k][static_cast<std::size_t>(most - 1)]);
  }
  return r;
}

ActuatedJacobian Mobility::jacobian(VectorIn q, FrameIn frame, const std::vector<std::string>& actuated,
                                    Reference reference) {
  MobilityParts& p = ready(parts_, "Mobility::jacobian");
  const Model& model = p.rows.problem.state.data.model();
  detail::check_q(model, q, "mobility");
  const std::vector<bool> motor = actuated.empty() ? model.actuated() : actuated_coordinates(model, actuated);
  const Index n = p.rows.nv;
  begin(p, q.data());
  p.span.complete();
  const Index rank = p.span.rank(), free = n - rank;
  const dense::RowSpan of_rows = p.span;
  ActuatedJacobian r;
  r.mobility = free;
  std::vector<double> J(static_cast<std::size_t>(6 * n));
  Eigen::Map<Eigen::MatrixXd> whole(J.data(), 6, n);
  zwang::jacobian(model, p.rows.problem.state.data, q, frame, reference, whole);
  std::vector<Index> inputs;
  for (Index c = 0; c < n; ++c)
    if (motor[static_cast<std::size_t>(c)]) {
      inputs.push_back(c);
      r.names.push_back(model.coordinate_names()[static_cast<std::size_t>(c)]);
    }
  r.inputs = static_cast<Index>(inputs.size());
  // Rows over the free motions: rates of motors, twist of the frame; both scaled.
  const double noise = p.settings.tolerance > 0 ? p.settings.tolerance : k_motors;
  double* const inward = p.matrix.data();
  std::vector<double> outward(static_cast<std::size_t>(6 * free)), row(static_cast<std::size_t>(n));
  for (Index k = 0; k < r.inputs; ++k)
    for (Index y = 0; y < free; ++y)
      inward[k * free + y] = of_rows.basis(rank + y)[inputs[static_cast<std::size_t>(k)]];
  double size[6];
  for (Index d = 0; d < 6; ++d) {
    for (Index c = 0; c < n; ++c) row[static_cast<std::size_t>(c)] = whole(d, c) * p.column_scale[c];
    size[d] = std::sqrt(dot(n, row.data(), row.data()));
    for (Index y = 0; y < free; ++y)
      outward[static_cast<std::size_t>(d * free + y)] =
          size[d] > k_zero ? dot(n, row.data(), of_rows.basis(rank + y)) / size[d] : 0.0;
  }
  dense::RowSpan in(r.inputs + 6, free), out(6, free);
  in.begin(free);
  out.begin(free);
  for (Index k = 0; k < r.inputs; ++k)
    in.add(inward + k * free, noise, 1 / p.column_scale[inputs[static_cast<std::size_t>(k)]]);
  const Index controlled = in.rank();
  for (Index d = 0; d < 6; ++d) out.add(outward.data() + d * free, noise);
  r.numbers.assign(static_cast<std::size_t>(6 * r.inputs), 0.0);
  std::vector<double> b(static_cast<std::size_t>(r.inputs)), y(static_cast<std::size_t>(std::max<Index>(free, 1)));
  for (Index k = 0; k < r.inputs; ++k) {
    std::fill(b.begin(), b.end(), 0.0);
    b[static_cast<std::size_t>(k)] = 1 / p.column_scale[inputs[static_cast<std::size_t>(k)]];
    in.solve(1, b.data(), y.data());
    for (Index d = 0; d < 6; ++d)
      r.numbers[static_cast<std::size_t>(6 * k + d)] = size[d] * dot(free, outward.data() + d * free, y.data());
  }
  for (Index d = 0; d < 6; ++d) in.add(outward.data() + d * free, noise);
  const Index both = in.rank();
  r.passive = free - both;
  r.lost = both - out.rank();
  r.uncontrolled = both - controlled;
  r.dependent_inputs = r.inputs - controlled;
  std::vector<double> values;
  const auto smallest = [&](Index height) {
    p.singular_values(height, free, values);
    return both > 0 && static_cast<std::size_t>(both) <= values.size() ? values[static_cast<std::size_t>(both - 1)]
                                                                       : 0.0;
  };
  r.input_singular_value = smallest(r.inputs);
  std::copy(outward.begin(), outward.end(), p.matrix.data());
  r.output_singular_value = smallest(6);
  return r;
}

}  // namespace zwang
