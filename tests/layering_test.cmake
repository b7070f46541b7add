# Proves that tests/layering.cmake fails on each sort of violation, and only then:
#   cmake -DSCRATCH=<folder to use> -P tests/layering_test.cmake

cmake_minimum_required(VERSION 3.25)

# check(<what the finding says, "" for none> <file> <include> [<file> <include>]...)
function(check expected)
  file(REMOVE_RECURSE ${SCRATCH})
  while(ARGN)
    list(POP_FRONT ARGN file include)
    file(APPEND ${SCRATCH}/controller/${file} "#include ${include}\n")
  endwhile()
  execute_process(
    COMMAND ${CMAKE_COMMAND} -DROOT=${SCRATCH} -P ${CMAKE_CURRENT_LIST_DIR}/layering.cmake
    RESULT_VARIABLE status ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${expected}" found)
  if((expected STREQUAL "" AND NOT status EQUAL 0)
     OR (NOT expected STREQUAL "" AND (status EQUAL 0 OR found EQUAL -1)))
    message(SEND_ERROR "expected '${expected}', got ${status}: ${output}")
  endif()
endfunction()

check("" base/ip.cpp "\"base/ip.hpp\"" spec/parse.cpp "<yaml-cpp/yaml.h>"
  resource/mtu.hpp "\"spec/node.hpp\"" cli/log.cpp "<spdlog/spdlog.h>"
  main.cpp "\"cli/run.hpp\"" main.cpp "\"host/netlink_kernel.hpp\"")

check("base/ip.hpp: base must not depend on spec" base/ip.hpp "\"spec/node.hpp\"")
check("spec/parse.hpp: spec must not depend on host" spec/parse.hpp "\"host/files.hpp\"")
check("host/files.cpp: host must not depend on spec" host/files.cpp "\"spec/node.hpp\"")
check("resource/mtu.cpp: resource must not depend on reconcile"
  resource/mtu.cpp "\"reconcile/plan.hpp\"")
check("reconcile/plan.cpp: reconcile must not depend on cli" reconcile/plan.cpp "\"cli/log.hpp\"")
check("daemon/loop.cpp: daemon must not depend on cli" daemon/loop.cpp "\"cli/log.hpp\"")
check("cli/run.cpp: only main.cpp names the real adapters"
  cli/run.cpp "\"host/netlink_kernel.hpp\"")
check("'extra' has no place" extra/new.cpp "\"base/ip.hpp\"")
check("relative to controller/" spec/parse.cpp "\"parse.hpp\"")

check("spec/parse.cpp: netlink is for host only" spec/parse.cpp "<netlink/netlink.h>")
check("cli/plan.cpp: yaml-cpp is for spec only" cli/plan.cpp "<yaml-cpp/yaml.h>")
check("reconcile/pass.cpp: spdlog is for cli;daemon only" reconcile/pass.cpp "<spdlog/spdlog.h>")
check("cli/args.hpp: CLI belongs in one .cpp" cli/args.hpp "<CLI/CLI.hpp>")
check("CLI belongs in one file of cli" cli/args.cpp "<CLI/CLI.hpp>" cli/plan.cpp "<CLI/CLI.hpp>")
check("sdbus-c++ belongs in one file of libexec"
  libexec/systemd.cpp "<sdbus-c++/sdbus-c++.h>" libexec/units.cpp "<sdbus-c++/sdbus-c++.h>")
check("no sources")

file(REMOVE_RECURSE ${SCRATCH})
