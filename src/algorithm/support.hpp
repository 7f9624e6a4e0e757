// SPDX-License-Identifier: BSD-3-Clause
// Checks and inputs that every public call shares.
#pragma once
#include "zwang/algorithm/dynamics.hpp"
#include "zwang/model/check_configuration.hpp"

namespace zwang::detail {

inline Index size_of(VectorIn x) { return static_cast<Index>(x.size()); }

/// Data made for this model.
inline void check_data(const Model& model, const Data& data, const char* function) {
  if (!data.made_for(model)) throw_mismatch(function);
}
inline void check_q(const Model& model, VectorIn q, const char* function) {
  check_configuration(model, q.data(), size_of(q), function);
}
inline void check_v(const Model& model, VectorIn v, const char* function, const char* argument) {
  check_tangent(model, v.data(), size_of(v), function, argument);
}
void check_matrix(const MatrixOut& out, Index rows, Index columns, const char* function);
void check_stage(const Data& data, unsigned stage, const char* function, const char* needed);
const Frame& frame_of(const Model& model, FrameId frame, const char* function);

/// Known frames and finite entries.
void check_external(const Model& model, const ExternalWrench* external, Index count);
/// Wrenches from outside, into body axes about the bodies' origins. Needs a position stage for wrenches in world axes
/// and makes it.
void set_external(const Model& model, Data& data, const double* q, const ExternalWrench* external, Index count);

/// Adds the passive joint effects to tau (model coordinates): sign +1 gives the torque on the joints, -1 subtracts
/// them.
void add_passive(Data& data, const double* q, const double* v, const JointEffects& effects, double sign, double* tau);
double spring_energy(Data& data, const double* q);

[[noreturn]] void throw_singular(const Data& data);

}  // namespace zwang::detail
