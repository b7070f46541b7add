# What the programs have in them from packages of this machine. `version --json` says it (components.cpp), and
# debian/static-libraries writes the field Built-Using and the SPDX document of the package (components.txt, one a line:
# NAME|FILE|LICENSE|PACKAGE|ARCHITECTURE|VERSION|SOURCE|SOURCE_VERSION).
#
# A row: its name | a file of it | how it gets into a program: a target, an archive or an option of the linker | its license
set(components
  "Boost.Asio|boost/asio.hpp|spark_asio|BSL-1.0"
  "CLI11|CLI/CLI.hpp|CLI11::CLI11|BSD-3-Clause"
  "fmt|fmt/format.h|spark_fmt|MIT"
  "libgcc|libgcc.a|-static-libgcc|GPL-3.0-or-later WITH GCC-exception-3.1"
  "libmd|libmd.a|${LIBMD_LIBRARY}|BSD-3-Clause AND BSD-2-Clause AND ISC AND Beerware AND LicenseRef-public-domain"
  "libnl|libnl-3.a|${LIBNL_LIBRARY}|LGPL-2.1-only"
  "libsodium|libsodium.a|${SODIUM_LIBRARY}|ISC AND BSD-2-Clause AND MIT AND CC0-1.0 AND LicenseRef-public-domain"
  "libstdc++|libstdc++.a|-static-libstdc++|GPL-3.0-or-later WITH GCC-exception-3.1"
  "nlohmann-json|nlohmann/json.hpp|nlohmann_json::nlohmann_json|MIT"
  "spdlog|spdlog/spdlog.h|spark_spdlog|MIT"
  "yaml-cpp|libyaml-cpp.a|${YAML_CPP_LIBRARY}|MIT")

# All that a program is linked with: targets, files and options, also those of its libraries.
function(spark_linked_with program output)
  set(found)
  set(left ${program})
  while(left)
    list(POP_FRONT left item)
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" item "${item}")
    if(item IN_LIST found)
      continue()
    endif()
    list(APPEND found "${item}")
    if(TARGET "${item}")
      foreach(property IN ITEMS LINK_LIBRARIES INTERFACE_LINK_LIBRARIES LINK_OPTIONS)
        get_target_property(more ${item} ${property})
        if(more)
          list(APPEND left ${more})
        endif()
      endforeach()
    endif()
  endwhile()
  set(${output} "${found}" PARENT_SCOPE)
endfunction()

# The package that has the file, as "PACKAGE|ARCHITECTURE|VERSION|SOURCE|SOURCE_VERSION"; "||||": none has it.
function(spark_package_of file output)
  set(${output} "||||" PARENT_SCOPE)
  # /lib is /usr/lib: a package may list its files below either, and a compiler may find them there.
  string(REGEX REPLACE "^/usr" "" short "${file}")
  execute_process(COMMAND dpkg-query --search "${file}" "${short}" "/usr${short}"
    OUTPUT_VARIABLE said RESULT_VARIABLE ignored ERROR_QUIET)
  if(NOT said MATCHES "^([a-z0-9+.-]+(:[a-z0-9]+)?)[,:] ")
    return()
  endif()
  execute_process(
    COMMAND dpkg-query --show "--showformat=\${Package}|\${Architecture}|\${Version}|\${source:Package}|\${source:Version}"
      ${CMAKE_MATCH_1} OUTPUT_VARIABLE package)
  set(${output} "${package}" PARENT_SCOPE)
endfunction()

get_property(programs GLOBAL PROPERTY SPARK_PROGRAMS)
foreach(program IN LISTS programs)
  spark_linked_with(${program} linked_with_${program})
  foreach(archive IN LISTS linked_with_${program})
    string(FIND "${components}" "|${archive}|" place)
    if(archive MATCHES "\\.a$" AND place EQUAL -1)
      message(FATAL_ERROR "${program} is linked with ${archive}: it belongs into the list of components.cmake")
    endif()
  endforeach()
endforeach()

set(rows)
set(lines)
foreach(component IN LISTS components)
  string(REPLACE "|" ";" component "${component}")
  list(POP_FRONT component name file by license)
  if(by MATCHES "\\.so$")
    continue()  # not linked in: the dynamic loader takes what is installed
  endif()
  set(has_it)
  foreach(program IN LISTS programs)
    if(by IN_LIST linked_with_${program})
      list(APPEND has_it "\"${program}\"")
    endif()
  endforeach()
  if(NOT has_it)
    continue()
  endif()
  if(by MATCHES "^-")
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${file}
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  elseif(by MATCHES "^/")
    set(path ${by})
  else()
    find_file(path ${file} NO_CACHE)
  endif()
  cmake_path(NORMAL_PATH path)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  spark_package_of(${path} package)
  string(APPEND lines "${name}|${file}|${license}|${package}\n")
  string(REPLACE "|" ";" package "${package}")
  list(GET package 0 from)
  list(GET package 2 version)
  list(JOIN has_it ", " has_it)
  string(APPEND rows "      {\"${name}\", \"${version}\", \"${from}\", {${has_it}}},\n")
  unset(path)
endforeach()

file(CONFIGURE OUTPUT generated/components.txt @ONLY CONTENT "${lines}")
file(CONFIGURE OUTPUT generated/components.cpp @ONLY CONTENT [[
#include "cli/version.hpp"

std::vector<spark::cli::Component> spark::cli::components() {
  return {
@rows@  };
}
]])
target_sources(spark_cli PRIVATE ${PROJECT_BINARY_DIR}/generated/components.cpp)
