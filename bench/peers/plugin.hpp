// SPDX-License-Identifier: BSD-3-Clause
// A C++ class as a peer: made from a ZwangPeerProblem (an exception says why not), with
//   int algorithms(const ZwangPeerAlgorithm** out), run(algorithm, state), result(algorithm, state, out).
#pragma once
#include <cstdio>
#include <exception>

#include "../compare/peer.h"

namespace peers {

template <class Peer> ZwangPeer plugin(const char* name, const char* version, const char* remark) {
  const auto create = [](const ZwangPeerProblem* problem, char* why) -> void* {
    try {
      return new Peer(*problem);
    } catch (const std::exception& error) {
      std::snprintf(why, 256, "%s", error.what());
      return nullptr;
    }
  };
  return {ZWANG_PEER_INTERFACE,
          name,
          version,
          ZWANG_PEER_COMPILER,
          ZWANG_PEER_FLAGS,
          remark,
          create,
          [](void* self) { delete static_cast<Peer*>(self); },
          [](void* self, const ZwangPeerAlgorithm** out) { return static_cast<Peer*>(self)->algorithms(out); },
          [](void* self, int algorithm, int state) { static_cast<Peer*>(self)->run(algorithm, state); },
          [](void* self, int algorithm, int state, double* out) {
            static_cast<Peer*>(self)->result(algorithm, state, out);
          }};
}

}  // namespace peers
