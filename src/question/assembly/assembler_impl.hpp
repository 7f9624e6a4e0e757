// SPDX-License-Identifier: BSD-3-Clause
// AssemblerImpl: the parts of an Assembler.
#pragma once
#include "question/assembly/nearest_velocity.hpp"

namespace zwang {

struct AssemblerImpl {
  AssemblerImpl(const Model& of, const ConstraintSet& set, const AssemblySettings& given);
  void make_room_for_sides();
  void begin();
  bool weigh(const double* at);
  void position(const double* q0);
  void speed(const double* at, const double* v0);

  Model model;
  AssemblySettings settings;
  std::vector<double> weights;
  AssemblyCoordinates coordinates;
  Metric metric;
  RowsAt rows;
  ClosestPoint point;
  NearestVelocity velocity;
  Buffer<double> M, q, v;
  Assembly result;
  bool busy = false;
};

}  // namespace zwang
