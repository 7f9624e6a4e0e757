// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: the mass of a body: <inertial> or its geoms; bounds, balance, total mass, in this order.
#include <algorithm>
#include <cmath>

#include "io/mjcf.hpp"
#include "zwang/model/check.hpp"

namespace zwang::io {

namespace {

/// R diag(m) R^T
Sym3<double> from_principal(const PrincipalInertia& p) {
  return congruence(p.axes, Sym3<double>::diagonal(p.moment[0], p.moment[1], p.moment[2]));
}

}  // namespace

void MjcfReader::inertial(pugi::xml_node node, const Scope& scope) {
  const MjcfFields of{node};
  MjcfBody& body = model_.bodies[static_cast<std::size_t>(scope.body)];
  if (scope.body == 0)
    return document_.refuse(node, "E_INERTIA", "an <inertial> of the worldbody", "it inside of a <body>");
  if (body.has_inertial) return document_.refuse(node, "E_REPEATED", "<inertial> again", "it once in a body");
  for (const char* name : {"mass", "pos"})
    if (!of.has(name))
      return document_.refuse(node, "E_INERTIA", std::string("no attribute ") + detail::quoted(name),
                              "mass and pos in <inertial>");
  const Transform<double> pose = scope.pose * pose_of(of);
  values_.number(of, "mass", body.mass);
  body.has_inertial = true;
  body.centre = pose.p;
  double x[6] = {};
  if (of.has("fullinertia")) {
    if (of.has("diaginertia")) return document_.refuse(node, "E_INERTIA", "diaginertia and fullinertia", "one of them");
    for (pugi::xml_attribute a = node.first_attribute(); a; a = a.next_attribute())
      if (mjcf_is_orientation(a.name()))
        return document_.refuse(node, "E_MJCF_ORIENTATION", std::string(a.name()) + " and fullinertia", "one of them",
                                "fullinertia is given in the body's axes");
    if (values_.numbers(of, "fullinertia", 6, 6, x) < 0) return;
    const Sym3<double> full{x[0], x[3], x[4], x[1], x[5], x[2]};  // xx yy zz xy xz yz
    if (!(principal_inertia(full).moment[0] > 0))
      return document_.refuse(node, "E_INERTIA", "fullinertia " + detail::quoted(of.text("fullinertia")),
                              "a positive definite matrix: xx yy zz xy xz yz",
                              "its smallest eigenvalue is " + detail::number_text(principal_inertia(full).moment[0]));
    body.inertia = congruence(scope.pose.R, full);
    return;
  }
  if (values_.numbers(of, "diaginertia", 3, 3, x) < 0) return;
  body.inertia = congruence(pose.R, Sym3<double>::diagonal(x[0], x[1], x[2]));
}

/// Those that have been put off; what weighs nothing goes.
void MjcfReader::weigh(MjcfBody& body) {
  for (MjcfSolid& solid : body.solids)
    if (const auto weigh = std::move(solid.weigh)) weigh(solid);
  std::erase_if(body.solids, [](const MjcfSolid& solid) { return !solid.fault && solid.mass <= k_mjcf_tiny; });
}

/// Mass, centre and inertia of all geoms together.
void MjcfReader::sum(MjcfBody& body) {
  weigh(body);
  if (body.solids.empty()) return;  // an <inertial> stays
  body.mass = 0;
  body.centre = Vec3<double>::zero();
  body.inertia = Sym3<double>::zero();
  for (const MjcfSolid& solid : body.solids) {
    if (solid.fault) {
      Diagnostic d = *solid.fault;
      const std::string number = std::to_string(&body - model_.bodies.data());
      d.found += ", in body " + detail::quoted(body.name.empty() ? "body_" + number : body.name);
      work_.found.add(detail::Weight::refuse, d);
      return;
    }
    body.mass += solid.mass;
    body.centre = body.centre + solid.pose.p * solid.mass;
  }
  if (body.mass <= 0) return;
  body.centre = body.centre * (1 / body.mass);
  for (const MjcfSolid& solid : body.solids) {
    body.inertia += congruence(solid.pose.R, solid.inertia);
    body.inertia += point_inertia(solid.mass, solid.pose.p - body.centre);
  }
}

void MjcfReader::inertia(MjcfBody& body) {
  if (body.weighed) return;
  body.weighed = true;
  using FromGeom = MjcfCompiler::FromGeom;
  const bool given = body.has_inertial && compiler_.from_geom != FromGeom::yes;
  if (!given && compiler_.from_geom != FromGeom::no) sum(body);
  // MuJoCo leaves the centre of a body that has nothing at its own `pos`, read in its own frame.
  if (!given && body.mass == 0) body.centre = body.own.p;
  body.solids.clear();
  body.solids.shrink_to_fit();
  bound(body);
}

/// boundmass, boundinertia, balanceinertia. Whether the result is physical is checked for all formats at once.
void MjcfReader::bound(MjcfBody& body) {
  body.mass = std::max(body.mass, compiler_.bound_mass);
  if (compiler_.bound_inertia <= 0 && !compiler_.balance) return;
  PrincipalInertia p = principal_inertia(body.inertia);
  bool changed = false;
  for (double& m : p.moment) {
    changed = changed || m < compiler_.bound_inertia;
    m = std::max(m, compiler_.bound_inertia);
  }
  if (compiler_.balance && p.moment[0] + p.moment[1] < p.moment[2]) {
    const double mean = (p.moment[0] + p.moment[1] + p.moment[2]) / 3;
    for (double& m : p.moment) m = mean;
    changed = true;
  }
  if (changed) body.inertia = from_principal(p);
}

void MjcfReader::total_mass() {
  if (!(compiler_.total_mass > 0)) return;
  double total = 0;
  for (const MjcfBody& body : model_.bodies) total += body.mass;
  if (!(total > 0)) return;
  const double factor = compiler_.total_mass / total;
  for (MjcfBody& body : model_.bodies) {
    body.mass *= factor;
    body.inertia = body.inertia * factor;
  }
}

}  // namespace zwang::io
