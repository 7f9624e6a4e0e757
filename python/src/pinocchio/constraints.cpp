// SPDX-License-Identifier: BSD-3-Clause
// constraintDynamics of rigid contacts and loops whose rows are independent:
//
//   a0 = M^-1 (tau - h),  G = J M^-1 J^T,  G lambda = target - (acceleration of the rows at a0),
//   a = a0 + M^-1 J^T lambda
//
// and once more with what is left of the rows. zwang/pinocchio/constraints.py says which rows there are, and computes
// them, with their derivatives, where rows depend on each other: then nothing is done here.
#include <algorithm>
#include <cmath>
#include <memory>

#include "robot.hpp"
#include "zwang/spatial/exp_log.hpp"

namespace zwang::python::pinocchio {
namespace {

/// A frame on a joint: where it is, and how it moves at the state of Data. World axes, at its origin.
struct Side {
  Transform<double> pose;
  Motion<double> velocity = Motion<double>::zero(), acceleration = Motion<double>::zero();  ///< spatial
  FrameId joint;
  Index number = 0;                         ///< Pinocchio's of the joint
  Vec3<double> arm = Vec3<double>::zero();  ///< from the joint's origin
  bool moves = false;
};

/// A RigidConstraintModel, as far as a solve reads it.
struct Contact {
  bool is_point = true, is_local = true;
  Side one, two;
  double kp[6] = {}, kd[6] = {}, wanted[6] = {};
  bool corrected = false;
  int rows() const { return is_point ? 3 : 6; }
};

nb::object attribute(nb::handle object, PyObject*& slot, const char* name) {
  if (slot == nullptr) slot = PyUnicode_InternFromString(name);
  nb::object value = nb::steal(PyObject_GetAttr(object.ptr(), slot));
  if (!value.is_valid()) nb::raise_python_error();
  return value;
}
#define ZWANG_ATTRIBUTE(object, name)     \
  [&] {                                   \
    static PyObject* slot;                \
    return attribute(object, slot, name); \
  }()

/// A gain: a number, or one for each row. Returns whether any is not 0.
bool read_gain(nb::handle given, int rows, double* out) {
  if (PyFloat_Check(given.ptr()) || PyLong_Check(given.ptr()))
    std::fill_n(out, rows, PyFloat_AsDouble(given.ptr()));
  else if (count(given) == 1)
    read(given, 1, "gain", out), std::fill_n(out, rows, out[0]);
  else
    read(given, rows, "gain", out);
  return std::any_of(out, out + rows, [](double x) { return x != 0; });
}

bool read_side(const CoreObject& core, nb::handle joint, nb::handle placement, Side& side) {
  const long k = PyLong_AsLong(joint.ptr());
  const Pose* const pose = pose_of(placement);
  if (pose == nullptr || k < 0 || k >= core.count()) return false;
  side.pose = transform_of(pose->at);
  side.joint = core.joints[static_cast<std::size_t>(k)];
  side.number = k, side.moves = k > 0;
  return true;
}

/// False for what is left to Python, which knows what to say of it.
bool read_contact(const CoreObject& core, nb::handle given, nb::handle type, Contact& c) {
  if (Py_TYPE(given.ptr()) != reinterpret_cast<PyTypeObject*>(type.ptr())) return false;
  c.is_point = PyLong_AsLong(ZWANG_ATTRIBUTE(given, "type").ptr()) == 0;
  c.is_local = PyLong_AsLong(ZWANG_ATTRIBUTE(given, "reference_frame").ptr()) == 1;
  if (!read_side(core, ZWANG_ATTRIBUTE(given, "joint1_id"), ZWANG_ATTRIBUTE(given, "joint1_placement"), c.one) ||
      !read_side(core, ZWANG_ATTRIBUTE(given, "joint2_id"), ZWANG_ATTRIBUTE(given, "joint2_placement"), c.two))
    return false;
  const nb::object corrector = ZWANG_ATTRIBUTE(given, "corrector");
  const bool kp = read_gain(ZWANG_ATTRIBUTE(corrector, "Kp"), c.rows(), c.kp);
  const bool kd = read_gain(ZWANG_ATTRIBUTE(corrector, "Kd"), c.rows(), c.kd);
  c.corrected = kp || kd;
  const nb::object wanted_acceleration = ZWANG_ATTRIBUTE(given, "desired_contact_acceleration");
  const Six* const wanted = six_of(wanted_acceleration);
  if (wanted == nullptr) return false;
  std::copy_n(wanted->at, 6, c.wanted);
  if (!c.corrected) return true;
  if (!c.is_point && !c.is_local) return false;
  const nb::object velocity = ZWANG_ATTRIBUTE(given, "desired_contact_velocity");
  const nb::object placement = ZWANG_ATTRIBUTE(given, "desired_contact_placement");
  const Six* const v = six_of(velocity);
  const Pose* const X = pose_of(placement);
  if (v == nullptr || X == nullptr || std::any_of(v->at, v->at + 6, [](double x) { return x != 0; })) return false;
  const Pose identity;
  return std::equal(X->at, X->at + 16, identity.own);
}

Motion<double> shifted(const Motion<double>& m, const Vec3<double>& arm) { return {m.v + cross(m.w, arm), m.w}; }

/// Reads the stages of forward_kinematics at (q, v, a).
void place(const Model& model, const Data& data, Side& side) {
  if (!side.moves) return;
  const Transform<double> joint = frame_pose(model, data, side.joint);
  side.pose = joint * side.pose;
  side.arm = side.pose.p - joint.p;
  constexpr auto axes = Reference::local_world_aligned;
  side.velocity = shifted(frame_velocity(model, data, side.joint, axes), side.arm);
  side.acceleration = shifted(frame_acceleration(model, data, side.joint, AccelerationKind::spatial, axes), side.arm);
}

/// Six numbers in world axes as rows of the constraint.
void write_rows(const Contact& c, const Motion<double>& x, double* out, Index step) {
  const Vec3<double> v = c.is_local ? transpose_times(c.one.pose.R, x.v) : x.v;
  for (int i = 0; i < 3; ++i) out[i * step] = v[i];
  if (c.is_point) return;
  const Vec3<double> w = c.is_local ? transpose_times(c.one.pose.R, x.w) : x.w;
  for (int i = 0; i < 3; ++i) out[(i + 3) * step] = w[i];
}
/// c1 less c2, of motions at the two origins.
Motion<double> relative(const Contact& c, const Motion<double>& one, const Motion<double>& two) {
  return c.is_point ? one - two : one - shifted(two, c.one.pose.p - c.two.pose.p);
}

void acceleration_rows(const Contact& c, double* out) {
  Motion<double> one = c.one.acceleration, two = c.two.acceleration, more = Motion<double>::zero();
  if (c.is_point) {
    one.v = one.v + cross(c.one.velocity.w, c.one.velocity.v);
    two.v = two.v + cross(c.two.velocity.w, c.two.velocity.v);
  } else if (c.is_local) {
    more = cross(c.one.velocity, shifted(c.two.velocity, c.one.pose.p - c.two.pose.p));
  }
  write_rows(c, relative(c, one, two) + more, out, 1);
}

struct Errors {
  double position[6] = {0, 0, 0, 0, 0, 0}, velocity[6] = {0, 0, 0, 0, 0, 0};
};
Errors errors_of(const Contact& c) {
  Errors e;
  write_rows(c, relative(c, c.one.velocity, c.two.velocity), e.velocity, 1);
  const Transform<double> between = inverse_times(c.one.pose, c.two.pose);
  if (!c.is_point) {
    const Motion<double> log = log_se3(between);
    put(-log.v, e.position), put(-log.w, e.position + 3);
  } else {
    put(c.is_local ? -between.p : c.one.pose.p - c.two.pose.p, e.position);
  }
  return e;
}

/// Rows of J into columns of a matrix n x m: J^T.
void write_jacobian(const CoreObject& core, Data& data, const Contact& c, double* room, double* out) {
  const Index n = core.nv;
  std::fill_n(out, n * c.rows(), 0.0);
  for (const Side* const side : {&c.one, &c.two}) {
    if (!side->moves) continue;
    jacobian(core.model, data, side->joint, Reference::local_world_aligned, Matrix(room, 6, n));
    const bool first = side == &c.one;
    for (Index k = 0; k < n; ++k) {
      const Motion<double> x = shifted(motion_of(room + 6 * k), side->arm), zero = Motion<double>::zero();
      double rows[6];
      write_rows(c, first ? relative(c, x, zero) : relative(c, zero, x), rows, 1);
      for (int i = 0; i < c.rows(); ++i) out[i * n + k] += rows[i];
    }
  }
}

/// Factors of a symmetric positive definite matrix m x m in place: false where a pivot has lost half of its digits.
bool factor(double* G, Index m) {
  constexpr double k_lost = 1e-8;
  for (Index j = 0; j < m; ++j) {
    double& d = G[j * m + j];
    const double whole = d;
    for (Index k = 0; k < j; ++k) d -= G[k * m + j] * G[k * m + j];
    if (!(d > k_lost * whole)) return false;
    d = std::sqrt(d);
    for (Index i = j + 1; i < m; ++i) {
      double& x = G[j * m + i];
      for (Index k = 0; k < j; ++k) x -= G[k * m + i] * G[k * m + j];
      x /= d;
    }
  }
  return true;
}
void solve(const double* L, Index m, double* x) {
  for (Index j = 0; j < m; ++j) {
    x[j] /= L[j * m + j];
    for (Index i = j + 1; i < m; ++i) x[i] -= L[j * m + i] * x[j];
  }
  for (Index j = m; j-- > 0;) {
    for (Index i = j + 1; i < m; ++i) x[j] -= L[j * m + i] * x[i];
    x[j] /= L[j * m + j];
  }
}

/// What a solve for m rows and n coordinates of nq numbers needs, not filled.
struct Memory {
  Memory(Index nq, Index n, Index m)
      : numbers(
            std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(2 * n * m + m * m + 3 * m + 9 * n + nq))),
        J(numbers.get()),
        W(J + n * m),
        G(W + n * m),
        r(G + m * m),
        lambda(r + m),
        more(lambda + m),
        a(more + m),
        tau(a + n),
        v(tau + n),
        room(v + n),
        q(room + 6 * n) {}
  std::unique_ptr<double[]> numbers;
  double *J, *W, *G, *r, *lambda, *more, *a, *tau, *v, *room, *q;  ///< J^T and W = M^-1 J^T: n x m
};

/// What RigidConstraintData derives from: what the last constraintDynamics or impulseDynamics found for one constraint.
struct ContactData {
  double force[6] = {0, 0, 0, 0, 0, 0};
  Transform<double> one = Transform<double>::identity(), two = one, between = one;
  Errors& errors() {
    if (waiting) errors_ = errors_of(contact);
    waiting = false;
    return errors_;
  }
  Contact contact;
  bool waiting = false;  ///< errors are those of the contact, once they are read

 private:
  Errors errors_;
};

void give(const std::vector<Contact>& contacts, const double* lambda, nb::handle datas) {
  const Py_ssize_t size = datas.is_none() ? 0 : PySequence_Size(datas.ptr());
  if (size < 0) nb::raise_python_error();
  for (std::size_t k = 0; k < contacts.size() && static_cast<Py_ssize_t>(k) < size; ++k) {
    const nb::object object = nb::steal(PySequence_GetItem(datas.ptr(), static_cast<Py_ssize_t>(k)));
    if (!object.is_valid()) nb::raise_python_error();
    const Contact& c = contacts[k];
    ContactData& data = nb::cast<ContactData&>(object);
    std::fill_n(data.force, 6, 0.0);
    std::copy_n(lambda, c.rows(), data.force);
    data.contact = c, data.waiting = true;
    data.one = c.one.pose, data.two = c.two.pose, data.between = inverse_times(data.one, data.two);
    lambda += c.rows();
  }
}

/// Python's constraintDynamics for what is not done here, RigidConstraintModel, for the life of the process.
PyObject *python_solve, *contact_type;

/// data.ddq; not valid: nothing was done. Data changes when all is known.
nb::object solved(ModelArgument model, DataArgument data, nb::handle given_q, nb::handle given_v, nb::handle given_tau,
                  const nb::list& contact_models, nb::handle contact_datas) {
  const nb::object& object = core_of(model, data);
  CoreObject& core = core_in(object);
  const Index n = core.nv;
  std::vector<Contact> contacts;
  Index m = 0;
  for (nb::handle given : contact_models) {
    if (!read_contact(core, given, contact_type, contacts.emplace_back())) return {};
    m += contacts.back().rows();
  }
  if (m == 0 || m > n) return {};
  check_given("constraintDynamics", "v", given_v, n);
  Memory x(core.model.nq(), n, m);
  core.read_q(given_q, x.q);
  core.read_v(given_v, "v", x.v);
  core.read_v(given_tau, "tau", x.tau);
  const ConstVector q(x.q, core.model.nq()), v(x.v, n);
  const ConstVector free = forward_dynamics(core.model, core.scratch, q, v, ConstVector(x.tau, n));
  std::copy_n(free.data(), n, x.a);
  forward_kinematics(core.model, core.scratch, q, v, ConstVector(x.a, n));
  std::vector<SolvedContact> as_solved;
  for (const Contact& c : contacts)
    as_solved.push_back({c.is_point, c.is_local, c.corrected, {c.one.number, c.two.number}, {c.one.pose, c.two.pose}});
  Index row = 0;
  for (Contact& c : contacts) {
    place(core.model, core.scratch, c.one);
    place(core.model, core.scratch, c.two);
    acceleration_rows(c, x.r + row);
    for (int i = 0; i < c.rows(); ++i) x.r[row + i] = c.wanted[i] - x.r[row + i];
    if (c.corrected) {
      const Errors e = errors_of(c);
      for (int i = 0; i < c.rows(); ++i) x.r[row + i] -= c.kp[i] * e.position[i] + c.kd[i] * e.velocity[i];
    }
    write_jacobian(core, core.scratch, c, x.room, x.J + row * n);
    row += c.rows();
  }
  core.factor.compute(core.scratch, q);
  const Matrix J(x.J, n, m);
  Matrix W(x.W, n, m), G(x.G, m, m);
  W = J;
  for (Index k = 0; k < m; ++k) core.factor.solve(W.col(k));
  G.noalias() = J.transpose().lazyProduct(W);
  if (!factor(x.G, m)) return {};
  Vector lambda(x.lambda, m), more(x.more, m), a(x.a, n), r(x.r, m);
  lambda.setZero();
  for (int pass = 0; pass < 2; ++pass) {
    more = r;
    solve(x.G, m, x.more);
    lambda += more;
    const Vector change(x.room, n);
    Vector(x.room, n).noalias() = W.lazyProduct(more);
    a += change;
    r.noalias() -= J.transpose().lazyProduct(change);
  }
  for (Index k = 0; k < m; ++k)
    if (!std::isfinite(x.lambda[k])) return {};

  give(contacts, x.lambda, contact_datas);
  data.p->stand(object, x.q, x.v, x.a, {Group::poses, Group::motion, Group::constrained});
  nb::object ddq = core.vector(x.a);
  const Fresh multipliers = fresh(m);
  std::copy_n(x.lambda, m, multipliers.numbers);
  data.p->multipliers.assign(x.lambda, x.lambda + m);
  data.p->contacts = std::move(as_solved);
  static PyObject *ddq_name, *lambda_name;
  set(data.h, ddq_name, "ddq", ddq);
  set(data.h, lambda_name, "lambda_c", multipliers.array);
  return ddq;
}

nb::object constraint_dynamics(ModelArgument model, DataArgument data, nb::handle q, nb::handle v, nb::handle tau,
                               nb::handle contact_models, nb::handle contact_datas, nb::handle settings) {
  const nb::list models(contact_models);  // of an iterator, which is used up here
  nb::object found = solved(model, data, q, v, tau, models, contact_datas);
  if (found.is_valid()) return found;
  return nb::handle(python_solve)(model.h, data.h, q, v, tau, models, contact_datas, settings);
}

using NumbersOf = double* (*)(ContactData&);
void bind_six(nb::class_<ContactData>& type, const char* name, bool force, NumbersOf numbers) {
  type.def_prop_rw(
      name, [force, numbers](ContactData& x) { return new_six(force ? types.force : types.motion, numbers(x)); },
      [numbers](ContactData& x, nb::handle value) {
        const Six* const six = six_of(value);
        if (six == nullptr) throw nb::type_error("RigidConstraintData: expected a Force or a Motion");
        std::copy_n(six->at, 6, numbers(x));
      });
}
void bind_pose(nb::class_<ContactData>& type, const char* name, Transform<double> ContactData::*member) {
  type.def_prop_rw(
      name, [member](const ContactData& x) { return new_pose(x.*member); },
      [member](ContactData& x, nb::handle value) {
        const Pose* const pose = pose_of(value);
        if (pose == nullptr) throw nb::type_error("RigidConstraintData: expected an SE3");
        x.*member = transform_of(pose->at);
      });
}

}  // namespace

void bind_constraints(nb::module_& m) {
  nb::class_<ContactData> data(m, "RigidConstraintData", "What was found for one constraint.");
  data.def(nb::init<>());
  bind_six(data, "contact_force", true, [](ContactData& x) { return x.force; });
  bind_six(data, "contact_placement_error", false, [](ContactData& x) { return x.errors().position; });
  bind_six(data, "contact_velocity_error", false, [](ContactData& x) { return x.errors().velocity; });
  bind_pose(data, "oMc1", &ContactData::one);
  bind_pose(data, "oMc2", &ContactData::two);
  bind_pose(data, "c1Mc2", &ContactData::between);
  m.def("register_constraints", [](nb::handle type, nb::handle solve) {
    contact_type = type.inc_ref().ptr(), python_solve = solve.inc_ref().ptr();
  });
  m.def("constraintDynamics", &constraint_dynamics, nb::arg("model"), nb::arg("data"), nb::arg("q"),
        nb::arg("v").none(), nb::arg("tau"), nb::arg("contact_models"), nb::arg("contact_datas").none() = nb::none(),
        nb::arg("settings").none() = nb::none(),
        "data.ddq and data.lambda_c: accelerations under constraints and the wrenches that hold them, on the first "
        "bodies.\n\n"
        "Rows that depend on each other are solved by the shortest multipliers, whatever mu says. Raises "
        "ArithmeticError where\nrows contradict.");
}

}  // namespace zwang::python::pinocchio
