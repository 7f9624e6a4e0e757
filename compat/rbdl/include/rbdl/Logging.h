// SPDX-License-Identifier: BSD-3-Clause
// RBDL's log of a program's own lines. zwang writes nothing to it.
#pragma once
#include <iostream>
#include <sstream>

/// What was written with LOG.
inline std::ostringstream LogOutput;
/// Empties it.
inline void ClearLogOutput() { LogOutput.str(""); }

#ifndef LOG
#define LOG \
  if (true) \
    ;       \
  else      \
    LogOutput
#endif
