# SPDX-License-Identifier: BSD-3-Clause
# Debian wants pages of the manual compressed. CPack runs this on what it has installed, before it makes packages of it.
find_program(gzip gzip REQUIRED)
file(GLOB_RECURSE pages ${CPACK_TEMPORARY_DIRECTORY}/*.1)
list(FILTER pages INCLUDE REGEX "/man/man1/")
foreach(page IN LISTS pages)
  execute_process(COMMAND ${gzip} -9nf ${page} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
