// SPDX-License-Identifier: BSD-3-Clause
#include "program_path.hpp"

#include <system_error>

#if defined(__APPLE__)
#include <mach-o/dyld.h>

#include <cstdint>
#include <string>
#elif defined(_WIN32)
#include <string>
// <windows.h> would bring macros for all sources that are compiled together with this one.
extern "C" __declspec(dllimport) unsigned long __stdcall GetModuleFileNameW(void* module, wchar_t* path,
                                                                            unsigned long size);
#endif

namespace zwang::cli {

std::filesystem::path program_path() {
#if defined(__APPLE__)
  std::uint32_t size = 0;
  _NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (_NSGetExecutablePath(path.data(), &size) != 0) return {};
  std::error_code error;
  return std::filesystem::canonical(path.c_str(), error);
#elif defined(_WIN32)
  constexpr unsigned long longest = 32768;
  std::wstring path(longest, L'\0');
  const unsigned long length = GetModuleFileNameW(nullptr, path.data(), longest);
  return length < longest ? std::filesystem::path(path.substr(0, length)) : std::filesystem::path();
#else
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error);
#endif
}

}  // namespace zwang::cli
