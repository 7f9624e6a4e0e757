# SPDX-License-Identifier: BSD-3-Clause
# find_package(zwang) and pkg-config for whoever installs the library.
include(CMakePackageConfigHelpers)

# Components: lib, the shared libraries; dev, what a compiler needs; cli. `cmake --install` takes all of them.
set(libraries zwang)
get_property(facades GLOBAL PROPERTY ZWANG_FACADES)  # their headers: facade.cmake
foreach(facade IN LISTS facades)
  list(APPEND libraries zwang_${facade})
endforeach()
set(shared dev)  # beside static libraries the one for programs in other languages is shared
if(BUILD_SHARED_LIBS)
  set(shared lib)
endif()
install(TARGETS ${libraries} EXPORT zwangTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${shared} NAMELINK_COMPONENT dev
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${shared})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/zwang DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/zwang)
install(EXPORT zwangTargets NAMESPACE zwang:: DESTINATION ${cmake_folder} COMPONENT dev)
export(EXPORT zwangTargets NAMESPACE zwang:: FILE ${PROJECT_BINARY_DIR}/zwangTargets.cmake)  # for ZWANG_LIBRARY_BUILD

# A static library leaves its private libraries to whoever links it.
if(BUILD_SHARED_LIBS)
  set(ZWANG_STATIC OFF)
  set(ZWANG_PC_REQUIRES "eigen3")
  # No Requires.private: pkg-config wants what it names even for flags of the compiler, and there is no static library to link with it.
else()
  set(ZWANG_STATIC ON)
  set(ZWANG_PC_REQUIRES "eigen3 pugixml")
endif()
set(ZWANG_C_ALONE OFF)  # whether zwang::c needs no other library of a program
if(TARGET zwang_c)
  get_target_property(type zwang_c TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    set(ZWANG_C_ALONE ON)
  endif()
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/zwangConfig.cmake.in ${PROJECT_BINARY_DIR}/zwangConfig.cmake
  INSTALL_DESTINATION ${cmake_folder} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/zwangConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/zwangConfig.cmake ${PROJECT_BINARY_DIR}/zwangConfigVersion.cmake
  DESTINATION ${cmake_folder} COMPONENT dev)

# The prefix is found from the place of the .pc file, so that an installed tree may be moved.
file(RELATIVE_PATH ZWANG_PC_TO_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/zwang.pc.in ${PROJECT_BINARY_DIR}/zwang.pc @ONLY)
if(ZWANG_C_ALONE)  # who links an archive links its libraries, too: find_package knows them
  configure_file(${CMAKE_CURRENT_LIST_DIR}/zwang_c.pc.in ${PROJECT_BINARY_DIR}/zwang_c.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/zwang_c.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
endif()
install(FILES ${PROJECT_BINARY_DIR}/zwang.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

# Licence and third-party notices; package.cmake adds what was built in, in which version.
install(FILES ${PROJECT_SOURCE_DIR}/package.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/zwang COMPONENT dev)  # where tools of ROS look
install(FILES ${PROJECT_SOURCE_DIR}/CONVENTIONS.md DESTINATION ${ZWANG_DOCDIR} COMPONENT dev)
set(component dev)
if(BUILD_SHARED_LIBS)
  set(component lib)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/THIRD_PARTY_NOTICES.md
  DESTINATION ${ZWANG_DOCDIR} COMPONENT ${component})
