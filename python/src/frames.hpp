// SPDX-License-Identifier: BSD-3-Clause
// Frames as arguments: a name or an id; of many frames a list of these, or a FrameList,
// which has been looked up before.
//
//   void f(const Robot& robot, FrameGiven frame) {
//     const FrameId id = frame_of(robot.model, "f", "frame", frame.object);
//   }
#pragma once
#include <span>
#include <vector>

#include "robot.hpp"
#include "signature.hpp"

namespace zwang::python {

/// A str or an integer, as given. Its text in signatures: `str | int`.
struct FrameGiven {
  nb::handle object;
};
/// A FrameList or a sequence of names and ids, as given. Its text in signatures: `FrameList | Sequence[str | int]`.
struct FramesGiven {
  nb::handle object;
};

/// The Python class FrameList: frames of one model.
struct FrameList {
  nb::object model;  ///< a Robot
  std::vector<FrameId> ids;
  const Model& of() const { return nb::cast<const Robot&>(model).model; }
};

/// Throws std::invalid_argument for what no frame of the model has: a name with the nearest one, an id with the range;
/// TypeError for True, False and what is neither text nor an integer.
FrameId frame_of(const Model& model, const char* function, const char* argument, nb::handle given);
inline FrameId frame_of(const Robot& robot, const char* function, FrameGiven given, const char* argument = "frame") {
  return frame_of(robot.model, function, argument, given.object);
}

/// The frames of an argument, for the time of a call.
class Frames {
 public:
  Frames() = default;
  Frames(const Model& model, const char* function, const char* argument, nb::handle given);
  std::span<const FrameId> ids() const { return list_ != nullptr ? std::span(list_->ids) : std::span(own_); }

 private:
  const FrameList* list_ = nullptr;
  std::vector<FrameId> own_;
};

void bind_frames(nb::module_& m, ClassOf<Robot>& model);

}  // namespace zwang::python

namespace nanobind::detail {

template <> struct type_caster<zwang::python::FrameGiven> {
  NB_TYPE_CASTER(zwang::python::FrameGiven, const_name("str | int"))
  bool from_python(handle given, std::uint8_t, cleanup_list*) noexcept {
    value.object = given;
    return PyUnicode_Check(given.ptr()) || PyIndex_Check(given.ptr());
  }
};
template <> struct type_caster<zwang::python::FramesGiven> {
  NB_TYPE_CASTER(zwang::python::FramesGiven, const_name("FrameList | Sequence[str | int]"))
  bool from_python(handle given, std::uint8_t, cleanup_list*) noexcept {
    value.object = given;
    const bool text = PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr()) || PyByteArray_Check(given.ptr());
    return !text && PySequence_Check(given.ptr());
  }
};

}  // namespace nanobind::detail
