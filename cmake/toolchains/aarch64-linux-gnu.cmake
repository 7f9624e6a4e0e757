# SPDX-License-Identifier: BSD-3-Clause
# Cross compilation for 64-bit Arm (AArch64) by Debian's compiler and its libraries for that architecture; tests run in QEMU where it is
# installed. tools/test_arm64.sh installs all of it.
#   cmake -S . -B build/arm64 -G Ninja -D CMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64-linux-gnu.cmake
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)  # libraries of Debian's multiarch, /usr/lib/aarch64-linux-gnu
find_program(ZWANG_QEMU_AARCH64 NAMES qemu-aarch64-static qemu-aarch64)
if(ZWANG_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${ZWANG_QEMU_AARCH64})
endif()
