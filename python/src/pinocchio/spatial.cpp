// SPDX-License-Identifier: BSD-3-Clause
#include "spatial.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "../signature.hpp"

namespace zwang::python::pinocchio {

Types types;

Six* six_of(nb::handle object) {
  Six* found = nullptr;
  return nb::try_cast(object, found, false) ? found : nullptr;
}
Pose* pose_of(nb::handle object) {
  Pose* found = nullptr;
  return nb::try_cast(object, found, false) ? found : nullptr;
}

namespace {

template <class T> nb::object instance_of(PyTypeObject* type, T*& made) {
  nb::object object = nb::inst_alloc(nb::handle(reinterpret_cast<PyObject*>(type)));
  made = new (nb::inst_ptr<T>(object)) T();
  nb::inst_mark_ready(object);
  return object;
}
nb::object uninitialised_pose(double*& at) {
  Pose* made = nullptr;
  nb::object object = instance_of(types.pose, made);
  at = made->at;
  return object;
}

}  // namespace

nb::object new_six(PyTypeObject* type, const double* x) {
  Six* made = nullptr;
  nb::object object = instance_of(type, made);
  std::copy_n(x, 6, made->own);
  return object;
}
nb::object new_pose(const Transform<double>& X) {
  double* at = nullptr;
  nb::object object = uninitialised_pose(at);
  put(X, at);
  return object;
}
nb::object pose_view(double* at, std::shared_ptr<void> keeper) {
  Pose* made = nullptr;
  nb::object object = instance_of(types.pose, made);
  made->at = at, made->keeper = std::move(keeper);
  return object;
}

Transform<double> transform_of(const double* m) {
  return {{vector_of(m), vector_of(m + 4), vector_of(m + 8)}, {m[3], m[7], m[11]}};
}
void put(const Transform<double>& X, double* m) {
  for (int i = 0; i < 3; ++i) put(X.R[i], m + 4 * i), m[4 * i + 3] = X.p[i];
  m[12] = m[13] = m[14] = 0, m[15] = 1;
}

namespace {

using Self = nb::pointer_and_handle<Six>;
using SelfPose = nb::pointer_and_handle<Pose>;

template <class T> nb::handle owner_of(const nb::pointer_and_handle<T>& x) {
  return x.p->owner.is_valid() ? nb::handle(x.p->owner) : x.h;
}

// --- six numbers ----------------------------------------------------------------------------------------------------

PyTypeObject* type_of(nb::handle x) { return Py_TYPE(x.ptr()); }
std::string name_of(nb::handle x) { return nb::cast<std::string>(nb::object(x.type().attr("__name__"))); }
bool same_kind(nb::handle a, nb::handle b) { return is_force(a) == is_force(b); }

nb::object not_implemented() { return nb::borrow(Py_NotImplemented); }
/// A number of Python or NumPy, but no array.
bool is_number(nb::handle x) {
  if (PyFloat_Check(x.ptr()) || PyLong_Check(x.ptr())) return true;
  static PyObject* number;
  const int is = PyObject_IsInstance(x.ptr(), kept(number, "numpy", "number").ptr());
  if (is < 0) nb::raise_python_error();
  return is != 0;
}
double double_of(nb::handle x) {
  const double value = PyFloat_AsDouble(x.ptr());
  if (value == -1.0 && PyErr_Occurred()) nb::raise_python_error();
  return value;
}

template <class F> nb::object combined(const Self& a, nb::handle other, F f) {
  const Six* const b = six_of(other);
  if (b == nullptr || !same_kind(a.h, other)) return not_implemented();
  double x[6];
  for (int k = 0; k < 6; ++k) x[k] = f(a.p->at[k], b->at[k]);
  return new_six(type_of(a.h), x);
}
template <class F> nb::object changed(const Self& a, nb::handle other, F f) {
  const Six* const b = six_of(other);
  if (b == nullptr || !same_kind(a.h, other)) return not_implemented();
  for (int k = 0; k < 6; ++k) a.p->at[k] = f(a.p->at[k], b->at[k]);
  return nb::borrow(a.h);
}
nb::object scaled(const Self& a, double factor, bool divide) {
  double x[6];
  for (int k = 0; k < 6; ++k) x[k] = divide ? a.p->at[k] / factor : a.p->at[k] * factor;
  return new_six(type_of(a.h), x);
}

void bind_six(nb::module_& m) {
  nb::class_<Six> six(m, "Six", "Six numbers, linear part first: what Motion and Force share.");
  six.def(
      "__init__",
      [](Six* self, nb::handle linear, nb::handle angular) {
        double x[6];
        read(linear, 3, "linear", x);
        read(angular, 3, "angular", x + 3);
        std::copy_n(x, 6, (new (self) Six())->own);
      },
      nb::arg("linear"), nb::arg("angular"));
  six.def("__init__", [](Self self) { new (self.p) Six(); });
  six.def("__init__", [](Self self, nb::handle x) {
    const Six* const from = six_of(x);
    if (from != nullptr && !same_kind(self.h, x))
      throw nb::type_error((name_of(self.h) + " is not made of a " + name_of(x)).c_str());
    double numbers[6];
    if (from != nullptr)
      std::copy_n(from->at, 6, numbers);
    else
      read(x, 6, "vector", numbers);
    std::copy_n(numbers, 6, (new (self.p) Six())->own);
  });
  six.def_prop_rw(
      "linear", [](Self x) { return view(x.p->at, 3, owner_of(x)); },
      [](Six& x, nb::handle value) { read(value, 3, "linear", x.at); }, "The first three numbers: a view.");
  six.def_prop_rw(
      "angular", [](Self x) { return view(x.p->at + 3, 3, owner_of(x)); },
      [](Six& x, nb::handle value) { read(value, 3, "angular", x.at + 3); }, "The last three numbers: a view.");
  const auto all = [](Self x) { return view(x.p->at, 6, owner_of(x)); };
  const auto write = [](Six& x, nb::handle value) { read(value, 6, "vector", x.at); };
  six.def_prop_rw("vector", all, write, "The six numbers: a view.");
  six.def_prop_rw("np", all, write, "The six numbers: a view.");
  six.def_prop_ro("_v", all);
  six.def(
      "copy", [](Self x) { return new_six(type_of(x.h), x.p->at); }, "One of its own numbers.");
  six.def("__add__", [](Self a, nb::handle b) { return combined(a, b, [](double x, double y) { return x + y; }); });
  six.def("__sub__", [](Self a, nb::handle b) { return combined(a, b, [](double x, double y) { return x - y; }); });
  six.def("__iadd__", [](Self a, nb::handle b) { return changed(a, b, [](double x, double y) { return x + y; }); });
  six.def("__isub__", [](Self a, nb::handle b) { return changed(a, b, [](double x, double y) { return x - y; }); });
  six.def("__neg__", [](Self a) { return scaled(a, -1.0, false); });
  for (const char* const name : {"__mul__", "__rmul__"})
    six.def(name,
            [](Self a, nb::handle f) { return is_number(f) ? scaled(a, double_of(f), false) : not_implemented(); });
  six.def("__truediv__",
          [](Self a, nb::handle f) { return is_number(f) ? scaled(a, double_of(f), true) : not_implemented(); });
  six.def(
      "dot",
      [](const Six& a, const Six& b) {
        double sum = 0;
        for (int k = 0; k < 6; ++k) sum += a.at[k] * b.at[k];
        return sum;
      },
      "The power of a motion and a force.");
  six.def(
      "cross",
      [](const Six& a, nb::handle other) {
        const Six* const b = six_of(other);
        if (b == nullptr)
          throw nb::type_error(("Motion.cross: expected a Motion or a Force, got " + type_text(other)).c_str());
        const Motion<double> own = motion_of(a.at), x = motion_of(b->at);
        const Vec3<double> both = cross(own.w, x.v) + (is_force(other) ? Vec3<double>::zero() : cross(own.v, x.w));
        const Vec3<double> last = cross(own.w, x.w) + (is_force(other) ? cross(own.v, x.v) : Vec3<double>::zero());
        const double out[] = {both.x, both.y, both.z, last.x, last.y, last.z};
        return new_six(is_force(other) ? types.force : types.motion, out);
      },
      "self x other of a motion, with a motion or a force.");
  m.def("six_view", [](nb::handle type, nb::handle array) {
    Six* made = nullptr;
    nb::object object = instance_of(reinterpret_cast<PyTypeObject*>(type.ptr()), made);
    Exported memory;
    if (!memory.open(array, PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) || !is_float64(memory) ||
        memory->ndim != 1 || memory->shape[0] != 6 || memory->strides[0] != 8)
      throw std::invalid_argument("an array of six float64, one after the other, that may be written is expected");
    made->at = static_cast<double*>(memory->buf), made->owner = nb::borrow(array);
    return object;
  });
}

// --- poses ----------------------------------------------------------------------------------------------------------

void look_at(Pose& x, nb::handle array) {
  Exported memory;
  if (!memory.open(array, PyBUF_STRIDES | PyBUF_FORMAT | PyBUF_WRITABLE) || !is_float64(memory) || memory->ndim != 2 ||
      memory->shape[0] != 4 || memory->shape[1] != 4 || memory->strides[1] != 8 || memory->strides[0] != 32)
    throw std::invalid_argument("a 4 x 4 array of float64, row by row, that may be written is expected");
  x.at = static_cast<double*>(memory->buf), x.owner = nb::borrow(array), x.keeper.reset();
}

nb::object acted(const Transform<double>& X, nb::handle self, nb::handle x) {
  if (const Pose* const other = pose_of(x)) return new_pose(X * transform_of(other->at));
  if (const Six* const six = six_of(x)) {
    const Motion<double> m = motion_of(six->at);
    if (!is_force(x)) return new_motion(X * m);
    const Force<double> f = X * Force<double>(m.v, m.w);
    const double out[] = {f.f.x, f.f.y, f.f.z, f.n.x, f.n.y, f.n.z};
    return new_six(types.force, out);
  }
  double point[3];
  if (read_at_once(x, 3, point)) {
    const Fresh out = fresh(3);
    put(X * vector_of(point), out.numbers);
    return out.array;
  }
  if (nb::hasattr(x, "se3Action"))
    return nb::object(x.attr("se3Action")(self.is_valid() ? nb::object(nb::borrow(self)) : new_pose(X)));
  static PyObject* as_array;
  const nb::object array = kept(as_array, "numpy", "asarray")(x, "float64");
  Exported memory;
  memory.open(array, PyBUF_STRIDES);
  if ((memory->ndim != 1 && memory->ndim != 2) || memory->shape[0] != 3)
    throw std::invalid_argument("SE3.act: got shape " + shape_text(memory->shape, memory->ndim) +
                                ", expected (3,) or (3, n)");
  const Index columns = memory->ndim == 1 ? 1 : static_cast<Index>(memory->shape[1]);
  const Py_ssize_t right = memory->ndim == 1 ? 0 : memory->strides[1];
  const Fresh out = memory->ndim == 1 ? fresh(3) : fresh_rows(3, columns);
  const char* const data = static_cast<const char*>(memory->buf);
  for (Index k = 0; k < columns; ++k) {
    double p[3];
    for (int i = 0; i < 3; ++i) p[i] = *reinterpret_cast<const double*>(data + i * memory->strides[0] + k * right);
    const Vec3<double> y = X * vector_of(p);
    for (int i = 0; i < 3; ++i) out.numbers[i * columns + k] = y[i];
  }
  return out.array;
}

/// [R, p x R; 0, R], or of wrenches its dual.
nb::object action_of(const Transform<double>& X, bool dual) {
  const Fresh out = fresh_rows(6, 6);
  const Mat3<double>& R = X.R;
  for (int i = 0; i < 3; ++i)
    for (int k = 0; k < 3; ++k) {
      const Vec3<double> turned = cross(X.p, Vec3<double>(R(0, k), R(1, k), R(2, k)));
      out.numbers[6 * i + k] = out.numbers[6 * (i + 3) + k + 3] = R(i, k);
      out.numbers[6 * i + k + 3] = dual ? 0 : turned[i];
      out.numbers[6 * (i + 3) + k] = dual ? turned[i] : 0;
    }
  return out.array;
}

void bind_pose(nb::module_& m) {
  nb::class_<Pose> pose(m, "SE3", "A 4 x 4 matrix [R p; 0 1]: what SE3 derives from.");
  pose.def(
      "__init__",
      [](Pose* self, nb::handle rotation, nb::handle translation) {
        Pose made;
        nb::object turned;
        if (!PyList_Check(rotation.ptr()) && nb::hasattr(rotation, "toRotationMatrix"))
          turned = rotation.attr("toRotationMatrix")(), rotation = turned;
        read(rotation, 3, 3, "rotation", made.own, 4);
        double p[3];
        read(translation, 3, "translation", p);
        for (int i = 0; i < 3; ++i) made.own[4 * i + 3] = p[i];
        std::copy_n(made.own, 16, (new (self) Pose())->own);
      },
      nb::arg("rotation"), nb::arg("translation"));
  pose.def("__init__", [](Pose* self) { new (self) Pose(); });
  pose.def("__init__", [](Pose* self, nb::handle x) {
    double numbers[16];
    if (const Pose* const from = pose_of(x)) {
      std::copy_n(from->at, 16, numbers);
    } else if (is_number(x) && double_of(x) == 1) {
      new (self) Pose();
      return;
    } else {
      read(x, 4, 4, "homogeneous", numbers, 4);
    }
    std::copy_n(numbers, 16, (new (self) Pose())->own);
  });
  pose.def_static(
      "Identity", [] { return new_pose(Transform<double>::identity()); }, "No displacement.");
  pose.def_prop_rw(
      "rotation", [](SelfPose x) { return view(x.p->at, 3, 3, 4, owner_of(x)); },
      [](Pose& x, nb::handle value) {
        double R[9];
        read(value, 3, 3, "rotation", R, 3);
        for (int k = 0; k < 9; ++k) x.at[4 * (k / 3) + k % 3] = R[k];
      },
      "3 x 3: a view.");
  pose.def_prop_rw(
      "translation", [](SelfPose x) { return column(x.p->at + 3, 3, 4, owner_of(x)); },
      [](Pose& x, nb::handle value) {
        double p[3];
        read(value, 3, "translation", p);
        for (int i = 0; i < 3; ++i) x.at[4 * i + 3] = p[i];
      },
      "(3,): a view.");
  const auto whole = [](const Pose& x) {
    const Fresh out = fresh_rows(4, 4);
    std::copy_n(x.at, 16, out.numbers);
    return out.array;
  };
  pose.def_prop_ro("homogeneous", whole, "4 x 4, a copy.");
  pose.def_prop_ro("np", whole, "4 x 4, a copy.");
  pose.def_prop_rw(
      "_m", [](SelfPose x) { return view(x.p->at, 4, 4, 4, owner_of(x)); }, &look_at);
  pose.def_prop_ro(
      "action", [](const Pose& x) { return action_of(transform_of(x.at), false); },
      "The 6 x 6 matrix that takes twists along: [R, p x R; 0, R].");
  pose.def_prop_ro(
      "actionInverse", [](const Pose& x) { return action_of(inverse(transform_of(x.at)), false); },
      "action of the inverse.");
  pose.def_prop_ro(
      "dualAction", [](const Pose& x) { return action_of(transform_of(x.at), true); },
      "The 6 x 6 matrix that takes wrenches along: [R, 0; p x R, R].");
  pose.def(
      "isApprox",
      [](const Pose& a, const Pose& b, double prec) {
        const Transform<double> X = transform_of(a.at), Y = transform_of(b.at);
        double between = 0, x = 0, y = 0;
        for (int k = 0; k < 3; ++k) {
          const Vec3<double> d = X.R[k] - Y.R[k];
          between += dot(d, d), x += dot(X.R[k], X.R[k]), y += dot(Y.R[k], Y.R[k]);
        }
        const Vec3<double> d = X.p - Y.p;
        const double least = std::sqrt(std::min(dot(X.p, X.p), dot(Y.p, Y.p)));
        return std::sqrt(between) <= prec * std::sqrt(std::min(x, y)) &&
               std::sqrt(dot(d, d)) <= prec * std::max(least, 1.0);
      },
      nb::arg("other"), nb::arg("prec") = 1e-12, "Whether rotation and translation are the same but for prec.");
  pose.def(
      "inverse", [](const Pose& x) { return new_pose(inverse(transform_of(x.at))); }, "[R' -R'p; 0 1].");
  const auto act = [](SelfPose self, nb::handle x) { return acted(transform_of(self.p->at), self.h, x); };
  pose.def("act", act,
           "x, given in this frame, in the one in which this frame is given: SE3, Motion, Force, Inertia, point or "
           "points (3, n).");
  pose.def("__mul__", act);
  pose.def("__matmul__", act);
  pose.def(
      "actInv",
      [](const Pose& self, nb::handle x) {
        const Transform<double> X = transform_of(self.at);
        if (const Pose* const other = pose_of(x)) return new_pose(inverse_times(X, transform_of(other->at)));
        return acted(inverse(X), nb::handle(), x);
      },
      "inverse().act(x).");
  pose.def(
      "copy",
      [](const Pose& x) {
        double* at = nullptr;
        nb::object object = uninitialised_pose(at);
        std::copy_n(x.at, 16, at);
        return object;
      },
      "One of its own numbers.");
  m.def("pose_view", [](nb::handle array) {
    Pose* made = nullptr;
    nb::object object = instance_of(types.pose, made);
    look_at(*made, array);
    return object;
  });
}

}  // namespace

void bind_spatial(nb::module_& m) {
  bind_six(m);
  bind_pose(m);
  m.def("register", [](nb::handle pose, nb::handle motion, nb::handle force) {
    types = {reinterpret_cast<PyTypeObject*>(pose.inc_ref().ptr()),
             reinterpret_cast<PyTypeObject*>(motion.inc_ref().ptr()),
             reinterpret_cast<PyTypeObject*>(force.inc_ref().ptr())};
  });
}

}  // namespace zwang::python::pinocchio
