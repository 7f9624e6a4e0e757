// SPDX-License-Identifier: BSD-3-Clause
// THE list of losses: every code that a writer may report, and what it means. A code that is not in it does not
// compile. docs/formats/convert.md shows the list.
#pragma once
#include <string_view>

namespace zwang::io {

struct LossMeaning {
  std::string_view code, meaning;
};

inline constexpr LossMeaning k_losses[] = {
    {"L_MASSLESS", "a link without mass where the format wants one"},
    {"L_INERTIA", "moments of inertia that no body has; the programs of the format refuse or change them"},
    {"L_LIMIT", "limits of a coordinate that the format cannot say"},
    {"L_VELOCITY", "the limit of a velocity"},
    {"L_EFFORT", "the limit of a force or torque"},
    {"L_JOINT", "a joint of a type, or with frames, that the format does not have"},
    {"L_ROOT", "how the root link hangs on the world, or under what name"},
    {"L_MIMIC", "a joint that follows another one"},
    {"L_SPRING", "a spring of a joint"},
    {"L_DAMPING", "damping or friction of a joint"},
    {"L_ARMATURE", "inertia of a rotor or its gear ratio"},
    {"L_SAFETY", "safety controller, soft limits or calibration of a joint"},
    {"L_LOOP", "a loop of a kind that the format does not have"},
    {"L_SOFT", "rows that hold exactly become soft ones"},
    {"L_COUPLING", "coupled coordinates in a form that the format does not have"},
    {"L_CONSTRAINT", "a constraint that the format does not have, or an option of it"},
    {"L_GRAVITY", "gravity, or how much of it pulls at a link"},
    {"L_FRAME", "a frame"},
    {"L_SHAPE", "a shape of a kind or size that the format does not have"},
    {"L_MESH", "a mesh, or how it is scaled"},
    {"L_MATERIAL", "the name or the colour of a material"},
    {"L_CONTACT", "what a shape says about contact, or two links whose shapes never touch"},
    {"L_CONFIGURATION", "a named configuration, or how the robot is drawn"},
    {"L_MOTOR", "a motor, or which joints have one"},
    {"L_NAME", "a name that the format cannot hold where it stands"},
    {"L_OPTION", "an option that the model was built with, which reading the file does not repeat"},
};

/// A code of the list, checked where the program is compiled.
class LossCode {
 public:
  consteval LossCode(const char* code) : text_(code) {  // NOLINT: implicit, so that calls name the code alone
    bool known = false;
    for (const LossMeaning& loss : k_losses) known = known || loss.code == code;
    if (!known) throw "a code that is not in the list of losses";
  }
  constexpr const char* text() const { return text_; }

 private:
  const char* text_;
};

}  // namespace zwang::io
