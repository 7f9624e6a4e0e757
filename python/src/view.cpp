// SPDX-License-Identifier: BSD-3-Clause
// view: pages that show a robot and play its motion.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bind.hpp"
#include "call.hpp"
#include "constraints.hpp"
#include "fields.hpp"
#include "scene.hpp"
#include "viewer/arrows.hpp"
#include "viewer/page.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/io/input_files.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/data.hpp"

namespace zwang::python {
namespace {

constexpr const char* k_function = "view";

struct View {
  viewer::Page page;
  std::string title;
  std::vector<std::string> inputs;  ///< files that the robot was read from
  template <class A> void fields(A& a) {
    a(page.html), a(page.scene), a(page.states), a(page.shown), a(page.notes), a(title), a(inputs);
  }
};

/// A page as the text of an attribute.
std::string attribute(const std::string& html) {
  std::string out;
  out.reserve(html.size() + html.size() / 8);
  for (const char c : html) {
    if (c == '&')
      out += "&amp;";
    else if (c == '"')
      out += "&quot;";
    else
      out += c;
  }
  return out;
}

void write(const std::string& name, const std::string& content) {
  const nb::object file = nb::module_::import_("builtins").attr("open")(name, "wb");
  file.attr("write")(nb::bytes(content.data(), content.size()));
  file.attr("close")();
}

/// Throws ValueError where a page would take the place of a file that its robot was read from. A regular file is
/// written beside its place and moved there; a pipe or a device is written where it is.
void save(const View& v, nb::handle path) {
  const nb::object os = nb::module_::import_("os");
  const std::string name = nb::cast<std::string>(os.attr("fsdecode")(path));
  InputFiles(v.inputs).refuse(name);
  const nb::object exists = os.attr("path").attr("exists")(name);
  if (nb::cast<bool>(exists) && !nb::cast<bool>(os.attr("path").attr("isfile")(name))) return write(name, v.page.html);
  const std::string part = name + ".part";
  try {
    write(part, v.page.html);
    os.attr("replace")(part, name);
  } catch (const nb::python_error&) {
    if (nb::cast<bool>(os.attr("path").attr("exists")(part))) os.attr("remove")(part);
    throw;
  }
}

void open(const View& v) {
  const nb::object place = nb::module_::import_("tempfile").attr("mkdtemp")(nb::arg("prefix") = "zwang-");
  const nb::object path = nb::module_::import_("os.path").attr("join")(place, "view.html");
  save(v, path);
  const nb::object uri = nb::module_::import_("pathlib").attr("Path")(path).attr("as_uri")();
  nb::module_::import_("webbrowser").attr("open")(uri);
}

/// q, time, multipliers and contacts of what `motion` is.
void read_motion(const Robot& robot, nb::handle motion, nb::handle time, viewer::Picture& to) {
  const Model& model = robot.model;
  nb::object q = nb::borrow(motion), times = nb::borrow(time), multipliers = nb::none();
  if (motion.is_none()) {
    to.q.resize(static_cast<std::size_t>(model.nq()));
    neutral(model, Eigen::Map<Eigen::VectorXd>(to.q.data(), model.nq()));
    return;
  }
  if (nb::hasattr(motion, "law_at")) {  // a TimedPath
    const double duration = nb::cast<double>(motion.attr("duration"));
    const int states = std::min(2000, std::max(2, static_cast<int>(duration * 100)));
    times = nb::module_::import_("numpy").attr("linspace")(0, duration, states);
    q = motion.attr("at")(times).attr("q");
  } else if (nb::hasattr(motion, "velocity_error")) {  // a Trajectory
    q = motion.attr("q");
    times = motion.attr("time");
    multipliers = motion.attr("multipliers");
    if (nb::cast<int>(times.attr("ndim")) != 1)
      throw std::invalid_argument("E_SIZE view: the trajectory holds several motions, expected one");
    const ContactTable& touching = contact_table_in(motion.attr("contacts"));
    viewer::read_contacts(touching.points, touching.counts(), to);
  }
  const Input x(k_function, "motion", q, model.nq(), VectorKind::configuration, &model);
  const Index states = std::max<Index>(x.states(), 1);
  for (Index k = 0; k < states; ++k) to.q.insert(to.q.end(), x.at(k), x.at(k) + model.nq());
  if (x.states() >= 0 && times.is_none()) {
    for (Index k = 0; k < states; ++k) to.time.push_back(0.04 * k);
  } else {
    to.time = numbers(k_function, "time", times);
  }
  if (!multipliers.is_none() && to.constraints != nullptr && to.multipliers.empty())
    to.multipliers = numbers(k_function, "multipliers", multipliers.attr("ravel")());
}

View view(const Robot& robot, nb::handle motion, nb::handle constraints, nb::handle multipliers, nb::handle time,
          nb::handle html, const SceneObject* scene, const std::string& geometry, nb::handle frames, nb::handle title,
          std::size_t most_bytes) {
  viewer::Picture p{.model = robot.model, .geometry = viewer::geometry_of(geometry), .most_bytes = most_bytes};
  SetPointer set;
  if (!constraints.is_none()) set = nb::cast<const SetObject&>(constraints).shared;
  if (set != nullptr) p.constraints = &set->set;
  std::optional<Scene> own;  // as it is now
  if (scene != nullptr && scene->scene.model().id() != robot.model.id())
    throw std::invalid_argument("view: the scene is that of another model: make it of this very object");
  if (scene != nullptr) p.scenery = &own.emplace(scene->scene);
  if (!multipliers.is_none()) {
    static PyObject* slot;
    const nb::object flat = kept(slot, "numpy", "ravel")(multipliers);
    p.multipliers = numbers(k_function, "multipliers", flat);
  }
  read_motion(robot, motion, time, p);
  if (nb::isinstance<nb::bool_>(frames)) {
    if (nb::cast<bool>(frames))
      for (const Link& link : robot.model.links()) p.frames.push_back(link.name);
  } else if (nb::isinstance<nb::str>(frames)) {
    p.frames.push_back(nb::cast<std::string>(frames));
  } else {
    p.frames = nb::cast<std::vector<std::string>>(frames);
  }
  if (!title.is_none()) p.title = text_argument(k_function, "title", title);
  View v;
  v.inputs = files_of(robot.model);
  v.title = p.title.empty() ? robot.model.name() : p.title;
  {
    const nb::gil_scoped_release release;
    std::unique_lock<SetMutex> lock;
    if (set != nullptr) lock = std::unique_lock<SetMutex>(set->mutex);
    v.page = viewer::page_of(p);
  }
  if (set != nullptr && set->raised) set->raised->rethrow();
  if (!html.is_none()) save(v, html);
  return v;
}

nb::object wrenches(const SetObject& object, nb::handle q, nb::handle multipliers) {
  constexpr const char* function = "constraint_wrenches";
  const SetPointer& shared = object.shared;
  const std::lock_guard<SetMutex> lock(shared->mutex);
  const ConstraintSet& set = shared->set;
  const Model& model = set.model();
  const Input x(function, "q", q, model.nq(), VectorKind::configuration, &model);
  const Input lambda(function, "multipliers", multipliers, set.rows());
  if (x.states() >= 0 || lambda.states() >= 0)
    throw std::invalid_argument("E_SIZE constraint_wrenches: several states are given, expected one");
  Data data(model);
  forward_kinematics(model, data, vector(x, 0), Eigen::VectorXd::Zero(model.nv()));
  const viewer::Arrows arrows(model, set);
  const std::vector<viewer::Arrow> all = arrows.at(data, x.at(0), lambda.at(0));
  const auto part = [&](Vec3<double> viewer::Arrow::*of) {
    return new_matrix(static_cast<Index>(all.size()), 3,
                      [&](Index i, Index j) { return (all[static_cast<std::size_t>(i)].*of)[j]; });
  };
  static PyObject* slot;
  return kept(slot, "zwang._zwang", "ConstraintWrenches")(arrows.names(), part(&viewer::Arrow::point),
                                                          part(&viewer::Arrow::force), part(&viewer::Arrow::moment));
}

}  // namespace

void bind_view(nb::module_& m) {
  m.attr("ConstraintWrenches") =
      nb::module_::import_("collections")
          .attr("namedtuple")("ConstraintWrenches", "names point force moment", nb::arg("module") = "zwang._zwang");
  def(m,
      ZWANG_SIGNATURE("def constraint_wrenches(constraints: ConstraintSet, q: Vector, multipliers: ArrayLike) -> "
                      "ConstraintWrenches"),
      &wrenches,
      "What multipliers (rows of the set) do to the robot, as pictures draw it: of each constraint with a place in "
      "the world\n"
      "the point [m] where it acts, the force [N] and the moment about that point [N m], world axes, (n, 3) each. On "
      "the body\n"
      "of the constraint's frame; of rows between two bodies on the first of them that moves.");
  ClassOf<View>(m, "View", "A page that shows a robot and plays its motion. A notebook shows it.")
      .get("html", "str", "the page: one file that needs a browser and nothing else",
           [](const View& v) { return text_of(v.page.html); })
      .get("notes", "list[str]", "what is not drawn as it is: states left out, meshes simplified or not found",
           [](const View& v) { return v.page.notes; })
      .def_prop_ro(
          "states", [](const View& v) { return v.page.states; }, "that were given")
      .def_prop_ro(
          "shown", [](const View& v) { return v.page.shown; }, "states in the page")
      .get("scene", "str", "what is drawn, as JSON: shapes of links, poses, arrows",
           [](const View& v) { return text_of(v.page.scene); })
      .def(ZWANG_SIGNATURE("def save(self, path: StrPath) -> None"), &save,
           "Writes the page to a file. ValueError where the robot was read from that file.")
      .def("open", &open, "Opens the page in the browser, from a temporary folder.")
      .def(
          "_repr_html_",
          [](const View& v) {
            return text_of("<iframe srcdoc=\"" + attribute(v.page.html) +
                           "\" style=\"width:100%;height:480px;border:0\" sandbox=\"allow-scripts\"></iframe>");
          },
          nb::sig("def _repr_html_(self) -> str"))
      .def("__repr__", [](const View& v) {
        return text_of("View of '" + v.title + "': " + std::to_string(v.page.shown) + " of " +
                       std::to_string(v.page.states) + " states, " + std::to_string(v.page.html.size() / 1000) + " kB");
      });
  kept_by_fields<View>();
  def(m,
      ZWANG_SIGNATURE(
          "def view(model: Model, motion: Vector | Trajectory | TimedPath | None = None, *, constraints: "
          "ConstraintSet | "
          "None = None, multipliers: ArrayLike | None = None, time: ArrayLike | None = None, html: StrPath | None = "
          "None, scene: Scene | None = None, geometry: str = 'visual', frames: bool | str | Sequence[str] = False, "
          "title: str | None = None, "
          "most_bytes: int = 3000000) -> View"),
      &view,
      "A page that shows the robot in any browser, without a network.\n\n"
      "motion: a configuration (None: neutral), configurations (N, nq) with their times, a Trajectory, a TimedPath.\n"
      "constraints: with multipliers (rows,) or (N, rows), or those of a Trajectory, their wrenches are drawn as "
      "arrows and\n"
      "    listed; forces of the contacts of a Trajectory are drawn, too. scene: what was added to it is drawn. html: "
      "writes the page to a file. geometry: "
      "'visual', 'collision', 'skeleton'. frames: True, or "
      "names of\n"
      "    frames whose axes are shown at the beginning. most_bytes: states are left out and meshes simplified until "
      "it fits.");
}

}  // namespace zwang::python
