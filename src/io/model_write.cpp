// SPDX-License-Identifier: BSD-3-Clause
#include "io/description_keys.hpp"
#include "io/document.hpp"
#include "io/document_trees.hpp"
#include "io/same_bits.hpp"
#include "zwang/io/model.hpp"
#include "zwang/model/spline_joint.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang {
namespace {

using io::Json;

template <class X> Json written(const X& x, UserJointsAs user);

template <class X> Json value(const X& x, UserJointsAs user) {
  if constexpr (std::is_same_v<X, double>) {
    return io::number(x);
  } else if constexpr (std::is_enum_v<X>) {
    return io::words_of(x)[static_cast<std::size_t>(x)];
  } else if constexpr (io::FixedNumbers<X>) {
    Json list = Json::array();
    io::each(x, [&](double a) { list.push_back(io::number(a)); });
    return list;
  } else if constexpr (std::is_same_v<X, Mat3<double>>) {
    return Json::array({value(x.r0, user), value(x.r1, user), value(x.r2, user)});
  } else if constexpr (io::Keyed<X>) {
    return written(x, user);
  } else if constexpr (io::List<X>) {
    Json list = Json::array();
    for (const auto& a : x) list.push_back(value(a, user));
    return list;
  } else {
    return x;  // text, whole numbers, true and false
  }
}

template <class X> class MemberWriter {
 public:
  MemberWriter(const X& x, UserJointsAs user) : x_(x), user_(user) {}
  template <class M> void needed(const char* key, M X::*m) { out_[key] = value(x_.*m, user_); }
  template <class M> void operator()(const char* key, M X::*m) {
    if (!io::same_bits(x_.*m, initial().*m)) needed(key, m);
  }
  template <class M> void later(const char* key, M X::*m) { (*this)(key, m); }
  void place(SourcePlace X::*m) {
    if (!io::same_bits(x_.*m, SourcePlace())) needed("place", m);
  }
  void user(std::shared_ptr<const UserJoint> X::*m) {
    if ((x_.*m) == nullptr) return;
    if (user_ == UserJointsAs::error && x_.*m != spline_functions())
      throw UnsupportedError("to_json: joint '" + x_.name +
                             "' is user-defined: its code is not in the robot's document");
    out_["user"] = (x_.*m)->name;
  }
  Json take() { return std::move(out_); }

 private:
  static const X& initial() {
    static const X x = io::fresh<X>();
    return x;
  }
  const X& x_;
  UserJointsAs user_;
  Json out_ = Json::object();
};

template <class X> Json written(const X& x, UserJointsAs user) {
  MemberWriter<X> writer(x, user);
  io::keys(writer, Type<X>());
  return writer.take();
}

}  // namespace

io::Json io::tree_of(const Model& model, UserJointsAs user) {
  Json out = {{"format", "zwang.model"}, {"version", k_model_version}};
  out.append(written(model.description(), user));
  Json options = written(model.options(), user);
  if (options.size() > 0) out["options"] = std::move(options);
  return out;
}

std::string to_json(const Model& model, UserJointsAs user) { return io::json_text(io::tree_of(model, user)); }
std::vector<std::uint8_t> to_cbor(const Model& model, UserJointsAs user) {
  return io::cbor_bytes(io::tree_of(model, user));
}
std::size_t to_json(const Model& model, std::span<std::byte> out, UserJointsAs user) {
  return io::json_into(io::tree_of(model, user), out);
}
std::size_t to_cbor(const Model& model, std::span<std::byte> out, UserJointsAs user) {
  return io::cbor_into(io::tree_of(model, user), out);
}

}  // namespace zwang
