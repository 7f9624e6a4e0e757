// SPDX-License-Identifier: BSD-3-Clause
// The tree of a document. Keys keep their order. Memory that runs out is std::bad_alloc: nothing here allocates when it
// is destroyed. Trees are no deeper than the reader's limit, so that they are walked by recursion.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace zwang::io {

class Json {
 public:
  enum class Kind : unsigned char { null, boolean, integer, natural, number, text, array, object };
  struct Member;
  using Array = std::vector<Json>;
  using Object = std::vector<Member>;

  Json() noexcept = default;
  Json(std::nullptr_t) noexcept {}
  Json(bool x) noexcept : kind_(Kind::boolean) { value_.boolean = x; }
  Json(int x) noexcept : Json(static_cast<std::int64_t>(x)) {}
  Json(std::int64_t x) noexcept : kind_(Kind::integer) { value_.integer = x; }
  Json(std::uint64_t x) noexcept : kind_(Kind::natural) { value_.natural = x; }
  Json(double x) noexcept : kind_(Kind::number) { value_.number = x; }
  Json(std::string x) : kind_(Kind::text) { value_.text = new std::string(std::move(x)); }
  Json(std::string_view x) : Json(std::string(x)) {}
  Json(const char* x) : Json(std::string(x)) {}
  Json(const std::vector<std::string>& list);
  /// An object: `{{"name", x}, {"type", y}}`.
  Json(std::initializer_list<Member> members);
  static Json array(std::initializer_list<Json> items = {});
  static Json object();

  Json(const Json& other);
  Json(Json&& other) noexcept { swap(other); }
  Json& operator=(Json other) noexcept {
    swap(other);
    return *this;
  }
  ~Json();
  void swap(Json& other) noexcept;

  Kind kind() const { return kind_; }
  bool is_array() const { return kind_ == Kind::array; }
  bool is_object() const { return kind_ == Kind::object; }
  bool is_structured() const { return is_array() || is_object(); }
  bool is_number() const { return kind_ == Kind::integer || kind_ == Kind::natural || kind_ == Kind::number; }
  /// `null`, `boolean`, `number`, `string`, `array`, `object`: as JSON calls it.
  const char* kind_name() const;

  // Of the kind of that name; std::logic_error of any other.
  bool boolean() const { return of(Kind::boolean).value_.boolean; }
  std::int64_t integer() const { return of(Kind::integer).value_.integer; }
  std::uint64_t natural() const { return of(Kind::natural).value_.natural; }
  double number() const;  ///< of any kind of number
  const std::string& text() const { return *of(Kind::text).value_.text; }
  const Array& items() const { return *of(Kind::array).value_.array; }
  const Object& members() const { return *of(Kind::object).value_.object; }

  std::size_t size() const;  ///< of items or members; else 0
  /// The value of a key, or nullptr; also where this is no object.
  const Json* find(std::string_view key) const;

  // A null becomes what is added to.
  void push_back(Json item);
  void add(std::string key, Json value);  ///< of a key that is not there yet
  Json& operator[](std::string_view key);
  Json& last();              ///< the item or the value that was added last
  void append(Json object);  ///< its members, of keys that are not there yet

 private:
  const Json& of(Kind kind) const {
    if (kind_ != kind) wrong_kind();
    return *this;
  }
  [[noreturn]] static void wrong_kind();
  void become(Kind kind);

  union Value {
    bool boolean;
    std::int64_t integer;
    std::uint64_t natural;
    double number;
    std::string* text;
    Array* array;
    Object* object;
  };
  Kind kind_ = Kind::null;
  Value value_ = {.natural = 0};
};

struct Json::Member {
  std::string key;
  mutable Json value;  ///< what an initializer list holds is moved out of it
};

}  // namespace zwang::io
