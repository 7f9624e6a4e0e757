// SPDX-License-Identifier: BSD-3-Clause
// Robots from URDF, by zwang's reader.
#pragma once
#include <rbdl/Model.h>

namespace RigidBodyDynamics {
namespace Addons {

/// Adds the robot of a file to an empty model and sets its gravity to (0, 0, -9.81). Bodies have the names of links;
/// joints are added depth first, those of one link by their names. The root link hangs on JointTypeFloatingBase, or is
/// fixed to the base. Limits and mimic are not read, as there. Returns true; throws RBDLInvalidFileError and
/// RBDLFileParseError with what the reader says, RBDLMissingImplementationError for planar joints and floating joints
/// behind the root.
bool URDFReadFromFile(const char* filename, Model* model, bool floating_base, bool verbose = false);
/// The same for a text.
bool URDFReadFromString(const char* model_xml_string, Model* model, bool floating_base, bool verbose = false);

}  // namespace Addons
}  // namespace RigidBodyDynamics
