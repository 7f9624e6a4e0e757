// SPDX-License-Identifier: BSD-3-Clause
// Whole models as JSON and CBOR (docs/serialisation.md, docs/schema/model.json), equality and hash.
//
//   {"format": "zwang.model", "version": 1, "name": "arm", "links": [...], "joints": [...], "frames": [...],
//    "options": {...}}
//
// A document holds the description and the options of building with exact numbers: what is read from it is the same
// model, bit for bit. Members with their default are left out; "nan", "inf", "-inf" are the numbers of that name. CBOR
// holds the same tree.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "zwang/model/builder.hpp"
#include "zwang/model/model.hpp"

namespace zwang {

inline constexpr int k_model_version = 1;
inline constexpr std::size_t k_model_bytes = 64u << 20;  ///< longer documents are refused

/// The user-defined joints of a model, which no document can hold, by the joint's name.
using NamedUserJoints = std::vector<std::pair<std::string, std::shared_ptr<const UserJoint>>>;

/// How user-defined joints are written.
enum class UserJointsAs {
  error,    ///< not: UnsupportedError that names the first one
  by_name,  ///< without the code, which the reader must be given
};

/// Throws std::invalid_argument for texts that are not UTF-8.
std::string to_json(const Model& model, UserJointsAs user = UserJointsAs::error);
std::vector<std::uint8_t> to_cbor(const Model& model, UserJointsAs user = UserJointsAs::error);

/// The same into memory of the caller: writes what has room, nothing beyond it, and returns the size of the whole. An
/// empty span asks for that size. Allocates the tree of the document, not its bytes.
std::size_t to_json(const Model& model, std::span<std::byte> out, UserJointsAs user = UserJointsAs::error);
std::size_t to_cbor(const Model& model, std::span<std::byte> out, UserJointsAs user = UserJointsAs::error);

/// The model of a document. Throws JsonError with the place of what is wrong in the document, ModelError where the
/// robot in it is refused. `found` receives what building noticed.
Model model_from_json(const std::string& text, const NamedUserJoints& user = {}, Diagnostics* found = nullptr);
Model model_from_cbor(std::span<const std::uint8_t> bytes, const NamedUserJoints& user = {},
                      Diagnostics* found = nullptr);

/// The same robot: equal descriptions and options to the last bit (0 and -0 differ, NaN equals NaN),
/// wherever they were read from. Where a model was read from and what reading it noticed is not compared.
/// Copies compare at once, others in linear time.
bool same_robot(const Model& a, const Model& b);
inline bool operator==(const Model& a, const Model& b) { return same_robot(a, b); }
/// Equal for equal robots; the same number in every process and on every machine. User-defined joints count by name.
std::uint64_t hash(const Model& model);

}  // namespace zwang
