# SPDX-License-Identifier: BSD-3-Clause
# Cross compilation by zig, which brings clang, libc++ and the C libraries of many systems (PyPI: ziglang).
#   cmake -S . -B build/musl -G Ninja -D CMAKE_TOOLCHAIN_FILE=cmake/toolchains/zig.cmake -D ZWANG_ZIG_TARGET=x86_64-linux-musl
# ZWANG_ZIG_TARGET: x86_64-linux-musl, whose programs are static, aarch64-linux-musl, x86_64-windows-gnu, aarch64-macos.
# ZWANG_ZIG: the program, where it is not in PATH. Libraries of this machine are not for such a system: tools/third_party.sh --program puts
# sources into third_party/. tools/test_compiler.sh --zig does all of it.
set(ZWANG_ZIG_TARGET x86_64-linux-musl CACHE STRING "What zig compiles for: architecture-system-C library")
find_program(ZWANG_ZIG zig REQUIRED)
set(targets x86_64-linux-musl aarch64-linux-musl x86_64-windows-gnu aarch64-macos)
if(NOT ZWANG_ZIG_TARGET IN_LIST targets)
  message(FATAL_ERROR "ZWANG_ZIG_TARGET: expected one of ${targets}, got '${ZWANG_ZIG_TARGET}'")
endif()
string(REGEX MATCH "^([^-]+)-([^-]+)" unused ${ZWANG_ZIG_TARGET})
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(system_linux Linux)
set(system_windows Windows)
set(system_macos Darwin)
set(CMAKE_SYSTEM_NAME ${system_${CMAKE_MATCH_2}})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ZWANG_ZIG ZWANG_ZIG_TARGET)
set(CMAKE_CXX_COMPILER_LAUNCHER "")  # zig keeps what it has compiled
set(CMAKE_C_COMPILER ${ZWANG_ZIG} cc -target ${ZWANG_ZIG_TARGET})
set(CMAKE_CXX_COMPILER ${ZWANG_ZIG} c++ -target ${ZWANG_ZIG_TARGET})
# CMake calls these by one name, without words.
foreach(tool ar ranlib)
  string(TOUPPER ${tool} TOOL)
  set(CMAKE_${TOOL} ${CMAKE_BINARY_DIR}/zig-${tool})
  file(WRITE ${CMAKE_${TOOL}} "#!/bin/sh\nexec '${ZWANG_ZIG}' ${tool} \"$@\"\n")
  file(CHMOD ${CMAKE_${TOOL}} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_INSTALL_NAME_TOOL true)  # CMake asks for this tool of macOS; static libraries do not need it
# zig instruments code for undefined behaviour and writes what debuggers need, which takes half of its time, unless it is told not to.
set(CMAKE_C_FLAGS_INIT "-fno-sanitize=undefined -g0")
set(CMAKE_CXX_FLAGS_INIT "-fno-sanitize=undefined -g0")
set(CMAKE_EXE_LINKER_FLAGS_INIT -s)  # the libraries that zig brings have debug information, too
# Nothing of this machine's /usr is found but programs.
set(CMAKE_FIND_ROOT_PATH ${CMAKE_BINARY_DIR}/root)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
