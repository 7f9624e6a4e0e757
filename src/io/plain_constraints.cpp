// SPDX-License-Identifier: BSD-3-Clause
// add_constraints: rows of a robot in the forms that files have, loops as joints and linear couplings. Rows that are
// not always held as they are, or of another kind, are losses.
#include <algorithm>
#include <cmath>

#include "io/loop_kind.hpp"
#include "io/plain_robot.hpp"

namespace zwang::io {
namespace {

bool no_numbers(const std::vector<double>& x) {
  return std::all_of(x.begin(), x.end(), [](double a) { return a == 0; });
}

/// What of a constraint no file of a mechanism says; empty: its rows are held, always and exactly.
std::string not_a_joint(const Constraint& c) {
  std::string why;
  const auto add = [&](bool is, const char* what) {
    if (is) why += (why.empty() ? "" : ", ") + std::string(what);
  };
  add(!c.active, "inactive");
  add(c.role == Role::driver, "a driver");
  add(c.policy == Policy::soft, "soft");
  add(c.is_bounded(), "with a sense or a limit");
  add(!no_numbers(c.target) || !no_numbers(c.target_velocity), "with a target");
  add(!no_numbers(c.beta), "with an acceleration beta");
  return why;
}

/// Whether an option is as a constraint has it of which nothing is said.
template <class T> bool is_default(const T& given, const T& standard) { return given == standard; }
bool is_default(const std::vector<double>& given, const std::vector<double>&) { return no_numbers(given); }

/// Options that have no effect on which motions the rows allow: all others that are not as by default.
std::string options_of(const Constraint& c) {
  const Holding standard;
  std::string what;
  const auto list = [&](const RowOption& option, auto given, auto by_default) {
    using T = std::remove_cvref_t<decltype(standard.*by_default)>;
    if (!is_default(T(c.*given), standard.*by_default)) what += (what.empty() ? "" : ", ") + std::string(option.name);
  };
  for_each_option(list, Type<Constraint>(), Type<Holding>());
  return what;
}

class Rows {
 public:
  Rows(const Robot& robot, PlainRobot& plain, Losses& losses) : robot_(robot), plain_(plain), losses_(losses) {
    const RobotDescription& r = plain.robot;
    for (const Constraint& c : robot.constraints.constraints()) names_.add(c.name);
    const auto place = [&](const std::string& frame, const std::string& link, const Transform<double>& pose) {
      taken_.add(frame);
      place_.try_emplace(frame, Place{link, pose});
    };
    for (const LinkDescription& l : r.links) place(l.name, l.name, Transform<double>::identity());
    for (const FrameDescription& f : r.frames) place(f.name, f.parent, f.placement);
    for (const JointDescription& j : r.joints) place(j.name, j.child, j.child_origin);
    for (const PlainLoop& l : plain.loops) {
      const JointDescription& j = l.joint;
      taken_.add(j.name);
      of_model_.insert(j.name);
      place(j.name + "_predecessor", j.parent, j.origin);
      place(j.name + "_successor", j.child, j.child_origin);
    }
  }

  void add(const Constraint& c) {
    const std::string name = c.name, type = c.type, why = not_a_joint(c);
    const LoopConstraint* const loop = robot_.constraints.added_as<LoopConstraint>(name);
    if (loop && of_model_.contains(name)) {
      if (!why.empty()) losses_.add("L_CONSTRAINT", "constraint", name, "that it is " + why, "rows that always hold");
      return lose_options(c);
    }
    if (!why.empty()) return losses_.add("L_CONSTRAINT", "constraint", name, "a constraint that is " + why);
    if (loop) return add_loop(c, *loop);
    if (const auto* coupling = robot_.constraints.added_as<CouplingConstraint>(name)) return add_coupling(c, *coupling);
    losses_.add("L_CONSTRAINT", "constraint", name, "a constraint of type " + type);
  }

 private:
  struct Place {
    std::string link;
    Transform<double> pose;
  };

  void lose_options(const Constraint& c) {
    if (const std::string what = options_of(c); !what.empty())
      losses_.add("L_CONSTRAINT", "constraint", c.name, "its options " + what, "rows that hold exactly");
  }

  /// On which link a frame is, and where.
  Place place_of(const std::string& frame) const {
    if (const auto it = place_.find(frame); it != place_.end()) return it->second;
    const Frame& f = robot_.model.frame(frame);
    const Link& link = robot_.model.links()[static_cast<std::size_t>(f.link.value)];
    return {link.name, inverse_times(link.in_body, f.in_body)};
  }

  void add_loop(const Constraint& c, const LoopConstraint& loop) {
    const LoopKind kind = loop_kind(loop.rows);
    if (kind.type.empty())
      return losses_.add("L_LOOP", "constraint", c.name, "rows between two frames that are not those of a joint");
    const Place a = place_of(c.frame), b = place_of(c.other);
    if (a.link == b.link)
      return losses_.add("L_LOOP", "constraint", c.name, "rows between two frames of link " + a.link);
    PlainLoop written{.of_model = false};
    JointDescription& j = written.joint;
    const std::string plain = plain_name(c.name);
    j.name = plain;
    while (taken_.has(j.name) || taken_.has(j.name + "_predecessor") || taken_.has(j.name + "_successor") ||
           (j.name != c.name.value() && names_.has(j.name)))
      j.name += "_loop";
    for (const char* end : {"", "_predecessor", "_successor"}) {
      check_length_of_name(j.name + end);
      taken_.add(j.name + end);
    }
    if (j.name != c.name.value())
      losses_.add("L_NAME", "constraint", c.name,
                  plain != c.name.value() ? "its name, which no joint can have" : "its name, which something else has",
                  "the name " + j.name);
    j.type = kind.type, j.axis = kind.axis;
    j.parent = a.link, j.origin = a.pose;
    j.child = b.link, j.child_origin = b.pose;
    j.closes_loop = true;
    plain_.loops.push_back(std::move(written));
    lose_options(c);
  }

  void add_coupling(const Constraint& c, const CouplingConstraint& given) {
    CouplingConstraint rows = given;
    if (!rows.polynomial.empty()) {
      const auto curved = [](const std::vector<double>& p) {
        return std::any_of(p.begin() + std::min<std::ptrdiff_t>(2, static_cast<std::ptrdiff_t>(p.size())), p.end(),
                           [](double a) { return a != 0; });
      };
      if (curved(rows.polynomial))
        return losses_.add("L_COUPLING", "constraint", c.name, "a relation that is not linear");
      rows.ratio = {1, rows.polynomial.size() > 1 ? -rows.polynomial[1] : 0.0};
      rows.offset = rows.polynomial[0];
      rows.polynomial.clear();
    }
    std::size_t kept = 0;  // coordinates that it does ask for
    for (std::size_t k = 0; k < rows.ratio.size(); ++k) {
      if (rows.ratio[k] == 0) continue;
      if (kept < k) rows.ratio[kept] = rows.ratio[k], rows.coordinates[kept] = std::move(rows.coordinates[k]);
      ++kept;
    }
    rows.ratio.resize(kept), rows.coordinates.resize(kept);
    rows.name = c.name;
    plain_.couplings.push_back(std::move(rows));
    lose_options(c);
  }

  const Robot& robot_;
  PlainRobot& plain_;
  Losses& losses_;
  UsedNames taken_, names_;                       // of what loops become; of all constraints
  std::unordered_map<std::string, Place> place_;  // by frame
  std::unordered_set<std::string> of_model_;      // loops of the model
};

}  // namespace

void add_constraints(const Robot& robot, PlainRobot& plain, Losses& losses) {
  Rows rows(robot, plain, losses);
  for (const Constraint& c : robot.constraints.constraints()) rows.add(c);
  for (const ConstraintGroup& group : robot.constraints.groups())
    losses.add("L_CONSTRAINT", "constraint", group.name, "a name for several constraints");
}

}  // namespace zwang::io
