// SPDX-License-Identifier: BSD-3-Clause
// Inertias, joints, segments, chains, trees.
#include <kdl/articulatedbodyinertia.hpp>
#include <kdl/chain.hpp>
#include <kdl/kinfam_io.hpp>
#include <kdl/stiffness.hpp>
#include <kdl/tree.hpp>

#include "bind.hpp"

namespace zwang::python::kdl {

using namespace KDL;

namespace {

void bind_inertias(nb::module_& m) {
  nb::class_<RotationalInertia> rotational(m, "RotationalInertia");
  rotational
      .def(nb::init<double, double, double, double, double, double>(), "Ixx"_a = 0., "Iyy"_a = 0., "Izz"_a = 0.,
           "Ixy"_a = 0., "Ixz"_a = 0., "Iyz"_a = 0.)
      .def_static("Zero", [] { return RotationalInertia::Zero(); })
      .def("__getitem__", [](const RotationalInertia& I, int i) { return I.data[index_of(i, 9, "RotationalInertia")]; })
      .def("__setitem__",
           [](RotationalInertia& I, int i, double x) { I.data[index_of(i, 9, "RotationalInertia")] = x; })
      .def(double() * nb::self)
      .def(nb::self + nb::self)
      .def(nb::self * Vector());
  pickles(
      rotational, [](const RotationalInertia& I) { return std::vector<double>(I.data, I.data + 9); },
      [](const std::vector<double>& n) {
        RotationalInertia I;
        for (std::size_t i = 0; i < 9; ++i) I.data[i] = n.at(i);
        return I;
      });
  nb::class_<RigidBodyInertia> body(m, "RigidBodyInertia");
  body.def(nb::init<double, const Vector&, const RotationalInertia&>(), "m"_a = 0., "oc"_a = Vector::Zero(),
           "Ic"_a = RotationalInertia::Zero())
      .def_static("Zero", [] { return RigidBodyInertia::Zero(); })
      .def("RefPoint", [](const RigidBodyInertia& I, const Vector& p) { return I.RefPoint(p); })
      .def("getMass", &RigidBodyInertia::getMass)
      .def("getCOG", &RigidBodyInertia::getCOG)
      .def("getRotationalInertia", &RigidBodyInertia::getRotationalInertia)
      .def(double() * nb::self)
      .def(Frame() * nb::self)
      .def(Rotation() * nb::self)
      .def(nb::self + nb::self)
      .def(nb::self * Twist());
  nb::class_<ArticulatedBodyInertia>(m, "ArticulatedBodyInertia")
      .def(nb::init<>())
      .def(nb::init<const RigidBodyInertia&>())
      .def("RefPoint", [](const ArticulatedBodyInertia& I, const Vector& p) { return I.RefPoint(p); })
      .def(Frame() * nb::self)
      .def(nb::self + nb::self)
      .def(nb::self * Twist());
}

void bind_joint(nb::module_& m) {
  nb::class_<Joint> type(m, "Joint");
  nb::enum_<Joint::JointType>(type, "JointType")
      .value("RotAxis", Joint::RotAxis)
      .value("RotX", Joint::RotX)
      .value("RotY", Joint::RotY)
      .value("RotZ", Joint::RotZ)
      .value("TransAxis", Joint::TransAxis)
      .value("TransX", Joint::TransX)
      .value("TransY", Joint::TransY)
      .value("TransZ", Joint::TransZ)
      .value("Fixed", Joint::Fixed)
      .export_values();
  type.attr("None_") = nb::cast(Joint::Fixed);
  type.def(nb::init<>())
      .def(nb::init<const std::string&, const Joint::JointType&, const double&, const double&, const double&,
                    const double&, const double&>(),
           "name"_a, "type"_a = Joint::Fixed, "scale"_a = 1., "offset"_a = 0., "inertia"_a = 0., "damping"_a = 0.,
           "stiffness"_a = 0.)
      .def(nb::init<const Joint::JointType&, const double&, const double&, const double&, const double&,
                    const double&>(),
           "type"_a, "scale"_a = 1., "offset"_a = 0., "inertia"_a = 0., "damping"_a = 0., "stiffness"_a = 0.)
      .def(nb::init<const std::string&, const Vector&, const Vector&, const Joint::JointType&, const double&,
                    const double&, const double&, const double&, const double&>(),
           "name"_a, "origin"_a, "axis"_a, "type"_a, "scale"_a = 1., "offset"_a = 0., "inertia"_a = 0.,
           "damping"_a = 0., "stiffness"_a = 0.)
      .def(nb::init<const Vector&, const Vector&, const Joint::JointType&, const double&, const double&, const double&,
                    const double&, const double&>(),
           "origin"_a, "axis"_a, "type"_a, "scale"_a = 1., "offset"_a = 0., "inertia"_a = 0., "damping"_a = 0.,
           "stiffness"_a = 0.)
      .def(nb::init<const Joint&>())
      .def(
          "pose", [](const Joint& j, double q) { return j.pose(q); }, "q"_a)
      .def(
          "twist", [](const Joint& j, double qdot) { return j.twist(qdot); }, "qdot"_a)
      .def("JointAxis", [](const Joint& j) { return Vector(j.JointAxis()); })
      .def("JointOrigin", [](const Joint& j) { return Vector(j.JointOrigin()); })
      .def("getName", [](const Joint& j) { return j.getName(); })
      .def("getType", [](const Joint& j) { return Joint::JointType(j.getType()); })
      .def("getTypeName", [](const Joint& j) { return std::string(j.getTypeName()); })
      .def("getScale", [](const Joint& j) { return j.getScale(); })
      .def("getInertia", [](const Joint& j) { return j.getInertia(); })
      .def("__repr__", [](const Joint& j) { return text_of(j); });
}

void bind_segment(nb::module_& m) {
  nb::class_<Segment>(m, "Segment")
      .def(nb::init<const std::string&, const Joint&, const Frame&, const RigidBodyInertia&>(), "name"_a,
           "joint"_a = Joint(Joint::Fixed), "f_tip"_a = Frame::Identity(), "I"_a = RigidBodyInertia::Zero())
      .def(nb::init<const Joint&, const Frame&, const RigidBodyInertia&>(), "joint"_a = Joint(Joint::Fixed),
           "f_tip"_a = Frame::Identity(), "I"_a = RigidBodyInertia::Zero())
      .def(nb::init<const Segment&>())
      .def("getFrameToTip", [](const Segment& s) { return Frame(s.getFrameToTip()); })
      .def(
          "pose", [](const Segment& s, double q) { return s.pose(q); }, "q"_a)
      .def(
          "twist", [](const Segment& s, double q, double qdot) { return s.twist(q, qdot); }, "q"_a, "qdot"_a)
      .def("getName", [](const Segment& s) { return s.getName(); })
      .def("getJoint", [](const Segment& s) { return Joint(s.getJoint()); })
      .def("getInertia", [](const Segment& s) { return RigidBodyInertia(s.getInertia()); })
      .def("setInertia", &Segment::setInertia, "I"_a)
      .def("__repr__", [](const Segment& s) { return text_of(s); });
}

/// With the interface that KDL discussed as 1.1: the result is the last argument, False says that there is none.
void bind_chain(nb::module_& m) {
  using Name = const std::string&;
  nb::class_<Chain>(m, "Chain")
      .def(nb::init<bool>(), "unique_names"_a = false)
      .def(nb::init<const Chain&>())
      .def(
          "addSegment", [](Chain& c, const Segment& s) { return c.addSegment(s); }, "segment"_a)
      .def(
          "addChain", [](Chain& c, const Chain& other) { return c.addChain(Chain(other)); }, "chain"_a)
      .def("getNrOfJoints", &Chain::getNrOfJoints)
      .def("getNrOfSegments", &Chain::getNrOfSegments)
      .def(
          "getSegment",
          [](const Chain& c, int i) {
            return Segment(
                c.getSegment(static_cast<unsigned int>(index_of(i, static_cast<int>(c.getNrOfSegments()), "Chain"))));
          },
          "nr"_a, "A copy.")
      .def("getSegment", nb::overload_cast<unsigned int, Segment&>(&Chain::getSegment, nb::const_), "nr"_a, "segment"_a)
      .def("getSegment", nb::overload_cast<Name, Segment&>(&Chain::getSegment, nb::const_), "name"_a, "segment"_a)
      .def("getRootSegment", &Chain::getRootSegment, "segment"_a)
      .def("getLeafSegment", &Chain::getLeafSegment, "segment"_a)
      .def(
          "getSegments", [](const Chain& c) { return c.segments; }, "Copies.")
      .def(
          "getSegments",
          [](const Chain& c, nb::typed<nb::list, Segment> out) {
            out.clear();
            for (const Segment& segment : c.segments) out.append(segment);
            return true;
          },
          "segments"_a)
      .def("getChain_Including",
           nb::overload_cast<unsigned int, unsigned int, Chain&>(&Chain::getChain_Including, nb::const_), "first"_a,
           "last"_a, "part"_a)
      .def("getChain_Including", nb::overload_cast<Name, Name, Chain&>(&Chain::getChain_Including, nb::const_),
           "first"_a, "last"_a, "part"_a)
      .def("getChain_Excluding",
           nb::overload_cast<unsigned int, unsigned int, Chain&>(&Chain::getChain_Excluding, nb::const_), "first"_a,
           "last"_a, "part"_a)
      .def("getChain_Excluding", nb::overload_cast<Name, Name, Chain&>(&Chain::getChain_Excluding, nb::const_),
           "first"_a, "last"_a, "part"_a)
      .def("copy", nb::overload_cast<unsigned int, Chain&>(&Chain::copy, nb::const_), "end"_a, "part"_a)
      .def("copy", nb::overload_cast<Name, Chain&>(&Chain::copy, nb::const_), "end"_a, "part"_a)
      .def("__repr__", [](const Chain& c) { return text_of(c); });
}

std::vector<std::string> names_of(const SegmentMap& segments) {
  std::vector<std::string> names;
  for (const auto& [name, element] : segments) names.push_back(name);
  return names;
}

/// Where C++ has iterators, names.
void bind_tree(nb::module_& m) {
  using Name = const std::string&;
  nb::class_<Tree>(m, "Tree")
      .def(nb::init<Name>(), "root_name"_a = "root")
      .def(nb::init<const Tree&>())
      .def("addSegment", &Tree::addSegment, "segment"_a, "hook_name"_a)
      .def("addChain", &Tree::addChain, "chain"_a, "hook_name"_a)
      .def("addTree", &Tree::addTree, "tree"_a, "hook_name"_a)
      .def("getNrOfJoints", &Tree::getNrOfJoints)
      .def("getNrOfSegments", &Tree::getNrOfSegments)
      .def(
          "getChain",
          [](const Tree& t, Name chain_root, Name chain_tip) {
            Chain out;
            if (!t.getChain(chain_root, chain_tip, out))
              throw std::invalid_argument("Tree.getChain: no segment is called '" +
                                          (t.getSegment(chain_root) == t.getSegments().end() ? chain_root : chain_tip) +
                                          "'");
            return out;
          },
          "chain_root"_a, "chain_tip"_a, "Raises ValueError for a name that is not in the tree.")
      .def("getChain", nb::overload_cast<Name, Name, Chain&>(&Tree::getChain, nb::const_), "chain_root"_a,
           "chain_tip"_a, "chain"_a, "False for a name that is not in the tree.")
      .def("getChain", nb::overload_cast<Name, Name, Tree&, Name>(&Tree::getChain, nb::const_), "chain_root"_a,
           "chain_tip"_a, "tree"_a, "root_name"_a = "root", "The chain as a tree with that root.")
      .def("getSubTree", &Tree::getSubTree, "segment_name"_a, "tree"_a)
      .def(
          "getSegments", [](const Tree& t) { return names_of(t.getSegments()); }, "Names, the root's too.")
      .def(
          "getLeafSegments",
          [](const Tree& t) {
            SegmentMap leafs;
            t.getLeafSegments(leafs);
            return names_of(leafs);
          },
          "Names of those without children.")
      .def(
          "getRootSegment", [](const Tree& t) { return t.getRootSegment()->first; }, "Its name.")
      .def(
          "getSegment",
          [](const Tree& t, Name name, Segment& out) {
            const auto found = t.getSegment(name);
            if (found == t.getSegments().end()) return false;
            out = found->second.segment;
            return true;
          },
          "name"_a, "segment"_a)
      .def("copy", nb::overload_cast<Name, Tree&>(&Tree::copy, nb::const_), "without"_a, "tree"_a)
      .def("copy", nb::overload_cast<const std::vector<std::string>&, Tree&>(&Tree::copy, nb::const_), "without"_a,
           "tree"_a)
      .def("__repr__", [](const Tree& t) { return text_of(t); });
}

}  // namespace

void bind_structures(nb::module_& m) {
  bind_inertias(m);
  bind_joint(m);
  bind_segment(m);
  bind_chain(m);
  bind_tree(m);
}

}  // namespace zwang::python::kdl
