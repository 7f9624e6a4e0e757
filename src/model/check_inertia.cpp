// SPDX-License-Identifier: BSD-3-Clause
// check: masses and inertias, of links and of the rigid bodies that fixed joints make of them.
#include <algorithm>
#include <cmath>

#include "model/check_detail.hpp"

namespace zwang {

/// Cyclic Jacobi (Golub and Van Loan, Matrix Computations, 8.5.2): each rotation zeroes one off-diagonal entry.
PrincipalInertia principal_inertia(const Sym3<double>& inertia) {
  double a[3][3] = {
      {inertia.xx, inertia.xy, inertia.xz}, {inertia.xy, inertia.yy, inertia.yz}, {inertia.xz, inertia.yz, inertia.zz}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  constexpr int k_pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  double scale = 0;
  for (const auto& row : a)
    for (const double x : row) scale = std::max(scale, std::fabs(x));
  const double negligible = 1e-20 * scale;    // far below the rounding of any entry
  for (int sweep = 0; sweep < 12; ++sweep) {  // converges quadratically: 5 or 6 sweeps reach rounding
    for (const auto& [p, q] : k_pairs) {
      if (std::fabs(a[p][q]) <= negligible) continue;
      const double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
      const double t = (theta >= 0 ? 1.0 : -1.0) / (std::fabs(theta) + std::hypot(theta, 1.0));
      const double c = 1.0 / std::hypot(t, 1.0), s = t * c;
      for (int k = 0; k < 3; ++k) {
        const double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
      }
      for (int k = 0; k < 3; ++k) {
        const double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
      }
      a[p][q] = a[q][p] = 0.0;
      for (auto& row : v) {
        const double x = row[p], y = row[q];
        row[p] = c * x - s * y;
        row[q] = s * x + c * y;
      }
    }
  }
  int at[3] = {0, 1, 2};
  std::sort(at, at + 3, [&](int i, int j) { return a[i][i] < a[j][j]; });
  const auto column = [&](int k) { return Vec3<double>{v[0][at[k]], v[1][at[k]], v[2][at[k]]}; };
  return {{a[at[0]][at[0]], a[at[1]][at[1]], a[at[2]][at[2]]}, from_columns(column(0), column(1), column(2))};
}

namespace detail {
namespace {

// Files have 4 to 8 digits: deviations that their rounding can explain are no errors.
constexpr double k_rounding = 1e-9, k_triangle_rounding = 1e-6;
// Programs that export robots shift inertias by m c^2 in double precision: some thousands of its rounding may be left.
constexpr double k_shift_rounding = 1e-12;
constexpr double k_mass_ratio = 1e10, k_huge_mass = 1e15;

bool is_zero(const Sym3<double>& m) {
  return m.xx == 0 && m.xy == 0 && m.xz == 0 && m.yy == 0 && m.yz == 0 && m.zz == 0;
}
bool finite(const Sym3<double>& m) {
  return std::isfinite(m.xx) && std::isfinite(m.xy) && std::isfinite(m.xz) && std::isfinite(m.yy) &&
         std::isfinite(m.yz) && std::isfinite(m.zz);
}
/// `shift`: m c^2, which is added to the moments where the body turns about its joint.
bool indefinite_moments(const PrincipalInertia& p, double shift = 0) {
  return p.moment[0] <
         -std::max(k_rounding * std::max(std::fabs(p.moment[0]), std::fabs(p.moment[2])), k_shift_rounding * shift);
}
std::string three(double a, double b, double c) {
  return number_text(a) + ", " + number_text(b) + ", " + number_text(c);
}

/// Rounded to 6 digits, for a proposal in a message.
double short_number(double x) {
  if (x == 0.0 || !std::isfinite(x)) return x;
  const int digits = 5 - static_cast<int>(std::floor(std::log10(std::fabs(x))));
  if (digits > 300 || digits < -300) return x;
  const double scale = std::pow(10.0, std::abs(digits));
  return digits >= 0 ? std::round(x * scale) / scale : std::round(x / scale) * scale;
}

/// A body made of links: mass, first moment and inertia about its own origin.
struct Sum {
  double mass = 0;
  Vec3<double> first = Vec3<double>::zero();
  Sym3<double> about_origin = Sym3<double>::zero();
};

}  // namespace

bool Checker::finite_inertia(Index i) {
  const LinkDescription& link = robot_.links[i];
  const bool numbers = std::isfinite(link.mass) && std::isfinite(link.centre.x) && std::isfinite(link.centre.y) &&
                       std::isfinite(link.centre.z);
  if (!numbers) {
    Diagnostic d = at_link(i, "E_NUMBER", "inertial");
    d.found = "mass " + number_text(link.mass) + ", centre " + three(link.centre.x, link.centre.y, link.centre.z);
    d.expected = "finite numbers";
    found_.add(Weight::refuse, d);
    return false;
  }
  if (!std::isfinite(link.gravity_scale)) {
    Diagnostic d = at_link(i, "E_NUMBER", "gravity_scale");
    d.found = "gravity_scale " + number_text(link.gravity_scale);
    d.expected = "a finite number";
    found_.add(Weight::refuse, d);
    return false;
  }
  if (!finite(link.inertia)) {
    Diagnostic d = at_link(i, "E_INERTIA", "inertial/inertia");
    d.found = "an inertia that is not finite";
    d.expected = "six finite numbers";
    found_.add(Weight::refuse, d);
    return false;
  }
  if (link.mass < 0) {
    Diagnostic d = at_link(i, "E_INERTIA", "inertial/mass");
    d.found = "mass " + number_text(link.mass);
    d.expected = "a mass of at least 0";
    found_.add(Weight::refuse, d);
    return false;
  }
  return true;
}

/// A solid has I1 + I2 >= I3; the proposal is the nearest point of that plane.
void Checker::triangle(const LinkDescription& link, const PrincipalInertia& principal) {
  const double a = principal.moment[0], b = principal.moment[1], c = principal.moment[2];
  const double deficit = c - a - b;
  if (deficit <= k_triangle_rounding * c) return;
  Diagnostic d = at(link.place, "link", link.name, "W_INERTIA_TRIANGLE", "inertial/inertia");
  d.found = "principal moments " + three(short_number(a), short_number(b), short_number(c));
  d.expected = "the two smaller ones to add up to the largest at least, as for every solid";
  d.hint = "the nearest moments of a solid are " +
           three(short_number(a + deficit / 3), short_number(b + deficit / 3), short_number(c - deficit / 3));
  found_.add(Weight::warn, d);
}

void Checker::inertias() {
  std::vector<Index> bad;
  bool all_finite = true;
  for (Index i = 0; i < static_cast<Index>(robot_.links.size()); ++i) {
    if (!finite_inertia(i)) {
      all_finite = false;
      continue;
    }
    const LinkDescription& link = robot_.links[i];
    if (is_zero(link.inertia)) continue;
    const PrincipalInertia principal = principal_inertia(link.inertia);
    if (indefinite_moments(principal)) {
      bad.push_back(i);
    } else {
      triangle(link, principal);
    }
  }
  if (!bad.empty() && all_finite) indefinite(bad);
  if (all_finite) condition();
  massless();
}

/// Per link the first link of the rigid body that fixed joints lump it into; -1 for what is fixed to the world or out
/// of the tree.
std::vector<Index> Checker::clusters() const {
  std::vector<Index> body(robot_.links.size(), -1);
  for (const Index i : order_) {
    const Index j = carrier_[i];
    if (j < 0) {
      body[i] = root_is_fixed() ? -1 : i;
    } else {
      body[i] = facts_[j].fixed ? body[parent_[j]] : i;
    }
  }
  return body;
}

/// A link that is not positive semidefinite is only a warning where the body that it is lumped into is, up to the
/// rounding of what its inertia is added to.
void Checker::indefinite(const std::vector<Index>& links) {
  const std::vector<Index> body = clusters();
  std::vector<Transform<double>> pose(robot_.links.size(), Transform<double>::identity());  // in the body's first link
  std::vector<Sum> sums(robot_.links.size());
  for (const Index i : order_) {
    const Index j = carrier_[i];
    if (j >= 0 && facts_[j].fixed)
      pose[i] = pose[parent_[j]] * robot_.joints[j].origin * inverse(robot_.joints[j].child_origin);
    if (body[i] < 0) continue;
    const LinkDescription& link = robot_.links[i];
    const Vec3<double> centre = pose[i] * link.centre;
    Sum& sum = sums[body[i]];
    sum.mass += link.mass;
    sum.first += centre * link.mass;
    sum.about_origin += congruence(pose[i].R, link.inertia) + point_inertia(link.mass, centre);
  }
  for (const Index i : links) {
    const PrincipalInertia own = principal_inertia(robot_.links[i].inertia);
    bool fine = body[i] < 0;  // what is fixed to the world never moves
    bool lumped = fine, rounded = false;
    if (!fine) {
      const Sum& sum = sums[body[i]];
      const Vec3<double> centre = sum.mass > 0 ? sum.first * (1.0 / sum.mass) : Vec3<double>::zero();
      const Sym3<double> about_centre = sum.about_origin - point_inertia(sum.mass, centre);
      lumped = body[i] != i || sum.mass > robot_.links[i].mass;
      if (finite(about_centre)) {
        const PrincipalInertia whole = principal_inertia(about_centre);
        rounded = indefinite_moments(whole);
        fine = !indefinite_moments(whole, sum.mass * dot(centre, centre));
        rounded = rounded && fine;
      }
    }
    Diagnostic d = at_link(i, fine ? "W_INERTIA" : "E_INERTIA", "inertial/inertia");
    d.found =
        "eigenvalues " + three(short_number(own.moment[0]), short_number(own.moment[1]), short_number(own.moment[2]));
    d.expected = "no negative eigenvalue";
    if (rounded) d.hint = "it is the rounding of mass times distance squared, beside which it does not count";
    if (fine && lumped && !rounded)
      d.hint = "the rigid body that fixed joints lump it into is fine, so the dynamics is";
    if (!fine && found_.lenient()) d.hint = "negative eigenvalues are set to 0";
    found_.add(fine ? Weight::warn : Weight::repairable, d);
    if (fine || !edit_) continue;
    const auto positive = [&](int k) { return std::max(own.moment[k], 0.0); };
    edit_->links[i].inertia = congruence(own.axes, Sym3<double>::diagonal(positive(0), positive(1), positive(2)));
  }
}

/// A moving joint with nothing to move makes the mass matrix singular:
/// forward dynamics will say so, inverse dynamics works.
void Checker::massless() {
  std::vector<char> has_inertia(robot_.links.size(), 0), leads(robot_.joints.size(), 0);
  for (Index j = 0; j < static_cast<Index>(robot_.joints.size()); ++j) {
    const JointDescription& joint = robot_.joints[j];
    const Index leader =
        joint.mimic.leader.empty() || closes_[j] ? -1 : joint_index_.find(robot_.joints, joint.mimic.leader);
    if (leader >= 0) leads[leader] = 1;
  }
  for (auto k = order_.rbegin(); k != order_.rend(); ++k) {
    const LinkDescription& link = robot_.links[*k];
    const Index j = carrier_[*k];
    if (link.mass != 0 || !is_zero(link.inertia)) has_inertia[*k] = 1;
    if (j < 0) continue;
    if (has_inertia[*k]) has_inertia[parent_[j]] = 1;
    const JointDescription& joint = robot_.joints[j];
    const bool rotor =
        std::any_of(joint.rotor_inertia.begin(), joint.rotor_inertia.end(), [](double x) { return x != 0; });
    if (has_inertia[*k] || rotor || facts_[j].fixed || !joint.mimic.leader.empty() || leads[j]) continue;
    Diagnostic d = at_joint(j, "W_MASSLESS");
    d.found = "joint " + quoted(joint.name) + " moves link " + quoted(link.name) +
              ", which has no mass and no inertia, nor has anything behind it";
    d.expected = "mass and inertia behind a joint that moves";
    d.hint = "inverse dynamics works; forward dynamics is singular in this joint";
    found_.add(Weight::warn, d);
  }
}

void Checker::condition() {
  Index lightest = -1, heaviest = -1;
  double total = 0;
  for (Index i = 0; i < static_cast<Index>(robot_.links.size()); ++i) {
    const double mass = robot_.links[i].mass;
    total += mass;
    if (mass > 0 && (lightest < 0 || mass < robot_.links[lightest].mass)) lightest = i;
    if (mass > 0 && (heaviest < 0 || mass > robot_.links[heaviest].mass)) heaviest = i;
  }
  if (heaviest < 0) return;
  const LinkDescription &light = robot_.links[lightest], &heavy = robot_.links[heaviest];
  const double ratio = heavy.mass / light.mass;
  if (ratio <= k_mass_ratio && heavy.mass <= k_huge_mass && std::isfinite(total)) return;
  Diagnostic d = at_link(heaviest, std::isfinite(total) ? "W_CONDITION" : "E_INERTIA", "inertial/mass");
  d.found = "masses from " + number_text(light.mass) + " kg (link " + quoted(light.name) + ") to " +
            number_text(heavy.mass) + " kg (link " + quoted(heavy.name) + ')';
  d.expected = "masses within a factor of 1e10, none above 1e15 kg";
  d.hint = "accelerations of the light links lose about " + number_text(std::round(std::log10(std::max(ratio, 1.0)))) +
           " of 16 digits";
  if (!std::isfinite(total)) d.hint = "the sum of the masses overflows";
  found_.add(std::isfinite(total) ? Weight::warn : Weight::refuse, d);
}

}  // namespace detail
}  // namespace zwang
