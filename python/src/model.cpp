// SPDX-License-Identifier: BSD-3-Clause
// Model, Joint and Link for Python.
#include "zwang/model/model.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include "fields.hpp"
#include "frames.hpp"
#include "kept_data.hpp"
#include "zwang/algorithm/quantities.hpp"
#include "zwang/manifold/manifold.hpp"
#include "zwang/model/structure.hpp"

#include <nanobind/stl/vector.h>

namespace zwang::python {
namespace {

/// A joint or link of a model. It holds the model, so that it may outlive the object it was taken from.
template <class T, const std::vector<T>& (Model::*items)() const> struct Part {
  Model model;
  std::size_t index;
  const T& get() const { return (model.*items)()[index]; }
  std::size_t count() const { return (model.*items)().size(); }
  const T* operator->() const { return &get(); }
};
using JointPart_ = Part<Joint, &Model::joints>;
using LinkPart_ = Part<Link, &Model::links>;
using LoopPart_ = Part<Loop, &Model::loops>;

nb::slice slice_of(Range r) { return nb::slice(r.first, r.end()); }

nb::object link_name(const Model& m, LinkId id) {
  if (!id) return nb::none();
  return nb::str(m.links()[static_cast<std::size_t>(id.value)].name.c_str());
}
nb::object joint_name(const Model& m, JointId id) {
  if (!id) return nb::none();
  return nb::str(m.joints()[static_cast<std::size_t>(id.value)].name.c_str());
}
nb::object matrix(const Sym3<double>& I) {
  const double x[3][3] = {{I.xx, I.xy, I.xz}, {I.xy, I.yy, I.yz}, {I.xz, I.yz, I.zz}};
  return new_matrix(3, 3, [&](Index i, Index j) { return x[i][j]; });
}
/// Numbers of a joint as described, one per coordinate of its own.
template <std::vector<double> JointDescription::*numbers> nb::object own(const JointPart_& j, double absent) {
  const std::vector<double>& x = j->description.*numbers;
  const auto count = static_cast<std::size_t>(j->v.size);
  if (x.size() == count) return new_array(x);
  return new_array(std::vector<double>(count, x.empty() ? absent : x.front()));
}
/// The entries of a range, as a new array.
nb::object part_of(const std::vector<double>& x, Range r) { return new_array(x.data() + r.first, r.size); }

nb::object numpy_array(nb::handle list, const char* dtype) {
  return nb::module_::import_("numpy").attr("array")(list, nb::arg("dtype") = dtype);
}
nb::object booleans(const std::vector<bool>& x, Range r) {
  nb::list list;
  for (Index k = r.first; k < r.end(); ++k) list.append(static_cast<bool>(x[static_cast<std::size_t>(k)]));
  return numpy_array(list, "bool");
}
nb::object indices(const std::vector<Index>& x) {
  nb::list list;
  for (const Index k : x) list.append(k);
  return numpy_array(list, "intp");
}

nb::object layout_of(const Layout& l) {
  static PyObject* slot;
  const nb::handle type = kept(slot, "zwang._zwang", "Layout");
  return type(indices(l.q), indices(l.v));
}

nb::object as_list(const std::vector<std::string>& names) { return nb::cast(names); }

void bind_joint(nb::module_& m) {
  using J = JointPart_;
  ClassOf<J>(m, "Joint",
             "A joint of a model: its name, its two links, its coordinates. Keeps the model alive.\n\n"
             "q and v are slices into the model's vectors; a mimicking joint shows its leader's.")
      .def_prop_ro("name", [](const J& j) { return j->name; })
      .def_prop_ro(
          "type", [](const J& j) { return j->type; }, "one of joint_types(), fixed, or composite")
      .def_prop_ro(
          "parent", [](const J& j) { return link_name(j.model, j->parent); }, nb::sig("def parent(self) -> str | None"),
          "name of the parent link; None where the joint hangs the root link on the world")
      .def_prop_ro(
          "child", [](const J& j) { return link_name(j.model, j->child); }, nb::sig("def child(self) -> str"),
          "name of the child link")
      .def_prop_ro(
          "q", [](const J& j) { return slice_of(j->q); }, nb::sig("def q(self) -> slice"))
      .def_prop_ro(
          "v", [](const J& j) { return slice_of(j->v); }, nb::sig("def v(self) -> slice"))
      .def_prop_ro(
          "axis", [](const J& j) { return new_array(j->axis); }, nb::sig("def axis(self) -> Array"),
          "in the joint frame, unit length")
      .def_prop_ro(
          "origin", [](const J& j) { return new_array(j->description.origin); }, nb::sig("def origin(self) -> Array"),
          "4 x 4 pose of the joint frame in the parent link at q = 0")
      .def_prop_ro(
          "child_origin", [](const J& j) { return new_array(j->description.child_origin); },
          nb::sig("def child_origin(self) -> Array"), "4 x 4 pose of the joint frame in the child link")
      .def_prop_ro(
          "lower", [](const J& j) { return part_of(j.model.lower(), j->q); }, nb::sig("def lower(self) -> Array"),
          "of q; NaN unknown, +-inf none")
      .def_prop_ro(
          "upper", [](const J& j) { return part_of(j.model.upper(), j->q); }, nb::sig("def upper(self) -> Array"))
      .def_prop_ro(
          "velocity_limit", [](const J& j) { return part_of(j.model.velocity_limit(), j->v); },
          nb::sig("def velocity_limit(self) -> Array"))
      .def_prop_ro(
          "effort_limit", [](const J& j) { return part_of(j.model.effort_limit(), j->v); },
          nb::sig("def effort_limit(self) -> Array"))
      .def_prop_ro(
          "damping", [](const J& j) { return part_of(j.model.damping(), j->v); }, nb::sig("def damping(self) -> Array"))
      .def_prop_ro(
          "friction", [](const J& j) { return part_of(j.model.friction(), j->v); },
          nb::sig("def friction(self) -> Array"))
      .def_prop_ro(
          "armature", [](const J& j) { return part_of(j.model.armature(), j->v); },
          nb::sig("def armature(self) -> Array"))
      .def_prop_ro(
          "stiffness", [](const J& j) { return own<&JointDescription::stiffness>(j, 0); },
          nb::sig("def stiffness(self) -> Array"),
          "of the joint's own spring: tau = -stiffness (q - spring_reference); spherical: -stiffness log(R_0^T R)")
      .def_prop_ro(
          "spring_reference", [](const J& j) { return own<&JointDescription::spring_reference>(j, 0); },
          nb::sig("def spring_reference(self) -> Array"))
      .def_prop_ro(
          "rotor_inertia", [](const J& j) { return own<&JointDescription::rotor_inertia>(j, 0); },
          nb::sig("def rotor_inertia(self) -> Array"), "of the joint's own motor [kg m^2]")
      .def_prop_ro(
          "gear_ratio", [](const J& j) { return own<&JointDescription::gear_ratio>(j, 1); },
          nb::sig("def gear_ratio(self) -> Array"))
      .def_prop_ro(
          "parameters", [](const J& j) { return new_array(j->description.parameters); },
          nb::sig("def parameters(self) -> Array"), "helical: pitch [m/rad]; ellipsoid: radii [m]")
      .def_prop_ro("actuated",
                   [](const J& j) {
                     bool all = j->v.size > 0;
                     for (Index k = j->v.first; k < j->v.end(); ++k)
                       all = all && j.model.actuated()[static_cast<std::size_t>(k)];
                     return all;
                   })
      .def_prop_ro(
          "lumped", [](const J& j) { return j->lumped; }, "a fixed joint whose child was merged into a body")
      .def_prop_ro(
          "mimic",
          [](const J& j) -> nb::object {
            if (j->mimic.leader.empty()) return nb::none();
            return nb::make_tuple(j->mimic.leader, j->mimic.multiplier, j->mimic.offset);
          },
          nb::sig("def mimic(self) -> tuple[str, float, float] | None"),
          "(leader, multiplier, offset); None where the joint has coordinates of its own, or is fixed")
      .def_prop_ro(
          "subtree",
          [](const J& j) { return layout_of(subtree_layout(j.model, JointId(static_cast<Index>(j.index)))); },
          nb::sig("def subtree(self) -> Layout"),
          "index arrays (q, v) of its coordinates and those of the joints behind it, ascending; a mimicking joint has "
          "its leader's")
      .def("__repr__", [](const J& j) {
        return "<Joint '" + j->name + "': " + j->type + ", q[" + std::to_string(j->q.first) + ":" +
               std::to_string(j->q.end()) + "], v[" + std::to_string(j->v.first) + ":" + std::to_string(j->v.end()) +
               "]>";
      });
}

void bind_link(nb::module_& m) {
  using L = LinkPart_;
  ClassOf<L>(m, "Link",
             "A link of a model, with its own inertia even where it was merged into a body. Keeps the model alive.")
      .def_prop_ro("name", [](const L& l) { return l->name; })
      .def_prop_ro(
          "mass", [](const L& l) { return l->mass; }, "[kg]")
      .def_prop_ro(
          "centre", [](const L& l) { return new_array(l->centre); }, nb::sig("def centre(self) -> Array"),
          "centre of mass in the link frame [m]")
      .def_prop_ro(
          "inertia", [](const L& l) { return matrix(l->inertia); }, nb::sig("def inertia(self) -> Array"),
          "3 x 3, about the centre of mass, link axes [kg m^2]")
      .def_prop_ro(
          "gravity_scale", [](const L& l) { return l->gravity_scale; },
          "how much of gravity pulls at its centre of mass: 1, but for MJCF gravcomp and SDF <gravity>false")
      .def_prop_ro(
          "parent", [](const L& l) { return link_name(l.model, l->parent); }, nb::sig("def parent(self) -> str | None"),
          "name of the parent link; None for the root link")
      .def_prop_ro(
          "joint", [](const L& l) { return joint_name(l.model, l->joint); }, nb::sig("def joint(self) -> str | None"),
          "name of the joint that carries it; None for a fixed root")
      .def_prop_ro(
          "body", [](const L& l) { return l->body.value; }, "number of its body, depth first; 0 is the ground")
      .def_prop_ro(
          "shapes", [](const L& l) { return shapes_of(l->shapes); }, nb::sig("def shapes(self) -> list[Shape]"),
          "visual and collision shapes; dynamics never looks at them")
      .def_prop_ro(
          "subtree", [](const L& l) { return layout_of(subtree_layout(l.model, LinkId(static_cast<Index>(l.index)))); },
          nb::sig("def subtree(self) -> Layout"),
          "index arrays (q, v) of the coordinates of the joints behind it, ascending; a mimicking joint has its "
          "leader's")
      .def("__repr__", [](const L& l) { return "<Link '" + l->name + "': " + std::to_string(l->mass) + " kg>"; });
}

void bind_loop(nb::module_& m) {
  using L = LoopPart_;
  const auto frame = [](const L& l, FrameId id) { return l.model.frame(id).name; };
  ClassOf<L>(m, "Loop",
             "A joint that closes a loop of the tree: it has no coordinates, and rows between its two frames stand for "
             "it\n(ConstraintSet.add_loops). Keeps the model alive.")
      .def_prop_ro("name", [](const L& l) { return l->name; })
      .def_prop_ro("type", [](const L& l) { return l->type; })
      .def_prop_ro(
          "parent", [](const L& l) { return link_name(l.model, l->parent); }, nb::sig("def parent(self) -> str"))
      .def_prop_ro(
          "child", [](const L& l) { return link_name(l.model, l->child); }, nb::sig("def child(self) -> str"))
      .def_prop_ro(
          "predecessor", [frame](const L& l) { return frame(l, l->predecessor); },
          "name of the joint frame on the parent link")
      .def_prop_ro(
          "successor", [frame](const L& l) { return frame(l, l->successor); }, "name of the child link's frame")
      .def_prop_ro(
          "axis", [](const L& l) { return new_array(l->axis); }, nb::sig("def axis(self) -> Array"),
          "in the joint frame, unit length")
      .def("__repr__", [](const L& l) {
        const auto& links = l.model.links();
        return "<Loop '" + l->name + "': " + l->type + " between '" +
               links[static_cast<std::size_t>(l->parent.value)].name + "' and '" +
               links[static_cast<std::size_t>(l->child.value)].name + "'>";
      });
}

/// Joints, links and loops are kept with their model.
template <class P> void kept_with_model() {
  kept_by<P>(
      2, [](const P& p) { return nb::make_tuple(Robot(p.model), p.index); },
      [](const Pickled& read, const nb::tuple& state) {
        const Model& model = object_in<Robot>(read, state[0]).model;
        P part{model,
               static_cast<std::size_t>(read.count(state[1], 0, std::numeric_limits<Index>::max(), "its number"))};
        if (part.index >= part.count()) read.refuse("its model has no such part");
        return part;
      });
}

template <class P, class T> nb::list parts(const Model& m, const std::vector<T>& items) {
  nb::list list;
  for (std::size_t k = 0; k < items.size(); ++k) list.append(nb::cast(P{m, k}));
  return list;
}

using ModelClass = ClassOf<Robot>;

void bind_names(ModelClass& c) {
  c.def_prop_ro("name", [](const Robot& r) { return r.model.name(); })
      .def_prop_ro(
          "nq", [](const Robot& r) { return r.model.nq(); }, "numbers in a configuration")
      .def_prop_ro(
          "nv", [](const Robot& r) { return r.model.nv(); }, "numbers in a velocity, acceleration or torque")
      .def_prop_ro(
          "bodies", [](const Robot& r) { return r.model.bodies(); }, "moving bodies, without the ground")
      .def_prop_ro(
          "mass", [](const Robot& r) { return r.model.mass(); }, "of everything [kg]")
      .def_prop_ro(
          "inertial_parameters",
          [](const Robot& r) {
            Eigen::VectorXd phi(10 * static_cast<Eigen::Index>(r.model.links().size()));
            inertial_parameters(r.model, phi);
            return new_array(phi.data(), static_cast<Index>(phi.size()));
          },
          nb::sig("def inertial_parameters(self) -> Array"),
          "(10 links,): m, m c, I about the link's origin (xx xy yy xz yz zz) of each link, in link axes "
          "[kg, kg m, kg m^2]")
      .def(
          ZWANG_SIGNATURE("def support(self, frame: str | int) -> list[int]"),
          [](const Robot& r, FrameGiven frame) { return support(r.model, frame_of(r, "support", frame)); },
          "Indices of the coordinates whose motion moves the frame, ascending.")
      .def_prop_ro(
          "gravity", [](const Robot& r) { return new_array(r.model.gravity()); }, nb::sig("def gravity(self) -> Array"),
          "[m/s^2], true gravity: (0, 0, -9.81)")
      .def_prop_ro(
          "joint_names", [](const Robot& r) { return as_list(r.model.joint_names()); },
          nb::sig("def joint_names(self) -> list[str]"), "depth first")
      .def_prop_ro(
          "link_names", [](const Robot& r) { return as_list(r.model.link_names()); },
          nb::sig("def link_names(self) -> list[str]"), "in the order of the file")
      .def_prop_ro(
          "frame_names", [](const Robot& r) { return as_list(r.model.frame_names()); },
          nb::sig("def frame_names(self) -> list[str]"), "every link, every joint, every frame added")
      .def_prop_ro(
          "coordinate_names", [](const Robot& r) { return as_list(r.model.coordinate_names()); },
          nb::sig("def coordinate_names(self) -> list[str]"),
          "one per entry of v: elbow, or root_joint[0] and so on for several")
      .def_prop_ro(
          "names", [](const Robot& r) { return as_list(r.model.coordinate_names()); },
          nb::sig("def names(self) -> list[str]"), "coordinate_names")
      .def_prop_ro(
          "joint_types",
          [](const Robot& r) {
            nb::list list;
            for (const Joint& j : r.model.joints()) list.append(j.type);
            return list;
          },
          nb::sig("def joint_types(self) -> list[str]"), "of every joint, in the order of joint_names")
      .def_prop_ro(
          "parents",
          [](const Robot& r) {
            nb::list list;
            for (const Joint& j : r.model.joints()) list.append(link_name(r.model, j.parent));
            return list;
          },
          nb::sig("def parents(self) -> list[str | None]"),
          "parent link of every joint, in the order of joint_names; None for the world")
      .def_prop_ro(
          "joints", [](const Robot& r) { return parts<JointPart_>(r.model, r.model.joints()); },
          nb::sig("def joints(self) -> list[Joint]"), "depth first")
      .def_prop_ro(
          "links", [](const Robot& r) { return parts<LinkPart_>(r.model, r.model.links()); },
          nb::sig("def links(self) -> list[Link]"), "in the order of the file")
      .def_prop_ro(
          "loops", [](const Robot& r) { return parts<LoopPart_>(r.model, r.model.loops()); },
          nb::sig("def loops(self) -> list[Loop]"),
          "joints of the file that close loops (load(..., loops=\"constraints\")), in its order")
      .def_prop_ro(
          "motors", [](const Robot& r) { return motors_of(r.model.description()); },
          nb::sig("def motors(self) -> list[Motor]"),
          "of joints, as the file describes them: data that dynamics does not look at. actuated says which coordinates "
          "are driven")
      .def_prop_ro(
          "contact_exclusions", [](const Robot& r) { return exclusions_of(r.model.description()); },
          nb::sig("def contact_exclusions(self) -> list[ContactExclusion]"),
          "pairs of links whose shapes never touch each other; data")
      .def(
          ZWANG_SIGNATURE("def joint(self, name: str) -> Joint"),
          [](const Robot& r, const std::string& name) {
            r.model.joint(name);
            return JointPart_{r.model, static_cast<std::size_t>(r.model.find_joint(name).value)};
          },
          "The joint of that name. Raises ValueError with the nearest name.")
      .def(
          ZWANG_SIGNATURE("def link(self, name: str) -> Link"),
          [](const Robot& r, const std::string& name) {
            r.model.link(name);
            return LinkPart_{r.model, static_cast<std::size_t>(r.model.find_link(name).value)};
          },
          "The link of that name. Raises ValueError with the nearest name.");
}

void bind_numbers(ModelClass& c) {
  const auto limits = [](const Robot& r) {
    static PyObject* slot;
    const nb::handle type = kept(slot, "zwang._zwang", "Limits");
    return type(new_array(r.model.lower()), new_array(r.model.upper()), new_array(r.model.velocity_limit()),
                new_array(r.model.effort_limit()));
  };
  c.def_prop_ro(
       "lower", [](const Robot& r) { return new_array(r.model.lower()); }, nb::sig("def lower(self) -> Array"),
       "(nq,); NaN unknown, -inf none")
      .def_prop_ro(
          "upper", [](const Robot& r) { return new_array(r.model.upper()); }, nb::sig("def upper(self) -> Array"),
          "(nq,); NaN unknown, inf none")
      .def_prop_ro(
          "velocity_limit", [](const Robot& r) { return new_array(r.model.velocity_limit()); },
          nb::sig("def velocity_limit(self) -> Array"), "(nv,) bound of |v|; NaN unknown, inf none")
      .def_prop_ro(
          "effort_limit", [](const Robot& r) { return new_array(r.model.effort_limit()); },
          nb::sig("def effort_limit(self) -> Array"), "(nv,) bound of |tau|; NaN unknown, inf none")
      .def_prop_ro("limits", limits, nb::sig("def limits(self) -> Limits"),
                   "(lower, upper, velocity, effort), a named tuple of arrays")
      .def_prop_ro(
          "actuated",
          [](const Robot& r) {
            return booleans(r.model.actuated(), {0, r.model.nv()});
          },
          nb::sig("def actuated(self) -> NDArray[numpy.bool_]"), "(nv,): which coordinates have a motor")
      .def_prop_ro(
          "damping", [](const Robot& r) { return new_array(r.model.damping()); }, nb::sig("def damping(self) -> Array"),
          "(nv,) viscous [N m s/rad, N s/m]")
      .def_prop_ro(
          "friction", [](const Robot& r) { return new_array(r.model.friction()); },
          nb::sig("def friction(self) -> Array"), "(nv,) Coulomb [N m, N]")
      .def_prop_ro(
          "armature", [](const Robot& r) { return new_array(r.model.armature()); },
          nb::sig("def armature(self) -> Array"), "(nv,) reflected rotor inertia [kg m^2, kg]")
      .def(
          "neutral",
          [](const Robot& r) {
            return new_array(std::vector<double>([&] {
              std::vector<double> x(static_cast<std::size_t>(r.model.nq()));
              neutral(r.model, Eigen::Map<Eigen::VectorXd>(x.data(), r.model.nq()));
              return x;
            }()));
          },
          nb::sig("def neutral(self) -> Array"), "No translation, no rotation, every angle and slide 0; (nq,).")
      .def(
          "zero",
          [](const Robot& r) { return new_array(std::vector<double>(static_cast<std::size_t>(r.model.nv()), 0.0)); },
          nb::sig("def zero(self) -> Array"), "A velocity, acceleration or torque of zeros; (nv,).")
      .def(
          ZWANG_SIGNATURE("def random(self, seed: int = 0) -> Array"),
          [](const Robot& r, std::uint64_t seed) {
            std::vector<double> x(static_cast<std::size_t>(r.model.nq()));
            random(r.model, seed, Eigen::Map<Eigen::VectorXd>(x.data(), r.model.nq()));
            return new_array(x);
          },
          "A configuration within limits, the same for the same seed; (nq,). Unlimited angles and slides are drawn "
          "from\n"
          "[-pi, pi], a free position from [-1, 1]^3, attitudes uniformly.")
      .def(
          ZWANG_SIGNATURE("def layout(self, names: Sequence[str]) -> Layout"),
          [](const Robot& r, const std::vector<std::string>& names) { return layout_of(r.model.layout(names)); },
          "Where the coordinates of the joints are, one after the other: index arrays (q, v), so that q[layout.q] is "
          "in\n"
          "the order of another library. Raises ValueError with the nearest name.");
}

}  // namespace

void bind_model(nb::module_& m) {
  const nb::object namedtuple = nb::module_::import_("collections").attr("namedtuple");
  m.attr("Layout") = namedtuple("Layout", "q v", nb::arg("module") = "zwang._zwang");
  m.attr("Limits") = namedtuple("Limits", "lower upper velocity effort", nb::arg("module") = "zwang._zwang");
  define_kept_data(m);
  bind_joint(m);
  bind_link(m);
  bind_loop(m);
  kept_with_model<JointPart_>();
  kept_with_model<LinkPart_>();
  kept_with_model<LoopPart_>();
  ModelClass c(
      m, "Model",
      "An immutable robot: loaded by load or loads, safe to share between threads, picklable; print shows a table.\n\n"
      "Vectors q (nq,), v and tau (nv,) are in the order of joint_names. Units are SI. Calls from several threads\n"
      "run side by side: each takes a workspace of its own from the model.",
      nb::is_weak_referenceable());
  bind_names(c);
  bind_frames(m, c);
  bind_numbers(c);
  c.def_prop_ro(
       "diagnostics", [](const Robot& r) { return list_of(*r.found); },
       nb::sig("def diagnostics(self) -> list[Diagnostic]"), "what reading and building noticed")
      .def(
          ZWANG_SIGNATURE("def with_frame(self, name: str, parent: str, pose: ArrayLike) -> Model"),
          [](const Robot& r, const std::string& name, const std::string& parent, nb::handle T) {
            return Robot(r.model.with_frame(name, parent, pose("with_frame", "pose", T)), r.found);
          },
          "A new model with one more frame fixed to a link or frame, at the 4 x 4 pose (or the position, three "
          "numbers) in it.\n\n"
          "Raises ModelError for a name that is taken, ValueError for an unknown parent or a matrix that is no pose.")
      .def("__repr__", [](const Robot& r) { return model_table(r); })
      .def(
          "__copy__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __copy__(self) -> Model"))
      .def(ZWANG_SIGNATURE("def __deepcopy__(self, memo: object, /) -> Model"),
           [](nb::handle self, nb::handle) { return nb::borrow(self); })
      .def(
          "__getstate__",
          [](const Robot& r) {
            return nb::make_tuple(state_of(r.model.description()), state_of(r.model.options()), state_of(*r.found));
          },
          nb::sig("def __getstate__(self) -> tuple[object, ...]"))
      .def(
          "__setstate__",
          [](Robot& r, nb::object s) {
            auto found = std::make_shared<const Diagnostics>(diagnostics_from(s[2]));
            new (&r) Robot(build(description_from(s[0]), options_from(s[1])), std::move(found));
          },
          nb::sig("def __setstate__(self, state: tuple[object, ...], /) -> None"));
}

}  // namespace zwang::python
