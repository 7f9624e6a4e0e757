# SPDX-License-Identifier: BSD-3-Clause
# find_package(zwang) and pkg-config for whoever installs the library.
include(CMakePackageConfigHelpers)

install(TARGETS zwang EXPORT zwangTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET zwang_kdl)
  install(TARGETS zwang_kdl EXPORT zwangTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/compat/kdl/include/kdl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/zwang/compat)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/zwang DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/zwang)
install(EXPORT zwangTargets NAMESPACE zwang:: DESTINATION ${cmake_folder})
export(EXPORT zwangTargets NAMESPACE zwang:: FILE ${PROJECT_BINARY_DIR}/zwangTargets.cmake)  # for ZWANG_LIBRARY_BUILD

# A static library leaves its private libraries to whoever links it.
if(BUILD_SHARED_LIBS)
  set(ZWANG_STATIC OFF)
  set(ZWANG_PC_REQUIRES "eigen3")
  set(ZWANG_PC_REQUIRES_PRIVATE "pugixml fmt")
else()
  set(ZWANG_STATIC ON)
  set(ZWANG_PC_REQUIRES "eigen3 pugixml fmt")
  set(ZWANG_PC_REQUIRES_PRIVATE "")
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/zwangConfig.cmake.in ${PROJECT_BINARY_DIR}/zwangConfig.cmake
  INSTALL_DESTINATION ${cmake_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zwangConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zwangConfig.cmake ${PROJECT_BINARY_DIR}/zwangConfigVersion.cmake
  DESTINATION ${cmake_folder})

# The prefix is found from the place of the .pc file, so that an installed tree may be moved.
file(RELATIVE_PATH ZWANG_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/zwang.pc.in ${PROJECT_BINARY_DIR}/zwang.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/zwang.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/CONVENTIONS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
