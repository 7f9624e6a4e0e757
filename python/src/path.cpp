// SPDX-License-Identifier: BSD-3-Clause
// Profiles, paths and their timing.
#include "zwang/path.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "fields.hpp"
#include "frames.hpp"
#include "mechanisms.hpp"
#include "path_points.hpp"
#include "settings.hpp"
#include "trajectory.hpp"

namespace zwang::python {

namespace {

/// A path of configurations, and the model as Python knows it.
struct JointPath {
  Robot robot;
  ConfigurationPath path;
};
struct Motion1 {
  Robot robot;
  TimedPath path;
};
struct Followed {
  nb::object path = nb::none();
  Status status = Status::ok;
  std::string reason = {};
  double error = 0, failed_at = 0;
  int samples = 0;
};
template <class V> void fields(V& v, Type<Followed>) {
  using T = Followed;
  v.record("Followed", "Result of follow.");
  v("path", &T::path, "of the same s; None unless ok", {.type = "ConfigurationPath | None"});
  v("status", &T::status,
    "ok: path keeps tolerance and limits; infeasible: no configuration at failed_at; not_converged: coordinates jump "
    "there, too\nmany samples, or a joint leaves its limits between samples");
  v("reason", &T::reason, "in sentences; empty if ok");
  v("error", &T::error, "largest measured [m, rad]");
  v("failed_at", &T::failed_at, "s");
  v("samples", &T::samples, "configurations that were solved for");
}
struct Timed {
  nb::object motion = nb::none();
  Status status = Status::ok;
  std::string reason = {};
  double utilisation = 0, utilisation_between = 0;
  std::vector<std::string> notes = {};
  std::string worst = {};
  std::vector<BindingLimit> binding = {};
};
nb::object python_value(Shown, const Timed&, const std::vector<BindingLimit>& all) {
  nb::list out;
  for (const BindingLimit& b : all) out.append(nb::make_tuple(b.begin, b.end, b.what));
  return out;
}
template <class V> void fields(V& v, Type<Timed>) {
  using T = Timed;
  v.record("PathTiming", "Result of time_path.");
  v("motion", &T::motion, "None where infeasible", {.type = "TimedPath | None"});
  v("status", &T::status,
    "ok: limits hold at the points of the grid, and between them to the tolerance; infeasible; not_converged: a limit "
    "is exceeded\nby utilisation or utilisation_between");
  v("reason", &T::reason, "in sentences; empty if ok");
  v("utilisation", &T::utilisation, "largest |value| / limit at the points of the grid");
  v("utilisation_between", &T::utilisation_between, "and at three points between two of them");
  v("notes", &T::notes, "in sentences: friction that is not counted, a joint that begins a little beyond its limits");
  v("worst", &T::worst, "what the larger of both belongs to");
  v("binding", &T::binding, "(s, s, limit that holds the motion back between them)",
    {.type = "list[tuple[float, float, str]]"});
}

constexpr Index k_most_notes = 100000;  // at most: one for each joint

/// Numbers in a pickle.
Eigen::VectorXd numbers_in(nb::handle x) {
  return vector(Input("pickle", "state", x, static_cast<Index>(nb::len(x))), 0);
}

/// How paths, profiles and motions are kept: by the numbers that make them, and their model.
void keep_paths() {
  kept_by<MotionProfile>(
      1, [](const MotionProfile& p) { return nb::make_tuple(new_array(p.numbers())); },
      [](const Pickled&, const nb::tuple& state) {
        const Eigen::VectorXd x = numbers_in(state[0]);
        return MotionProfile::from_numbers({x.data(), x.data() + x.size()});
      });
  kept_by<PosePath>(
      1, [](const PosePath& p) { return nb::make_tuple(new_array(p.numbers())); },
      [](const Pickled&, const nb::tuple& state) { return PosePath::from_numbers(numbers_in(state[0])); });
  kept_by<JointPath>(
      2, [](const JointPath& p) { return nb::make_tuple(p.robot, new_array(p.path.numbers())); },
      [](const Pickled& read, const nb::tuple& state) {
        const Robot& robot = object_in<Robot>(read, state[0]);
        return JointPath{robot, ConfigurationPath::from_numbers(robot.model, numbers_in(state[1]))};
      });
  kept_by<Motion1>(
      3,
      [](const Motion1& t) {
        std::vector<double> law;
        for (const MotionProfile::Piece& p : t.path.pieces())
          law.insert(law.end(), {p.duration, p.start.position, p.start.velocity, p.start.acceleration, p.start.jerk});
        return nb::make_tuple(JointPath{t.robot, t.path.path()}, new_array(law), t.path.notes());
      },
      [](const Pickled& read, const nb::tuple& state) {
        const JointPath& path = object_in<JointPath>(read, state[0]);
        const Eigen::VectorXd x = numbers_in(state[1]);
        if (x.size() == 0 || x.size() % 5 != 0 || !x.allFinite()) read.refuse("its pieces are not five numbers each");
        std::vector<MotionProfile::Piece> law;
        for (Eigen::Index k = 0; k < x.size(); k += 5) law.push_back({x[k], {x[k + 1], x[k + 2], x[k + 3], x[k + 4]}});
        return Motion1{path.robot, TimedPath(path.path, law, read.texts(state[2], k_most_notes, "notes"))};
      });
}

void bind_paths(nb::module_& m) {
  ClassOf<JointPath>(
      m, "ConfigurationPath",
      "Configurations as a function of a parameter s. Attitudes stay attitudes; derivatives have nv entries, "
      "in\nthe axes in which velocities are given.")
      .def_static(
          ZWANG_SIGNATURE("def line(model: Model, q0: Vector, q1: Vector) -> ConfigurationPath"),
          [](const Robot& model, nb::handle q0, nb::handle q1) {
            const Input a = one_configuration("ConfigurationPath.line", "q0", q0, model.model),
                        b = one_configuration("ConfigurationPath.line", "q1", q1, model.model);
            return JointPath{model, ConfigurationPath::line(model.model, vector(a, 0), vector(b, 0))};
          },
          "The geodesic from q0 (s = 0) to q1 (s = 1).")
      .def_static(
          ZWANG_SIGNATURE(
              "def through(model: Model, q: ArrayLike, knots: ArrayLike | None = None) -> ConfigurationPath"),
          [](const Robot& model, nb::handle q, nb::handle knots) {
            const Input x("ConfigurationPath.through", "q", q, model.model.nq(), VectorKind::configuration,
                          &model.model);
            if (x.states() < 0)
              throw std::invalid_argument(
                  "E_SIZE ConfigurationPath.through: argument 'q' is one state, expected (N, nq)");
            Eigen::MatrixXd Q(model.model.nq(), x.states());
            for (Index k = 0; k < x.states(); ++k) Q.col(k) = vector(x, k);
            const std::vector<double> u = numbers("ConfigurationPath.through", "knots", knots);
            return JointPath{model, ConfigurationPath::through(model.model, Q,
                                                               Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
                                                                   u.data(), static_cast<Eigen::Index>(u.size()))))};
          },
          "A cubic spline through the rows of q, (N, nq), on the groups of the joints, with second derivatives 0 at "
          "both ends.\n"
          "knots (N,): s of each row, increasing; None: from 0 to 1 by the distances, and a row that repeats the one "
          "before is\npassed over.")
      .def(
          ZWANG_SIGNATURE("def at(self, s: ArrayLike) -> PathPoint"),
          [](const JointPath& p, nb::handle s) {
            const Model& model = p.robot.model;
            return at_each("ConfigurationPath.at", "s", s, point_type("PathPoint"),
                           {model.nq(), model.nv(), model.nv()}, [&](double one, const std::vector<double*>& to) {
                             using Map = Eigen::Map<Eigen::VectorXd>;
                             p.path.at(one, Map(to[0], model.nq()), Map(to[1], model.nv()), Map(to[2], model.nv()));
                           });
          },
          "q, first and second derivative by s, at one s or N of them.")
      .def_prop_ro("begin", [](const JointPath& p) { return p.path.begin(); })
      .def_prop_ro("end", [](const JointPath& p) { return p.path.end(); })
      .get("knots", "Array",
           [](const JointPath& p) {
             return new_array(p.path.knots().data(), static_cast<Index>(p.path.knots().size()));
           })
      .get("model", "Model", [](const JointPath& p) { return p.robot; });

  ClassOf<PosePath>(m, "PosePath",
                    "Poses of a frame as a function of a parameter s; position and attitude move independently.")
      .def_static(
          ZWANG_SIGNATURE("def line(start: ArrayLike, end: ArrayLike) -> PosePath"),
          [](nb::handle from, nb::handle to) {
            return PosePath::line(pose("PosePath.line", "start", from), pose("PosePath.line", "end", to));
          },
          "From one 4 x 4 matrix to another, by the shortest rotation.")
      .def_static(
          ZWANG_SIGNATURE(
              "def arc(start: ArrayLike, centre: ArrayLike, axis: ArrayLike, angle: float, turn: bool = False) -> "
              "PosePath"),
          [](nb::handle from, nb::handle centre, nb::handle axis, double angle, bool turn) {
            return PosePath::arc(pose("PosePath.arc", "start", from), vec3("PosePath.arc", "centre", centre),
                                 vec3("PosePath.arc", "axis", axis), angle, turn);
          },
          "The origin turns about the axis through the centre by an angle [rad]; turn: the attitude, too.")
      .def_static(
          ZWANG_SIGNATURE(
              "def through(poses: Sequence[ArrayLike] | ArrayLike, knots: ArrayLike | None = None) -> PosePath"),
          [](nb::handle poses, nb::handle knots) {
            std::vector<Transform<double>> list;
            for (nb::handle one : poses) list.push_back(pose("PosePath.through", "poses", one));
            const std::vector<double> u = numbers("PosePath.through", "knots", knots);
            return PosePath::through(list, Eigen::VectorXd(Eigen::Map<const Eigen::VectorXd>(
                                               u.data(), static_cast<Eigen::Index>(u.size()))));
          },
          "A cubic spline through N poses (N, 4, 4); without knots a pose that repeats the one before is passed over.")
      .def(
          ZWANG_SIGNATURE("def at(self, s: ArrayLike) -> Array"),
          [](const PosePath& p, nb::handle s) -> nb::object {
            if (nb::isinstance<nb::float_>(s) || nb::isinstance<nb::int_>(s))
              return new_array(p.at(nb::cast<double>(nb::float_(nb::borrow(s)))));
            const std::vector<double> x = numbers("PosePath.at", "s", s);
            const auto n = static_cast<Index>(x.size());
            return new_matrix(4 * n, 4,
                              [&](Index i, Index j) {
                                const Transform<double> X = p.at(x[static_cast<std::size_t>(i / 4)]);
                                const Index row = i % 4;
                                return row == 3 ? (j == 3 ? 1.0 : 0.0) : j == 3 ? X.p[row] : X.R(row, j);
                              })
                .attr("reshape")(n, 4, 4);
          },
          "(4, 4), or (N, 4, 4) at N of them.")
      .def_prop_ro("begin", &PosePath::begin)
      .def_prop_ro("end", &PosePath::end)
      .get("knots", "Array",
           [](const PosePath& p) { return new_array(p.knots().data(), static_cast<Index>(p.knots().size())); });

  result_class<Followed>(m);
  def_with<FollowSettings>(
      m,
      ZWANG_SIGNATURE(
          "def follow(model: Model, frame: str | int, path: PosePath, q0: Vector, *, rows: str | Sequence[str] | "
          "ArrayLike | None = None, in_: str = 'local_world_aligned', constraints: ConstraintSet | None = None, "
          "{tolerance most_step samples most_samples}) -> Followed"),
      [](const Robot& model, FrameGiven frame, const PosePath& path, nb::handle q0, nb::handle rows,
         const std::string& in, nb::handle constraints, const FollowSettings& s) {
        PoseTarget target{.frame = model.model.frame(frame_of(model, "follow", frame)).name};
        if (!rows.is_none()) target.rows = rows_argument("follow", rows);
        target.in = in;
        const Input from = one_configuration("follow", "q0", q0, model.model);
        SetPointer set;
        if (!constraints.is_none()) set = nb::cast<const SetObject&>(constraints).shared;
        FollowReport r;
        {
          const nb::gil_scoped_release release;
          std::unique_lock<SetMutex> lock;
          if (set != nullptr) lock = std::unique_lock<SetMutex>(set->mutex);
          r = follow(model.model, target, path, vector(from, 0), set != nullptr ? &set->set : nullptr, s);
        }
        if (set != nullptr && set->raised) set->raised->rethrow();
        return Followed{r.path ? nb::cast(JointPath{model, *r.path}) : nb::none(),
                        r.status,
                        r.reason,
                        r.error,
                        r.failed_at,
                        r.samples};
      },
      "Joint values along a path of a frame, from the solution nearest to q0: inverse kinematics at samples, a spline "
      "through\n"
      "them, and more samples wherever it misses the path by more than the tolerance [m, rad]. constraints hold all "
      "along.\nJoints stay within their limits between samples, too.");
}

std::vector<double> limit(const char* function, const char* name, nb::handle given, const Model& model) {
  if (given.is_none()) return {};
  if (nb::isinstance<nb::dict>(given)) {
    const Input x(function, name, given, model.nv(), VectorKind::tangent, &model);
    return {x.at(0), x.at(0) + model.nv()};
  }
  std::vector<double> out;
  if (nb::isinstance<nb::float_>(given) || nb::isinstance<nb::int_>(given)) {
    out = {nb::cast<double>(nb::float_(nb::borrow(given)))};
  } else {
    for (nb::handle x : given) out.push_back(nb::cast<double>(nb::float_(nb::borrow(x))));
  }
  return out;
}

void bind_motion(nb::module_& m) {
  using T = Motion1;
  ClassOf<T>(m, "TimedPath", "A path and when its points are reached: a motion.")
      .def_prop_ro(
          "duration", [](const T& t) { return t.path.duration(); }, "[s]")
      .def(
          ZWANG_SIGNATURE("def at(self, time: ArrayLike) -> MotionState"),
          [](const T& t, nb::handle time) {
            const Model& model = t.robot.model;
            Eigen::VectorXd q(model.nq()), v(model.nv()), a(model.nv());
            return at_each("TimedPath.at", "time", time, point_type("MotionState"),
                           {model.nq(), model.nv(), model.nv()}, [&](double one, const std::vector<double*>& to) {
                             t.path.at(one, q, v, a);
                             put(q, to[0]);
                             put(v, to[1]);
                             put(a, to[2]);
                           });
          },
          "q, v and a at a time, or at N times; before the start and after the end at rest.")
      .def(
          ZWANG_SIGNATURE("def law_at(self, time: ArrayLike) -> ProfilePoint"),
          [](const T& t, nb::handle time) {
            return at_each("TimedPath.law_at", "time", time, point_type("ProfilePoint"), {0, 0, 0, 0},
                           [&](double one, const std::vector<double*>& to) {
                             const ProfilePoint x = t.path.law_at(one);
                             *to[0] = x.position;
                             *to[1] = x.velocity;
                             *to[2] = x.acceleration;
                             *to[3] = x.jerk;
                           });
          },
          "s and its derivatives by time.")
      .def(
          ZWANG_SIGNATURE("def sample(self, dt: float) -> Trajectory"),
          [](const T& t, double dt) { return trajectory(t.robot, ConstraintSet(t.robot.model), t.path.sample(dt)); },
          "States every dt seconds, and the one at the end.")
      .def_prop_ro(
          "notes", [](const T& t) { return t.path.notes(); },
          "in sentences: a joint that begins a little beyond its limits")
      .get("path", "ConfigurationPath", [](const T& t) {
        return JointPath{t.robot, t.path.path()};
      });
  def(
      m,
      ZWANG_SIGNATURE(
          "def move(model: Model, q0: Vector, q1: Vector, *, velocity: Vector | None = None, acceleration: Vector "
          "| None "
          "= None, jerk: Vector | None = None, position_limits: bool = True) -> TimedPath"),
      [](const Robot& model, nb::handle q0, nb::handle q1, nb::handle velocity, nb::handle acceleration,
         nb::handle jerk, bool position_limits) {
        const Model& x = model.model;
        const Input a = one_configuration("move", "q0", q0, x), b = one_configuration("move", "q1", q1, x);
        return T{model, move(x, vector(a, 0), vector(b, 0),
                             {limit("move", "velocity", velocity, x), limit("move", "acceleration", acceleration, x),
                              limit("move", "jerk", jerk, x), position_limits})};
      },
      "The fastest motion from rest at q0 to rest at q1 with all coordinates in proportion. Limits: a number for all, "
      "one for\n"
      "each coordinate; velocity None: those of the model; of acceleration and jerk one is needed. position_limits: a "
      "motion\n"
      "that leaves the model's limits of position is refused; a start beyond them by 1e-6 (1 + |limit|) may come back "
      "(notes).");

  result_class<Timed>(m);
  def_with<PathTimingSettings>(
      m,
      ZWANG_SIGNATURE(
          "def time_path(path: ConfigurationPath, *, velocity: Vector | None = None, acceleration: Vector | None = "
          "None, torque: Vector | None = None, {grid start_rate end_rate joint_effects position_limits tolerance "
          "most_grid}) -> PathTiming"),
      [](const JointPath& path, nb::handle velocity, nb::handle acceleration, nb::handle torque,
         const PathTimingSettings& s) {
        const Model& x = path.robot.model;
        const PathLimits limits{limit("time_path", "velocity", velocity, x),
                                limit("time_path", "acceleration", acceleration, x),
                                limit("time_path", "torque", torque, x)};
        PathTiming t;
        {
          const nb::gil_scoped_release release;
          t = time_path(path.path, limits, s);
        }
        return Timed{t.motion ? nb::cast(T{path.robot, *t.motion}) : nb::none(),
                     t.status,
                     t.reason,
                     t.utilisation,
                     t.utilisation_between,
                     t.notes,
                     t.worst,
                     t.binding};
      },
      "The fastest motion along a path within limits: a number for all, one for each coordinate, inf for none. "
      "velocity and\n"
      "torque None: those of the model. Torques are those of inverse_dynamics with the same joint_effects: Coulomb "
      "friction "
      "counts\nwhere they say so. grid: intervals of s to begin with; where a limit is exceeded between its points by "
      "more "
      "than the\ntolerance (of the limit) it is made finer, up to most_grid intervals. start_rate, end_rate: ds/dt at "
      "the "
      "ends.");
}

}  // namespace

void bind_path_planning(nb::module_& m) {
  const auto tuple = [&](const char* name, const char* fields) {
    m.attr(name) =
        nb::module_::import_("collections").attr("namedtuple")(name, fields, nb::arg("module") = "zwang._zwang");
  };
  tuple("PathPoint", "q first second");
  tuple("MotionState", "q v a");
  tuple("ProfilePoint", "position velocity acceleration jerk");
  bind_profile(m);
  bind_paths(m);
  bind_motion(m);
  keep_paths();
}

}  // namespace zwang::python
