// SPDX-License-Identifier: BSD-3-Clause
// THE list of losses: every code that a writer may report, what it may change, and what it means. A code that is not in
// it does not compile. docs/formats/convert.md shows the list.
#pragma once
#include <string_view>

namespace zwang::io {

/// What a loss of some code may change. Motion: accelerations at the same state and forces, or which motions there are;
/// not shapes, contact, limits, motors and names, which have no part in the equations of a model.
inline constexpr const char *k_motion = "motion", *k_data = "data";

struct LossMeaning {
  const char *code, *severity, *meaning;
};

inline constexpr LossMeaning k_losses[] = {
    {"L_MASSLESS", k_motion, "a link without mass where the format wants one"},
    {"L_INERTIA", k_motion, "moments of inertia that no body has; the programs of the format refuse or change them"},
    {"L_LIMIT", k_data, "limits of a coordinate that the format cannot say"},
    {"L_VELOCITY", k_data, "the limit of a velocity"},
    {"L_EFFORT", k_data, "the limit of a force or torque"},
    {"L_JOINT", k_motion, "a joint of a type, or with frames, that the format does not have"},
    {"L_ROOT", k_data, "how the root link hangs on the world, or under what name"},
    {"L_MIMIC", k_motion, "a joint that follows another one"},
    {"L_SPRING", k_motion, "a spring of a joint"},
    {"L_DAMPING", k_motion, "damping or friction of a joint"},
    {"L_ARMATURE", k_motion, "inertia of a rotor or its gear ratio"},
    {"L_SAFETY", k_data, "safety controller, soft limits or calibration of a joint"},
    {"L_LOOP", k_motion, "a loop of a kind that the format does not have"},
    {"L_SOFT", k_motion, "rows that hold exactly become soft ones"},
    {"L_COUPLING", k_motion, "coupled coordinates in a form that the format does not have"},
    {"L_CONSTRAINT", k_motion, "a constraint that the format does not have, or an option of it"},
    {"L_GRAVITY", k_motion, "gravity, or how much of it pulls at a link"},
    {"L_FRAME", k_data, "a frame"},
    {"L_SHAPE", k_data, "a shape of a kind or size that the format does not have"},
    {"L_MESH", k_data, "a mesh, or how it is scaled"},
    {"L_MATERIAL", k_data, "the name or the colour of a material"},
    {"L_CONTACT", k_data, "what a shape says about contact, or two links whose shapes never touch"},
    {"L_CONFIGURATION", k_data, "a named configuration, or how the robot is drawn"},
    {"L_MOTOR", k_data, "a motor, or which joints have one"},
    {"L_NAME", k_data, "a name that the format cannot hold where it stands"},
    {"L_OPTION", k_data, "an option that the model was built with, which reading the file does not repeat"},
};

/// A code of the list, checked where the program is compiled.
class LossCode {
 public:
  consteval LossCode(const char* code) : text_(code) {  // NOLINT: implicit, so that calls name the code alone
    for (const LossMeaning& loss : k_losses)
      if (std::string_view(loss.code) == code) severity_ = loss.severity;
    if (!severity_) throw "a code that is not in the list of losses";
  }
  constexpr const char* text() const { return text_; }
  constexpr const char* severity() const { return severity_; }
  /// For a loss of this code of which the writer knows that it changes no motion.
  constexpr LossCode of_data() const {
    LossCode same = *this;
    same.severity_ = k_data;
    return same;
  }

 private:
  const char *text_, *severity_ = nullptr;
};

}  // namespace zwang::io
