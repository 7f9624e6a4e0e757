// SPDX-License-Identifier: BSD-3-Clause
#include "algorithm/serial_chain.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "zwang/core/error.hpp"
#include "zwang/core/random.hpp"
#include "zwang/model/joint_types.hpp"

namespace zwang {
namespace {

constexpr double k_full_turn = 2 * std::numbers::pi;
constexpr Index k_table = 1024;  // denser tables cost more to scan than they save in steps
constexpr std::uint64_t k_table_seed = 0x7ab1e;

Transform<double> screw(double angle, double travel) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {Mat3<double>{Vec3<double>{c, -s, 0}, Vec3<double>{s, c, 0}, Vec3<double>{0, 0, 1}}, {0, 0, travel}};
}

/// Bodies from `a` up to the common ancestor, without it; and down to `b`.
void path_between(const Tree<double>& tree, Index a, Index b, std::vector<Index>& up, std::vector<Index>& down) {
  while (a != b) {
    if (a > b) {  // a child has a larger number than its parent
      up.push_back(a);
      a = tree.body[a].parent;
    } else {
      down.push_back(b);
      b = tree.body[b].parent;
    }
  }
  std::reverse(down.begin(), down.end());
}

const Joint& joint_of_body(const Model& model, Index body) {
  for (const Joint& j : model.joints())
    if (!j.lumped && j.body.value == body) return j;
  throw std::logic_error("SerialInverseKinematics: body " + std::to_string(body) + " has no joint");
}

[[noreturn]] void refuse(const Model& model, Index body, const std::string& why) {
  const Joint& j = joint_of_body(model, body);
  throw UnsupportedError("SerialInverseKinematics: joint '" + j.name + "' (" + j.type + ") between base and tip " +
                         why + "; InverseKinematics takes any joints");
}

}  // namespace

ChainOfModel::ChainOfModel(const Model& model, const Frame& base, const Frame& tip, const LimitsKept& limits,
                           bool repeated)
    : pending_(inverse(base.in_body)) {
  const Tree<double>& tree = model.tree<double>();
  std::vector<Index> up, down;
  path_between(tree, base.body.value, tip.body.value, up, down);
  for (const Index body : up) {
    add_joint(model, body, true, repeated);
    pending_ = pending_ * inverse(tree.body[body].placement);
  }
  for (const Index body : down) {
    pending_ = pending_ * tree.body[body].placement;
    add_joint(model, body, false, repeated);
  }
  if (joints_.empty())
    throw std::invalid_argument("SerialInverseKinematics: no joint is between base '" + base.name + "' and tip '" +
                                tip.name + "'");
  placements_.push_back(pending_ * tip.in_body);
  close(model, limits);
  draw_table(model);
}

void ChainOfModel::add_joint(const Model& model, Index body, bool upwards, bool repeated) {
  const Tree<double>& tree = model.tree<double>();
  const Body<double>& b = tree.body[body];
  if (b.nv == 0) return;
  const bool turns = b.kind == kind_of<Revolute> || b.kind == kind_of<RevoluteUnbounded> || b.kind == kind_of<Helical>;
  if (!turns && b.kind != kind_of<Prismatic>) refuse(model, body, "has not one freedom about or along a fixed axis");
  if (chain_.joints == SerialChain::k_most_joints)
    throw UnsupportedError("SerialInverseKinematics: more than " + std::to_string(SerialChain::k_most_joints) +
                           " joints are between base and tip; InverseKinematics takes any number");
  ChainJoint j{b.q, tree.column[b.v].v, 0, b.kind == kind_of<RevoluteUnbounded>};
  double factor = 1;
  if (tree.mimic) {
    factor = tree.q_multiplier[b.q];
    j.offset = tree.q_offset[b.q];
    j.q = tree.q_source[b.q];
  }
  if (factor == 0) { refuse(model, body, "does not move with its coordinate"); }
  for (const ChainJoint& other : joints_)
    if (other.v == j.v && !repeated) refuse(model, body, "shares its coordinate with another one there");
  const double way = upwards ? -1 : 1;
  const double travel = b.kind == kind_of<Prismatic> ? 1 : b.kind == kind_of<Helical> ? b.parameters[0] : 0;
  if (j.offset != 0) pending_ = pending_ * screw(turns ? way * j.offset : 0, way * travel * j.offset);
  const Index i = chain_.joints++;
  chain_.turn[i] = turns ? way * factor : 0;
  chain_.slide[i] = way * travel * factor;
  joints_.push_back(j);
  coordinates_.push_back(j.v);
  placements_.push_back(pending_);
  pending_ = Transform<double>::identity();
}

/// Limits, lengths, placements.
void ChainOfModel::close(const Model& model, const LimitsKept& limits) {
  const Index n = chain_.joints;
  for (Index i = 0; i <= n; ++i) {
    const Transform<double>& P = placements_[static_cast<std::size_t>(i)];
    for (int r = 0; r < 3; ++r) {
      for (int k = 0; k < 3; ++k) chain_.placement[i][3 * r + k] = P.R(r, k);
      chain_.placement[i][9 + r] = P.p[r];
    }
    if (i > 0) chain_.reach += norm(P.p);
  }
  const double links = chain_.reach;
  for (Index i = 0; i < n; ++i) {
    const ChainJoint& j = joints_[static_cast<std::size_t>(i)];
    const double low = model.lower()[static_cast<std::size_t>(j.q)],
                 high = model.upper()[static_cast<std::size_t>(j.q)];
    if (!j.circle) limits.read(low, high, chain_.lower[i], chain_.upper[i]);
    if (chain_.slide[i] != 0)
      chain_.reach += std::fabs(chain_.slide[i]) * std::max(std::fabs(chain_.lower[i]), std::fabs(chain_.upper[i]));
    if (chain_.slide[i] != 0 || chain_.turn[i] == 0) continue;
    const double turn = k_full_turn / std::fabs(chain_.turn[i]), range = chain_.upper[i] - chain_.lower[i];
    if (range > turn) chain_.period[i] = turn;
    chain_.wraps = chain_.wraps || (range > turn && std::isfinite(range));
  }
  // Slides alone: what is between their limits, which is reach now.
  chain_.length = links > 0 ? links : chain_.reach > 0 && std::isfinite(chain_.reach) ? chain_.reach : 1;
  chain_.first_turns = chain_.slide[0] == 0;
  chain_.last_turns = chain_.slide[n - 1] == 0;
}

/// Random configurations within the limits; where a joint has none, within half a turn or the length of the links.
void ChainOfModel::draw_table(const Model& model) {
  constexpr Index most = SerialChain::k_most_joints, side = SerialChain::k_side;
  key_ = Buffer<float>(6 * k_table);
  azimuth_ = Buffer<double>(k_table);
  start_ = Buffer<double>(most * k_table);
  double low[most] = {}, high[most] = {};
  for (Index i = 0; i < chain_.joints; ++i) {
    const auto q = static_cast<std::size_t>(joints_[static_cast<std::size_t>(i)].q);
    const bool circle = joints_[static_cast<std::size_t>(i)].circle;
    const double half = chain_.turn[i] != 0 ? std::numbers::pi / std::fabs(chain_.turn[i]) : chain_.length;
    low[i] = circle ? -half : model.lower()[q];  // also where limits do not count: they say where the joint is used
    high[i] = circle ? half : model.upper()[q];
    const bool below = std::isfinite(low[i]), above = std::isfinite(high[i]);
    if (!below) low[i] = above ? high[i] - 2 * half : -half;
    if (!above) high[i] = low[i] + 2 * half;
  }
  const ChainKernels& kernels = chain_kernels();
  for (Index k = 0; k < k_table; ++k) {
    Random numbers(k_table_seed, static_cast<std::uint64_t>(k));
    double* const x = &start_[k * most];
    for (Index i = 0; i < chain_.joints; ++i) x[i] = numbers.uniform(low[i], high[i]);
    alignas(64) double at[most];
    std::copy_n(x, most, at);
    if (chain_.first_turns) at[0] = 0;
    float key[6];
    kernels.key(chain_, at, key, &azimuth_[k]);
    for (Index e = 0; e < 6; ++e) key_[(k / side * 6 + e) * side + k % side] = key[e];
  }
  chain_.seeds = k_table;
  chain_.key = key_.data();
  chain_.azimuth = azimuth_.data();
  chain_.start = start_.data();
}

double ChainOfModel::value_of(const ChainJoint& j, const double* q) {
  return j.circle ? std::atan2(q[j.q + 1], q[j.q]) : q[j.q];
}
void ChainOfModel::set_value(const ChainJoint& j, double x, double* q) {
  if (j.circle) {
    q[j.q] = std::cos(x);
    q[j.q + 1] = std::sin(x);
  } else {
    q[j.q] = x;
  }
}

void ChainOfModel::read(const double* q, double* x) const {
  for (Index i = 0; i < chain_.joints; ++i) x[i] = value_of(joints_[static_cast<std::size_t>(i)], q);
  std::fill(x + chain_.joints, x + SerialChain::k_most_joints, 0.0);
}
void ChainOfModel::write(const double* x, double* q) const {
  for (Index i = 0; i < chain_.joints; ++i) set_value(joints_[static_cast<std::size_t>(i)], x[i], q);
}
void ChainOfModel::read_rates(const double* v, double* x) const {
  for (Index i = 0; i < chain_.joints; ++i) x[i] = v[joints_[static_cast<std::size_t>(i)].v];
  std::fill(x + chain_.joints, x + SerialChain::k_most_joints, 0.0);
}
void ChainOfModel::write_rates(const double* x, double* v) const {
  for (Index i = 0; i < chain_.joints; ++i) v[joints_[static_cast<std::size_t>(i)].v] = x[i];
}

}  // namespace zwang
