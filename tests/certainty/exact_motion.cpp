// SPDX-License-Identifier: BSD-3-Clause
// The constrained motion in long double (exact_motion.hpp).
#include "certainty/exact_motion.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace zwang::test {

using reference::Axes;
using reference::Matrix3;
using reference::Vector3;

namespace {

/// B with M = B^T B: three rows for the force and three for the moment of every link, one for every rotor.
Mat inertia_root(const Robot& robot, const reference::State& s) {
  const auto& links = robot.reference.links();
  const Eigen::Index n = s.v().size(), k = static_cast<Eigen::Index>(links.size());
  Mat B = Mat::Zero(6 * k + n, n);
  for (Eigen::Index i = 0; i < k; ++i) {
    const reference::RigidLink& link = links[static_cast<std::size_t>(i)];
    const Matrix3<Real> R = s.pose(link.name).R;
    const auto J = s.jacobian(link.name, Axes::local_world_aligned);
    const Vector3<Real> c = R * link.centre;
    const Real mass = std::sqrt(link.mass);
    for (Eigen::Index j = 0; j < n; ++j) {
      const Vector3<Real> w = J.col(j).tail(3);
      B.col(j).segment(6 * i, 3) = mass * (J.col(j).head(3) + w.cross(c));
    }
    const Eigen::SelfAdjointEigenSolver<Matrix3<Real>> axes(link.inertia);
    const Vector3<Real> size = axes.eigenvalues().cwiseMax(0).cwiseSqrt();
    B.middleRows(6 * i + 3, 3) = size.asDiagonal() * axes.eigenvectors().transpose() * R.transpose() * J.bottomRows(3);
  }
  for (const reference::SpanningJoint& j : robot.reference.joints())
    for (int i = 0; i < j.v.size; ++i)
      B(6 * k + j.v.first + i, j.v.first + i) = std::hypot(
          B(6 * k + j.v.first + i, j.v.first + i), j.multiplier * std::sqrt(j.armature[static_cast<std::size_t>(i)]));
  return B;
}

}  // namespace

Mechanics::Mechanics(const Robot& robot, const RandomState& x)
    : robot_(&robot),
      state_(std::make_shared<const reference::State>(robot.reference.at(x.q, x.v))) {
  const Mat B = inertia_root(robot, *state_);
  const Eigen::Index n = B.cols();
  const Eigen::HouseholderQR<Mat> qr(B.rowwise().reverse());
  root_ = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
  D_ = root_.diagonal().cwiseAbs2().reverse();
  growth_ = std::sqrt((B.colwise().squaredNorm().transpose().array() / D_.array()).maxCoeff());
  const Vec driven = weighed_row(x.tau.cast<Real>()), bias = weighed_row(state_->bias({}));
  free_ = unweighed(driven - bias);
  free_size_ = driven.norm() + bias.norm();
  centre_ = Vector3<Real>::Zero();
  for (std::size_t i = robot.reference.links().size(); i-- > 0;)
    if (robot.reference.moves(static_cast<int>(i))) centre_ = state_->pose(robot.reference.links()[i].name).p;
}

Vec Mechanics::weighed(const Vec& a) const { return root_.triangularView<Eigen::Upper>() * Vec(a.reverse()); }
Vec Mechanics::unweighed(const Vec& z) const { return root_.triangularView<Eigen::Upper>().solve(z).reverse(); }
Vec Mechanics::weighed_row(const Vec& row) const {
  return root_.transpose().triangularView<Eigen::Lower>().solve(Vec(row.reverse()));
}

Real Mechanics::bound(const std::string& frame, Real force, Real moment) const {
  const auto J = state_->jacobian(frame, Axes::world);
  Real sum = 0;
  for (Eigen::Index k = 0; k < J.cols(); ++k) {
    const Vector3<Real> w = J.col(k).tail(3), v = J.col(k).head(3) + w.cross(centre_);
    sum += (force * force * v.squaredNorm() + moment * moment * w.squaredNorm()) / D_(k);
  }
  return sum;
}

ExactMotion::ExactMotion(const Mechanics& mechanics, const std::vector<AnyConstraint>& all, Real eps, Real factor)
    : mechanics_(&mechanics),
      eps_(eps) {
  std::vector<std::pair<Rows, const AnyConstraint*>> rows;
  Eigen::Index m = 0;
  for (const AnyConstraint& c : all) {
    if (!is_active(c)) continue;
    rows.emplace_back(rows_of(mechanics.robot(), mechanics.state(), c), &c);
    m += rows.back().first.A.rows();
  }
  problem_.W = exact::Matrix<Real>(mechanics.n(), static_cast<int>(m));
  for (const auto& [r, c] : rows) append(r, *c);
  const Real rounding = 4 * eps * std::sqrt(static_cast<Real>(mechanics.n() + m));
  for (std::size_t i = 0; i < e_.size(); ++i) {
    const Real zero = 256 * eps * bound_[i];
    problem_.zero.push_back(e_[i] <= zero);
    zero_gap_ = std::min(zero_gap_, e_[i] <= zero ? zero / (e_[i] + 1e-4000L) : e_[i] / zero);
    if (!problem_.zero[i]) nu_ = std::max(nu_, bound_[i] / e_[i]);
    problem_.noise.push_back(problem_.zero[i] ? 1 : factor * (rounding + 8 * eps * bound_[i] / e_[i]));
  }
  problem_.tolerance = factor * (eps > k_double_eps ? 64 * eps : Real(1e-11L));
  answer_ = exact::solve_levels(problem_);
}

void ExactMotion::append(const Rows& rows, const AnyConstraint& any) {
  const auto* loop = std::get_if<LoopConstraint>(&any);
  const auto* frame = std::get_if<FrameConstraint>(&any);
  const auto* contact = std::get_if<ContactConstraint>(&any);
  const std::string& name = loop ? loop->other : frame ? frame->frame : contact->frame;
  const reference::Pose<Real> X = mechanics_->state().pose(name);
  Vector3<Real> point = X.p;
  if (frame && frame->in == "world") point.setZero();
  if (contact) point += X.R * Vector3<Real>(contact->point.x, contact->point.y, contact->point.z);
  const Real lever = (point - mechanics_->centre()).norm();
  for (Eigen::Index i = 0; i < rows.A.rows(); ++i) {
    const auto at = e_.size();
    const Vec w = mechanics_->weighed_row(rows.A.row(i).transpose());
    std::copy(w.data(), w.data() + w.size(), problem_.W.column(static_cast<int>(at)));
    e_.push_back(w.norm());
    problem_.r.push_back(rows.b(i) - rows.A.row(i).dot(mechanics_->free()));
    problem_.level.push_back(std::visit([](const auto& c) { return c.priority; }, any));
    Vec k = rows.K.row(i).transpose();
    if (loop)
      for (int j = 0; j < 6; ++j) k(j) = loop->rows.matrix[static_cast<std::size_t>(6 * i + j)];
    const Real force = k.head(3).norm(), moment = force * lever + k.tail(3).norm();
    Real sum = mechanics_->bound(name, force, moment);
    size_.push_back(rows.size(i));
    if (loop) {
      const Real apart = (point - mechanics_->state().pose(loop->frame).p).norm();
      sum += mechanics_->bound(loop->frame, force, moment + force * apart);
      size_.back() = mechanics_->robot().reference.gravity().norm() * force;
      if (!loop->beta.empty()) size_.back() += std::fabs(loop->beta[static_cast<std::size_t>(i)]);
      for (const std::string& end : {loop->frame, loop->other}) {
        const auto a = mechanics_->state().acceleration(end, Vec::Zero(mechanics_->n()), Axes::local_world_aligned,
                                                        reference::Kind::classical);
        const auto v = mechanics_->state().velocity(end, Axes::local_world_aligned);
        size_.back() += force * a.head(3).norm() +
                        (k.tail(3).norm() + force * apart) * (a.tail(3).norm() + v.tail(3).squaredNorm());
      }
    }
    bound_.push_back(std::sqrt(sum));
    b_.push_back(rows.b(i));
  }
}

Vec ExactMotion::acceleration() const {
  return mechanics_->free() +
         mechanics_->unweighed(Eigen::Map<const Vec>(answer_.z.data(), static_cast<Eigen::Index>(answer_.z.size())));
}

bool ExactMotion::certain() const {
  if (!(kappa() * nu() <= 1e10L) || !clear()) return false;
  return kappa() < 1e5L || flaws_of_rounding().betterable <= 1e-6L;
}

Real ExactMotion::over_promise(const Vec& acceleration) const {
  const Real over = flaws(acceleration).unpromised;
  if (over <= 1) return over;
  return over / std::max<Real>(1, 100 * flaws_of_rounding().unpromised);
}

Flaws ExactMotion::flaws_of_rounding() const {
  Random random(17);
  Flaws worst;
  const int n = mechanics_->n();
  for (int draw = 0; draw < 3; ++draw) {
    exact::LevelProblem<Real> p = problem_;
    for (int i = 0; i < p.W.columns; ++i) {
      const auto at = static_cast<std::size_t>(i);
      p.r[at] += eps_ * size_[at] * random.uniform(-1, 1);
      for (int k = 0; k < n && !p.zero[at]; ++k)
        p.W(k, i) += eps_ * bound_[at] / std::sqrt(static_cast<Real>(n)) * random.uniform(-1, 1);
    }
    const std::vector<Real> z = exact::solve_levels(p).z;
    const Flaws f = flaws(mechanics_->free() + mechanics_->unweighed(Eigen::Map<const Vec>(z.data(), n)));
    worst.error = std::max(worst.error, f.error);
    worst.betterable = std::max(worst.betterable, f.betterable);
    worst.unpromised = std::max(worst.unpromised, f.unpromised);
  }
  return worst;
}

std::vector<Real> ExactMotion::residual(std::size_t level, const std::vector<Real>& z) const {
  std::vector<Real> rho;
  for (const int i : answer_.rows_of[level])
    rho.push_back(problem_.r[static_cast<std::size_t>(i)] -
                  exact::dot(problem_.W.column(i), z.data(), problem_.W.rows));
  return rho;
}

Flaws ExactMotion::flaws(const Vec& acceleration) const {
  Flaws f;
  const Vec x = mechanics_->weighed(acceleration - mechanics_->free());
  const std::vector<Real> z(x.data(), x.data() + x.size());
  const int n = mechanics_->n();
  const Real size = exact::norm_of(answer_.z.data(), n), whole = size + mechanics_->free_size();
  const Real g = mechanics_->growth();
  Real sum = 0;
  for (std::size_t k = 0; k < z.size(); ++k) sum += (z[k] - answer_.z[k]) * (z[k] - answer_.z[k]);
  f.error = std::sqrt(sum) / (whole > 0 ? whole : 1);
  // The bounds within which an answer may be called ok, as docs/report.md promises them: c = 8 roundings of the terms
  // of which each number consists, times the number of terms, and what rows ask that do not count by policy.
  constexpr Real c = 8;
  const Real here = exact::norm_of(z.data(), n) + mechanics_->free_size();
  const auto promise = [&](Real lacking, Real allowed) {
    const Real over = lacking / std::max<Real>(allowed, 1e-300L);
    if (!(over <= f.unpromised)) f.unpromised = std::isfinite(over) ? over : 1e300L;
  };
  for (std::size_t p = 0; p < answer_.Y.size(); ++p) {
    const std::vector<Real> rho = residual(p, z);
    Real b = 0, r = 0, w = 0, terms = 0, own = 0, by_policy = 0;
    for (const int i : answer_.rows_of[p]) {
      const auto at = static_cast<std::size_t>(i);
      b += b_[at] * b_[at];
      r += problem_.r[at] * problem_.r[at];
      w += e_[at] * e_[at];
      terms += bound_[at] * bound_[at];
      own += size_[at] * size_[at];
      if (!answer_.row[at].counts) by_policy += e_[at] * answer_.row[at].terms * problem_.tolerance;
    }
    const Real count = static_cast<Real>(n) + static_cast<Real>(answer_.rows_of[p].size());
    const Real lacking = answer_.betterable(p, rho);
    const Real part = lacking / std::max<Real>(std::sqrt(b) + std::sqrt(r) + std::sqrt(w) * size, 1e-300L);
    if (!(part <= f.betterable)) {
      f.betterable = part;
      f.level = p;
    }
    promise(lacking, c * count * eps_ * (g * std::sqrt(terms) * here + std::sqrt(own)) + by_policy * here);
  }
  Real forces = 0;
  for (std::size_t i = 0; i < e_.size(); ++i) forces += g * bound_[i] * exact::size_of(answer_.lambda[i]);
  // Bias forces are sums of moments about the branch's centre, far larger than themselves where a robot is long.
  Real by_policy = 0;
  for (std::size_t i = 0; i < e_.size(); ++i)
    if (!answer_.row[i].counts)
      by_policy = std::max(by_policy, problem_.tolerance * answer_.row[i].terms * static_cast<Real>(e_.size()));
  promise(answer_.beyond_rows(z), 4 * c * eps_ * ((n + g * g) * here + forces) + by_policy * here);
  return f;
}

std::optional<Status> ExactMotion::status() const {
  if (answer_.rows_of.empty()) return Status::ok;
  const std::vector<Real> rho = residual(0, answer_.z);
  const Real whole = exact::norm_of(answer_.z.data(), mechanics_->n()) + mechanics_->free_size();
  bool held = true;
  for (std::size_t k = 0; k < rho.size(); ++k) {
    const auto i = static_cast<std::size_t>(answer_.rows_of[0][k]);
    const Real off = exact::size_of(rho[k]), largest = size_[i] + bound_[i] * whole;
    if (off > 1e-6L * largest) return Status::infeasible;
    held = held && (off <= 1e-12L * (std::fabs(b_[i]) + e_[i] * whole) || off <= 8 * eps_ * largest);
  }
  return held ? std::optional(Status::ok) : std::nullopt;
}

}  // namespace zwang::test
