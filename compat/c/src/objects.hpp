// SPDX-License-Identifier: BSD-3-Clause
// What the handles of models and workspaces stand for.
#pragma once
#include <array>
#include <span>
#include <vector>

#include "call.hpp"
#include "handles.hpp"
#include "zwang/batch/batch.hpp"
#include "zwang/batch/evaluate.hpp"
#include "zwang/io/robot.hpp"

namespace zwang::c {

/// Nobody changes it: it has no gate.
struct ModelObject : Object {
  static constexpr Kind k_kind = Kind::model;
  explicit ModelObject(Robot r) : robot(std::move(r)) {}
  const Robot robot;
};

inline constexpr int k_most_vectors = 9, k_most_results = 4;
/// Numbers, per result, for which a workspace has room from the beginning. Larger results get theirs in a first call.
inline constexpr std::size_t k_room = std::size_t{1} << 20;

/// The row of a number; refuses others.
const Algorithm& algorithm_of(int number);

/// What a call writes, of checked sizes. It shares no memory with what the call reads, nor with what else it writes.
class Written {
 public:
  /// `status`: of each state, or nullptr. Refuses results in the same memory.
  explicit Written(std::span<const zwang_output> out, const int* status = nullptr, std::size_t states = 0);
  /// Refuses an input that the call would write to.
  template <class T> void check(const T* data, std::size_t count) const { check_bytes(data, count * sizeof(T)); }
  void check(const zwang_input& x) const { check(x.data, x.size); }

 private:
  void check_bytes(const void* data, std::size_t bytes) const;
  std::span<const zwang_output> out_;
  const int* status_;
  std::size_t states_;
};
/// Room for wrenches on a model: as many as most calls have.
std::size_t usual_wrenches(const Model& model);

/// The options of a call as the library takes them. The lists have room for as many as most calls have.
class ReadOptions {
 public:
  explicit ReadOptions(const Model& model);
  /// What the row reads of `options`. Wrenches are those of one state each, or of `states`.
  void read(const Model& model, const Algorithm& row, const zwang_options* options, std::size_t states);

  /// Refuses options that the call would write to.
  void check_apart(const Written& written) const;

  AlgorithmOptions options;
  const double* gravity = nullptr;  ///< instead of the model's
  std::vector<zwang_wrench> wrenches;

 private:
  std::vector<FrameId> frames_;
  std::span<const int> given_frames_;
  std::span<const zwang_wrench> given_wrenches_;
};
/// Wrenches of one state of `states`, as calls of one state take them.
void wrenches_of(std::span<const zwang_wrench> wrenches, std::size_t state, Externals& to);
void check_wrench(const Model& model, const zwang_wrench& wrench, std::size_t states);
/// Refuses a frame that the model has not.
FrameId frame_of(const Model& model, int frame, const char* argument);
/// Refuses numbers that are no gravity.
Vec3<double> gravity_of(const double* numbers);
JointEffects effects_of(int bits);
int bits_of(const JointEffects& effects);

/// How many numbers a vector of one state has.
std::size_t vector_size(const Model& model, const Argument& argument);
/// The k-th vector of a row.
const Argument& vector_of(const Algorithm& row, int k);

/// Vectors and results of `states` states: checks what a caller gave, and says where those of one state are.
class Arrays {
 public:
  Arrays(const Model& model, const Algorithm& row, std::size_t states, const zwang_input* in, std::size_t in_count,
         const zwang_output* out, std::size_t out_count);
  /// When the options of the call are known. `status`: where a call writes the status of each state, or nullptr.
  void check_results(const Model& model, const ReadOptions& options, const int* status = nullptr) const;
  std::span<const double* const> vectors(std::size_t state) const;
  std::span<double* const> results(std::size_t state) const;
  /// Whether all numbers of a state are finite.
  bool finite(std::size_t state) const;
  /// As a batch takes them.
  std::span<const StatesIn<double>> lanes_in() const;
  std::span<const StatesOut<double>> lanes_out(const Sizes& sizes) const;

 private:
  std::size_t one(std::size_t k) const { return size_[k]; }
  const Algorithm& row_;
  std::size_t states_;
  std::span<const zwang_input> in_;
  std::span<const zwang_output> out_;
  std::array<std::size_t, k_most_vectors> size_{};  // of one state
  mutable std::array<const double*, k_most_vectors> vectors_{};
  mutable std::array<double*, k_most_results> results_{};
  mutable std::array<StatesIn<double>, k_most_vectors> lanes_in_{};
  mutable std::array<StatesOut<double>, k_most_results> lanes_out_{};
};

/// One state at a time.
class Alone {
 public:
  explicit Alone(const Model& model);
  /// Runs the row on checked arguments: vectors and results of one state, nullptr where they are absent or not wanted.
  /// Throws what the call of the row throws.
  void run(const Algorithm& row, std::span<const double* const> in, std::span<double* const> out,
           const ReadOptions& options, std::size_t state);
  const Model& model() const { return data_.model(); }

 private:
  Data data_;
  Evaluator evaluator_;
  Externals external_;
  std::vector<double> zeros_, unwanted_;
};

struct DataObject : Object {
  static constexpr Kind k_kind = Kind::data;
  explicit DataObject(const Model& model) : alone(model), options(model) {}
  Gate gate;
  Alone alone;
  ReadOptions options;
};

struct BatchObject : Object {
  static constexpr Kind k_kind = Kind::batch;
  BatchObject(const Model& model, int threads) : lanes(model, {.threads = threads}), alone(model), options(model) {}
  Gate gate;
  Batch lanes;
  Alone alone;
  ReadOptions options;
  BatchWrenches<double> external;
};

}  // namespace zwang::c
