// SPDX-License-Identifier: BSD-3-Clause
#include "machine.hpp"

#include <sys/utsname.h>

#include <cstdlib>
#include <ctime>
#include <fstream>

#include "timing.hpp"

namespace zwang::bench {

Machine machine() {
  Machine m;
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; m.processor.empty() && std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) m.processor = line.substr(colon + 2);
  }
  if (m.processor.empty()) m.processor = "unknown";
  utsname name{};
  if (::uname(&name) == 0) m.system = std::string(name.sysname) + ' ' + name.release + ' ' + name.machine;
  m.cores = cores_allowed();
  if (::getloadavg(m.load, 3) != 3) m.load[0] = m.load[1] = m.load[2] = -1;
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  m.date = text;
  return m;
}

const char* compiler() {
#ifdef __clang__
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}
const char* flags() { return ZWANG_BENCH_FLAGS; }
const char* version() { return ZWANG_VERSION; }

}  // namespace zwang::bench
