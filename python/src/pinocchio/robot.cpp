// SPDX-License-Identifier: BSD-3-Clause
// The classes Core, State, Poses, Model and Data for Python.
#include "robot.hpp"

#include <nanobind/stl/vector.h>

#include <algorithm>

#include "zwang/manifold/manifold.hpp"

namespace zwang::python::pinocchio {
namespace {

nb::object array_of(const std::vector<double>& x) {
  const Fresh out = fresh(static_cast<Index>(x.size()));
  std::copy(x.begin(), x.end(), out.numbers);
  return out.array;
}
nb::object array_or_none(const std::vector<double>& x, const CoreObject& core) {
  return x.empty() && core.nv > 0 ? nb::object(nb::none()) : array_of(x);
}

// --- Core -----------------------------------------------------------------------------------------------------------

std::vector<FrameId> ids_of(const std::vector<Index>& numbers) {
  std::vector<FrameId> ids;
  for (const Index k : numbers) ids.emplace_back(k);
  return ids;
}

/// numbers: nq and nv of Pinocchio. pieces: (own, there, size, planar); spans: (q, nq, v, nv) of joints.
void make_core(CoreObject* self, const nb::object& model, Index nq, Index nv, const std::vector<Index>& joints,
               const std::vector<Index>& frames, const std::vector<Index>& at_v, const std::vector<Index>& quaternions,
               const std::vector<Index>& circles, const std::vector<std::vector<Index>>& pieces,
               const std::vector<std::vector<Index>>& spans) {
  CoreObject& c = *new (self) CoreObject(model);
  c.nq = nq, c.nv = nv;
  c.joints = ids_of(joints), c.frames = ids_of(frames);
  c.at_v = at_v, c.quaternions = quaternions, c.circles = circles;
  c.same_q = at_v.empty();
  for (const std::vector<Index>& p : pieces) {
    c.pieces.push_back({p.at(0), p.at(1), p.at(2), p.at(3) != 0});
    c.same_q = c.same_q && p[3] == 0;
  }
  for (const std::vector<Index>& s : spans) c.spans.push_back({s.at(0), s.at(1), s.at(2), s.at(3)});
  c.own_q.resize(static_cast<std::size_t>(nq)), c.room.resize(static_cast<std::size_t>(nv));
  c.neutral.resize(static_cast<std::size_t>(nq));
  std::vector<double> z(static_cast<std::size_t>(c.model.nq()));
  neutral(c.model, Vector(z.data(), c.model.nq()));
  c.q_back(z.data(), c.neutral.data());
}

void bind_core(nb::module_& m) {
  nb::class_<CoreObject>(m, "Core", "A zwang.Model with the order of Pinocchio's numbers.")
      .def("__init__", &make_core)
      .def_prop_ro("same_q", [](const CoreObject& c) { return c.same_q; })
      .def("q",
           [](const CoreObject& c, nb::handle q) {
             const Fresh out = fresh(c.model.nq());
             c.read_q(q, out.numbers);
             return out.array;
           })
      .def("own_q",
           [](const CoreObject& c, nb::handle q) {
             const Fresh out = fresh(c.nq);
             c.read_own_q(q, out.numbers);
             return out.array;
           })
      .def("q_back",
           [](const CoreObject& c, nb::handle z) {
             const Fresh out = fresh(c.nq);
             std::vector<double> x(static_cast<std::size_t>(c.model.nq()));
             read(z, c.model.nq(), "q", x.data());
             c.q_back(x.data(), out.numbers);
             return out.array;
           })
      .def(
          "v",
          [](const CoreObject& c, nb::handle v, const char* what) {
            const Fresh out = fresh(c.nv);
            c.read_v(v, what, out.numbers);
            return out.array;
          },
          nb::arg("v"), nb::arg("what") = "v")
      .def(
          "external",
          [](const CoreObject& c, nb::handle forces) -> nb::object {
            if (forces.is_none()) return nb::none();
            nb::dict all;
            for (const ExternalWrench& w : c.externals(forces)) {
              const Fresh six = fresh(6);
              std::copy_n(w.wrench, 6, six.numbers);
              all[nb::int_(w.frame.value)] = six.array;
            }
            return all;
          },
          nb::arg("forces").none());
}

// --- State ----------------------------------------------------------------------------------------------------------

void bind_state(nb::module_& m) {
  nb::class_<StateObject>(m, "State", "A state in zwang's order.")
      .def(
          "__init__",
          [](StateObject* self, const nb::object& core, nb::handle q, nb::handle v, nb::handle a) {
            if (!nb::isinstance<CoreObject>(core)) throw nb::type_error("State: a Core is expected");
            const StatePointer state = std::make_shared<Numbers>(core);
            read(q, static_cast<Index>(state->q.size()), "q", state->q.data());
            const auto take = [&](nb::handle x, const char* name, std::vector<double>& out) {
              if (x.is_none()) return;
              out.resize(static_cast<std::size_t>(state->core.nv));
              read(x, state->core.nv, name, out.data());
            };
            take(v, "v", state->v);
            take(a, "a", state->a);
            new (self) StateObject{state};
          },
          nb::arg("core"), nb::arg("q"), nb::arg("v").none() = nb::none(), nb::arg("a").none() = nb::none())
      .def_prop_ro("core", [](const StateObject& s) { return s.at->core_object; })
      .def_prop_ro("q", [](const StateObject& s) { return array_of(s.at->q); })
      .def_prop_ro("v", [](const StateObject& s) { return array_or_none(s.at->v, s.at->core); })
      .def_prop_ro("a", [](const StateObject& s) { return array_or_none(s.at->a, s.at->core); })
      .def_prop_ro("external",
                   [](const StateObject& s) -> nb::object {
                     if (s.at->external.empty()) return nb::none();
                     nb::dict all;
                     for (const ExternalWrench& w : s.at->external) {
                       const Fresh six = fresh(6);
                       std::copy_n(w.wrench, 6, six.numbers);
                       all[nb::int_(w.frame.value)] = six.array;
                     }
                     return all;
                   })
      .def_prop_ro("stamp", [](const StateObject& s) { return s.at->stamp; })
      .def_prop_ro("com_in_world", [](const StateObject& s) { return s.at->com_in_world; })
      .def("need_v",
           [](const StateObject& s, const char* who) {
             s.at->need_v(who);
             return array_of(s.at->v);
           })
      .def("need_a",
           [](const StateObject& s, const char* who) {
             s.at->need_a(who);
             return array_of(s.at->a);
           })
      .def("same_place", [](const StateObject& s, const StateObject& other) { return s.at->same_place(*other.at); })
      .def("pose", [](const StateObject& s, Py_ssize_t frame) {  // of a frame of zwang
        return new_pose(frame_pose(s.at->core.model, s.at->kinematics(), FrameId(static_cast<Index>(frame))));
      });
}

// --- poses of all joints or frames ----------------------------------------------------------------------------------

Py_ssize_t size_of(const PoseList& list) {
  return static_cast<Py_ssize_t>(list.of_frames ? list.at->core.frames.size() : list.at->core.joints.size());
}
nb::object pose_at(const PoseList& list, Py_ssize_t k) {
  const Py_ssize_t size = size_of(list);
  if (k < -size || k >= size)
    throw nb::index_error(
        ("index " + std::to_string(k) + " is out of range: there are " + std::to_string(size)).c_str());
  list.at->lent = true;
  return pose_view(list.at->pose(list.of_frames, static_cast<Index>(k < 0 ? k + size : k)), list.at);
}
nb::list poses_in(const PoseList& list) {
  nb::list out;
  for (Py_ssize_t k = 0; k < size_of(list); ++k) out.append(pose_at(list, k));
  return out;
}

void bind_poses(nb::module_& m) {
  nb::class_<PoseList>(m, "Poses", "Poses of joints or frames, computed when they are read.")
      .def("__len__", [](const PoseList& list) { return size_of(list); })
      .def("__getitem__", &pose_at)
      .def("__getitem__",
           [](const PoseList& list, nb::slice slice) {
             nb::object part = nb::steal(PyObject_GetItem(poses_in(list).ptr(), slice.ptr()));
             if (!part.is_valid()) nb::raise_python_error();
             return part;
           })
      .def("__iter__", [](const PoseList& list) { return nb::iter(poses_in(list)); })
      .def(
          "tolist", [](const PoseList& list) { return poses_in(list); }, "A Python list of the entries.")
      .def("__repr__", [](const PoseList& list) { return nb::repr(poses_in(list)); });
}

// --- Model and Data -------------------------------------------------------------------------------------------------

void bind_model(nb::module_& m) {
  nb::class_<ModelObject>(m, "Model", "What a Model derives from: it knows whether its Core is that of the model.")
      .def(nb::init<>())
      .def(
          "core", [](ModelArgument self) { return self.p->core(self.h); },
          "The zwang.Model of what this model says now, made again where that has changed.")
      .def("_touch",
           [](ModelObject& self, Index nq, Index nv, Index njoints) {
             ++self.stamp;
             self.nq = nq, self.nv = nv, self.njoints = njoints;
           })
      .def("_watch_arrays", [](ModelObject& self, nb::list arrays) { self.watch(arrays); });
}

Group group_of(const std::string& word) {
  static const char* const k_words[] = {"poses", "motion", "forces", "centre", "constrained"};
  for (int k = 0; k < k_groups; ++k)
    if (word == k_words[k]) return static_cast<Group>(k);
  throw std::invalid_argument("no group of members: " + word);
}
nb::object state_or_none(const StatePointer& state) {
  return state == nullptr ? nb::object(nb::none()) : nb::cast(StateObject{state});
}
nb::object poses_of(DataArgument data, bool of_frames) {
  const StatePointer& state = (*data.p)[Group::poses];
  if (state == nullptr)
    throw nb::attribute_error(of_frames ? "data.oMf: no function has computed it yet"
                                        : "data.oMi: no function has computed it yet");
  return nb::cast(PoseList{state, of_frames});
}

/// (is_point, is_local, joint1_id, joint1_placement, joint2_id, joint2_placement, corrected)
nb::tuple tuple_of(const SolvedContact& c) {
  return nb::make_tuple(c.is_point, c.is_local, c.joints[0], new_pose(c.placements[0]), c.joints[1],
                        new_pose(c.placements[1]), c.corrected);
}
SolvedContact solved_contact(const nb::tuple& x) {
  const auto placement = [&](int k) { return transform_of(nb::cast<const Pose&>(nb::object(x[k])).at); };
  return {nb::cast<bool>(nb::object(x[0])),
          nb::cast<bool>(nb::object(x[1])),
          nb::cast<bool>(nb::object(x[6])),
          {nb::cast<Index>(nb::object(x[2])), nb::cast<Index>(nb::object(x[4]))},
          {placement(3), placement(5)}};
}

void bind_data(nb::module_& m) {
  nb::class_<DataObject>(m, "Data", "What a Data derives from: the states that its members belong to.")
      .def("__init__",
           [](DataObject* self, const ModelObject& model) {
             DataObject& d = *new (self) DataObject();
             d.nq = model.nq, d.nv = model.nv, d.njoints = model.njoints;
           })
      .def("__init__",
           [](DataObject* self, const DataObject& other) {
             DataObject& d = *new (self) DataObject(other);
             for (int k = 0; k < k_groups; ++k) {
               StatePointer& at = d[static_cast<Group>(k)];
               if (at == nullptr) continue;
               int first = 0;
               while (const_cast<DataObject&>(other)[static_cast<Group>(first)] != at) ++first;
               if (first < k) {  // a state that two groups share stays one
                 at = d[static_cast<Group>(first)];
                 continue;
               }
               const StatePointer own = std::make_shared<Numbers>(at->core_object);
               own->take(*at);
               if (at->columns.is_valid()) own->columns = at->columns.attr("copy")("K"), own->lent = true;
               at = own;
             }
           })
      .def_prop_ro("nq", [](const DataObject& d) { return d.nq; })
      .def_prop_ro("nv", [](const DataObject& d) { return d.nv; })
      .def_prop_ro("njoints", [](const DataObject& d) { return d.njoints; })
      .def_prop_ro("oMi", [](DataArgument data) { return poses_of(data, false); })
      .def_prop_ro("oMf", [](DataArgument data) { return poses_of(data, true); })
      .def("fits", [](DataArgument data, ModelArgument model) { check_fits(*model.p, *data.p); })
      .def("core_of", [](DataArgument data, ModelArgument model) { return core_of(model, data); })
      .def(
          "move",
          [](DataArgument data, ModelArgument model, nb::handle q, nb::handle v, nb::handle a) {
            return StateObject{data.p->move(core_of(model, data), q, v, a)};
          },
          nb::arg("model"), nb::arg("q"), nb::arg("v").none() = nb::none(), nb::arg("a").none() = nb::none())
      .def("now",
           [](DataArgument data, ModelArgument model, const char* who) { return StateObject{now(model, data, who)}; })
      .def(
          "moving",
          [](DataArgument data, ModelArgument model, const char* who, bool local) {
            return StateObject{moving(model, data, who, local)};
          },
          nb::arg("model"), nb::arg("who"), nb::arg("local") = false)
      .def("_state",
           [](DataObject& d, const std::string& group) {
             const StatePointer& state = d[group_of(group)];
             if (state != nullptr) state->lent = true;
             return state_or_none(state);
           })
      .def("_hold",
           [](DataObject& d, const StateObject& state, const std::vector<std::string>& groups) {
             for (const std::string& word : groups) d[group_of(word)] = state.at;
           })
      .def_prop_rw(
          "_constrained",
          [](DataObject& d) -> nb::object {  // (contacts, State, multipliers)
            if (d[Group::constrained] == nullptr) return nb::none();
            nb::list contacts;
            for (const SolvedContact& c : d.contacts) contacts.append(tuple_of(c));
            return nb::make_tuple(contacts, StateObject{d[Group::constrained]}, array_of(d.multipliers));
          },
          [](DataObject& d, const nb::tuple& value) {
            std::vector<SolvedContact> contacts;
            for (nb::handle x : value[0]) contacts.push_back(solved_contact(nb::cast<nb::tuple>(x)));
            d.contacts = std::move(contacts);
            d[Group::constrained] = nb::cast<const StateObject&>(nb::object(value[1])).at;
            d.multipliers = nb::cast<std::vector<double>>(nb::object(value[2]));
          })
      .def_prop_rw(
          "_mass", [](const DataObject& d) { return d.mass.is_valid() ? d.mass : nb::object(nb::none()); },
          [](DataObject& d, const nb::object& mass) { d.mass = mass; })
      .def("centre", [](DataObject& d, const StateObject& state, bool in_world) { d.centre(state.at, in_world); });
}

}  // namespace

void bind_robot(nb::module_& m) {
  bind_core(m);
  bind_state(m);
  bind_poses(m);
  bind_model(m);
  bind_data(m);
}

}  // namespace zwang::python::pinocchio
