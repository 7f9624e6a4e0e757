// SPDX-License-Identifier: BSD-3-Clause
// Gradients by the parameters of the model and of the rows, from what the product from the left leaves in the bodies.
//
//   r1, r2 of links: phi = (m, h, I_o) of each, u its part of w:   y . d r1 / d phi = u . (wrench of the link)
//   centre of mass c: dc/dm = (p - c) / total, dc/dh = R / total; with its rates in J, in the stabilisation, in J' v
//   placement of joint i, X <- X exp(xi): a locked joint with six columns S before i, whose sum over the rows is
//     Q.psi'' + P.psi' + N.S + w_p.(S x* f)  =  S.(N - v x* P - a x* Q + v x* (v x* Q) - w_p x* f)   v, a: its parent's
#include "algorithm/instances.hpp"
#include "algorithm/page/body_forces.hpp"
#include "core/kernel_table.hpp"
#include "question/derivatives/linearised.hpp"
#include "zwang/algorithm/page/regressor.hpp"

namespace zwang {
namespace {

/// The link frame, its motion w of unit multipliers, and its acceleration field.
struct MovingLink {
  page::LocalFrame<double> frame;
  Motion<double> w;
  Mat3<double> E;
  Vec3<double> acceleration;  ///< of the origin, gravity not counted; link axes
};

MovingLink moving_link(const Data& data, Index link, const Motion<double>& w_body) {
  const auto& at = data.tree().link[link];
  MovingLink x;
  x.frame = page::local_frame(data, at.body, at.in_body);
  x.w = inverse_times(x.frame.X, w_body);
  x.E = acceleration_field(x.frame.twist.w, x.frame.al);
  x.acceleration = x.frame.a + transpose_times(x.frame.X.R, data.gravity);
  return x;
}

/// to[4] += d(G . x) by the link's (m, h), where x is the centre of mass or its first or second rate: `from` that of
/// the link's origin less x, field h that of h; share: 1 / total mass. Link axes.
void add_centre(const Vec3<double>& G, const Vec3<double>& from, const Mat3<double>& field, double share, double* to) {
  const Vec3<double> h = transpose_times(field, G) * share;
  to[0] += dot(G, from) * share;
  to[1] += h.x;
  to[2] += h.y;
  to[3] += h.z;
}

}  // namespace

/// Gradients by beta, targets, compliances and the joints' own effects, of y_ and z_.
void Linearised::numbers_of_rows_and_joints() {
  const Problem& p = problem_;
  const Tree<double>& tree = p.state.data.tree();
  InputGradient& g = gradient_;
  for (Index k = 0; k < p.rows.m; ++k) {
    const Index r = row_of(k);
    const Index of = p.rows.constraint_of[k];
    const Constraint& c = p.layout.constraint(of);
    own(g.beta)(r) = z_[k];
    if (p.rows.compliance[k] > 0) own(g.compliance)(r) = -z_[k] * lambda_[k];
    const Stabilisation& s = c.stabilisation;
    const double T = s.time_constant;
    if (c.relation == nullptr || !(T > 0)) continue;
    // phi'' = beta - (2 zeta / T) (phi' - target') - (phi - target) / T^2; rows of velocities alone have no phi: NaN
    const double phi = parts_.solution.position_error(r), rate = parts_.solution.velocity_error(r);
    const bool known = phi == phi;
    own(g.target)(r) = known ? z_[k] / (T * T) : 0.0;
    own(g.target_velocity)(r) = z_[k] * 2 * s.damping_ratio / T;
    own(g.time_constant)(of) += z_[k] * (2 * s.damping_ratio * rate + (known ? 2 * phi / T : 0.0)) / (T * T);
    own(g.damping_ratio)(of) -= z_[k] * 2 * rate / T;
  }
  for (Index k = 0; k < tree.spanning_nv; ++k) {
    const auto& column = tree.column[k];
    if (of_model_.mimics[k]) continue;
    const double y = y_[column.v];
    if (p.state.effects.armature) own(g.armature)(column.v) -= y * acceleration_[column.v];
    if (p.state.effects.damping) own(g.damping)(column.v) -= y * p.state.v[column.v];
    if (p.state.effects.springs && tree.passive != nullptr)
      own(g.stiffness)(column.v) -= y * page::spring_stretch(tree, k, p.state.q.data());
  }
}

/// What links' own scales of gravity add: y . J^T f of each.
void Linearised::add_excess_by_masses(const Left& x) {
  const Data& data = problem_.state.data;
  const Tree<double>& tree = data.tree();
  for (Index l = 0; l < tree.links; ++l) {
    const LinkPlace<double>& link = tree.link[l];
    if (link.excess == 0 || link.body == 0) continue;
    const Transform<double> X = page::frame_about_centre(data, link.body, link.in_body);
    page::add_excess_row(transpose_times(X.R, data.gravity), inverse_times(X, x.w(link.body)), link.excess,
                         own(gradient_.inertial_parameters).data() + page::k_link_parameters * l);
  }
}

/// What rows on the centre of mass add: d(w . J^T lambda) of `which`; with `z` less z . d r2.
void Linearised::add_masses_of_rows(const Left& x, Of which, const double* z) {
  if (!wrt_.inertial_parameters) return;
  const Data& data = problem_.state.data;
  const Tree<double>& tree = data.tree();
  const double mass = page::moving_mass(data);
  if (rows_.centre_of_mass.empty() || !(mass > 0)) return;
  const page::CentreOfMass<double> c = page::centre_of_mass(data);
  for (const CentreOfMassRow& row : rows_.centre_of_mass) {
    const double force = counts(row.row, which) ? lambda_[row.row] : 0.0, weight = z != nullptr ? z[row.row] : 0.0;
    Vec3<double> c_w = Vec3<double>::zero();  // velocity of the centre under w
    for (Index i = 1; i <= tree.n; ++i)
      if (page::moves(tree, i)) c_w += (page::world_inertia(data, i) * x.w(i)).f * (1 / mass);
    for (Index l = 0; l < tree.links; ++l) {
      const Index body = tree.link[l].body;
      if (body == 0 || !page::moves(tree, body)) continue;
      const MovingLink link = moving_link(data, l, x.w(body));
      const Mat3<double>& R = link.frame.X.R;
      const auto local = [&](const Vec3<double>& a) { return transpose_times(R, a); };
      const Vec3<double> D = local(row.direction);
      const Vec3<double> position = link.frame.X.p + data.position.centre[tree.body[body].root] - c.position;
      double* const to = own(gradient_.inertial_parameters).data() + page::k_link_parameters * l;
      add_centre(D * force, link.w.v - local(c_w), skew(link.w.w), 1 / mass, to);
      if (weight == 0) continue;
      add_centre(D * -weight, link.acceleration - local(c.acceleration), link.E, 1 / mass, to);
      add_centre(D * (-weight * row.damping), link.frame.twist.v - local(c.velocity), skew(link.frame.twist.w),
                 1 / mass, to);
      add_centre(D * (-weight * row.stiffness), local(position), Mat3<double>::identity(), 1 / mass, to);
    }
  }
}

/// d(c . J u) of rows on the centre of mass, u the velocities whose kinematics Data holds.
void Linearised::add_masses_of_rates(const double* c) {
  if (!wrt_.inertial_parameters) return;
  const Data& data = problem_.state.data;
  const Tree<double>& tree = data.tree();
  const double mass = page::moving_mass(data);
  if (rows_.centre_of_mass.empty() || !(mass > 0)) return;
  const page::CentreOfMass<double> at = page::centre_of_mass(data);
  for (const CentreOfMassRow& row : rows_.centre_of_mass) {
    for (Index l = 0; l < tree.links; ++l) {
      const Index body = tree.link[l].body;
      if (body == 0 || !page::moves(tree, body)) continue;
      const page::LocalFrame<double> frame = page::local_frame(data, body, tree.link[l].in_body);
      add_centre(transpose_times(frame.X.R, row.direction) * c[row.row],
                 frame.twist.v - transpose_times(frame.X.R, at.velocity), skew(frame.twist.w), 1 / mass,
                 own(gradient_.inertial_parameters).data() + page::k_link_parameters * l);
    }
  }
}

/// Those that were merged into a body have no place.
std::vector<page::JointPlace> joint_places(const Model& model) {
  std::vector<page::JointPlace> places;
  const Tree<double>& tree = model.tree<double>();
  Index at = -1;
  for (const Joint& joint : model.joints()) {
    ++at;
    if (joint.lumped || joint.body.value == 0) continue;
    const Link* const parent =
        joint.parent.value >= 0 ? &model.links()[static_cast<std::size_t>(joint.parent.value)] : nullptr;
    const Index before = parent != nullptr ? parent->body.value : 0;
    Index i = joint.body.value;
    while (tree.body[i].parent != before) i = tree.body[i].parent;
    const Transform<double>& X = joint.description.origin;
    places.push_back({at, before, i, parent != nullptr ? parent->in_body * X : X});
  }
  return places;
}

/// placement += sign times the sum over the rows behind each joint; the product from the left has left Data.
void Linearised::add_placements(double sign) {
  if (!wrt_.placement) return;
  const std::vector<page::JointPlace>& joints = of_model_.placements;
  kernels().derivative->placements_from_the_left(&problem_.state.data, joints.data(), static_cast<Index>(joints.size()),
                                                 sign, own(gradient_.placement).data());
}

}  // namespace zwang
