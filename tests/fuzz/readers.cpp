// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/readers.hpp"

#include <array>
#include <bit>

#include "zwang/algorithm/real_time.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/urdf.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/solve/solver.hpp"

namespace zwang::test {
namespace {

constexpr std::array<FuzzedReader, 11> k_readers = {{{"urdf", &feed_robot},
                                                     {"sdf", &feed_robot},
                                                     {"mjcf", &feed_robot},
                                                     {"srdf", &feed_srdf},
                                                     {"mesh", &feed_mesh},
                                                     {"model_json", &feed_model_json},
                                                     {"model_cbor", &feed_model_cbor},
                                                     {"constraints_json", &feed_constraints_json},
                                                     {"constraints_cbor", &feed_constraints_cbor},
                                                     {"vector", &feed_vector},
                                                     {"problem", &feed_problem}}};

constexpr Index k_most_columns = 500;  ///< of a robot whose motion is computed
constexpr Index k_most_rows = 48;      ///< of a set that is solved: time grows with the cube of the rows

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  if (a.size() != b.size()) return false;
  for (Eigen::Index k = 0; k < a.size(); ++k)
    if (std::bit_cast<std::uint64_t>(a[k]) != std::bit_cast<std::uint64_t>(b[k])) return false;
  return true;
}

void check_result(const char* call, Status status, const Eigen::VectorXd& result) {
  promise(status == Status::ok || status == Status::singular_mass || status == Status::overflow,
          std::string(call) + " ends with the status " + name_of(status));
  if (status == Status::ok) promise(all_finite(result), std::string(call) + " says ok, and its result is not finite");
}

struct Motion {
  Status inverse = Status::ok, forward = Status::ok;
  Eigen::VectorXd tau, acceleration;
  bool operator==(const Motion& other) const {
    return inverse == other.inverse && forward == other.forward && same_bits(tau, other.tau) &&
           same_bits(acceleration, other.acceleration);
  }
};

/// At rest in the neutral configuration: the torques that hold the robot, and the motion without torques.
Motion motion_of(const Model& model) {
  const Eigen::VectorXd q = neutral(model), zero = Eigen::VectorXd::Zero(model.nv());
  Motion m;
  m.tau = m.acceleration = zero;
  Data data(model);
  m.inverse = try_inverse_dynamics(model, data, q, zero, zero, m.tau);
  m.forward = try_forward_dynamics(model, data, q, zero, zero, m.acceleration);
  check_result("inverse dynamics", m.inverse, m.tau);
  check_result("forward dynamics", m.forward, m.acceleration);
  return m;
}

}  // namespace

std::span<const FuzzedReader> fuzzed_readers() { return k_readers; }

void feed(const std::string& name, Input input) {
  for (const FuzzedReader& reader : k_readers)
    if (name == reader.name) return reader.feed(input);
  throw std::invalid_argument("no reader is called '" + name + "'");
}

void promise(bool kept, const std::string& what) {
  if (!kept) throw Broken(what);
}

TextAndChoice split(Input input) {
  TextAndChoice out{{input.begin(), input.end()}, 0};
  const std::size_t n = out.text.size();
  if (n >= 2 && out.text[n - 2] == '\n') {
    out.choice = static_cast<unsigned char>(out.text[n - 1]);
    out.text.pop_back();
  }
  return out;
}

void use(const Model& model) {
  if (model.nv() > k_most_columns) return;
  const Motion once = motion_of(model), again = motion_of(model);
  promise(once == again, "two workspaces give two results");
}

void check_documents(const Model& model) {
  const std::string text = to_json(model);
  const std::vector<std::uint8_t> bytes = to_cbor(model);
  const Model from_json = model_from_json(text), from_cbor = model_from_cbor(bytes);
  promise(same_robot(model, from_json) && same_robot(model, from_cbor), "what is read again is another robot");
  promise(hash(model) == hash(from_json) && hash(model) == hash(from_cbor), "what is read again has another hash");
  promise(to_json(from_json) == text && to_cbor(from_cbor) == bytes, "what is read again is written in another way");
  if (model.nv() <= k_most_columns)
    promise(motion_of(model) == motion_of(from_json), "what is read again moves in another way");
}

const Model& robot(unsigned choice) {
  static const std::array<Model, 3> all = [] {
    const std::string folder = std::string(ZWANG_MODELS) + '/';
    LoadOptions floating, closed;
    floating.root = "floating";
    closed.loops = ClosedLoops::constraints;
    return std::array<Model, 3>{load(folder + "arm7.urdf"), load(folder + "quadruped.urdf", floating),
                                load(folder + "five_bar.urdf", closed)};
  }();
  return all[choice % all.size()];
}

void check_solution(const Solution& s) {
  switch (s.report.status) {
    case Status::ok:
    case Status::infeasible:
    case Status::not_converged:
      return promise(all_finite(s.acceleration) && all_finite(s.motor_torque),
                     "a solve says it has a result, which is not finite");
    case Status::singular_mass:
    case Status::overflow:
    case Status::invalid_input: return;  // a combination that the method does not support
    default: throw Broken(std::string("a solve of finite numbers ends with ") + name_of(s.report.status));
  }
}

void solve_at_rest(const ConstraintSet& set) {
  Index rows = 0;
  for (const Constraint& c : set.constraints()) rows += static_cast<Index>(c.row_names.size());
  if (rows > k_most_rows) return;
  const Eigen::VectorXd q = neutral(set.model()), v = Eigen::VectorXd::Zero(set.model().nv());
  Solver solver(set.model(), set);
  const Solution& s = solver.try_solve({.q = q, .v = v});
  check_solution(s);
}

}  // namespace zwang::test
