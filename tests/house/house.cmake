# SPDX-License-Identifier: BSD-3-Clause
# The project's own rules as tests: layers, files, headers, README, consumers, cost of compiling.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(tools ${PROJECT_SOURCE_DIR}/tools)
get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)

function(house_test name)
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS house TIMEOUT ${zwang_hang})
endfunction()

house_test(layers ${Python3_EXECUTABLE} ${tools}/check_layers.py)
house_test(layers_refuse_what_is_wrong ${Python3_EXECUTABLE} ${tools}/check_layers.py --self-test)
house_test(python_imports ${Python3_EXECUTABLE} ${tools}/check_imports.py --self-test)
house_test(files ${Python3_EXECUTABLE} ${tools}/check_files.py)
house_test(recipes_promise_what_holds ${Python3_EXECUTABLE} ${tools}/check_recipes.py)
foreach(kind headers sources)
  house_test(${kind}_stand_alone ${Python3_EXECUTABLE} ${tools}/check_alone.py ${kind} --compiler ${CMAKE_CXX_COMPILER}
    --include ${eigen_include})
endforeach()
house_test(compile_cost ${Python3_EXECUTABLE} ${tools}/compile_cost.py --compiler ${CMAKE_CXX_COMPILER}
  --include ${eigen_include})
set_tests_properties(compile_cost PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(headers_stand_alone sources_stand_alone PROPERTIES COST 200)  # the long ones first: none is left when the others are done
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT BUILD_SHARED_LIBS AND CMAKE_NM)  # elsewhere nothing is inlined
  house_test(library_holds_no_eigen_code ${Python3_EXECUTABLE} ${tools}/check_symbols.py ${CMAKE_NM} $<TARGET_FILE:zwang>)
  if(zwang_levels AND CMAKE_OBJDUMP AND NOT ZWANG_NATIVE)
    house_test(levels_keep_to_themselves ${Python3_EXECUTABLE} ${tools}/check_levels.py ${CMAKE_NM} ${CMAKE_OBJDUMP}
      $<TARGET_FILE:zwang>)
  endif()
endif()

# README: blocks marked <!-- run --> become programs and scripts in the build folder.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${tools}/readme_snippets.py)
execute_process(COMMAND ${Python3_EXECUTABLE} ${tools}/readme_snippets.py ${PROJECT_SOURCE_DIR}/README.md
    ${CMAKE_CURRENT_BINARY_DIR}/readme OUTPUT_VARIABLE snippets OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REPLACE "\n" ";" snippets "${snippets}")
foreach(snippet IN LISTS snippets)
  get_filename_component(name ${snippet} NAME_WE)
  if(snippet MATCHES "\\.cpp$")
    add_executable(${name} ${snippet})
    target_link_libraries(${name} PRIVATE zwang::zwang)
    zwang_flags(${name})
    add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  elseif(TARGET zwang_cli)
    add_test(NAME ${name} COMMAND bash -euo pipefail ${snippet} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES ENVIRONMENT ZWANG_BIN=$<TARGET_FILE_DIR:zwang_cli>)
  else()
    message(STATUS "zwang: ${name} is left out, it needs the command line program")
    continue()
  endif()
  set_tests_properties(${name} PROPERTIES LABELS readme TIMEOUT ${zwang_hang})
endforeach()

# A consumer: install, then one way of using the library per test.
string(REPLACE ";" "," levels "${ZWANG_LEVELS}")
set(consumer ${CMAKE_COMMAND} -E env
  SOURCE=${PROJECT_SOURCE_DIR} BUILD=${PROJECT_BINARY_DIR} WORK=${CMAKE_CURRENT_BINARY_DIR}/consumer CMAKE=${CMAKE_COMMAND}
  CXX=${CMAKE_CXX_COMPILER} LAUNCHER=${zwang_ccache} GENERATOR=${CMAKE_GENERATOR}
  BUILD_TYPE=${CMAKE_BUILD_TYPE} LIBDIR=${CMAKE_INSTALL_LIBDIR} WERROR=${ZWANG_WERROR} NATIVE=${ZWANG_NATIVE}
  LEVELS=${levels} GROUPED=${ZWANG_GROUPED} PYTHON=${Python3_EXECUTABLE}
  "FLAGS_RELEASE=${CMAKE_CXX_FLAGS_RELEASE}"
  bash ${CMAKE_CURRENT_LIST_DIR}/consumer.sh)
if(ZWANG_INSTALL)
  foreach(way install find_package faces pkg_config native add_subdirectory)
    add_test(NAME consumer_${way} COMMAND ${consumer} ${way})
    set_tests_properties(consumer_${way} PROPERTIES LABELS consumer TIMEOUT ${zwang_hang})
    if(way STREQUAL "install")
      set_tests_properties(consumer_install PROPERTIES FIXTURES_SETUP installed)
    else()
      set_tests_properties(consumer_${way} PROPERTIES FIXTURES_REQUIRED installed)
    endif()
  endforeach()
  set_tests_properties(consumer_find_package PROPERTIES FIXTURES_SETUP portable)
  set_tests_properties(consumer_native PROPERTIES FIXTURES_REQUIRED "installed;portable")  # compares with it
endif()

# Packages: what they say of the project, what libraries and modules show, how programs were linked (docs/packages.md).
house_test(packages_say_what_the_project_says ${Python3_EXECUTABLE} ${tools}/check_packages.py)
house_test(packages_refuse_what_is_wrong ${Python3_EXECUTABLE} ${tools}/check_packages.py --self-test)
house_test(conda_says_what_the_project_says ${Python3_EXECUTABLE} ${tools}/check_packages.py --conda)
house_test(conda_refuses_what_is_wrong ${Python3_EXECUTABLE} ${tools}/check_packages.py --conda --self-test)
set_tests_properties(conda_says_what_the_project_says conda_refuses_what_is_wrong PROPERTIES SKIP_RETURN_CODE 77)
house_test(packaging_tools ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/packaging_test.py
  --cmake ${CMAKE_COMMAND} --compiler ${CMAKE_CXX_COMPILER})
house_test(what_is_begun_compiles ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/new_test.py --compiler ${CMAKE_CXX_COMPILER}
  --include ${eigen_include})
house_test(tidy_looks_at_changed_lines ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/tidy_test.py)
house_test(web_takes_sources_without_a_command_line ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/web_sources_test.py)
house_test(edits_whose_cost_is_told_exist ${Python3_EXECUTABLE} ${tools}/edit_cost.py --check)
house_test(changelog_is_made_of_fragments ${Python3_EXECUTABLE} ${tools}/changelog.py --check)
house_test(a_release_is_made_by_one_command ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/release_test.py)
house_test(notices_name_every_dependency ${Python3_EXECUTABLE} ${tools}/make_notices.py --check)
get_property(facades GLOBAL PROPERTY ZWANG_FACADES)
list(TRANSFORM facades REPLACE "(.+)" "$<TARGET_FILE:zwang_\\1>" OUTPUT_VARIABLE facade_files)
list(JOIN facade_files ":" facade_paths)
if(ZWANG_HAS_VERSION_SCRIPT AND CMAKE_NM)
  add_test(NAME shared_libraries_show_their_names_alone COMMAND ${CMAKE_COMMAND} -E env
    SOURCE=${PROJECT_SOURCE_DIR} WORK=${CMAKE_CURRENT_BINARY_DIR}/house CXX=${CMAKE_CXX_COMPILER} NM=${CMAKE_NM}
    PYTHON=${Python3_EXECUTABLE} EIGEN=${eigen_include} SHARED=$<IF:$<BOOL:${BUILD_SHARED_LIBS}>,ON,OFF> LIBRARY=$<TARGET_FILE:zwang> FACADES=${facade_paths}
    NEEDED=-lpugixml bash ${CMAKE_CURRENT_LIST_DIR}/exports.sh)
  set_tests_properties(shared_libraries_show_their_names_alone PROPERTIES LABELS house TIMEOUT ${zwang_hang})
endif()
if(TARGET zwang_c)
  set(c_library "")
  get_target_property(type zwang_c TYPE)
  if(type STREQUAL "SHARED_LIBRARY" AND ZWANG_HAS_VERSION_SCRIPT AND CMAKE_NM)
    set(c_library --nm ${CMAKE_NM} --library $<TARGET_FILE:zwang_c>)
  endif()
  house_test(c_interface_is_what_its_record_says ${Python3_EXECUTABLE} ${tools}/check_c_abi.py --compiler ${CMAKE_C_COMPILER} ${c_library})
  house_test(c_interface_sees_what_changes ${Python3_EXECUTABLE} ${tools}/check_c_abi.py --compiler ${CMAKE_C_COMPILER} --self-test)
  set_tests_properties(c_interface_is_what_its_record_says c_interface_sees_what_changes PROPERTIES SKIP_RETURN_CODE 77)
endif()
if(ZWANG_HARDEN AND ZWANG_HAS_RELRO AND CMAKE_READELF AND CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  if(TARGET zwang_cli)
    house_test(program_is_hardened ${Python3_EXECUTABLE} ${tools}/check_hardening.py ${CMAKE_READELF} $<TARGET_FILE:zwang_cli>)
  endif()
  if(BUILD_SHARED_LIBS)
    house_test(libraries_are_hardened ${Python3_EXECUTABLE} ${tools}/check_hardening.py ${CMAKE_READELF} --library
      $<TARGET_FILE:zwang> ${facade_files})
  endif()
endif()
if(ZWANG_TEST_PYTHON AND ZWANG_HAS_VERSION_SCRIPT AND CMAKE_NM AND CMAKE_READELF)
  add_test(NAME python_package_is_whole COMMAND ${ZWANG_TEST_PYTHON} ${tools}/check_python_package.py ${CMAKE_NM} ${CMAKE_READELF}
    WORKING_DIRECTORY ${PROJECT_BINARY_DIR})
  add_test(NAME source_distribution_is_whole COMMAND ${ZWANG_TEST_PYTHON} ${tools}/check_sdist.py ${CMAKE_CURRENT_BINARY_DIR}/house)
  set_tests_properties(python_package_is_whole source_distribution_is_whole PROPERTIES LABELS house TIMEOUT ${zwang_hang} SKIP_RETURN_CODE 77)
endif()
