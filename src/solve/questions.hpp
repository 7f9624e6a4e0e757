// SPDX-License-Identifier: BSD-3-Clause
// Questions: what is asked of solutions (derivatives, impulses). A question is made when it is first asked, keeps its
// workspace with the solver, and is known here by its type alone.
#pragma once
#include <memory>
#include <vector>

namespace zwang {

class Question {
 public:
  virtual ~Question() = default;
  virtual void forget() {}  ///< what earlier states have taught
};

class Questions {
 public:
  /// nullptr where it has not been asked.
  template <class Q> Q* find() const {
    for (const Entry& e : asked_)
      if (e.key == &k_key<Q>) return static_cast<Q*>(e.question.get());
    return nullptr;
  }
  template <class Q, class Of> Q& find_or_make(Of& of) {
    Q* const made = find<Q>();
    return made != nullptr ? *made : keep(std::make_unique<Q>(of));
  }
  template <class Q> Q& keep(std::unique_ptr<Q> question) {
    Q& kept = *question;
    asked_.push_back({&k_key<Q>, std::move(question)});
    return kept;
  }
  void forget() {
    for (const Entry& e : asked_) e.question->forget();
  }

 private:
  template <class Q> static constexpr char k_key = 0;
  struct Entry {
    const char* key;
    std::unique_ptr<Question> question;
  };
  std::vector<Entry> asked_;
};

}  // namespace zwang
