// SPDX-License-Identifier: BSD-3-Clause
// Questions: what is asked of solutions (derivatives, impulses). A question is made when it is first asked, keeps its
// workspace with the solver, and is known here by its type alone.
#pragma once
#include <memory>
#include <utility>
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
    for (const std::unique_ptr<Question>& made : asked_)
      if (Q* const question = dynamic_cast<Q*>(made.get())) return question;
    return nullptr;
  }
  template <class Q, class Of> Q& find_or_make(Of& of) {
    Q* const made = find<Q>();
    return made != nullptr ? *made : keep(std::make_unique<Q>(of));
  }
  template <class Q> Q& keep(std::unique_ptr<Q> question) {
    Q& kept = *question;
    asked_.push_back(std::move(question));
    return kept;
  }
  void forget() {
    for (const std::unique_ptr<Question>& made : asked_) made->forget();
  }

 private:
  std::vector<std::unique_ptr<Question>> asked_;  ///< of different types
};

}  // namespace zwang
