// SPDX-License-Identifier: BSD-3-Clause
// Writing robots: write_urdf, write_sdf, write_mjcf.
#include "zwang/io/write.hpp"
#include "arrays.hpp"
#include "bind.hpp"
#include "record.hpp"
#include "whole_robot.hpp"

namespace zwang {

/// The list of its fields.
template <class V> void fields(V& v, Type<Loss>) {
  using T = Loss;
  v.record("Loss", "One thing of a robot that a format cannot hold, or not as it is.");
  v("code", &T::code, "L_JOINT, L_SPRING and so on (docs/formats/convert.md)");
  v("element", &T::element, "joint, link, shape, frame, constraint, configuration, motor or robot");
  v("name", &T::name, "which one");
  v("lost", &T::lost, "what the file does not say");
  v("instead", &T::instead, "what it says instead; empty: nothing");
  v("severity", &T::severity, "'motion': the robot of the file may move otherwise; 'data': it moves the same");
}
/// The list of its fields.
template <class V> void fields(V& v, Type<WrittenRobot>) {
  using T = WrittenRobot;
  v.record("WrittenRobot", "The text of a file, and what of the robot is not in it.");
  v("text", &T::text, "the file");
  v("losses", &T::losses, "in the order of links, joints, frames, constraints, configurations, motors");
}

namespace python {
namespace {

using Writer = WrittenRobot (*)(const zwang::Robot&, const WriteOptions&);

WrittenShapes shapes_of(const char* function, const std::string& word) {
  if (word == "found") return WrittenShapes::found;
  if (word == "all") return WrittenShapes::all;
  if (word == "none") return WrittenShapes::none;
  throw std::invalid_argument(std::string(function) + ": argument 'shapes' is '" + word +
                              "', expected found, all or none");
}

template <signature::Text S>
void bind_writer(nb::module_& m, const char* name, S signature, const char* doc, Writer write) {
  def(
      m, signature,
      [name, write](nb::handle robot, bool strict, bool balance, const std::string& shapes) {
        const zwang::Robot of = robot_of(name, robot);
        return named_tuple(write(of, {.strict = strict, .balance = balance, .shapes = shapes_of(name, shapes)}));
      },
      doc);
}

#define ZWANG_WRITE_SIGNATURE "*, strict: bool = False, balance: bool = False, shapes: str = \"found\") -> WrittenRobot"
#define ZWANG_WRITE_DOC                                                                                                \
  "\n\n"                                                                                                               \
  "robot: what load_robot gives, or a Model: a robot without constraints and configurations.\n"                        \
  "strict: any loss is refused, ModelError with the losses as diagnostics. balance: of MJCF, lets MuJoCo make equal\n" \
  "    the moments of inertia that no body has.\n"                                                                     \
  "shapes: found (of MJCF without meshes whose file is not there, which MuJoCo refuses), all, or none.\n"              \
  "Returns the text and the losses: reading the text gives the robot again but for these."

}  // namespace

void bind_write(nb::module_& m) {
  named_tuples<Loss, WrittenRobot>(m);
  bind_writer(m, "write_urdf", ZWANG_SIGNATURE("def write_urdf(robot: Model | Robot, " ZWANG_WRITE_SIGNATURE),
              "The robot as a URDF, with the loops and couplings of URDF+." ZWANG_WRITE_DOC, write_urdf);
  bind_writer(m, "write_sdf", ZWANG_SIGNATURE("def write_sdf(robot: Model | Robot, " ZWANG_WRITE_SIGNATURE),
              "The robot as SDF 1.11: one model." ZWANG_WRITE_DOC, write_sdf);
  bind_writer(m, "write_mjcf", ZWANG_SIGNATURE("def write_mjcf(robot: Model | Robot, " ZWANG_WRITE_SIGNATURE),
              "The robot as MJCF, for MuJoCo." ZWANG_WRITE_DOC, write_mjcf);
}

}  // namespace python
}  // namespace zwang
