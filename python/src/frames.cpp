// SPDX-License-Identifier: BSD-3-Clause
#include "frames.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "zwang/model/structure.hpp"

namespace zwang::python {
namespace {

[[noreturn]] void wrong_type(const char* function, const char* argument, bool in_list, nb::handle given) {
  throw nb::type_error((std::string("E_ARGUMENT ") + function + ": argument '" + argument +
                        (in_list ? "' holds type " : "' has type ") + type_text(given) + ", expected str | int")
                           .c_str());
}

/// `in_list`: the argument is a list, and this is one of its entries.
FrameId look_up(const Model& model, const char* function, const char* argument, bool in_list, nb::handle given) {
  if (PyUnicode_Check(given.ptr())) {
    Py_ssize_t size = 0;
    const char* const text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (text == nullptr) text_argument(function, argument, given);  // throws
    const std::string_view name(text, static_cast<std::size_t>(size));
    const FrameId id = model.find_frame(name);
    if (!id) model.frame(name);  // throws with the nearest name
    return id;
  }
  if (PyBool_Check(given.ptr()) || !PyIndex_Check(given.ptr())) wrong_type(function, argument, in_list, given);
  const nb::object number = nb::steal(PyNumber_Index(given.ptr()));  // of NumPy's integers, too
  if (!number.is_valid()) {
    PyErr_Clear();
    wrong_type(function, argument, in_list, given);
  }
  const Py_ssize_t id = PyNumber_AsSsize_t(number.ptr(), nullptr),
                   count = static_cast<Py_ssize_t>(model.frames().size());
  if (id >= 0 && id < count) return FrameId(static_cast<Index>(id));
  throw std::invalid_argument(std::string("E_NAME ") + function + ": argument '" + argument +
                              (in_list ? "' holds " : "' is ") + nb::str(number).c_str() +
                              ", but ids of frames are 0 to " + std::to_string(count - 1));
}

FrameList list_of(nb::handle model, const char* function, nb::handle given) {
  const Model& of = nb::cast<const Robot&>(model).model;
  FrameList list{nb::borrow(model), {}};
  if (given.is_none()) {
    for (Index k = 0; k < static_cast<Index>(of.frames().size()); ++k) list.ids.emplace_back(k);
  } else {
    const Frames frames(of, function, "frames", given);
    list.ids.assign(frames.ids().begin(), frames.ids().end());
  }
  return list;
}

nb::list names_of(const FrameList& list) {
  nb::list names;
  for (const FrameId id : list.ids) names.append(text_of(list.of().frame(id).name));
  return names;
}
nb::list ids_of(const FrameList& list) {
  nb::list ids;
  for (const FrameId id : list.ids) ids.append(id.value);
  return ids;
}

/// The Python class Frame: a frame of a model. It holds the model, so that it may outlive the object it was taken from.
struct OneFrame {
  Model model;
  FrameId id;
  const Frame* operator->() const { return &model.frame(id); }
};

nb::list frames_of(const FrameList& list) {
  nb::list frames;
  for (const FrameId id : list.ids) frames.append(nb::cast(OneFrame{list.of(), id}));
  return frames;
}

void bind_one_frame(nb::module_& m) {
  const auto name_of = [](const auto& items, auto id) -> nb::object {
    if (!id) return nb::none();
    return text_of(items[static_cast<std::size_t>(id.value)].name);
  };
  ClassOf<OneFrame>(m, "Frame",
                    "A frame of a model: model.frame(name or id), model.frames().frames. Keeps the model alive.")
      .get("name", "str", [](const OneFrame& f) { return text_of(f->name); })
      .get("id", "int", "its place in model.frame_names, which calls take for its name",
           [](const OneFrame& f) { return f.id.value; })
      .get("kind", "str", "'link', 'joint' or 'user'",
           [](const OneFrame& f) {
             return f->kind == Frame::Kind::link ? "link" : f->kind == Frame::Kind::joint ? "joint" : "user";
           })
      .get("link", "str", "name of the link that it is fixed to",
           [name_of](const OneFrame& f) { return name_of(f.model.links(), f->link); })
      .get("joint", "str | None",
           "name of the joint that carries this link; None where the link is a root fixed to the world",
           [name_of](const OneFrame& f) { return name_of(f.model.joints(), place_of(f.model, f.id).joint); })
      .get("placement", "Array", "4 x 4 pose in the frame of this link",
           [](const OneFrame& f) { return new_array(place_of(f.model, f.id).pose); })
      .get("body", "int", "number of the body of this link, depth first; 0 is the ground",
           [](const OneFrame& f) { return f->body.value; })
      .def("__repr__", [](const OneFrame& f) {
        return "<Frame '" + f->name + "': on link '" + f.model.links()[static_cast<std::size_t>(f->link.value)].name +
               "'>";
      });
  kept_by<OneFrame>(
      2, [](const OneFrame& f) { return nb::make_tuple(Robot(f.model), f.id.value); },
      [](const Pickled& read, const nb::tuple& state) {
        const Model& model = object_in<Robot>(read, state[0]).model;
        const auto count = static_cast<Index>(model.frames().size());
        return OneFrame{model, FrameId(read.count(state[1], 0, count - 1, "its id"))};
      });
}

}  // namespace

FrameId frame_of(const Model& model, const char* function, const char* argument, nb::handle given) {
  return look_up(model, function, argument, false, given);
}

Frames::Frames(const Model& model, const char* function, const char* argument, nb::handle given) {
  if (nb::inst_check(given) && nb::try_cast(given, list_)) {
    if (list_->of().id() == model.id()) return;
    throw std::invalid_argument(std::string("E_NAME ") + function + ": argument '" + argument +
                                "' is a FrameList of another model; make one by model.frames() of this model");
  }
  const Py_ssize_t count = PySequence_Size(given.ptr());
  if (count < 0) nb::raise_python_error();
  own_.reserve(static_cast<std::size_t>(count));
  for (Py_ssize_t k = 0; k < count; ++k) {
    const nb::object item = nb::steal(PySequence_GetItem(given.ptr(), k));
    if (!item.is_valid()) nb::raise_python_error();
    own_.push_back(look_up(model, function, argument, true, item));
  }
}

void bind_frames(nb::module_& m, ClassOf<Robot>& model) {
  bind_one_frame(m);
  ClassOf<FrameList>(m, "FrameList",
                     "Frames of one model, looked up once: what frame_poses takes without looking at a name again.\n\n"
                     "Made by model.frames(). Keeps the model alive; another model refuses it.")
      .get("names", "list[str]", &names_of)
      .get("ids", "list[int]", "places in model.frame_names", &ids_of)
      .get("frames", "list[Frame]", "as objects", &frames_of)
      .def("__len__", [](const FrameList& list) { return list.ids.size(); })
      .def(
          "__iter__", [](const FrameList& list) { return nb::iter(names_of(list)); },
          nb::sig("def __iter__(self) -> Iterator[str]"))
      .def(ZWANG_SIGNATURE("def __getitem__(self, place: int, /) -> str"),
           [](const FrameList& list, Py_ssize_t k) {
             const auto count = static_cast<Py_ssize_t>(list.ids.size());
             if (k < -count || k >= count) throw nb::index_error("E_SIZE FrameList: there is no frame at this place");
             return text_of(list.of().frame(list.ids[static_cast<std::size_t>(k < 0 ? k + count : k)]).name);
           })
      .def("__repr__",
           [](const FrameList& list) {
             return "<zwang.FrameList: " + std::to_string(list.ids.size()) + " frames of " + list.of().name() + ">";
           })
      .def(
          "__getstate__", [](const FrameList& list) { return nb::make_tuple(list.model, ids_of(list)); },
          nb::sig("def __getstate__(self) -> tuple[Model, list[int]]"))
      .def(
          "__setstate__",
          [](FrameList& list, nb::handle state) {
            const Pickled pickled("FrameList");
            const nb::tuple parts = pickled.parts(state, 2, "the state");
            const nb::object owner = parts[0];
            if (!nb::isinstance<Robot>(owner) || !nb::inst_ready(owner)) pickled.refuse("the first part is no Model");
            const nb::object ids = pickled.list(parts[1], std::numeric_limits<Index>::max(), "frames");
            new (&list) FrameList(list_of(owner, "FrameList", ids));
          },
          nb::sig("def __setstate__(self, state: tuple[Model, list[int]], /) -> None"));
  model
      .def(
          ZWANG_SIGNATURE("def frames(self, frames: FrameList | Sequence[str | int] | None = None) -> FrameList"),
          [](nb::handle self, nb::handle given) { return list_of(self, "frames", given); },
          "These frames, by name or id, as one object for calls that take many; None: all. Raises ValueError with the\n"
          "nearest name.")
      .def(
          ZWANG_SIGNATURE("def frame(self, frame: str | int) -> Frame"),
          [](const Robot& r, FrameGiven frame) {
            return OneFrame{r.model, frame_of(r, "frame", frame)};
          },
          "The frame of this name or id: what it is fixed to, and where. Raises ValueError with the nearest name.")
      .def(
          ZWANG_SIGNATURE("def frame_id(self, name: str) -> int"),
          [](const Robot& r, const std::string& name) {
            r.model.frame(name);  // throws with the nearest name
            return r.model.find_frame(name).value;
          },
          "The number of the frame in frame_names, which calls take for its name. Raises ValueError with the nearest "
          "name.");
}

}  // namespace zwang::python
