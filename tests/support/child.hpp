// SPDX-License-Identifier: BSD-3-Clause
// For processes that a test starts.
#pragma once
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

namespace zwang::test {

/// In the child: it ends where its parent ends, so that a child that hangs is gone when ctest's timeout ends the test.
inline void end_with_parent() {
#ifdef __linux__
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

}  // namespace zwang::test
