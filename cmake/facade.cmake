# SPDX-License-Identifier: BSD-3-Clause
# Libraries for programs written for another library: compat/<name>, the target zwang::<name>, over public headers of zwang.
#
#   zwang_facade(<name> FOLDERS <folders of headers below include/> [PREFIXES <folders that are also found without their name>]
#                [ALONE <sources that are compiled by themselves>] [APART])
#   zwang_facade(<name> C_HEADERS <headers in include/> MAP <the names that it shows> [ALONE ...])
# APART: all sources are, so that each is an object of its own in the archive.
# C_HEADERS: for programs in other languages, which load a shared library: it is one unless ZWANG_C_STATIC asks for an archive, or the
# platform has none. Its headers need nothing, and stand where includes begin.
#
# What is said here once: options of the compiler, names that are shown, where headers are found and installed. The global property
# ZWANG_FACADES has the names of those that are built; install.cmake, zwangConfig.cmake and the tests read it.
function(zwang_facade name)
  cmake_parse_arguments(arg "APART" "MAP" "C_HEADERS;FOLDERS;PREFIXES;ALONE" ${ARGN})
  set(target zwang_${name})
  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
  set(type "")
  if(arg_C_HEADERS)
    get_property(has_shared GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
    set(type SHARED)
    if(ZWANG_C_STATIC OR ZWANG_SANITIZE OR NOT has_shared)  # with sanitizers a program has one copy of each name
      set(type STATIC)
    endif()
  else()
    set(arg_MAP ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  endif()
  add_library(${target} ${type} ${sources})
  add_library(zwang::${name} ALIAS ${target})
  get_target_property(type ${target} TYPE)
  list(TRANSFORM arg_PREFIXES PREPEND /)
  set(installed ${CMAKE_INSTALL_INCLUDEDIR}/zwang/compat)
  if(arg_C_HEADERS)
    set(installed ${CMAKE_INSTALL_INCLUDEDIR})
  endif()
  foreach(folder IN ITEMS "" ${arg_PREFIXES})
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include${folder}>
      $<INSTALL_INTERFACE:${installed}${folder}>)
  endforeach()
  target_link_libraries(${target} PRIVATE zwang::zwang)
  zwang_flags(${target} HEADERS cxx_std_17)
  if(arg_C_HEADERS)  # a program that uses it need not be one of C++
    set_target_properties(${target} PROPERTIES INTERFACE_COMPILE_FEATURES "")
  else()
    target_link_libraries(${target} PUBLIC Eigen3::Eigen)
  endif()
  zwang_precompile(${target})
  if(NOT arg_APART)
    zwang_group(${target} ALONE ${arg_ALONE})
  endif()
  set_target_properties(${target} PROPERTIES
    EXPORT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    VERSION ${PROJECT_VERSION}
    DEFINE_SYMBOL ""
    SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  zwang_exports(${target} ${arg_MAP})
  if(type STREQUAL "SHARED_LIBRARY")
    zwang_harden(${target})
  endif()
  set_property(GLOBAL APPEND PROPERTY ZWANG_FACADES ${name})
  if(ZWANG_INSTALL AND arg_C_HEADERS)
    list(TRANSFORM arg_C_HEADERS PREPEND include/)
    install(FILES ${arg_C_HEADERS} DESTINATION ${installed} COMPONENT dev)
  elseif(ZWANG_INSTALL)
    list(TRANSFORM arg_FOLDERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/include/ OUTPUT_VARIABLE folders)
    install(DIRECTORY ${folders} DESTINATION ${installed} COMPONENT dev)
  endif()
endfunction()
