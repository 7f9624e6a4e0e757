# SPDX-License-Identifier: BSD-3-Clause
# The one place where compiler flags are chosen.
#
#   zwang_flags(target)            what every target of the project is compiled with; HEADERS cxx_std_17: who uses its headers
#                                  needs no more
#   zwang_precompile(target ...)   headers that the target's sources read once; not for kernels, whose flags differ
#   zwang_group(target [ALONE ...]) small sources of one folder are compiled together
#   zwang_kernel_flags(sources)    what the kernels (src/kernels, src/instantiate) get on top, in every build type
#   zwang_exports(target map)      the names that a shared library or module shows, by a version script
#   zwang_harden(target)           checks against damaged memory, for what reads files and arguments of others
include(CheckCXXCompilerFlag)
include(CheckLinkerFlag)
include(CheckPIESupported)

# THE list of levels: of an architecture, from the lowest to the highest, what kernels are compiled for besides `plain`, with the options of the
# compiler; what the processor must have for them is in src/core/processor.hpp. `plain` is what the compiler takes for granted: SSE2 of
# x86-64, NEON of arm64. The levels of x86-64 are those of its psABI; v2 is left out: it runs at the time of plain, with the same bits.
set(known "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  set(known v3 v4)
  set(zwang_options_v3 -march=x86-64-v3)
  set(zwang_options_v4 -march=x86-64-v4)
endif()

# A level is chosen when the program runs. `native`, which the presets ask for, is the highest one that this machine has and nothing else: what
# is built and used here needs no more, and each level takes minutes. Such a library refuses to run on a lesser machine. Sanitizers look at
# one level: more would multiply the time to build.
set(levels ${known})
if(ZWANG_SANITIZE)
  set(levels "")
endif()
list(JOIN known ";" names)
set(ZWANG_LEVELS "${levels}" CACHE STRING
  "Instruction sets of the kernels: plain and some of ${names}, `native` for the highest that this machine has alone, or empty for plain alone")
set(zwang_levels ${ZWANG_LEVELS})
set(zwang_plain ON)
if(ZWANG_LEVELS STREQUAL "native")
  include(CheckCXXSourceRuns)
  set(zwang_levels "")
  foreach(level IN LISTS levels)
    check_cxx_source_runs("#include \"${PROJECT_SOURCE_DIR}/src/core/processor.hpp\"
      int main() { return zwang::processor_has(\"${level}\") ? 0 : 1; }" ZWANG_MACHINE_HAS_${level})
    if(ZWANG_MACHINE_HAS_${level})
      set(zwang_levels ${level})
      set(zwang_plain OFF)
    endif()
  endforeach()
endif()
foreach(level IN LISTS zwang_levels)
  if(NOT level IN_LIST known)
    if(NOT known)
      message(FATAL_ERROR "ZWANG_LEVELS: '${level}' is none of the levels of ${CMAKE_SYSTEM_PROCESSOR}: this architecture has plain alone")
    endif()
    list(JOIN known ", " names)
    message(FATAL_ERROR "ZWANG_LEVELS: '${level}' is none of the levels of ${CMAKE_SYSTEM_PROCESSOR} (${names}), nor native")
  endif()
endforeach()

if(EMSCRIPTEN)  # a module is linked whole: addresses by a table of offsets would only cost
  set(CMAKE_CXX_COMPILE_OPTIONS_PIC "")
endif()

function(zwang_flags target)
  cmake_parse_arguments(arg "" "HEADERS" "" ${ARGN})
  if(NOT arg_HEADERS)
    set(arg_HEADERS cxx_std_20)
  endif()
  target_compile_features(${target} PUBLIC ${arg_HEADERS} PRIVATE cxx_std_20)
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF)
  # sqrt without the errno call; nothing that changes what NaN, infinities or signed zeros mean. No contraction of a product and a sum: on
  # processors that always have it (arm64) ordinary code rounds as on those that do not. Kernels ask for it below.
  target_compile_options(${target} PRIVATE -fno-math-errno -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow
    # psabi: a note about lanes passed by value, which no public function does.
    -Wno-psabi
    # maybe-uninitialized: g++ 12 does not see that a joint's switch always writes its result; clang's -Wuninitialized and the
    # sanitizers watch over the same code.
    # restrict: a false alarm of g++ 12 about std::string (PR 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized -Wno-restrict>
    # deprecated: clang reports what libstdc++ 12 uses inside std::stable_sort.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
  if(ZWANG_WERROR AND NOT ZWANG_SANITIZE)  # instrumented code makes g++ see errors that are none
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(ZWANG_LIGHT)
    target_compile_definitions(${target} PRIVATE ZWANG_LIGHT=1)  # core/config.hpp
  endif()
  if(PROJECT_IS_TOP_LEVEL AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It collects its garbage from 600 MB on: 7 % less time, and an object is the same.
    target_compile_options(${target} PRIVATE --param=ggc-min-expand=300 --param=ggc-min-heapsize=600000)
  endif()
  if(ZWANG_NATIVE)
    target_compile_options(${target} PRIVATE -march=native)
  endif()
  if(EMSCRIPTEN)  # registers of 128 bits, and exceptions by the engine's own instructions: without them every call goes through JavaScript
    target_compile_options(${target} PRIVATE -msimd128 -fwasm-exceptions)
    target_link_options(${target} PUBLIC -fwasm-exceptions)
  endif()
  if(ZWANG_SANITIZE)
    string(REPLACE ";" "," sanitizers "${ZWANG_SANITIZE}")
    target_compile_options(${target} PRIVATE -fsanitize=${sanitizers} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    # Where Eigen sees a sanitizer it allocates in another way, which does not go together with sources compiled without one.
    target_compile_definitions(${target} PRIVATE EIGEN_MALLOC_ALREADY_ALIGNED=1)
    target_link_options(${target} PUBLIC -fsanitize=${sanitizers})
  endif()
endfunction()

# Measured reasons (docs/architecture/kernels.md): without the SLP vectoriser one state is 1.2 to 1.5 times faster, contraction across
# functions 1.03 to 1.4; -fcx-limited-range makes complex products plain (complex step needs no overflow handling).
function(zwang_kernel_flags)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(options -O2 -ffp-contract=fast -fno-slp-vectorize)
  else()
    set(options -O2 -ffp-contract=fast -fno-tree-slp-vectorize)
  endif()
  if(ZWANG_SANITIZE)
    # Checks on every inlined reference would multiply the size of a kernel; bounds and overflow stay checked. -O1 takes twice the time of
    # -Og to compile here.
    set(options -Og -ffp-contract=fast)
    if("undefined" IN_LIST ZWANG_SANITIZE)
      list(APPEND options -fno-sanitize=null,alignment,object-size,vptr)
    endif()
  elseif(ZWANG_LIGHT)  # with what makes g++ contract products and sums, as in use
    set(options -O1 -ffp-contract=fast)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      list(APPEND options -fexpensive-optimizations)
    endif()
  endif()
  # clang 18 warns of this option by mistake, and is not given it. Other options that it does not use decide nothing.
  string(APPEND CMAKE_REQUIRED_FLAGS " -Werror")
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    string(APPEND CMAKE_REQUIRED_FLAGS " -Qunused-arguments")
  endif()
  check_cxx_compiler_flag(-fcx-limited-range ZWANG_TAKES_CX_LIMITED_RANGE)
  if(ZWANG_TAKES_CX_LIMITED_RANGE)
    list(APPEND options -fcx-limited-range)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# Kernels whose results are the same bits on every instruction set: no contraction. For iterations, where a last bit may decide about
# another solution.
function(zwang_same_bits)
  set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
endfunction()

# Half of the time to compile an ordinary source goes into Eigen and the standard library. A compiler cache keeps such sources only with
# CCACHE_SLOPPINESS=pch_defines,time_macros. Wheels and projects of others do without.
# SAME_AS: a target with the same flags, whose compiled headers serve; definitions that no header of it looks at may differ.
function(zwang_precompile target)
  cmake_parse_arguments(arg "" "SAME_AS" "" ${ARGN})
  if(ZWANG_PRECOMPILED AND arg_SAME_AS)
    target_precompile_headers(${target} REUSE_FROM ${arg_SAME_AS})
  elseif(ZWANG_PRECOMPILED)
    target_precompile_headers(${target} PRIVATE <Eigen/Core> <algorithm> <array> <cmath> <memory> <optional> <span> <string> <vector>
      ${ARGN})
  endif()
endfunction()

# Most of the time to compile a small source goes into what it shares with its neighbours: headers, and functions of templates and inline
# ones. Up to SIZE sources (16) of a folder that have no options of their own are compiled as one, so that names in their unnamed namespaces
# are the folder's. ALONE, by name or folder: long ones, where nothing is gained, those whose names are a neighbour's, too, and calls of a
# few hundred nanoseconds, where it matters which function is compiled into which. Without ZWANG_GROUPED (preset dev) every source is
# compiled by itself. The test sources_stand_alone shows that each names what it includes.
function(zwang_group target)
  cmake_parse_arguments(arg "" "SIZE" "ALONE" ${ARGN})
  if(NOT arg_SIZE)
    set(arg_SIZE 16)
  endif()
  if(NOT ZWANG_GROUPED)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes every type of an unnamed namespace for one of a header, since none is in the file that it was given.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^[^$].*\\.cpp$")  # no objects of other targets
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    cmake_path(GET source FILENAME name)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(GET folder FILENAME of)
    if(name IN_LIST arg_ALONE OR of IN_LIST arg_ALONE)
      continue()
    endif()
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR members_${folder} "${members_${folder}} + 1")
    math(EXPR group "${members_${folder}} / ${arg_SIZE}")
    set_source_files_properties(${PROJECT_SOURCE_DIR}/${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()

# Names that the map does not list stay inside. No option of the compiler: objects of static and of shared libraries are the same. Nothing
# changes in a static library, nor where the linker knows no such scripts.
check_linker_flag(CXX "LINKER:--version-script=${PROJECT_SOURCE_DIR}/cmake/exports.map" ZWANG_HAS_VERSION_SCRIPT)
function(zwang_exports target map)
  get_target_property(type ${target} TYPE)
  if(ZWANG_HAS_VERSION_SCRIPT AND NOT ZWANG_SANITIZE AND NOT type STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${map}")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${map})
  endif()
endfunction()

# The program and the Python module read files and arguments of others: their functions check their stack, copies of known size are
# checked, and tables of addresses are filled at the start and then read-only. The library itself, which they call for all arithmetic,
# is compiled without the first two: its speed comes first. A shared library gets read-only tables as well, which cost nothing later.
# Checked copies need an optimised build; sanitizers look for the same errors and more.
check_pie_supported(LANGUAGES CXX)
check_linker_flag(CXX "LINKER:-z,relro,-z,now" ZWANG_HAS_RELRO)
function(zwang_harden target)
  if(NOT ZWANG_HARDEN OR ZWANG_SANITIZE)
    return()
  endif()
  get_target_property(type ${target} TYPE)
  if(NOT type STREQUAL "SHARED_LIBRARY")
    target_compile_options(${target} PRIVATE
      "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-fstack-protector-strong;-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  endif()
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  if(ZWANG_HAS_RELRO AND NOT type STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} PRIVATE "LINKER:-z,relro,-z,now")
  endif()
endfunction()
