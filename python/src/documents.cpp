// SPDX-License-Identifier: BSD-3-Clause
// Models, sets and solutions as JSON and CBOR; equality and hash of models and sets.
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bind.hpp"
#include "constraints.hpp"
#include "solution.hpp"
#include "whole_robot.hpp"
#include "zwang/io/constraints.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/model.hpp"
#include "zwang/io/solution.hpp"
#include "zwang/io/state.hpp"

namespace zwang::python {
namespace {

using Guard = std::lock_guard<SetMutex>;

nb::bytes as_bytes(const std::vector<std::uint8_t>& x) { return nb::bytes(x.data(), x.size()); }

/// The bytes of bytes, bytearray or memoryview.
std::vector<std::uint8_t> bytes_argument(const char* function, nb::handle given) {
  if (!PyBytes_Check(given.ptr()) && !PyByteArray_Check(given.ptr()) && !PyMemoryView_Check(given.ptr()))
    throw_type(function, "data", given, "bytes");
  const nb::object bytes = nb::steal(PyBytes_FromObject(given.ptr()));
  if (!bytes.is_valid()) nb::raise_python_error();
  const char* const data = PyBytes_AsString(bytes.ptr());
  return {data, data + PyBytes_Size(bytes.ptr())};
}

template <class F> Robot read(F&& reader) {
  auto found = std::make_shared<Diagnostics>();
  const nb::gil_scoped_release release;
  Model model = reader(found.get());
  return Robot(std::move(model), std::move(found));
}
Robot model_of_json(nb::handle given) {
  const std::string text = text_argument("model_from_json", "text", given);
  return read([&](Diagnostics* found) { return model_from_json(text, {}, found); });
}
Robot model_of_cbor(nb::handle given) {
  const std::vector<std::uint8_t> bytes = bytes_argument("model_from_cbor", given);
  return read([&](Diagnostics* found) { return model_from_cbor(bytes, {}, found); });
}

nb::object robot_of_json(nb::handle given) {
  const std::string text = text_argument("robot_from_json", "text", given);
  auto found = std::make_shared<Diagnostics>();
  return whole_robot(robot_from_json(text, {}, {}, found.get()), found);
}
nb::object robot_of_cbor(nb::handle given) {
  const std::vector<std::uint8_t> bytes = bytes_argument("robot_from_cbor", given);
  auto found = std::make_shared<Diagnostics>();
  return whole_robot(robot_from_cbor(bytes, {}, {}, found.get()), found);
}

constexpr const char* k_json_doc =
    "The model of a document that Model.to_json wrote.\n\n"
    "Raises ValueError with the place of what is wrong in the document, ModelError where the robot in it is refused.";
constexpr const char* k_cbor_doc =
    "The model of a document that Model.to_cbor wrote: bytes, bytearray or memoryview.\n\n"
    "Raises ValueError with the place of what is wrong in the document, ModelError where the robot in it is refused.";

void bind_model_documents(nb::module_& m) {
  auto c = nb::borrow<ClassOf<Robot>>(nb::type<Robot>());
  c.def(
       "to_json", [](const Robot& r) { return text_of(to_json(r.model)); }, nb::sig("def to_json(self) -> str"),
       "The description and the options of building as a document with exact numbers (format zwang.model): read again "
       "it\n"
       "is the same model, bit for bit. Raises UnsupportedError naming a user-defined joint, which no document holds.")
      .def(
          "to_cbor", [](const Robot& r) { return as_bytes(to_cbor(r.model)); }, nb::sig("def to_cbor(self) -> bytes"),
          "The same as CBOR, which is shorter.")
      .def_static(ZWANG_SIGNATURE("def from_json(text: str) -> Model"), &model_of_json, k_json_doc)
      .def_static(ZWANG_SIGNATURE("def from_cbor(data: bytes | bytearray | memoryview) -> Model"), &model_of_cbor,
                  k_cbor_doc)
      .def(
          ZWANG_SIGNATURE("def __eq__(self, other: object, /) -> bool"),
          [](const Robot& a, nb::handle other) -> nb::object {
            const Robot* b = nullptr;
            if (!nb::try_cast(other, b, false) || b == nullptr) return nb::borrow(Py_NotImplemented);
            return nb::bool_(same_robot(a.model, b->model));
          },
          "The same robot: equal descriptions and options of building to the last bit, wherever they were read from.")
      .def(
          "__hash__",
          [](const Robot& r) {
            std::int64_t known = r.pool->hash;
            if (known < 0) r.pool->hash = known = static_cast<std::int64_t>(hash(r.model) >> 3);
            return known;
          },
          nb::sig("def __hash__(self) -> int"),
          "Equal for equal robots, in every process. Takes linear time when it is first asked for.");
  def(
      m, ZWANG_SIGNATURE("def robot_to_json(robot: Model | Robot) -> str"),
      [](nb::handle robot) { return text_of(to_json(robot_of("robot_to_json", robot))); },
      "A whole robot, as load_robot gives it, as one document with exact numbers (format zwang.robot): its model,\n"
      "constraints and configurations.");
  def(
      m, ZWANG_SIGNATURE("def robot_to_cbor(robot: Model | Robot) -> bytes"),
      [](nb::handle robot) { return as_bytes(to_cbor(robot_of("robot_to_cbor", robot))); },
      "What robot_to_json writes, as CBOR, which is shorter.");
  def(m, ZWANG_SIGNATURE("def robot_from_json(text: str) -> Robot"), &robot_of_json,
      "The robot of a document that robot_to_json wrote.\n\n"
      "Raises ValueError with the place of what is wrong in the document, ModelError where the model in it is "
      "refused.");
  def(m, ZWANG_SIGNATURE("def robot_from_cbor(data: bytes | bytearray | memoryview) -> Robot"), &robot_of_cbor,
      "The robot of a document that robot_to_cbor wrote: bytes, bytearray or memoryview. Raises as robot_from_json.");
  def(m, ZWANG_SIGNATURE("def model_from_json(text: str) -> Model"), &model_of_json, k_json_doc);
  def(m, ZWANG_SIGNATURE("def model_from_cbor(data: bytes | bytearray | memoryview) -> Model"), &model_of_cbor,
      k_cbor_doc);
}

nb::object same_sets(const SetObject& a, nb::handle other) {
  const SetObject* b = nullptr;
  if (!nb::try_cast(other, b, false) || b == nullptr) return nb::borrow(Py_NotImplemented);
  if (a.shared == b->shared) return nb::bool_(true);
  SetMutex *first = &a.shared->mutex, *second = &b->shared->mutex;
  if (std::less<>()(second, first)) std::swap(first, second);
  const Guard one(*first), two(*second);
  return nb::bool_(same_constraints(a.shared->set, b->shared->set));
}

void bind_set_documents() {
  auto c = nb::borrow<ClassOf<SetObject>>(nb::type<SetObject>());
  c.def(
       "to_cbor",
       [](const SetObject& self) {
         const Guard lock(self.shared->mutex);
         return as_bytes(to_cbor(self.shared->set));
       },
       nb::sig("def to_cbor(self) -> bytes"), "What to_json writes, as CBOR.")
      .def_static(
          ZWANG_SIGNATURE("def from_cbor(model: Model, data: bytes | bytearray | memoryview) -> ConstraintSet"),
          [](const Robot& model, nb::handle data) {
            const std::vector<std::uint8_t> bytes = bytes_argument("from_cbor", data);
            SetObject made{std::make_shared<SharedSet>(model), nb::borrow(nb::find(model))};
            made.shared->set = constraints_from_cbor(model.model, bytes);
            return made;
          },
          "The set that to_cbor wrote. Raises ValueError with the place of what is wrong, and the nearest name.")
      .def(ZWANG_SIGNATURE("def __eq__(self, other: object, /) -> bool"), &same_sets,
           "The same constraints in the same state on the same robot. A set can change: it has no hash.");
  c.attr("__hash__") = nb::none();
}

/// Arrays as lists; what is not known as None, infinities as words.
nb::object plain(nb::handle x) {
  if (PyFloat_Check(x.ptr())) {
    const double value = PyFloat_AsDouble(x.ptr());
    if (value != value) return nb::none();
    if (value - value != 0) return nb::str(value > 0 ? "inf" : "-inf");
    return nb::borrow(x);
  }
  if (PyList_Check(x.ptr())) {
    nb::list list;
    for (const nb::handle item : nb::borrow<nb::list>(x)) list.append(plain(item));
    return list;
  }
  if (nb::hasattr(x, "tolist")) return plain(x.attr("tolist")());
  return nb::borrow(x);
}

nb::object report_of(const ReportObject& r) {
  return nb::module_::import_("json").attr("loads")(text_of(to_json(r.record)));
}

/// The document of a solution, for one state or with a leading dimension N, as json.dumps takes it.
nb::dict solution_document(nb::handle self) {
  SolutionObject& s = nb::cast<SolutionObject&>(self);
  s.complete();
  nb::dict out, groups;
  out["format"] = "zwang.solution";
  out["version"] = k_solution_version;
  nb::list reports, statuses, constraints;
  for (const ReportObject& r : s.reports) {
    statuses.append(name_of(r.record.status));
    reports.append(report_of(r));
  }
  const bool one = s.states < 0;
  out["status"] = one && nb::len(statuses) > 0 ? nb::object(statuses[0]) : nb::object(statuses);
  out["qdd"] = plain(s.acceleration);
  if (s.core) out["names"] = nb::cast(s.model().coordinate_names());
  for (const RowLayout::Part& part : s.layout->parts) {
    const nb::object solved = self[nb::str(part.name.c_str())];
    nb::dict c;
    nb::list rows;
    for (const std::string& row : part.row_names)
      rows.append(row.starts_with(part.name + ":") ? row.substr(part.name.size() + 1) : row);
    c["name"] = part.name, c["type"] = part.type, c["rows"] = rows;
    c["role"] = name_of(part.held.role), c["policy"] = name_of(part.held.policy);
    c["priority"] = part.held.priority, c["active"] = part.held.active, c["other"] = part.other;
    c["lambda"] = plain(solved.attr("multipliers")), c["wrench"] = plain(solved.attr("wrench"));
    c["frame"] = part.frame, c["in"] = part.in, c["residual"] = plain(solved.attr("residual"));
    constraints.append(c);
  }
  out["constraints"] = constraints;
  for (const RowLayout::Group& group : s.layout->groups) {
    const nb::object solved = self.attr("group")(group.name);
    nb::dict g;
    nb::list members;
    for (const std::string& name : group.members) members.append(name);
    g["constraints"] = members, g["wrench"] = plain(solved.attr("wrench")), g["power"] = plain(solved.attr("power"));
    groups[group.name.c_str()] = g;
  }
  out["groups"] = groups;
  out["motor_torque"] = plain(s.motor_torque);
  out["reaction"] = plain(s.reaction);
  out["articulated_constraint_torque"] = plain(s.articulated);
  out["zwang"] = plain(self.attr("zwang"));
  out["report"] = one && nb::len(reports) > 0 ? nb::object(reports[0]) : nb::object(reports);
  return out;
}
std::string solution_text(nb::handle self) {
  const nb::object text = nb::module_::import_("json").attr("dumps")(
      solution_document(self), nb::arg("ensure_ascii") = false, nb::arg("allow_nan") = false);
  return text_argument("to_json", "self", text);
}

void bind_solution_documents() {
  auto c = nb::borrow<ClassOf<SolutionObject>>(nb::type<SolutionObject>());
  c.def(
       "to_json", [](nb::handle self) { return text_of(solution_text(self)); }, nb::sig("def to_json(self) -> str"),
       "The solution and its report as a document with exact numbers (format zwang.solution), with the keys of `zwang\n"
       "solve --json`. Of N states every value has a leading dimension N.")
      .def(
          "to_cbor", [](nb::handle self) { return as_bytes(JsonDocument::parse(solution_text(self), "JSON").cbor()); },
          nb::sig("def to_cbor(self) -> bytes"), "The same as CBOR.");
  auto r = nb::borrow<ClassOf<ReportObject>>(nb::type<ReportObject>());
  r.def(
      "to_json", [](const ReportObject& x) { return text_of(to_json(x.record)); }, nb::sig("def to_json(self) -> str"),
      "What the report says, with the keys of `report` in a solution's document.");
}

Eigen::VectorXd vector_argument(const Robot& r, const char* name, nb::handle given, Index size, VectorKind kind) {
  if (given.is_none() && kind == VectorKind::tangent) return Eigen::VectorXd::Zero(size);
  const Input x("state", name, given, size, kind, &r.model);
  if (x.states() >= 0)
    throw std::invalid_argument(std::string("E_SIZE state: argument '") + name + "' has several states, expected one");
  return Eigen::Map<const Eigen::VectorXd>(x.at(0), size);
}
std::string state_text(const Robot& r, nb::handle q, nb::handle v, nb::handle a) {
  return state_json(r.model, vector_argument(r, "q", q, r.model.nq(), VectorKind::configuration),
                    vector_argument(r, "v", v, r.model.nv(), VectorKind::tangent),
                    vector_argument(r, "a", a, r.model.nv(), VectorKind::tangent));
}
/// Lists of numbers become arrays.
nb::object with_arrays(nb::handle x) {
  if (PyDict_Check(x.ptr())) {
    nb::dict all;
    for (auto [key, value] : nb::borrow<nb::dict>(x)) all[key] = with_arrays(value);
    return all;
  }
  if (!PyList_Check(x.ptr()) || nb::len(x) == 0) return nb::borrow(x);
  const nb::object first = nb::borrow<nb::list>(x)[0];
  if (PyFloat_Check(first.ptr()) || PyList_Check(first.ptr())) return nb::module_::import_("numpy").attr("array")(x);
  nb::list list;
  for (const nb::handle item : nb::borrow<nb::list>(x)) list.append(with_arrays(item));
  return list;
}

void bind_state_documents(nb::module_& m) {
  def(
      m,
      ZWANG_SIGNATURE(
          "def state_json(model: Model, q: Vector, v: Vector | None = None, a: Vector | None = None) -> str"),
      [](const Robot& r, nb::handle q, nb::handle v, nb::handle a) { return text_of(state_text(r, q, v, a)); },
      "The results of a model at one state as one document (format zwang.state): poses and motions of links and\n"
      "frames, the matrices and vectors of the equation of motion, energies, centre of mass, momentum. v, a: default "
      "0.");
  def(
      m,
      ZWANG_SIGNATURE(
          "def state(model: Model, q: Vector, v: Vector | None = None, a: Vector | None = None) -> dict[str, object]"),
      [](const Robot& r, nb::handle q, nb::handle v, nb::handle a) {
        const nb::object document = nb::module_::import_("json").attr("loads")(text_of(state_text(r, q, v, a)));
        nb::object out = with_arrays(document);
        for (const char* key : {"links", "frames"}) {
          nb::dict by_name;
          for (const nb::handle x : nb::borrow<nb::list>(out[key])) by_name[x["name"]] = x;
          out[key] = by_name;
        }
        return out;
      },
      "The same as a dictionary of arrays; `links` and `frames` are dictionaries by name.");
}

}  // namespace

void bind_documents(nb::module_& m) {
  bind_model_documents(m);
  bind_set_documents();
  bind_solution_documents();
  bind_state_documents(m);
}

}  // namespace zwang::python
