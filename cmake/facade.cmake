# SPDX-License-Identifier: BSD-3-Clause
# Libraries for programs written for another library: compat/<name>, the target zwang::<name>, over public headers of zwang.
#
#   zwang_facade(<name> FOLDERS <folders of headers below include/> [PREFIXES <folders that are also found without their name>]
#                [ALONE <sources that are compiled by themselves>] [APART])
# APART: all sources are, so that each is an object of its own in the archive.
#
# What is said here once: options of the compiler, names that are shown, where headers are found and installed. The global property
# ZWANG_FACADES has the names of those that are built; install.cmake, zwangConfig.cmake and the tests read it.
function(zwang_facade name)
  cmake_parse_arguments(arg "APART" "" "FOLDERS;PREFIXES;ALONE" ${ARGN})
  set(target zwang_${name})
  file(GLOB sources CONFIGURE_DEPENDS src/*.cpp)
  add_library(${target} ${sources})
  add_library(zwang::${name} ALIAS ${target})
  list(TRANSFORM arg_PREFIXES PREPEND /)
  foreach(folder IN ITEMS "" ${arg_PREFIXES})
    target_include_directories(${target} PUBLIC
      $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include${folder}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/zwang/compat${folder}>)
  endforeach()
  target_link_libraries(${target} PUBLIC Eigen3::Eigen PRIVATE zwang::zwang)
  zwang_flags(${target} HEADERS cxx_std_17)
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
  zwang_exports(${target} ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  if(BUILD_SHARED_LIBS)
    zwang_harden(${target})
  endif()
  set_property(GLOBAL APPEND PROPERTY ZWANG_FACADES ${name})
  if(ZWANG_INSTALL)
    list(TRANSFORM arg_FOLDERS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/include/ OUTPUT_VARIABLE folders)
    install(DIRECTORY ${folders} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zwang/compat COMPONENT dev)
  endif()
endfunction()
