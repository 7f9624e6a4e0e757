// SPDX-License-Identifier: BSD-3-Clause
// What zwang.pinocchio's Core, Model and Data are made of: a robot of zwang with the order of Pinocchio's numbers, the
// watch on a model that may be changed, and the states that results belong to.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "../robot.hpp"
#include "spatial.hpp"
#include "zwang/algorithm/all_terms.hpp"
#include "zwang/algorithm/kinematics.hpp"
#include "zwang/algorithm/tree_cholesky.hpp"

namespace zwang::python::pinocchio {

/// Where the numbers of an atom of a joint are: in Pinocchio's q, in zwang's.
/// Planar: (x, y, cos, sin) and (x, y, angle).
struct Piece {
  Index own, there, size;
  bool planar;
};
/// Numbers of a joint in q and v.
struct Span {
  Index q, nq, v, nv;
};

/// A zwang.Model, the ids of its frames by Pinocchio's numbers of joints and frames, and the two orders of numbers.
class CoreObject {
 public:
  explicit CoreObject(const nb::object& model);
  CoreObject(const CoreObject&) = delete;
  CoreObject& operator=(const CoreObject&) = delete;

  nb::object object;  ///< a Robot
  const Model& model;
  Index nq = 0, nv = 0;  ///< Pinocchio's
  std::vector<FrameId> joints, frames;
  std::vector<Index> at_v;  ///< zwang's column of each of Pinocchio's; empty: the same
  bool same_q = true;
  std::vector<Index> quaternions, circles;  ///< where they start in Pinocchio's q
  std::vector<Piece> pieces;
  std::vector<Span> spans;
  std::vector<double> neutral;  ///< in Pinocchio's numbers

  Index count() const { return static_cast<Index>(joints.size()); }
  /// A configuration of Pinocchio, checked; quaternions and circles of other lengths are brought to length 1, those of
  /// 0 are no rotation.
  void read_own_q(nb::handle q, double* out) const;
  void read_q(nb::handle q, double* out) const;  ///< the same as zwang has it
  void q_to_zwang(const double* own, double* out) const;
  void q_back(const double* z, double* out) const;
  void read_v(nb::handle v, const char* what, double* out) const;
  void v_back(const double* z, double* out) const;
  Externals externals(nb::handle forces) const;  ///< a Force per joint in its axes, or None

  /// A vector over v, in Pinocchio's order.
  nb::object vector(const double* z) const;
  /// A matrix whose columns are over v, from f(out), which writes it in zwang's order.
  template <class F> nb::object columns(Index rows, F&& f) const {
    const Fresh out = fresh_matrix(rows, nv);
    f(out.matrix(rows, nv));
    if (!at_v.empty()) permute_columns(out.numbers, rows);
    return out.array;
  }
  template <class F> nb::object square(F&& f) const {
    const Fresh out = fresh_matrix(nv, nv);
    f(out.matrix(nv, nv));
    if (!at_v.empty()) permute_columns(out.numbers, nv), permute_rows(out.numbers, nv);
    return out.array;
  }
  void permute_columns(double* numbers, Index rows) const;
  void permute_rows(double* numbers, Index columns) const;

  // Memory of calls. Used under the interpreter's lock, by one call at a time.
  Data scratch;
  TreeCholesky factor;
  AllTerms terms;
  mutable std::vector<double> own_q, room;
  std::vector<std::unique_ptr<Data>> idle;  ///< of states that are gone
};

/// A state in zwang's order, and what was computed of it.
struct Numbers {
  explicit Numbers(const nb::object& core);
  Numbers(const Numbers&) = delete;
  Numbers& operator=(const Numbers&) = delete;
  ~Numbers();
  void renew();                           ///< other numbers follow
  void forget();                          ///< the state stays; what was handed out is no longer part of it
  void take(const Numbers& other);        ///< the same q, v, a, where the core is another one by Pinocchio's numbers
  void take_kinematics(Numbers& other) {  ///< of the same core, q, v, a; `other` computes them again where it must
    data_ = std::move(other.data_), level_ = other.level_, other.level_ = 0;
  }

  nb::object core_object;
  CoreObject& core;
  std::vector<double> q, v, a;  ///< v, a: empty where nobody gave them
  Externals external;
  bool com_in_world = false;
  bool lent = false;        ///< arrays or objects of its results were handed out: their owner may write to them
  std::uint64_t stamp = 0;  ///< another one for every state
  nb::object columns;       ///< data.J, once it was read

  ConstVector q_() const { return {q.data(), static_cast<Index>(q.size())}; }
  ConstVector v_() const { return {v.data(), static_cast<Index>(v.size())}; }
  ConstVector a_() const { return {a.data(), static_cast<Index>(a.size())}; }
  /// Data with the poses (1), velocities (2), accelerations (3) of all bodies.
  Data& kinematics(int level = 1);
  bool has(int level) const { return level_ >= level; }
  /// The pose of a joint or a frame, kept: 16 numbers.
  double* pose(bool of_frames, Index k);
  void need_v(const char* who) const;  ///< throws RuntimeError
  void need_a(const char* who) const;
  bool same_place(const Numbers& other) const;

 private:
  std::unique_ptr<Data> data_;
  int level_ = 0;
  struct Kept {
    std::vector<double> poses;
    std::vector<char> known;
  };
  Kept kept_[2];
};
using StatePointer = std::shared_ptr<Numbers>;

/// What the derivatives of constraintDynamics need of a contact, as it was when it was solved.
struct SolvedContact {
  bool is_point, is_local, corrected;
  Index joints[2];
  Transform<double> placements[2];
};

/// The Python class State.
struct StateObject {
  StatePointer at;
};
/// Poses of joints or frames of a state: a list whose entries are computed when they are read.
struct PoseList {
  StatePointer at;
  bool of_frames;
};

/// What Model derives from: it knows whether the Core is still that of the model.
class ModelObject {
 public:
  Index nq = 0, nv = 0, njoints = 1;
  std::uint64_t stamp = 0;
  /// The model's Core, made again where the model has changed.
  const nb::object& core(nb::handle self);
  void watch(nb::handle arrays);

 private:
  struct Watched {
    nb::object array;
    const double* at;
    std::vector<double> written;
    bool changed() const;
  };
  std::uint64_t core_stamp_ = 0;
  nb::object core_;
  std::vector<Watched> watched_;
};

/// Groups of members of Data: each belongs to the state of the last function that Pinocchio documents to fill it.
enum class Group { poses, motion, forces, centre, constrained };
constexpr int k_groups = 5;

/// What Data derives from.
class DataObject {
 public:
  Index nq = 0, nv = 0, njoints = 0;
  std::vector<SolvedContact> contacts;  ///< of the last constraintDynamics
  std::vector<double> multipliers;      ///< and its result
  nb::object mass;                      ///< given by computeSubtreeMasses, until the centre of mass is another
  StatePointer& operator[](Group g) { return at_[static_cast<int>(g)]; }
  void centre(const StatePointer& state, bool in_world) {
    state->com_in_world = in_world;
    (*this)[Group::centre] = state;
    mass = {};
  }
  /// The state that kinematics follows from now. Without v (or a) those of before stay where q (and v) are the same.
  /// Throws TypeError for a without v.
  const StatePointer& move(const nb::object& core, nb::handle q, nb::handle v, nb::handle a) {
    const std::initializer_list<Group> still = {Group::poses}, moving = {Group::poses, Group::motion};
    return move(core, q, v, a, v.is_none() ? still : moving);
  }
  /// The same; where the state is another one, `groups` hold it.
  const StatePointer& move(const nb::object& core, nb::handle q, nb::handle v, nb::handle a,
                           std::initializer_list<Group> groups);
  /// The same of numbers in zwang's order; v, a: nullptr where they are not given.
  const StatePointer& stand(const nb::object& core, const double* q, const double* v, const double* a,
                            std::initializer_list<Group> groups);
  /// The state of `group` for a function that computes its results again: without those that were handed out, which
  /// their owner may have written to.
  const StatePointer& afresh(Group group = Group::poses);
  /// Brings the states of kinematics to the same q, v, a of `core` where they are those of another one.
  void follow(const nb::object& core);
  /// A state for `groups`, which hold it from now on.
  const StatePointer& make(const nb::object& core, std::initializer_list<Group> groups);

 private:
  StatePointer at_[k_groups];
};

using ModelArgument = nb::pointer_and_handle<ModelObject>;
using DataArgument = nb::pointer_and_handle<DataObject>;

/// Throws ValueError for a model of other sizes than the one that this Data was made for.
void check_fits(const ModelObject& model, const DataObject& data);
const nb::object& core_of(ModelArgument model, DataArgument data);
inline CoreObject& core_in(const nb::object& core) { return *nb::inst_ptr<CoreObject>(core); }
/// The state of kinematics, on the model as it is now; RuntimeError where nothing set one.
const StatePointer& now(ModelArgument model, DataArgument data, const char* who);
/// The state of velocities: of the last function that was given v. RuntimeError where the configuration has moved since
/// and what is asked is not `local`: the same wherever the robot stands now.
const StatePointer& moving(ModelArgument model, DataArgument data, const char* who, bool local = false);
/// TypeError for None.
void check_given(const char* who, const char* name, nb::handle x, Index size);
/// A function of q and v is given both: TypeError for None.
const StatePointer& moved(ModelArgument model, DataArgument data, const char* who, nb::handle q, nb::handle v);
const StatePointer& moved(ModelArgument model, DataArgument data, const char* who, nb::handle q, nb::handle v,
                          nb::handle a);
/// data.<name> = value.
void set(nb::handle data, PyObject*& name_slot, const char* name, const nb::object& value);

FrameId joint_of(const CoreObject& core, Py_ssize_t joint, const char* who);
FrameId frame_of(const CoreObject& core, Py_ssize_t frame, const char* who);

void bind_robot(nb::module_& m);
void bind_configurations(nb::module_& m);
void bind_kinematics(nb::module_& m);
void bind_dynamics(nb::module_& m);
void bind_constraints(nb::module_& m);

}  // namespace zwang::python::pinocchio
