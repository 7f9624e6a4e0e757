// SPDX-License-Identifier: BSD-3-Clause
// Model: questions about names, ranges and frames, answered from the tables that the builder filled.
#include "zwang/model/model.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>

#include "model/build_steps.hpp"
#include "model/model_impl.hpp"
#include "zwang/model/structure.hpp"

namespace zwang {
namespace {

std::size_t at(Index i) { return static_cast<std::size_t>(i); }

template <class T> std::vector<std::string> names_of(const std::vector<T>& items) {
  std::vector<std::string> names;
  names.reserve(items.size());
  for (const T& item : items) names.push_back(item.name);
  return names;
}

template <class T> const T& named(const std::vector<T>& items, Index number, const char* kind, std::string_view name) {
  if (number < 0) detail::throw_unknown(kind, std::string(name), names_of(items));
  return items[at(number)];
}

void check_pose(const Transform<double>& pose) {
  // Rounded input is fine, a matrix that is no rotation is not: 1e-6 is what
  // single precision and six digits of text leave.
  const Mat3<double> square = transpose_times(pose.R, pose.R) - Mat3<double>::identity();
  bool good = dot(pose.R.r0, cross(pose.R.r1, pose.R.r2)) > 0;
  for (int i = 0; i < 3; ++i) {
    good = good && std::isfinite(pose.p[i]);
    for (int j = 0; j < 3; ++j) good = good && std::fabs(square(i, j)) <= 1e-6;
  }
  if (!good) throw std::invalid_argument("zwang::Model::with_frame: pose must be finite with a rotation matrix");
}

}  // namespace

ModelHandle::ModelHandle(const Model& model) : model_(new Model(model)), id_(model.id()) {}
ModelHandle::ModelHandle(const ModelHandle& other)
    : model_(other.model_ ? new Model(*other.model_) : nullptr),
      id_(other.id_) {}
void ModelHandle::drop() { delete model_; }
void ModelHandle::throw_none() { throw std::logic_error("Data: it has no model: it was moved from"); }

Model::Model(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {
  if (impl_ == nullptr) throw std::invalid_argument("Model: nothing was built");
}

std::uint64_t building::next_model_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

Index Model::Impl::frame_number(std::string_view frame) const {
  if (const Index link = link_of.find(links, frame); link >= 0) return link;
  if (const Index joint = joint_of.find(joints, frame); joint >= 0) return static_cast<Index>(links.size()) + joint;
  return user_frame_of.find(frames, frame);
}

const std::string& Model::name() const { return impl_->name; }
Index Model::nq() const { return impl_->arrays->in_double.tree.nq; }
Index Model::nv() const { return impl_->arrays->in_double.tree.nv; }
Index Model::bodies() const { return impl_->arrays->in_double.tree.n; }
double Model::mass() const { return impl_->mass; }
const Vec3<double>& Model::gravity() const { return impl_->gravity; }
std::uint64_t Model::id() const { return impl_->id; }

const std::vector<Joint>& Model::joints() const { return impl_->joints; }
const std::vector<Link>& Model::links() const { return impl_->links; }
const std::vector<Frame>& Model::frames() const { return impl_->frames; }
const std::vector<Loop>& Model::loops() const { return impl_->loops; }
std::vector<std::string> Model::joint_names() const { return names_of(impl_->joints); }
std::vector<std::string> Model::link_names() const { return names_of(impl_->links); }
std::vector<std::string> Model::frame_names() const { return names_of(impl_->frames); }
const std::vector<std::string>& Model::coordinate_names() const { return impl_->coordinate_names; }

JointId Model::find_joint(std::string_view name) const { return JointId(impl_->joint_of.find(impl_->joints, name)); }
LinkId Model::find_link(std::string_view name) const { return LinkId(impl_->link_of.find(impl_->links, name)); }
namespace {
/// A name that a link has and a joint that carries another link: their frames differ.
bool is_ambiguous(const Model& model, std::string_view name) {
  const LinkId link = model.find_link(name);
  if (!link) return false;
  const JointId joint = model.find_joint(name);
  return joint && !(model.joints()[at(joint.value)].child == link);
}
}  // namespace

FrameId Model::find_frame(std::string_view name) const {
  if (const Index number = impl_->frame_number(name); number >= 0)
    return is_ambiguous(*this, name) ? FrameId() : FrameId(number);
  constexpr std::string_view k_link = "link:", k_joint = "joint:";
  if (name.starts_with(k_link)) return FrameId(find_link(name.substr(k_link.size())).value);
  if (!name.starts_with(k_joint)) return FrameId();
  const JointId joint = find_joint(name.substr(k_joint.size()));
  return joint ? FrameId(static_cast<Index>(impl_->links.size()) + joint.value) : FrameId();
}
const Joint& Model::joint(std::string_view name) const {
  return named(impl_->joints, find_joint(name).value, "joint", name);
}
const Link& Model::link(std::string_view name) const {
  return named(impl_->links, find_link(name).value, "link", name);
}
const Frame& Model::frame(std::string_view name) const {
  if (is_ambiguous(*this, name))
    throw std::invalid_argument(
        fmt::format("frame '{0}' is ambiguous: it is the name of a link (id {1}) and of a joint that carries another "
                    "link (id {2}); "
                    "say 'link:{0}' or 'joint:{0}'",
                    name, find_link(name).value, impl_->links.size() + at(find_joint(name).value)));
  return named(impl_->frames, find_frame(name).value, "frame", name);
}
const Frame& Model::frame(FrameId id) const {
  const Index count = static_cast<Index>(impl_->frames.size());
  if (id.value < 0 || id.value >= count)
    throw std::invalid_argument("zwang::Model::frame: frame " + std::to_string(id.value) + ", expected 0 to " +
                                std::to_string(count - 1));
  return impl_->frames[at(id.value)];
}

const std::vector<double>& Model::lower() const { return impl_->lower; }
const std::vector<double>& Model::upper() const { return impl_->upper; }
const std::vector<double>& Model::velocity_limit() const { return impl_->velocity_limit; }
const std::vector<double>& Model::effort_limit() const { return impl_->effort_limit; }
const std::vector<bool>& Model::actuated() const { return impl_->actuated; }
const std::vector<double>& Model::damping() const { return impl_->damping; }
const std::vector<double>& Model::friction() const { return impl_->friction; }
const std::vector<double>& Model::armature() const { return impl_->armature; }

Layout Model::layout(const std::vector<std::string>& joint_names) const {
  Layout out;
  for (const std::string& name : joint_names) {
    const Joint& j = joint(name);
    for (Index k = j.q.first; k < j.q.end(); ++k) out.q.push_back(k);
    for (Index k = j.v.first; k < j.v.end(); ++k) out.v.push_back(k);
  }
  return out;
}

Model Model::with_frame(const std::string& name, const std::string& parent, const Transform<double>& pose) const {
  const Frame& on = frame(parent);
  check_pose(pose);
  if (name.empty() || impl_->frame_number(name) >= 0) {
    Diagnostic d;
    d.code = name.empty() ? "E_NAME" : "E_DUPLICATE";
    d.path = "robot/frame[" + name + "]";
    d.found = name.empty() ? "an empty name" : "'" + name + "', the name of another link, joint or frame";
    d.expected = "a name of its own";
    throw ModelError({d});
  }
  auto impl = std::make_shared<Impl>(*impl_);  // the arrays that kernels read stay shared
  long snapped_count = 0;
  impl->frames.push_back(building::placed_frame(name, on, pose, impl->tiny_length, snapped_count));
  impl->user_frame_of.add(impl->frames, static_cast<Index>(impl->frames.size()) - 1);
  // A description hangs frames on links and frames of the user, not on joints.
  if (on.kind == Frame::Kind::user)
    impl->description.frames.push_back({name, on.name, pose});
  else
    impl->description.frames.push_back(
        {name, impl_->links[at(on.link.value)].name,
         on.kind == Frame::Kind::link ? pose : place_of(*this, find_frame(parent)).pose * pose});
  impl->id = building::next_model_id();
  return Model(std::move(impl));
}

const Diagnostics& Model::diagnostics() const { return impl_->diagnostics; }
const RobotDescription& Model::description() const { return impl_->description; }
const BuildOptions& Model::options() const { return impl_->options; }

template <> const Tree<double>& Model::tree<double>() const { return impl_->arrays->in_double.tree; }
template <> const Tree<float>& Model::tree<float>() const { return impl_->arrays->in_float.tree; }

}  // namespace zwang
