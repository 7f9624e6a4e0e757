// SPDX-License-Identifier: BSD-3-Clause
// The functions of the state that the library has for events.
#include "constraint/joint_columns.hpp"
#include "core/borrowed.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/core/error.hpp"
#include "zwang/simulation/settings.hpp"

namespace zwang {
namespace {

class PointHeight : public EventFunction {
 public:
  PointHeight(const Model& model, FrameId frame, const Vec3<double>& point, const Vec3<double>& normal, double offset)
      : model_(model),
        data_(model),
        frame_(frame),
        point_(point),
        normal_(normal),
        offset_(offset) {}
  double operator()(const SimulationState& state) override {
    forward_kinematics(model_, data_, vector_in(state.q.data(), model_.nq()));
    const Transform<double> X = frame_pose(model_, data_, frame_);
    return dot(normal_, X.R * point_ + X.p) - offset_;
  }

 private:
  Model model_;
  Data data_;
  FrameId frame_;
  Vec3<double> point_, normal_;
  double offset_;
};

/// A number of the state, minus a value.
class Entry : public EventFunction {
 public:
  Entry(VectorView SimulationState::*of, Index at, double value) : of_(of), at_(at), value_(value) {}
  double operator()(const SimulationState& state) override { return (state.*of_)[at_] - value_; }
  bool reads_forces() const override { return of_ == &SimulationState::multipliers; }

 private:
  VectorView SimulationState::*of_;
  Index at_;
  double value_;
};

Index coordinate_of(const Model& model, const std::string& name) {
  const std::vector<std::string>& names = model.coordinate_names();
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return static_cast<Index>(k);
  detail::throw_unknown("event: coordinate", name, names);
}

}  // namespace

std::shared_ptr<EventFunction> point_height(const Model& model, FrameIn frame, const Vec3<double>& point,
                                            const Vec3<double>& normal, double offset) {
  const double length = norm(normal);
  if (!(length > 0) || !std::isfinite(length)) throw std::invalid_argument("event: the normal has no direction");
  const FrameId id = frame.named() ? model.find_frame(frame.name()) : frame.id();
  if (frame.named() && !id) model.frame(frame.name());  // says what is wrong with the name
  if (id.value < 0 || id.value >= static_cast<Index>(model.frames().size()))
    detail::throw_unknown("event: frame", std::string(frame.name()), model.frame_names());
  return std::make_shared<PointHeight>(model, id, point, normal * (1 / length), offset);
}
std::shared_ptr<EventFunction> coordinate_value(const Model& model, const std::string& coordinate, double value) {
  const Index q = detail::coordinate_column(model, coordinate_of(model, coordinate)).q;
  if (q < 0)
    throw std::invalid_argument("event: coordinate '" + coordinate +
                                "' turns with the others of its joint and has no value of its own");
  return std::make_shared<Entry>(&SimulationState::q, q, value);
}
std::shared_ptr<EventFunction> coordinate_rate(const Model& model, const std::string& coordinate, double value) {
  return std::make_shared<Entry>(&SimulationState::v, coordinate_of(model, coordinate), value);
}
std::shared_ptr<EventFunction> row_multiplier(const ConstraintSet& constraints, const std::string& row, double value) {
  std::vector<std::string> known;
  for (const Constraint& x : constraints.constraints())
    for (const std::string& name : x.row_names.value()) {
      if (name == row)
        return std::make_shared<Entry>(&SimulationState::multipliers, static_cast<Index>(known.size()), value);
      known.push_back(name);
    }
  detail::throw_unknown("event: row", row, known);
}

}  // namespace zwang
