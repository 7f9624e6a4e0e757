// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "io/description_keys.hpp"
#include "io/document_head.hpp"
#include "io/document_trees.hpp"
#include "zwang/io/json.hpp"
#include "zwang/io/model.hpp"
#include "zwang/model/spline_joint.hpp"
#include "zwang/model/user_joint.hpp"

namespace zwang {
namespace {

class Names {
 public:
  template <class M> void operator()(const char* key, M) { list.push_back(key); }
  template <class M> void needed(const char* key, M) { list.push_back(key); }
  template <class M> void later(const char* key, M) { list.push_back(key); }
  template <class M> void place(M) { list.push_back("place"); }
  template <class M> void user(M) { list.push_back("user"); }
  std::vector<const char*> list;
};
template <class X> const std::vector<const char*>& key_names() {
  static const std::vector<const char*> names = [] {
    Names n;
    io::keys(n, Type<X>());
    return n.list;
  }();
  return names;
}

double number_or_word(const JsonNode& node) {
  if (node.is_number()) return node.number();
  if (!node.is_text()) node.expected("a number, or one of nan, inf, -inf");
  const std::string word = node.word({"nan", "inf", "-inf"});
  if (word == "nan") return unknown;
  return word == "inf" ? unlimited : -unlimited;
}

class ModelReader {
 public:
  explicit ModelReader(const NamedUserJoints& user) : user_(user) {}
  template <class X> void read(const JsonNode& node, X& x) const;
  template <class X> void members(const JsonNode& node, X& x) const;
  void user(const JsonNode& node, const std::string& name, std::shared_ptr<const UserJoint>& x) const;

 private:
  const NamedUserJoints& user_;
};

template <class X> class Members {
 public:
  Members(const ModelReader& reader, const JsonNode& node, X& x) : reader_(reader), node_(node), x_(x) {}
  template <class M> void operator()(const char* key, M X::*m) {
    if (node_.has(key)) reader_.read(node_[key], x_.*m);
  }
  template <class M> void needed(const char* key, M X::*m) { reader_.read(node_[key], x_.*m); }
  template <class M> void later(const char* key, M X::*m) { (*this)(key, m); }
  void place(SourcePlace X::*m) {
    (*this)("place", m);
    if (!node_.has("place")) return;
    for (const char* key : {"line", "column"}) {  // findings repeat them
      const JsonNode place = node_["place"];
      const int at = place.has(key) ? place[key].integer() : 0;
      if (at < 0) place[key].fail("got " + std::to_string(at) + ", expected 0 or more");
    }
  }
  void user(std::shared_ptr<const UserJoint> X::*m) {
    if (node_.has("user")) reader_.user(node_["user"], x_.name, x_.*m);
  }

 private:
  const ModelReader& reader_;
  const JsonNode& node_;
  X& x_;
};

template <class X> void ModelReader::members(const JsonNode& node, X& x) const {
  Members<X> all(*this, node, x);
  io::keys(all, Type<X>());
}

template <class X> void ModelReader::read(const JsonNode& node, X& x) const {
  if constexpr (std::is_same_v<X, double>) {
    x = number_or_word(node);
  } else if constexpr (std::is_same_v<X, std::string>) {
    x = node.text();
  } else if constexpr (std::is_same_v<X, bool>) {
    x = node.boolean();
  } else if constexpr (std::is_same_v<X, int>) {
    x = node.integer();
  } else if constexpr (std::is_enum_v<X>) {
    const auto& words = io::words_of(x);
    const std::string got = node.word({words.begin(), words.end()});
    for (std::size_t k = 0; k < words.size(); ++k)
      if (got == words[k]) x = static_cast<X>(k);
  } else if constexpr (io::FixedNumbers<X>) {
    std::size_t size = 0, k = 0;
    io::each(x, [&](double&) { ++size; });
    if (node.array().size() != size)
      node.fail("got " + std::to_string(node.size()) + " numbers, expected " + std::to_string(size));
    io::each(x, [&](double& a) { a = number_or_word(node[k++]); });
  } else if constexpr (std::is_same_v<X, Mat3<double>>) {
    if (node.array().size() != 3) node.expected("three rows of three numbers");
    read(node[std::size_t{0}], x.r0), read(node[1], x.r1), read(node[2], x.r2);
  } else if constexpr (io::Keyed<X>) {
    node.object(key_names<X>());
    members(node, x);
  } else {
    node.array();
    x.clear();
    for (std::size_t k = 0; k < node.size(); ++k) read(node[k], x.emplace_back());
  }
}

void ModelReader::user(const JsonNode& node, const std::string& name, std::shared_ptr<const UserJoint>& x) const {
  const std::string type = node.text();
  for (const auto& [joint, code] : user_)
    if (joint == name) x = code;
  if (x == nullptr && type == spline_functions()->name) x = spline_functions();
  if (x == nullptr)
    node.fail("joint '" + printable(name) + "' is user-defined ('" + printable(type) +
              "'): its code is given to the reader by the joint's name");
  if (x->name != type)
    node.fail("joint '" + printable(name) + "' is '" + printable(type) + "', the code given for it is '" +
              std::string(x->name) + "'");
}

}  // namespace

Model io::model_of(const JsonNode& root, const NamedUserJoints& user, Diagnostics* found) {
  io::check_head(root, "zwang.model", k_model_version, true);
  std::vector<const char*> known = key_names<RobotDescription>();
  known.insert(known.end(), {"format", "version", "options"});
  root.object(known);
  const ModelReader reader(user);
  RobotDescription robot;
  BuildOptions options;
  reader.members(root, robot);
  if (root.has("options")) {
    const JsonNode given = root["options"];
    reader.read(given, options);
    if (given.has("gravity")) given["gravity"].numbers(3);  // finite
  }
  return build(std::move(robot), options, found);
}

Model model_from_json(const std::string& text, const NamedUserJoints& user, Diagnostics* found) {
  return io::model_of(JsonDocument::parse(text, "JSON", k_model_bytes).root(), user, found);
}
Model model_from_cbor(std::span<const std::uint8_t> bytes, const NamedUserJoints& user, Diagnostics* found) {
  return io::model_of(JsonDocument::parse_cbor(bytes, "CBOR", k_model_bytes).root(), user, found);
}

}  // namespace zwang
