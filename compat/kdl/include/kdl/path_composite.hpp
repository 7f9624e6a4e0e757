// SPDX-License-Identifier: BSD-3-Clause
// Paths one after the other.
#pragma once
#include <vector>

#include "path.hpp"
#include "utilities/held.hpp"

namespace KDL {

/// Before the first and behind the last path, these go on. Without paths everything is at rest in the base.
class Path_Composite : public Path {
 public:
  Path_Composite() = default;
  Path_Composite(const Path_Composite&) = delete;  // Clone()
  /// With `aggregate`, `geom` is deleted with this path.
  void Add(Path* geom, bool aggregate = true);

  double LengthToS(double length) override;  ///< throws Error_MotionPlanning_Not_Applicable
  double PathLength() override { return ends_.empty() ? 0 : ends_.back(); }
  Frame Pos(double s) const override;
  Twist Vel(double s, double sd) const override;
  Twist Acc(double s, double sd, double sdd) const override;
  void Write(std::ostream& os) override;
  Path* Clone() override;
  virtual int GetNrOfSegments() { return static_cast<int>(parts_.size()); }
  /// Throws std::out_of_range, as the next one.
  virtual Path* GetSegment(int i) { return parts_.at(static_cast<std::size_t>(i)).get(); }
  virtual double GetLengthToEndOfSegment(int i) { return ends_.at(static_cast<std::size_t>(i)); }
  /// The path at s, and the length along it.
  virtual void GetCurrentSegmentLocation(double s, int& segment_number, double& inner_s);
  IdentifierType getIdentifier() const override { return ID_COMPOSITE; }

 private:
  std::size_t find(double s, double& inner) const;
  std::vector<detail::Held<Path>> parts_;
  std::vector<double> ends_;  ///< lengths up to the end of each
};

}  // namespace KDL
