// SPDX-License-Identifier: BSD-3-Clause
// Stop: how a caller ends a long computation before it is done.
#pragma once

namespace zwang {

/// A question that a long computation asks again and again, in the thread that computes: shall it end? A plain function
/// and what it needs, so that asking allocates nothing. It must not throw, nor call the object that asks. Without a
/// function nobody is asked.
struct Stop {
  bool (*asked)(void* context) = nullptr;  ///< true: end now
  void* context = nullptr;                 ///< passed to `asked`

  explicit operator bool() const { return asked != nullptr; }  ///< somebody is asked
  bool operator()() const { return asked != nullptr && asked(context); }
};

}  // namespace zwang
