// SPDX-License-Identifier: BSD-3-Clause
// What calls take besides vectors: frames, axes, effects, wrenches.
#include <cmath>

#include "lists.hpp"
#include "objects.hpp"

namespace zwang::c {

FrameId frame_of(const Model& model, int frame, const char* argument) {
  return FrameId(needed_index(frame, static_cast<int>(model.frames().size()), argument));
}
Vec3<double> gravity_of(const double* g) {
  for (int k = 0; k < 3; ++k)
    if (!std::isfinite(g[k])) throw Refusal(ZWANG_NON_FINITE_INPUT, "gravity", "is not finite, expected three numbers");
  return {g[0], g[1], g[2]};
}
JointEffects effects_of(int bits) {
  constexpr int k_all = ZWANG_EFFECT_ARMATURE | ZWANG_EFFECT_DAMPING | ZWANG_EFFECT_SPRINGS | ZWANG_EFFECT_FRICTION |
                        ZWANG_EFFECT_GRAVITY_SCALE;
  if ((bits & ~k_all) != 0)
    throw Refusal(ZWANG_INVALID_INPUT, "effects",
                  "is " + std::to_string(bits) + ", expected a sum of constants ZWANG_EFFECT_");
  const auto has = [&](int bit) { return (bits & bit) != 0; };
  return {.armature = has(ZWANG_EFFECT_ARMATURE),
          .damping = has(ZWANG_EFFECT_DAMPING),
          .springs = has(ZWANG_EFFECT_SPRINGS),
          .friction = has(ZWANG_EFFECT_FRICTION),
          .gravity_scale = has(ZWANG_EFFECT_GRAVITY_SCALE)};
}
int bits_of(const JointEffects& e) {
  return (e.armature ? ZWANG_EFFECT_ARMATURE : 0) | (e.damping ? ZWANG_EFFECT_DAMPING : 0) |
         (e.springs ? ZWANG_EFFECT_SPRINGS : 0) | (e.friction ? ZWANG_EFFECT_FRICTION : 0) |
         (e.gravity_scale ? ZWANG_EFFECT_GRAVITY_SCALE : 0);
}

namespace {

zwang_options defaults() {
  const AlgorithmOptions library;
  zwang_options options = {};
  options.frame = library.frame.value;
  options.seen_from = library.seen_from.value;
  options.axes = library.axes.value;
  options.kind = static_cast<int>(library.kind);
  options.reference = static_cast<int>(library.reference);
  options.effects = bits_of(library.effects);
  options.with_gravity = library.with_gravity ? 1 : 0;
  return options;
}

}  // namespace

void check_wrench(const Model& model, const zwang_wrench& wrench, std::size_t states) {
  frame_of(model, wrench.frame, "external.frame");
  needed_index(wrench.reference, zwang_list_size(ZWANG_LIST_REFERENCE), "external.reference");
  needed_states(wrench.wrench.data, wrench.wrench.size, 6, states, "external.wrench");
}

std::size_t usual_wrenches(const Model& model) { return model.links().size() + 16; }

void wrenches_of(std::span<const zwang_wrench> wrenches, std::size_t state, Externals& to) {
  to.clear();
  for (const zwang_wrench& given : wrenches) {
    ExternalWrench& one = to.emplace_back();
    one.frame = FrameId(given.frame);
    one.in = static_cast<Reference>(given.reference);
    std::copy_n(given.wrench.data + (given.wrench.size == 6 ? 0 : 6 * state), 6, one.wrench);
  }
}

ReadOptions::ReadOptions(const Model& model) {
  frames_.reserve(model.frames().size());
  wrenches.reserve(usual_wrenches(model));
}

void ReadOptions::check_apart(const Written& written) const {
  written.check(given_frames_.data(), given_frames_.size());
  written.check(given_wrenches_.data(), given_wrenches_.size());
  written.check(gravity, gravity == nullptr ? 0 : 3);
  for (const zwang_wrench& w : wrenches) written.check(w.wrench);
}

void ReadOptions::read(const Model& model, const Algorithm& row, const zwang_options* given, std::size_t states) {
  zwang_options own;
  if (given == nullptr) {
    own = defaults();
    given = &own;
  }
  options = {};
  gravity = nullptr;
  wrenches.clear();
  given_frames_ = {};
  given_wrenches_ = {};
  for (const Argument& a : row.takes) switch (a.what) {
      case Takes::configuration:
      case Takes::tangent: break;
      case Takes::frame: options.frame = frame_of(model, given->frame, "frame"); break;
      case Takes::seen_from: options.seen_from = frame_of(model, given->seen_from, "seen_from"); break;
      case Takes::frames:
        frames_.clear();
        for (std::size_t k = 0; k < given->frame_count; ++k)
          frames_.push_back(frame_of(model, (&needed(given->frames, "frames"))[k], "frames"));
        options.frames = frames_;
        given_frames_ = {given->frames, given->frame_count};
        break;
      case Takes::point: options.point = {given->point[0], given->point[1], given->point[2]}; break;
      case Takes::number: options.number = given->number; break;
      case Takes::kind:
        options.kind =
            static_cast<AccelerationKind>(needed_index(given->kind, zwang_list_size(ZWANG_LIST_ACCELERATION), "kind"));
        break;
      case Takes::reference:
        options.reference =
            static_cast<Reference>(needed_index(given->reference, zwang_list_size(ZWANG_LIST_REFERENCE), "reference"));
        if (given->axes == -1) break;
        options.axes = frame_of(model, given->axes, "axes");
        if (options.reference != Reference::local_world_aligned)
          throw Refusal(ZWANG_INVALID_INPUT, "reference",
                        std::string("is ") + word_of("reference", given->reference) +
                            ", expected local_world_aligned where axes is a frame");
        break;
      case Takes::external:
        for (std::size_t k = 0; k < given->external_count; ++k) {
          const zwang_wrench& wrench = (&needed(given->external, "external"))[k];
          check_wrench(model, wrench, states);
          wrenches.push_back(wrench);
        }
        given_wrenches_ = {given->external, given->external_count};
        break;
      case Takes::effects: options.effects = effects_of(given->effects); break;
      case Takes::with_gravity: options.with_gravity = needed_index(given->with_gravity, 2, "with_gravity") == 1; break;
      case Takes::gravity:
        gravity = given->gravity;
        if (gravity != nullptr) gravity_of(gravity);
        break;
    }
}

}  // namespace zwang::c

void zwang_options_init(zwang_options* options) {
  if (options != nullptr) *options = zwang::c::defaults();
}
