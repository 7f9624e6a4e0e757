// SPDX-License-Identifier: BSD-3-Clause
// InverseKinematics and inverse_kinematics: configurations that bring frames to poses.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "record.hpp"
#include "settings.hpp"
#include "statuses.hpp"
#include "zwang/inverse_kinematics.hpp"
#include "zwang/manifold/manifold.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "inverse_kinematics";
using Names = std::vector<std::string>;

/// One state: numbers. N states: arrays.
struct SolutionOfPoses {
  nb::object q = nb::none(), status = nb::none(), error = nb::none(), errors = nb::none(), residual = nb::none(),
             gradient = nb::none(), iterations = nb::none(), out_of_reach = nb::none(), serial = nb::none();
  Names unmet = {}, at_limit = {};
  std::string text = {};
};
template <class V> void fields(V& v, Type<SolutionOfPoses>) {
  using T = SolutionOfPoses;
  const Field number{.type = "float | NDArray[numpy.float64]"}, flag{.type = "bool | NDArray[numpy.bool_]"};
  v.record("InverseKinematicsResult",
           "Result of inverse_kinematics. Of N poses: arrays, and no names.\n\n"
           "status: 'ok': every target is met within the tolerance and the limits. 'nearest_found': no solution was\n"
           "found; q is a stationary point, the nearest that was found. 'not_converged': neither. Of N poses also\n"
           "'non_finite_input' and 'invalid_input', whose q is NaN.");
  v("q", &T::q, "(nq,), or (N, nq)", {.type = "NDArray[numpy.float64]"});
  status_field(v, &T::status, "see the class");
  v("error", &T::error,
    "largest error of a row that is asked for: of positions [m], of attitudes the entry of the rotation vector [rad], "
    "of two angular rows the angle between the axes that they hold",
    number);
  v("errors", &T::errors,
    "(targets, 6), or (N, targets, 6): p_t - p, rotation vector of R_t R^T, world axes, of all rows",
    {.type = "NDArray[numpy.float64]"});
  v("residual", &T::residual, "largest residual of rows of targets and constraints, relative to their sizes", number);
  v("gradient", &T::gradient, "of a nearest pose: what is left of the gradient", number);
  v("iterations", &T::iterations, "evaluations of a chain, or steps of an assembly",
    {.type = "int | NDArray[numpy.int64]"});
  v("out_of_reach", &T::out_of_reach, "a bound proves that no configuration reaches the target", flag);
  v("unmet", &T::unmet, "rows that do not hold");
  v("at_limit", &T::at_limit, "coordinates that a limit holds back");
  v("serial", &T::serial, "found on the chains of the targets, without an assembly", flag);
  v("text", &T::text, "of explain()", {.attribute = false});
}

struct Options {
  nb::handle rows;
  std::string in;
  nb::handle weights, posture, constraints;
  InverseKinematicsSettings given;

  InverseKinematicsSettings settings(const Model& model) const {
    InverseKinematicsSettings s = given;
    s.weights = numbers(k_function, "weights", weights);
    if (!posture.is_none()) {
      const Input x = one_configuration(k_function, "posture", posture, model);
      s.posture.assign(x.at(0), x.at(0) + model.nq());
    }
    return s;
  }
};

struct PosesObject {
  PosesObject(const Robot& r, const std::vector<PoseTarget>& t, const SetPointer& set,
              const InverseKinematicsSettings& s)
      : robot(r),
        shared(set),
        targets(t),
        settings(s),
        core(r.model, t, set != nullptr ? &set->set : nullptr, s),
        poses(t.size()) {}
  Robot robot;
  SetPointer shared;
  std::vector<PoseTarget> targets;
  InverseKinematicsSettings settings;
  InverseKinematics core;
  std::vector<Transform<double>> poses;
  std::unique_ptr<BatchInverseKinematics> batch = nullptr;
  int threads = -1;

  template <class F> void run(F&& f) {
    const nb::gil_scoped_release release;
    if (shared == nullptr) return f();
    const std::lock_guard<SetMutex> lock(shared->mutex);
    f();
  }
  BatchInverseKinematics& many() {
    if (batch == nullptr || threads != wanted_threads()) {
      refuse_python_joints(robot.model, "inverse kinematics of N targets");
      threads = wanted_threads();
      batch = std::make_unique<BatchInverseKinematics>(robot.model, targets, shared != nullptr ? &shared->set : nullptr,
                                                       settings, BatchOptions{threads});
    }
    return *batch;
  }
};

/// rows= of a frame: for all, or by frame.
RowSelection rows_for(const std::string& frame, nb::handle given) {
  if (given.is_none()) return rows("all");
  if (!nb::isinstance<nb::dict>(given)) return rows_argument(k_function, given);
  const nb::dict by_frame = nb::borrow<nb::dict>(given);
  return by_frame.contains(frame.c_str()) ? rows_argument(k_function, by_frame[frame.c_str()]) : rows("all");
}

std::vector<PoseTarget> targets_of(const Names& frames, const Options& o) {
  if (nb::isinstance<nb::dict>(o.rows))
    for (const auto& [key, words] : nb::borrow<nb::dict>(o.rows))
      if (const auto name = nb::cast<std::string>(key); std::find(frames.begin(), frames.end(), name) == frames.end())
        detail::throw_unknown("target", name, frames);
  std::vector<PoseTarget> targets;
  for (const std::string& frame : frames) {
    targets.push_back({.frame = frame, .rows = rows_for(frame, o.rows)});
    targets.back().in = o.in;
  }
  return targets;
}

std::unique_ptr<PosesObject> make(const Robot& robot, const Names& frames, const Options& o) {
  SetPointer set;
  if (!o.constraints.is_none()) set = nb::cast<const SetObject&>(o.constraints).shared;
  const std::vector<PoseTarget> targets = targets_of(frames, o);
  const InverseKinematicsSettings settings = o.settings(robot.model);
  std::unique_lock<SetMutex> lock;
  if (set != nullptr) lock = std::unique_lock<SetMutex>(set->mutex);
  return std::make_unique<PosesObject>(robot, targets, set, settings);
}

/// Whether rows ask for nothing of the attitude: positions say all of such a target.
bool asks_for_position_alone(const RowSelection& rows) {
  for (std::size_t k = 0; k < rows.matrix.size(); ++k)
    if (k % 6 >= 3 && rows.matrix[k] != 0) return false;
  return true;
}

/// What there is of one state and of N: number(type, of) of what of(x) gives.
template <class F> void put_numbers(SolutionOfPoses& to, F&& number) {
  to.status = number("uint8", [](const auto& x) { return status_of(x.status); });
  to.error = number("float64", [](const auto& x) { return x.error; });
  to.residual = number("float64", [](const auto& x) { return x.residual; });
  to.gradient = number("float64", [](const auto& x) { return x.gradient; });
  to.iterations = number("int64", [](const auto& x) { return x.iterations; });
  to.out_of_reach = number("bool", [](const auto& x) { return x.out_of_reach; });
  to.serial = number("bool", [](const auto& x) { return x.serial; });
}

SolutionOfPoses one_state(PosesObject& self, const double* q0) {
  const Model& model = self.robot.model;
  const Eigen::Map<const Eigen::VectorXd> from(q0, model.nq());
  const InverseKinematicsSolution* s = nullptr;
  if (self.core.is_serial())
    s = &self.core.solve(self.poses, from);  // some microseconds
  else
    self.run([&] { s = &self.core.solve(self.poses, from); });
  if (self.shared != nullptr && self.shared->raised) self.shared->raised->rethrow();
  SolutionOfPoses x;
  x.q = new_array(s->q.data(), model.nq());
  put_numbers(x, [&](const char*, auto&& of) { return nb::cast(of(*s)); });
  const std::vector<double>& e = s->errors;
  x.errors = new_matrix(static_cast<Index>(self.targets.size()), 6,
                        [&](Index i, Index j) { return e[static_cast<std::size_t>(6 * i + j)]; });
  x.unmet = s->unmet;
  x.at_limit = s->at_limit;
  if (s->status != PoseStatus::ok) x.text = s->explain();
  return x;
}

/// `poses` target by target, N each (or one for all).
SolutionOfPoses many_states(PosesObject& self, const std::vector<std::vector<Transform<double>>>& of, const Input& q0,
                            Index states, bool along) {
  const Model& model = self.robot.model;
  std::vector<Transform<double>> poses;
  for (Index k = 0; k < states; ++k)
    for (const auto& list : of) poses.push_back(list.size() == 1 ? list[0] : list[static_cast<std::size_t>(k)]);
  Eigen::MatrixXd from(model.nq(), q0.states() < 0 ? 1 : states), q(model.nq(), states);
  for (Index k = 0; k < static_cast<Index>(from.cols()); ++k) from.col(k) = vector(q0, k);
  std::vector<PoseOutcomeOfMany> outcomes;
  const std::vector<double>* errors = nullptr;
  self.run([&] {
    BatchInverseKinematics& many = self.many();
    outcomes = along ? many.solve_along(poses, from.col(0), q) : many.solve(poses, from, q);
    errors = &many.errors();
  });
  if (self.shared != nullptr && self.shared->raised) self.shared->raised->rethrow();
  SolutionOfPoses x;
  x.q = new_matrix(states, model.nq(), [&](Index i, Index j) { return q(j, i); });
  put_numbers(x, [&](const char* type, auto&& value) { return array_of(outcomes, type, value); });
  const auto targets = static_cast<Index>(self.targets.size());
  x.errors = new_matrix(states * targets, 6, [&](Index i, Index j) {
               return (*errors)[static_cast<std::size_t>(6 * i + j)];
             }).attr("reshape")(states, targets, 6);
  return x;
}

SolutionOfPoses solve(PosesObject& self, nb::handle targets, nb::handle q0_, bool along) {
  const Model& model = self.robot.model;
  std::vector<std::vector<Transform<double>>> of;
  Index states = -1;
  const auto read = [&](const PoseTarget& t, nb::handle given) {
    const std::string& frame = t.frame;
    Poses found = poses(k_function, ("targets[" + frame + "]").c_str(), given, asks_for_position_alone(t.rows));
    const Index n = found.many ? static_cast<Index>(found.list.size()) : -1;
    of.push_back(std::move(found.list));
    if (n >= 0 && states >= 0 && n != states)
      throw std::invalid_argument("E_SIZE inverse_kinematics: targets[" + frame + "] has " + std::to_string(n) +
                                  " poses, expected " + std::to_string(states));
    if (n >= 0) states = n;
  };
  if (nb::isinstance<nb::dict>(targets)) {
    const nb::dict by_frame = nb::borrow<nb::dict>(targets);
    if (nb::len(by_frame) != self.targets.size())
      throw std::invalid_argument("E_SIZE inverse_kinematics: argument 'targets' has " +
                                  std::to_string(nb::len(by_frame)) + " frames, expected " +
                                  std::to_string(self.targets.size()));
    for (const PoseTarget& t : self.targets) {
      if (!by_frame.contains(t.frame.c_str()))
        throw std::invalid_argument("E_NAME inverse_kinematics: argument 'targets' has no pose of '" + t.frame + "'");
      read(t, by_frame[t.frame.c_str()]);
    }
  } else if (self.targets.size() == 1) {
    read(self.targets[0], targets);
  } else {
    throw std::invalid_argument("E_DTYPE inverse_kinematics: argument 'targets', expected a dict from frames to poses");
  }
  const Eigen::VectorXd start = q0_.is_none() ? Eigen::VectorXd(default_start(model)) : Eigen::VectorXd();
  std::optional<Input> q0;
  if (q0_.is_none())
    q0.emplace("q0", start.data(), model.nq());
  else
    q0.emplace(k_function, "q0", q0_, model.nq(), VectorKind::configuration, &model);
  if (along && q0->states() >= 0)
    throw std::invalid_argument("E_SIZE inverse_kinematics: argument 'q0' has " + std::to_string(q0->states()) +
                                " states, expected one: along=True begins each pose at the solution before");
  if (q0->states() >= 0 && states >= 0 && q0->states() != states)
    throw std::invalid_argument("E_SIZE inverse_kinematics: argument 'q0' has " + std::to_string(q0->states()) +
                                " states, expected " + std::to_string(states));
  if (states < 0) states = q0->states();
  if (states >= 0) return many_states(self, of, *q0, states, along);
  for (std::size_t k = 0; k < of.size(); ++k) self.poses[k] = of[k][0];
  return one_state(self, q0->at(0));
}

/// Solvers of the last calls of the function: a table of configurations is worth keeping. Touched under the GIL only;
/// an entry is taken out while it is used.
struct Kept {
  /// What a call asks for, but the numbers of its poses.
  struct Question {
    std::uint64_t model;
    Names frames;
    std::optional<std::string> rows;
    std::string in;
    double tolerance;
    bool limits;
    int attempts, max_iterations, solutions;
    bool operator==(const Question&) const = default;
  };
  Question question;
  std::unique_ptr<PosesObject> object;
};
std::vector<Kept>& kept() {
  static auto* const list = new std::vector<Kept>();
  return *list;
}
constexpr std::size_t k_most_kept = 8;

SolutionOfPoses once(const Robot& robot, nb::dict targets, nb::handle q0, const Options& o, bool along) {
  Names frames;
  for (const auto& [key, given] : targets) frames.push_back(nb::cast<std::string>(key));
  const InverseKinematicsSettings& s = o.given;
  const bool plain = o.rows.is_none() || nb::isinstance<nb::str>(o.rows);
  if (!plain || !o.weights.is_none() || !o.posture.is_none() || !o.constraints.is_none() || !s.fixed.empty())
    return solve(*make(robot, frames, o), targets, q0, along);
  Kept::Question question{robot.model.id(), std::move(frames), std::nullopt,     o.in,       s.tolerance,
                          s.limits,         s.attempts,        s.max_iterations, s.solutions};
  if (!o.rows.is_none()) question.rows = nb::cast<std::string>(o.rows);
  std::unique_ptr<PosesObject> object;
  for (auto entry = kept().begin(); entry != kept().end(); ++entry)
    if (entry->question == question) {
      object = std::move(entry->object);
      kept().erase(entry);
      break;
    }
  if (object == nullptr) object = make(robot, question.frames, o);
  SolutionOfPoses x = solve(*object, targets, q0, along);
  if (kept().size() >= k_most_kept) kept().erase(kept().begin());
  kept().push_back({std::move(question), std::move(object)});
  return x;
}

void bind_result(nb::module_& m) {
  using S = SolutionOfPoses;
  result_class<S>(m).def(
      "explain",
      [](const S& s) -> nb::object {
        const nb::object statuses = as_statuses(s.status);
        if (nb::hasattr(statuses, "counts")) return nb::str(statuses);
        return text_of(s.text.empty() ? std::string("All targets are met.") : s.text);
      },
      nb::sig("def explain(self) -> str"), "A few sentences in your names. Of N poses: a count of their statuses.");
}

#define ZWANG_IK_SIGNATURE                                                                                         \
  "*, rows: str | Sequence[str] | ArrayLike | Mapping[str, str | Sequence[str] | ArrayLike] | None = None, in_: "  \
  "str = 'local_world_aligned', weights: ArrayLike | None = None, posture: Vector | None = None, {fixed limits}, " \
  "constraints: ConstraintSet | None = None, {tolerance attempts max_iterations solutions}"
#define ZWANG_IK_DOC                                                                                                  \
  "\n\n"                                                                                                              \
  "rows: which of the six errors count ('linear', 'angular', 'linear.z', ...), for all targets or by frame, in the\n" \
  "    axes in_. weights: one per coordinate, larger ones move less. posture: the configuration to stay near; q0\n"   \
  "    if None. fixed: joints that keep the values of q0. constraints: a set that holds, too: loops, centre of\n"     \
  "    mass, distances. solutions: of the chain of one target, the nearest of so many. attempts, max_iterations:\n"   \
  "    of the general way."

}  // namespace

void bind_inverse_kinematics(nb::module_& m) {
  bind_result(m);
  using P = PosesObject;
  using Settings = InverseKinematicsSettings;
  ClassOf<P> c(m, "InverseKinematics",
               "Poses of the same frames, with one workspace: of many calls. One whole pose on a chain of joints of "
               "one freedom takes microseconds." ZWANG_IK_DOC);
  def_with<Settings>(
      c,
      ZWANG_SIGNATURE("def __init__(self, model: Model, frames: str | Sequence[str], " ZWANG_IK_SIGNATURE ") -> None"),
      [](P* place, const Robot& model, nb::handle frames, nb::handle rows, const std::string& in, nb::handle weights,
         nb::handle posture, nb::handle constraints, const Settings& s) {
        const Names names =
            nb::isinstance<nb::str>(frames) ? Names{nb::cast<std::string>(frames)} : nb::cast<Names>(frames);
        new (place) P(std::move(*make(model, names, {rows, in, weights, posture, constraints, s})));
      });
  c.def("__repr__",
        [](const P& p) {
          std::string frames;
          for (const PoseTarget& t : p.targets) frames += (frames.empty() ? "" : ", ") + t.frame;
          return "<zwang.InverseKinematics of '" + p.robot.model.name() + "': " + frames + ">";
        })
      .def(ZWANG_SIGNATURE("def solve(self, targets: ArrayLike | Mapping[str, ArrayLike], q0: Vector | None = None, "
                           "*, along: bool = False) -> InverseKinematicsResult"),
           &solve,
           "targets: a pose (4, 4) or N of them (N, 4, 4) in the world, of linear rows N positions (N, 3); by frame "
           "where there are several. q0: where to begin; the neutral configuration within limits if None. along: N "
           "poses of a path, each begun at the solution before.");

  not_kept<P>("it has the memory of its last call; pickle its Model, and make an InverseKinematics of that");
  def_with<Settings>(
      m,
      ZWANG_SIGNATURE("def inverse_kinematics(model: Model, targets: Mapping[str, ArrayLike], q0: Vector | None = "
                      "None, " ZWANG_IK_SIGNATURE ", along: bool = False) -> InverseKinematicsResult"),
      [](const Robot& model, nb::dict targets, nb::handle q0, nb::handle rows, const std::string& in,
         nb::handle weights, nb::handle posture, nb::handle constraints, bool along, const Settings& s) {
        return once(model, targets, q0, {rows, in, weights, posture, constraints, s}, along);
      },
      "Joint values with which frames have the poses of `targets`, {frame: (4, 4)}, in the world. N poses (N, 4, 4),\n"
      "or with rows='linear' N positions (N, 3), are independent of each other, each begun at q0, on threads; "
      "along=True: poses of a path, one after the other,\n"
      "each begun at the solution before, so that neighbours are near each other. q0: the neutral configuration "
      "within\n"
      "limits if None." ZWANG_IK_DOC);
}

}  // namespace zwang::python
