# SPDX-License-Identifier: BSD-3-Clause
# The one place where compiler flags are chosen.
#
#   zwang_flags(target)            what every target of the project is compiled with
#   zwang_kernel_flags(sources)    what the kernels (src/kernels, src/instantiate) get on top, in every build type
include(CheckCXXCompilerFlag)

# Kernels are compiled for these levels of the x86-64 psABI besides what the compiler takes for granted, and chosen when the program
# runs. Sanitizers look at one of them: they would multiply the time to build.
set(levels "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64" AND NOT ZWANG_SANITIZE)
  set(levels v2 v3 v4)
endif()
set(ZWANG_LEVELS "${levels}" CACHE STRING "Instruction sets of the kernels: some of v2;v3;v4, or empty for the compiler's own alone")
foreach(level IN LISTS ZWANG_LEVELS)
  if(NOT level MATCHES "^v[234]$")
    message(FATAL_ERROR "ZWANG_LEVELS: '${level}' is none of v2, v3, v4")
  endif()
endforeach()

function(zwang_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # sqrt without the errno call; nothing that changes what NaN, infinities or signed zeros mean.
  target_compile_options(${target} PRIVATE -fno-math-errno -Wall -Wextra -Wpedantic -Wshadow
    # psabi: a note about lanes passed by value, which no public function does.
    -Wno-psabi
    # maybe-uninitialized: g++ 12 does not see that a joint's switch always writes its result; clang's -Wuninitialized and the
    # sanitizers watch over the same code.
    # restrict: a false alarm of g++ 12 about std::string (PR 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict>
    # deprecated: clang reports what libstdc++ 12 uses inside std::stable_sort.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  if(ZWANG_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(ZWANG_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(ZWANG_SANITIZE)
    string(REPLACE ";" "," sanitizers "${ZWANG_SANITIZE}")
    target_compile_options(${target} PRIVATE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${target} PUBLIC -fsanitize=${sanitizers})
  endif()
endfunction()

# Measured reasons (ARCHITECTURE.md, Kernels): without the SLP vectoriser one state is 1.2 to 1.5 times faster, contraction across
# functions 1.03 to 1.4; -fcx-limited-range makes complex products plain (complex step needs no overflow handling).
function(zwang_kernel_flags)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(options -O2 -ffp-contract=fast -fno-slp-vectorize)
  else()
    set(options -O2 -ffp-contract=fast -fno-tree-slp-vectorize)
  endif()
  if(ZWANG_SANITIZE)
    # Checks on every inlined reference would multiply the size of a kernel; bounds and overflow stay checked.
    set(options -O1 -ffp-contract=fast)
    if("undefined" IN_LIST ZWANG_SANITIZE)
      list(APPEND options -fno-sanitize=null,alignment,object-size,vptr)
    endif()
  endif()
  check_cxx_compiler_flag(-fcx-limited-range ZWANG_HAS_CX_LIMITED_RANGE)
  if(ZWANG_HAS_CX_LIMITED_RANGE)
    list(APPEND options -fcx-limited-range)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()
