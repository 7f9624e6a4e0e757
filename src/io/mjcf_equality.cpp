// SPDX-License-Identifier: BSD-3-Clause
// MjcfReader: equalities, as loops between two frames and couplings of coordinates.
//
//   connect  phi = 0: the anchor, given in body 1, stays at its place in body 2, as drawn
//   weld     the anchor is given in body 2; its pose in body 1 is that drawn, or `relpose`
//   joint    q1 - r1 = sum_k c_k (q2 - r2)^k, r the joints' `ref`
//   tendon   the same of the lengths of two fixed tendons, measured from the pose drawn
#include <cmath>

#include "io/mjcf.hpp"
#include "zwang/spatial/quat.hpp"

namespace zwang::io {

namespace {

/// The coefficients of sum_k c_k (x - r)^k in powers of x.
std::vector<double> expanded(const double* c, int count, double r) {
  std::vector<double> out(static_cast<std::size_t>(count), 0.0);
  for (int k = count; k-- > 0;) {  // Horner: out = out (x - r) + c_k
    for (int j = count; j-- > 1;)
      out[static_cast<std::size_t>(j)] = out[static_cast<std::size_t>(j - 1)] - r * out[static_cast<std::size_t>(j)];
    out[0] = c[k] - r * out[0];
  }
  return out;
}

}  // namespace

/// Its place in model_.joints; -1, with a finding, where it is not a hinge or slide of this model.
int MjcfReader::scalar_joint(pugi::xml_node node, const std::string& name) const {
  const auto it = joint_index_.find(name);
  if (it == joint_index_.end()) {
    unknown(node, "joint", name, joint_index_);
    return -1;
  }
  const MjcfJoint& joint = model_.joint(model_.joints[static_cast<std::size_t>(it->second)]);
  if (joint.freedoms() == 1) return it->second;
  document_.refuse(node, "E_MJCF_REFERENCE", "joint " + detail::quoted(name), "a hinge or slide");
  return -1;
}

void MjcfReader::equality(pugi::xml_node node) {
  const MjcfFields of = fields(node, MjcfKind::equality, 0);
  MjcfEquality row;
  row.name = values_.name_of(of);
  if (!take_name("equality", row.name, node)) return;
  row.place = document_.place_of(node);
  row.active = values_.flag(of, "active", true);
  // solref: time constant and damping ratio; negative: stiffness and damping of a unit mass.
  double solref[2] = {0.02, 1};
  values_.numbers(of, "solref", 1, 2, solref);
  if (solref[0] > 0) {
    row.time_constant = solref[0] * solref[1];
    row.damping_ratio = solref[1];
  } else if (solref[0] < 0) {
    row.time_constant = 1 / std::sqrt(-solref[0]);
    row.damping_ratio = -solref[1] / (2 * std::sqrt(-solref[0]));
  }
  const std::string_view kind = node.name();
  const bool good = kind == "connect" || kind == "weld" ? ends(node, of, row)
                    : kind == "joint"                   ? joint_equality(node, of, row)
                                                        : tendon_equality(node, of, row);
  if (good) model_.equalities.push_back(std::move(row));
}

/// The two frames of a connect or weld.
bool MjcfReader::ends(pugi::xml_node node, const MjcfFields& of, MjcfEquality& row) {
  const bool weld = std::string_view(node.name()) == "weld";
  double scale = 1;
  values_.number(of, "torquescale", scale);
  row.kind = weld && scale != 0 ? MjcfEquality::Kind::weld : MjcfEquality::Kind::ball;
  if (weld && scale != 0 && scale != 1) {
    Diagnostic d = document_.at(node, "N_MJCF_IGNORED");
    d.found = "torquescale " + detail::number_text(scale);
    d.expected = "0 or 1";
    d.hint = "rows are hard: their scale has no effect";
    notes_.emplace("torquescale", std::move(d));
  }
  if (node.attribute("site1") || node.attribute("site2")) {
    const char* names[2] = {"site1", "site2"};
    for (int e = 0; e < 2; ++e) {
      const std::string name = node.attribute(names[e]).value();
      const auto it = site_index_.find(name);
      if (it == site_index_.end()) return unknown(node, "site", name, site_index_), false;
      const MjcfSitePlace at = sites_[static_cast<std::size_t>(it->second)];
      row.body[e] = at.body;
      row.frame[e] = model_.bodies[static_cast<std::size_t>(at.body)].sites[static_cast<std::size_t>(at.site)].pose;
    }
    row.of_sites = true;
    return true;
  }
  const char* names[2] = {"body1", "body2"};
  for (int e = 0; e < 2; ++e) {
    const pugi::xml_attribute a = node.attribute(names[e]);
    if (!a && e == 1) break;  // the world
    const auto it = body_index_.find(a.value());
    if (it == body_index_.end()) return unknown(node, "body", a.value(), body_index_), false;
    row.body[e] = it->second;
  }
  Vec3<double> anchor = Vec3<double>::zero();
  if (!weld && !node.attribute("anchor")) {
    document_.refuse(node, "E_VECTOR_SIZE", "no attribute 'anchor'", "the point that connects the bodies");
    return false;
  }
  if (!values_.vector(of, "anchor", anchor)) return false;
  row.frame[weld ? 1 : 0] = {Mat3<double>::identity(), anchor};
  row.drawn = weld ? 0 : 1;
  draw(row);
  double relative[7] = {0, 0, 0, 0, 0, 0, 0};
  if (!weld || !of.has("relpose")) return true;
  if (values_.numbers(of, "relpose", 7, 7, relative) < 0) return false;
  const Quat<double> q{relative[4], relative[5], relative[6], relative[3]};
  if (norm(q) > 0) {
    row.frame[0] = {rotation(normalized(q)), {relative[0], relative[1], relative[2]}};
    row.drawn = -1;
  }
  return true;
}

/// The frame that is where the other one is in the pose drawn.
void MjcfReader::draw(MjcfEquality& row) const {
  if (row.drawn < 0) return;
  const int own = row.drawn, other = 1 - own;
  row.frame[own] = inverse_times(world_[static_cast<std::size_t>(row.body[own])],
                                 world_[static_cast<std::size_t>(row.body[other])]) *
                   row.frame[other];
}

bool MjcfReader::joint_equality(pugi::xml_node node, const MjcfFields& of, MjcfEquality& row) {
  row.kind = MjcfEquality::Kind::coupling;
  double c[5] = {0, 1, 0, 0, 0};
  if (values_.numbers(of, "polycoef", 1, 5, c) < 0) return false;
  const int first = scalar_joint(node, node.attribute("joint1").value());
  if (first < 0) return false;
  row.joints.push_back(model_.joints[static_cast<std::size_t>(first)]);
  const double r1 = model_.joint(row.joints[0]).reference;
  if (!node.attribute("joint2")) {
    row.ratio = {1};
    row.offset = r1 + c[0];
    return true;
  }
  const int second = scalar_joint(node, node.attribute("joint2").value());
  if (second < 0) return false;
  if (second == first) {
    document_.refuse(node, "E_MJCF_REFERENCE", "joint1 and joint2 are the same", "two joints");
    return false;
  }
  row.joints.push_back(model_.joints[static_cast<std::size_t>(second)]);
  row.polynomial = expanded(c, 5, model_.joint(row.joints[1]).reference);
  row.polynomial[0] += r1;
  if (c[2] != 0 || c[3] != 0 || c[4] != 0) return true;
  row.ratio = {1, -c[1]};
  row.offset = row.polynomial[0];
  row.polynomial.clear();
  return true;
}

bool MjcfReader::tendon_equality(pugi::xml_node node, const MjcfFields& of, MjcfEquality& row) {
  row.kind = MjcfEquality::Kind::coupling;
  double c[5] = {0, 1, 0, 0, 0};
  if (values_.numbers(of, "polycoef", 1, 5, c) < 0) return false;
  const char* names[2] = {"tendon1", "tendon2"};
  const double factor[2] = {1, -c[1]};
  row.offset = c[0];
  std::map<int, double> ratio;
  for (int e = 0; e < 2; ++e) {
    const pugi::xml_attribute a = node.attribute(names[e]);
    if (!a && e == 1) break;
    const auto it = tendon_index_.find(a.value());
    if (it == tendon_index_.end()) return unknown(node, "tendon", a.value(), tendon_index_), false;
    const MjcfTendon& tendon = model_.tendons[static_cast<std::size_t>(it->second)];
    if (!tendon.fixed || (e == 1 && (c[2] != 0 || c[3] != 0 || c[4] != 0))) {
      values_.warn(node, "W_MJCF_IGNORED",
                   tendon.fixed ? "a polynomial of tendon lengths" : "an equality of spatial tendons",
                   "fixed tendons in a linear relation", "left out: the robot moves otherwise without it");
      return false;
    }
    for (const auto& [joint, coefficient] : tendon.terms) {
      ratio[joint] += factor[e] * coefficient;
      row.offset += factor[e] * coefficient * model_.joint(model_.joints[static_cast<std::size_t>(joint)]).reference;
    }
  }
  for (const auto& [joint, coefficient] : ratio) {
    if (coefficient == 0) continue;
    row.joints.push_back(model_.joints[static_cast<std::size_t>(joint)]);
    row.ratio.push_back(coefficient);
  }
  if (!row.ratio.empty()) return true;
  values_.warn(node, "W_MJCF_IGNORED", "an equality without coordinates", "lengths that move with a joint",
               "left out: it holds nothing");
  return false;
}

}  // namespace zwang::io
