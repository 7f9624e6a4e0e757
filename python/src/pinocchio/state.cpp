// SPDX-License-Identifier: BSD-3-Clause
// Numbers: a state and its kinematics; which state the members of a Data belong to; whether a model has changed.
#include <algorithm>
#include <cstring>
#include <initializer_list>

#include "robot.hpp"

namespace zwang::python::pinocchio {
namespace {

std::uint64_t next_stamp() {
  static std::uint64_t last = 0;
  return ++last;
}

}  // namespace

Numbers::Numbers(const nb::object& object) : core_object(object), core(core_in(object)), stamp(next_stamp()) {
  q.resize(static_cast<std::size_t>(core.model.nq()));
}
Numbers::~Numbers() {
  if (data_ != nullptr) core.idle.push_back(std::move(data_));
}
void Numbers::renew() {
  v.clear(), a.clear(), external.clear();
  com_in_world = false, level_ = 0;
  forget();
}
void Numbers::forget() {
  stamp = next_stamp(), lent = false;
  columns = {};
  for (Kept& x : kept_) std::fill(x.known.begin(), x.known.end(), '\0');
}
void Numbers::take(const Numbers& other) {
  com_in_world = other.com_in_world;
  if (&core == &other.core) {
    q = other.q, v = other.v, a = other.a, external = other.external;
    return;
  }
  const Fresh own = fresh(other.core.nq);
  other.core.q_back(other.q.data(), own.numbers);
  core.read_q(own.array, q.data());
  const auto take_v = [&](const std::vector<double>& from, std::vector<double>& to) {
    to.resize(from.size());
    if (!from.empty()) core.read_v(other.core.vector(from.data()), "v", to.data());
  };
  take_v(other.v, v), take_v(other.a, a);
}

Data& Numbers::kinematics(int level) {
  if (level_ >= level) return *data_;
  if (data_ == nullptr) {
    if (core.idle.empty()) {
      data_ = std::make_unique<Data>(core.model);
    } else {
      data_ = std::move(core.idle.back());
      core.idle.pop_back();
    }
  }
  level_ = 0;
  if (!a.empty() || core.nv == 0)
    forward_kinematics(core.model, *data_, q_(), v_(), a_()), level_ = 3;
  else if (!v.empty())
    forward_kinematics(core.model, *data_, q_(), v_()), level_ = 2;
  else
    forward_kinematics(core.model, *data_, q_()), level_ = 1;
  return *data_;
}

double* Numbers::pose(bool of_frames, Index k) {
  const std::vector<FrameId>& ids = of_frames ? core.frames : core.joints;
  Kept& x = kept_[of_frames];
  const auto place = static_cast<std::size_t>(k);
  if (x.known.empty()) x.poses.resize(16 * ids.size()), x.known.resize(ids.size(), '\0');
  double* const at = x.poses.data() + 16 * place;
  if (x.known[place] == 0) {
    put(frame_pose(core.model, kinematics(), ids[place]), at);
    x.known[place] = 1;
  }
  return at;
}

void Numbers::need_v(const char* who) const {
  if (v.empty() && core.nv > 0)
    throw std::runtime_error(
        std::string(who) +
        ": no velocity was given at the configuration of the last call; call forwardKinematics(model, data, q, v)");
}
void Numbers::need_a(const char* who) const {
  if (a.empty() && core.nv > 0)
    throw std::runtime_error(
        std::string(who) +
        ": no acceleration was given in the state of the last call; call forwardKinematics(model, data, q, v, a)");
}
bool Numbers::same_place(const Numbers& other) const {
  return &core == &other.core && std::memcmp(q.data(), other.q.data(), sizeof(double) * q.size()) == 0;
}

// --- Model ----------------------------------------------------------------------------------------------------------

bool ModelObject::Watched::changed() const {
  return std::memcmp(at, written.data(), sizeof(double) * written.size()) != 0;
}
const nb::object& ModelObject::core(nb::handle self) {
  if (core_.is_valid() && stamp == core_stamp_ &&
      std::none_of(watched_.begin(), watched_.end(), [](const Watched& x) { return x.changed(); }))
    return core_;
  core_ = self.attr("_make_core")();
  core_stamp_ = stamp;
  for (Watched& x : watched_) std::copy_n(x.at, x.written.size(), x.written.begin());
  return core_;
}
void ModelObject::watch(nb::handle arrays) {
  std::vector<Watched> list;
  for (nb::handle array : arrays) {
    Exported memory;
    if (!memory.open(array, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) || !is_float64(memory))
      throw std::invalid_argument("a contiguous array of float64 is expected");
    const double* const at = static_cast<const double*>(memory->buf);
    const auto size = static_cast<std::size_t>(memory->len) / sizeof(double);
    const auto old = std::find_if(watched_.begin(), watched_.end(),
                                  [&](const Watched& x) { return x.at == at && x.written.size() == size; });
    list.push_back({nb::borrow(array), at, old != watched_.end() ? old->written : std::vector<double>(at, at + size)});
  }
  watched_ = std::move(list);
}

// --- Data -----------------------------------------------------------------------------------------------------------

const StatePointer& DataObject::make(const nb::object& core, std::initializer_list<Group> groups) {
  StatePointer& first = (*this)[*groups.begin()];
  long own = 0;
  for (const Group g : groups) own += (*this)[g] == first ? 1 : 0;
  if (first != nullptr && first.use_count() == own && first->core_object.ptr() == core.ptr())
    first->renew();  // nobody else looks at it
  else
    first = std::make_shared<Numbers>(core);
  for (const Group g : groups) (*this)[g] = first;
  return first;
}

const StatePointer& DataObject::move(const nb::object& core_object, nb::handle q, nb::handle v, nb::handle a,
                                     std::initializer_list<Group> groups) {
  const CoreObject& core = core_in(core_object);
  const auto positions = static_cast<std::size_t>(core.model.nq()), speeds = static_cast<std::size_t>(core.nv);
  double room[3 * 64];
  std::vector<double> more(positions + 2 * speeds > std::size(room) ? positions + 2 * speeds : 0);
  double *const x = more.empty() ? room : more.data(), *const w = x + positions, *const b = w + speeds;
  if (v.is_none() && !a.is_none() && core.nv > 0) throw nb::type_error("a is given without v, expected both");
  core.read_q(q, x);
  if (!v.is_none()) core.read_v(v, "v", w);
  if (!a.is_none()) core.read_v(a, "a", b);
  return stand(core_object, x, v.is_none() ? nullptr : w, a.is_none() ? nullptr : b, groups);
}

const StatePointer& DataObject::stand(const nb::object& core_object, const double* q, const double* v, const double* a,
                                      std::initializer_list<Group> groups) {
  const CoreObject& core = core_in(core_object);
  const auto positions = static_cast<std::size_t>(core.model.nq()), speeds = static_cast<std::size_t>(core.nv);
  StatePointer& poses = (*this)[Group::poses];
  const bool here =
      poses != nullptr && &poses->core == &core && std::memcmp(poses->q.data(), q, sizeof(double) * positions) == 0;
  if (here && v == nullptr) return afresh();
  std::vector<double> kept_a;
  if (here && a == nullptr && poses->v.size() == speeds && !poses->a.empty() &&
      std::memcmp(poses->v.data(), v, sizeof(double) * speeds) == 0)
    kept_a = poses->a;
  const StatePointer& state = make(core_object, groups);
  std::copy_n(q, positions, state->q.begin());
  if (v != nullptr) state->v.assign(v, v + speeds);
  if (a != nullptr)
    state->a.assign(a, a + speeds);
  else
    state->a = std::move(kept_a);
  return state;
}

const StatePointer& DataObject::afresh(Group group) {
  StatePointer& at = (*this)[group];
  if (!at->lent) return at;
  if (at.use_count() == std::count(std::begin(at_), std::end(at_), at)) {
    at->forget();  // nobody else looks at it
    return at;
  }
  const StatePointer old = at, own = std::make_shared<Numbers>(old->core_object);
  own->take(*old);
  own->take_kinematics(*old);
  std::replace(std::begin(at_), std::end(at_), old, own);
  return at;
}

void DataObject::follow(const nb::object& core) {
  StatePointer &poses = (*this)[Group::poses], &motion = (*this)[Group::motion];
  const auto is_there = [&](const StatePointer& x) { return x == nullptr || x->core_object.ptr() == core.ptr(); };
  if (is_there(poses) && is_there(motion)) return;
  const auto brought = [&](const StatePointer& old) {
    if (is_there(old)) return old;
    const StatePointer own = std::make_shared<Numbers>(core);
    own->take(*old);
    return own;
  };
  const bool same = poses == motion;
  const StatePointer new_poses = brought(poses), new_motion = same ? new_poses : brought(motion);
  poses = new_poses, motion = new_motion;
}

void check_fits(const ModelObject& model, const DataObject& data) {
  if (model.nq == data.nq && model.nv == data.nv && model.njoints == data.njoints) return;
  const auto three = [](const auto& x) {
    return std::to_string(x.nq) + ", " + std::to_string(x.nv) + ", " + std::to_string(x.njoints);
  };
  throw std::invalid_argument("data was made for a model with nq, nv, njoints = " + three(data) +
                              ", expected one for " + three(model) + ": model.createData()");
}
const nb::object& core_of(ModelArgument model, DataArgument data) {
  check_fits(*model.p, *data.p);
  return model.p->core(model.h);
}
const StatePointer& now(ModelArgument model, DataArgument data, const char* who) {
  const nb::object& core = core_of(model, data);
  const StatePointer& state = (*data.p)[Group::poses];
  if (state == nullptr)
    throw std::runtime_error(std::string(who) +
                             ": call forwardKinematics, computeJointJacobians or another function with q first");
  data.p->follow(core);
  return state;
}
const StatePointer& moving(ModelArgument model, DataArgument data, const char* who, bool local) {
  const nb::object& core = core_of(model, data);
  const StatePointer &state = (*data.p)[Group::motion], &poses = (*data.p)[Group::poses];
  if (state == nullptr)
    throw std::runtime_error(std::string(who) +
                             ": no function was given a velocity; call forwardKinematics(model, data, q, v) first");
  data.p->follow(core);
  if (!local && poses != nullptr && poses != state && !poses->same_place(*state))
    throw std::runtime_error(
        std::string(who) +
        ": q has changed since the last call with a velocity; call forwardKinematics(model, data, q, v)");
  return state;
}

void check_given(const char* who, const char* name, nb::handle x, Index size) {
  if (x.is_none())
    throw nb::type_error(
        (std::string(who) + ": " + name + " is None, expected " + std::to_string(size) + " numbers").c_str());
}

const StatePointer& moved(ModelArgument model, DataArgument data, const char* who, nb::handle q, nb::handle v) {
  check_given(who, "v", v, model.p->nv);
  return data.p->move(core_of(model, data), q, v, nb::none());
}
const StatePointer& moved(ModelArgument model, DataArgument data, const char* who, nb::handle q, nb::handle v,
                          nb::handle a) {
  check_given(who, "v", v, model.p->nv);
  check_given(who, "a", a, model.p->nv);
  return data.p->move(core_of(model, data), q, v, a);
}

void set(nb::handle data, PyObject*& slot, const char* name, const nb::object& value) {
  if (slot == nullptr) slot = PyUnicode_InternFromString(name);
  if (slot == nullptr || PyObject_SetAttr(data.ptr(), slot, value.ptr()) != 0) nb::raise_python_error();
}

FrameId joint_of(const CoreObject& core, Py_ssize_t joint, const char* who) {
  if (joint >= 0 && joint < core.count()) return core.joints[static_cast<std::size_t>(joint)];
  throw nb::index_error((std::string(who) + ": joint " + std::to_string(joint) + " does not exist, there are " +
                         std::to_string(core.count()))
                            .c_str());
}
FrameId frame_of(const CoreObject& core, Py_ssize_t frame, const char* who) {
  const auto size = static_cast<Py_ssize_t>(core.frames.size());
  if (frame >= 0 && frame < size) return core.frames[static_cast<std::size_t>(frame)];
  throw nb::index_error((std::string(who) + ": frame " + std::to_string(frame) + " does not exist, there are " +
                         std::to_string(size) + "; getFrameId gives that for a name it does not know")
                            .c_str());
}

}  // namespace zwang::python::pinocchio
