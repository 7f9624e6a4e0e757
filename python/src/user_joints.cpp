// SPDX-License-Identifier: BSD-3-Clause
#include "user_joints.hpp"

#include <algorithm>

#include "arrays.hpp"
#include "shaped.hpp"
#include "zwang/core/error.hpp"
#include "zwang/model/spline_joint.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang::python {
namespace {

constexpr int k_most = 6;

class PythonJoint;
/// Those that live, by their numbers; whoever looks holds the GIL.
std::vector<const PythonJoint*>& living() {
  static std::vector<const PythonJoint*> all;
  return all;
}

class PythonJoint : public UserJoint {
 public:
  PythonJoint(nb::handle given, int coordinates) : object_(nb::borrow(given)) {
    type_ = nb::cast<std::string>(nb::str(nb::getattr(given, "name", given.type().attr("__name__"))));
    pose_ = method("pose"), columns_ = method("columns");
    if (nb::hasattr(given, "rates")) rates_ = method("rates");
    if (nb::hasattr(given, "rates_derivative")) rates_derivative_ = method("rates_derivative");
    name = type_.c_str();
    nq = nv = coordinates;
    auto& all = living();
    const auto place = std::find(all.begin(), all.end(), nullptr);
    number_ = static_cast<std::size_t>(place - all.begin());
    if (place == all.end())
      all.push_back(this);
    else
      *place = this;
  }
  PythonJoint(const PythonJoint&) = delete;
  PythonJoint& operator=(const PythonJoint&) = delete;
  ~PythonJoint() {
    if (Py_IsInitialized() == 0) {
      for (nb::object* x : {&object_, &pose_, &columns_, &rates_, &rates_derivative_}) x->release();
      return;
    }
    const nb::gil_scoped_acquire gil;
    living()[number_] = nullptr;
    for (nb::object* x : {&object_, &pose_, &columns_, &rates_, &rates_derivative_}) x->reset();
  }
  std::size_t number() const { return number_; }
  /// Whether rates can be differentiated.
  bool differentiable() const { return !rates_.is_valid() || rates_derivative_.is_valid(); }

  Transform<double> pose(const double* q) const {
    const GivenArray given(name, "pose(q)", pose_(new_array(q, nq)), "a pose of shape (4, 4): last row 0 0 0 1");
    if (given.dimensions() != 2 || given.size(0) != 4 || given.size(1) != 4) given.refuse_shape();
    const Input x = given.finite_rows(4);
    const double* const last = x.at(3);
    if (last[0] != 0 || last[1] != 0 || last[2] != 0 || last[3] != 1) given.refuse("another last row");
    return {rotation_of(given, x, 0), {x.at(0)[3], x.at(1)[3], x.at(2)[3]}};
  }
  void columns(const double* q, Motion<double>* s) const { read("columns(q)", columns_(new_array(q, nq)), s); }
  void rates(const double* q, const double* v, Motion<double>* r) const {
    if (rates_.is_valid()) return read("rates(q, v)", rates_(new_array(q, nq), new_array(v, nv)), r);
    for (int k = 0; k < nv; ++k) r[k] = Motion<double>::zero();
  }
  void rates_derivative(const double* q, const double* v, const double* d, Motion<double>* r) const {
    if (!rates_.is_valid()) return rates(q, v, r);
    if (!rates_derivative_.is_valid())
      throw UnsupportedError("the joint type '" + type_ +
                             "' has no rates_derivative(q, v, direction), which derivatives by q at v are made of");
    read("rates_derivative(q, v, direction)", rates_derivative_(new_array(q, nq), new_array(v, nv), new_array(d, nv)),
         r);
  }

 private:
  nb::object method(const char* word) const {
    const nb::object found = nb::getattr(object_, word, nb::none());
    if (PyCallable_Check(found.ptr()) == 0)
      throw std::invalid_argument("add_joint: argument 'type' is of type " + type_text(object_) + " without " + word +
                                  "(), expected a word, or an object with nv, pose(q), columns(q) and, where columns "
                                  "depend on q, rates(q, v)");
    return found;
  }
  /// 6 x nv; of one coordinate also six numbers.
  void read(const char* of, const nb::object& answer, Motion<double>* s) const {
    const GivenArray given(name, of, answer, nv == 1 ? "shape (6, 1) or (6,)" : "shape (6, nv), linear rows first");
    const bool one = nv == 1 && given.dimensions() == 1 && given.size(0) == 6;
    if (!one && (given.dimensions() != 2 || given.size(1) != 6 || given.size(0) != nv)) given.refuse_shape();
    const Input x = given.finite_rows(one ? 6 : nv);
    for (int i = 0; i < 6; ++i)
      for (int k = 0; k < nv; ++k) s[k][i] = one ? x.at(0)[i] : x.at(i)[k];
  }

  std::string type_;
  nb::object object_, pose_, columns_, rates_, rates_derivative_;
  std::size_t number_ = 0;
};

/// The joint that parameters belong to. Its description keeps it alive.
const PythonJoint& joint_of(const double* parameters) { return *living()[static_cast<std::size_t>(parameters[0])]; }

// --- one state -----------------------------------------------------------------------------------------------------

struct Plain {
  static void transform(const void* q, const void* p, void* X) {
    const nb::gil_scoped_acquire gil;
    *static_cast<Transform<double>*>(X) = joint_of(static_cast<const double*>(p)).pose(static_cast<const double*>(q));
  }
  static void columns(const void* q, const void* p, void* s) {
    const nb::gil_scoped_acquire gil;
    joint_of(static_cast<const double*>(p)).columns(static_cast<const double*>(q), static_cast<Motion<double>*>(s));
  }
  static void rates(const void* q, const void* v, const void* p, void* r) {
    const nb::gil_scoped_acquire gil;
    joint_of(static_cast<const double*>(p))
        .rates(static_cast<const double*>(q), static_cast<const double*>(v), static_cast<Motion<double>*>(r));
  }
};

// --- along a direction: the chain rule -----------------------------------------------------------------------------
// d pose = pose [S dq],   d columns = rates(q, dq),   d rates = rates(q, dv) + rates_derivative(q, v, dq)

struct Varied {
  using D = Dual<double>;
  /// Values and derivatives, apart.
  struct Apart {
    Apart(const void* x, int n) {
      for (int k = 0; k < n; ++k) {
        v[k] = static_cast<const D*>(x)[k].v, d[k] = static_cast<const D*>(x)[k].d;
        moves = moves || d[k] != 0;
      }
    }
    double v[k_most] = {}, d[k_most] = {};
    bool moves = false;
  };
  static void put(const Motion<double>* value, const Motion<double>* derivative, int n, void* to) {
    for (int k = 0; k < n; ++k)
      for (int i = 0; i < 6; ++i) static_cast<Motion<D>*>(to)[k][i] = D(value[k][i], derivative[k][i]);
  }
  static void zero(Motion<double>* x) {
    for (int k = 0; k < k_most; ++k) x[k] = Motion<double>::zero();
  }

  static void transform(const void* q_, const void* p, void* X_) {
    const nb::gil_scoped_acquire gil;
    const PythonJoint& joint = joint_of(static_cast<const double*>(p));
    const Apart q(q_, joint.nq);
    const Transform<double> X = joint.pose(q.v);
    Motion<double> s[k_most], twist = Motion<double>::zero();
    if (q.moves) {
      joint.columns(q.v, s);
      for (int k = 0; k < joint.nv; ++k) twist += s[k] * q.d[k];
    }
    const Mat3<double> turned = X.R * skew(twist.w);
    const Vec3<double> moved = X.R * twist.v;
    auto& out = *static_cast<Transform<D>*>(X_);
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) out.R[i][j] = D(X.R[i][j], turned[i][j]);
      out.p[i] = D(X.p[i], moved[i]);
    }
  }
  static void columns(const void* q_, const void* p, void* s_) {
    const nb::gil_scoped_acquire gil;
    const PythonJoint& joint = joint_of(static_cast<const double*>(p));
    const Apart q(q_, joint.nq);
    Motion<double> s[k_most], rate[k_most];
    zero(rate);
    joint.columns(q.v, s);
    if (q.moves) joint.rates(q.v, q.d, rate);
    put(s, rate, joint.nv, s_);
  }
  static void rates(const void* q_, const void* v_, const void* p, void* r_) {
    const nb::gil_scoped_acquire gil;
    const PythonJoint& joint = joint_of(static_cast<const double*>(p));
    const Apart q(q_, joint.nq), v(v_, joint.nv);
    Motion<double> r[k_most], by_v[k_most], by_q[k_most];
    zero(by_v), zero(by_q);
    joint.rates(q.v, v.v, r);
    if (v.moves) joint.rates(q.v, v.d, by_v);
    if (q.moves) joint.rates_derivative(q.v, v.v, q.d, by_q);
    for (int k = 0; k < joint.nv; ++k) by_v[k] += by_q[k];
    put(r, by_v, joint.nv, r_);
  }
};

// --- the table -----------------------------------------------------------------------------------------------------

/// A joint of n additive coordinates, whose own functions are those of Python.
template <int n> struct Coordinates {
  static constexpr int nq = n, nv = n;
  template <class S> static void transform(const S*, const Uniform<S>*, Transform<S>&) {}
  template <class S> static void columns(const S*, const Uniform<S>*, Motion<S>*) {}
  template <class S> static void rates(const S*, const S*, const Uniform<S>*, Motion<S>*) {}
};
template <class S, class Calls, int n> UserJointFunctions functions() {
  UserJointFunctions f = impl::functions_of<Coordinates<n>, S>();
  f.transform = &Calls::transform, f.columns = &Calls::columns, f.rates = &Calls::rates;
  return f;
}
template <int n> void fill(UserJoint& joint) {
  if (joint.nv != n) return;
  joint.functions[0] = functions<double, Plain, n>();
  joint.functions[1] = functions<Dual<double>, Varied, n>();
}

}  // namespace

void take_python_joint(JointDescription& joint, nb::handle given) {
  int n = 0;
  if (!nb::try_cast(nb::getattr(given, "nv", nb::none()), n) || n < 1 || n > k_most)
    throw std::invalid_argument("add_joint: argument 'type' is of type " + type_text(given) +
                                ", expected a word, or an object with nv from 1 to 6, pose(q), columns(q) and, where "
                                "columns depend on q, rates(q, v)");
  if (!joint.parameters.empty())
    throw std::invalid_argument(
        "add_joint: argument 'parameters' is given with a joint written in Python, which has none");
  const auto made = std::make_shared<PythonJoint>(given, n);
  fill<1>(*made), fill<2>(*made), fill<3>(*made), fill<4>(*made), fill<5>(*made), fill<6>(*made);
  const double zeros[k_most] = {};  // what it returns has the right shapes here, or is refused now
  Motion<double> columns[k_most];
  made->pose(zeros);
  made->columns(zeros, columns);
  made->rates(zeros, zeros, columns);
  joint.type = "user";
  joint.axis = {0, 0, 1};
  joint.parameters = {static_cast<double>(made->number())};
  joint.user = made;
  nb::set_leak_warnings(false);  // as of add_custom: a method may refer to the model that calls it
}

namespace {

/// Compares what a joint says with central differences of what it says before: columns with those of the pose, rates
/// with those of columns, rates_derivative with those of rates. Steps of 1e-6: their error is 1e-12 of third
/// derivatives, and 1e-10 of rounding.
class LawsOfJoint {
 public:
  LawsOfJoint(const PythonJoint& joint, const double* q, const double* v) : joint_(joint), q_(q), v_(v) {}
  void check() {
    Motion<double> said[k_most], found[k_most];
    joint_.columns(q_, said);
    for (int k = 0; k < joint_.nv; ++k) found[k] = by_pose(k);
    compare("columns(q)", "the derivative of pose(q)", said, found);
    joint_.rates(q_, v_, said);
    along([&](const double* q, Motion<double>* s) { joint_.columns(q, s); }, found);
    compare("rates(q, v)", "the derivative of columns(q) along v", said, found);
    if (!joint_.differentiable()) return;
    joint_.rates_derivative(q_, v_, v_, said);
    along([&](const double* q, Motion<double>* s) { joint_.rates(q, v_, s); }, found);
    compare("rates_derivative(q, v, v)", "the derivative of rates(q, v) along v", said, found);
  }

 private:
  static constexpr double k_step = 1e-6;

  Motion<double> by_pose(int k) const {
    double there[k_most], back[k_most];
    for (int i = 0; i < joint_.nv; ++i) there[i] = back[i] = q_[i];
    there[k] += k_step, back[k] -= k_step;
    const Transform<double> X = joint_.pose(q_), up = joint_.pose(there), down = joint_.pose(back);
    const Mat3<double> W = transpose(X.R) * (up.R - down.R);
    const Vec3<double> p = transpose_times(X.R, up.p - down.p);
    const Motion<double> twice{p, {(W.r2.y - W.r1.z) / 2, (W.r0.z - W.r2.x) / 2, (W.r1.x - W.r0.y) / 2}};
    return twice * (1 / (2 * k_step));
  }
  template <class F> void along(F&& f, Motion<double>* found) const {
    double there[k_most], back[k_most];
    for (int i = 0; i < joint_.nv; ++i) there[i] = q_[i] + k_step * v_[i], back[i] = q_[i] - k_step * v_[i];
    Motion<double> up[k_most], down[k_most];
    f(there, up), f(back, down);
    for (int k = 0; k < joint_.nv; ++k) found[k] = (up[k] - down[k]) * (1 / (2 * k_step));
  }
  void compare(const char* what, const char* with, const Motion<double>* said, const Motion<double>* found) const {
    double worst = 0, size = 1;
    for (int k = 0; k < joint_.nv; ++k)
      for (int i = 0; i < 6; ++i) {
        worst = std::max(worst, std::fabs(said[k][i] - found[k][i]));
        size = std::max({size, std::fabs(said[k][i]), std::fabs(found[k][i])});
      }
    if (worst > 1e-6 * size)
      throw std::invalid_argument("check_joint: " + std::string(what) + " of '" + joint_.name + "' differs from " +
                                  with + " by " + std::to_string(worst));
  }

  const PythonJoint& joint_;
  const double *q_, *v_;
};

void check_joint(nb::handle type, nb::handle q_, nb::handle v_) {
  JointDescription made;
  take_python_joint(made, type);
  const PythonJoint& joint = static_cast<const PythonJoint&>(*made.user);
  std::vector<double> q = numbers("check_joint", "q", q_), v = numbers("check_joint", "v", v_);
  if (v_.is_none()) v.assign(q.size(), 1.0);
  for (const std::vector<double>* x : {&q, &v})
    if (static_cast<int>(x->size()) != joint.nv)
      detail::throw_size("check_joint", x == &q ? "q" : "v", static_cast<long>(x->size()), joint.nv);
  LawsOfJoint(joint, q.data(), v.data()).check();
}

}  // namespace

void bind_user_joints(nb::module_& m) {
  def(m, ZWANG_SIGNATURE("def check_joint(type: UserJoint, q: ArrayLike, v: ArrayLike | None = None) -> None"),
      &check_joint,
      "Compares a joint written in Python with itself at q and v (ones unless given): columns with differences of the "
      "pose,\nrates with those of columns, rates_derivative with those of rates, to 1e-6.\n\n"
      "Raises ValueError naming the first that is wrong, and by how much; add_joint looks at shapes alone.");
}

bool has_python_joints(const Model& model) {
  for (const JointDescription& joint : model.description().joints)
    if (joint.user && joint.user->functions[0].transform == &Plain::transform) return true;
  return false;
}

void refuse_python_joints(const Model& model, const char* what, const char* instead) {
  for (const JointDescription& joint : model.description().joints)
    if (joint.user && joint.user->functions[0].transform == &Plain::transform)
      throw UnsupportedError("joint '" + joint.name + "' is written in Python: " + what +
                             " are computed in lanes or on threads, which cannot call it; " + instead);
}

}  // namespace zwang::python
