// SPDX-License-Identifier: BSD-3-Clause
// Stop: how a caller ends a long computation before it is done.
#pragma once

namespace zwang {

/// A function that a long computation calls again and again, in the thread that computes, to learn whether it shall
/// end. A plain function and its context, so that a call allocates nothing. It must not throw, nor call the object that
/// computes. Without a function the computation is not stopped.
struct Stop {
  bool (*asked)(void* context) = nullptr;  ///< true: end now
  void* context = nullptr;                 ///< passed to `asked`

  explicit operator bool() const { return asked != nullptr; }  ///< there is a function
  bool operator()() const { return asked != nullptr && asked(context); }
};

}  // namespace zwang
