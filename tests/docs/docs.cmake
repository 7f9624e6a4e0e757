# SPDX-License-Identifier: BSD-3-Clause
# The documentation as tests: every block of code runs and prints what the page says; what pages say of the source is so. Blocks in a
# language that cannot run here (no Python package, no program) are skipped, the others are not.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
add_test(NAME docs_facts COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/facts_test.py)
add_test(NAME docs_snippets_tool COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/snippets_test.py)
set_tests_properties(docs_facts docs_snippets_tool PROPERTIES LABELS docs TIMEOUT ${zwang_hang})
add_test(NAME docs_reference COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_LIST_DIR}/reference_test.py)
set_tests_properties(docs_reference PROPERTIES LABELS docs SKIP_RETURN_CODE 77 TIMEOUT ${zwang_hang})
foreach(language cpp c sh python)
  add_test(NAME docs_${language}
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/docs_snippets.py --only ${language} --build ${PROJECT_BINARY_DIR}
            --compiler "${zwang_ccache} ${CMAKE_CXX_COMPILER}" --include ${eigen_include})
  set_tests_properties(docs_${language} PROPERTIES LABELS docs SKIP_RETURN_CODE 77 TIMEOUT ${zwang_hang})
endforeach()
set_tests_properties(docs_cpp PROPERTIES COST 100)
