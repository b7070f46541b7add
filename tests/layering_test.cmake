# Proves that tests/layering.cmake fails on each sort of violation, and only then:
#   cmake -DSCRATCH=<folder to use> -P tests/layering_test.cmake

cmake_minimum_required(VERSION 3.25)

# check(<what the finding says, "" for none> <file> <line> [<file> <line>]...). A line that is no
# namespace and assigns nothing is what the file includes.
function(check expected)
  file(REMOVE_RECURSE ${SCRATCH})
  file(MAKE_DIRECTORY ${SCRATCH}/controller/kinds/module ${SCRATCH}/controller/kinds/network ${SCRATCH}/controller/kinds/storage)
  while(ARGN)
    list(POP_FRONT ARGN file line)
    if(NOT line MATCHES "^namespace| = ")
      set(line "#include ${line}")
    endif()
    file(APPEND ${SCRATCH}/controller/${file} "${line}\n")
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

check("" base/ip.cpp "\"base/ip.hpp\"" config/yaml/document.cpp "<yaml-cpp/yaml.h>"
  kinds/network/mtu.hpp "\"config/node.hpp\"" kinds/network/roce.cpp "\"kinds/module/module.hpp\""
  cli/log.cpp "<spdlog/spdlog.h>" main.cpp "\"cli/verbs/run.hpp\""
  main.cpp "\"host/linux/netlink/linux_netlink.hpp\"")

# Between folders of the top.
check("base/ip.hpp: base must not depend on config" base/ip.hpp "\"config/node.hpp\"")
check("protocol/echo.hpp: protocol must not depend on host" protocol/echo.hpp "\"host/files.hpp\"")
check("config/node.hpp: config must not depend on host" config/node.hpp "\"host/files.hpp\"")
check("host/files.cpp: host must not depend on config" host/files.cpp "\"config/node.hpp\"")
check("kinds/network/mtu.cpp: kinds/network must not depend on plan"
  kinds/network/mtu.cpp "\"plan/plan.hpp\"")
check("plan/plan.cpp: plan must not depend on apply" plan/plan.cpp "\"apply/transaction.hpp\"")
check("plan/plan.cpp: plan must not depend on state" plan/plan.cpp "\"state/ledger.hpp\"")
check("state/ledger.cpp: state must not depend on apply" state/ledger.cpp "\"apply/rollback.hpp\"")
check("apply/rollback.cpp: apply must not depend on cli" apply/rollback.cpp "\"cli/log.hpp\"")
check("gate/checks/new.cpp: gate/checks must not depend on gate"
  gate/checks/new.cpp "\"gate/gate.hpp\"")
check("gate/gate.cpp: gate must not depend on daemon" gate/gate.cpp "\"daemon/worker.hpp\"")
check("daemon/loop.cpp: daemon must not depend on cli" daemon/loop.cpp "\"cli/log.hpp\"")
check("cli/log.cpp: cli must not depend on daemon" cli/log.cpp "\"daemon/worker.hpp\"")
check("helpers/bus/bus_call.cpp: helpers/bus must not depend on host"
  helpers/bus/bus_call.cpp "\"host/files.hpp\"")

# Between rooms of one folder.
check("config/yaml/read.hpp: config/yaml must not depend on config"
  config/yaml/read.hpp "\"config/node.hpp\"")
check("config/check/check.cpp: config/check must not depend on config/parse"
  config/check/check.cpp "\"config/parse/parse.hpp\"")
check("host/process/child.cpp: host/process must not depend on host"
  host/process/child.cpp "\"host/files.hpp\"")
check("kinds/network/link.cpp: kinds/network must not depend on kinds/storage"
  kinds/network/link.cpp "\"kinds/storage/mount.hpp\"")
check("helpers/web/page.cpp: helpers/web must not depend on daemon/reconcile"
  helpers/web/page.cpp "\"daemon/reconcile/reconciler.hpp\"")
check("daemon/notifier.cpp: daemon must not depend on helpers/web"
  daemon/notifier.cpp "\"helpers/web/http_server.hpp\"")
check("daemon/alerts/rules/new.cpp: daemon/alerts/rules must not depend on daemon/alerts"
  daemon/alerts/rules/new.cpp "\"daemon/alerts/alert_rules.hpp\"")
check("daemon/alerts/alert_store.cpp: daemon/alerts must not depend on daemon/alerts/sinks"
  daemon/alerts/alert_store.cpp "\"daemon/alerts/sinks/alert_formats.hpp\"")
check("daemon/events/event_sources.cpp: daemon/events must not depend on daemon/common"
  daemon/events/event_sources.cpp "\"daemon/common/triggers.hpp\"")
check("cli/log.cpp: cli must not depend on cli/verbs" cli/log.cpp "\"cli/verbs/apply.hpp\"")
check("helpers/bus/bus_call.cpp: helpers/bus must not depend on helpers/verbs"
  helpers/bus/bus_call.cpp "\"helpers/verbs/verbs.hpp\"")

# Namespaces.
check("" base/ip.hpp "namespace spark {" kinds/network/mtu.hpp "namespace spark::kinds {"
  main.cpp "namespace {")
check("base/ip.hpp: its namespace is spark:" base/ip.hpp "namespace spark::base {")
check("kinds/network/mtu.hpp: its namespace is spark::kinds: namespace spark {"
  kinds/network/mtu.hpp "namespace spark {")
check("plan/step.cpp: its namespace is spark::plan" plan/step.cpp "namespace spark::kinds {")

check("host/view.cpp: host must not depend on host/linux/netlink"
  host/view.cpp "\"host/linux/netlink/linux_netlink.hpp\"")
check("cli/run.cpp: only main.cpp names the real adapters"
  cli/run.cpp "\"host/linux/netlink/linux_netlink.hpp\"")
check("extra/new.cpp: its folder has no place" extra/new.cpp "\"base/ip.hpp\"")
check("base/deep/new.cpp: its folder has no place" base/deep/new.cpp "\"base/ip.hpp\"")
check("no such room" base/new.cpp "\"nowhere/ip.hpp\"")
check("relative to controller/" config/parse/parse.cpp "\"parse.hpp\"")

check("config/node.cpp: netlink is for host/linux/netlink;host/linux/rdma only"
  config/node.cpp "<netlink/netlink.h>")
check("gate/gate.cpp: sodium is for helpers/peers;helpers/web;signing only" gate/gate.cpp "<sodium.h>")
check("cli/plan.cpp: yaml-cpp is for config only" cli/plan.cpp "<yaml-cpp/yaml.h>")
check("plan/pass.cpp: spdlog is for cli;daemon only" plan/pass.cpp "<spdlog/spdlog.h>")
check("cli/input/args.hpp: CLI belongs in one .cpp" cli/input/args.hpp "<CLI/CLI.hpp>")
check("CLI belongs in one file of cli/input"
  cli/input/args.cpp "<CLI/CLI.hpp>" cli/input/plan.cpp "<CLI/CLI.hpp>")
check("sdbus-c++ belongs in one file of helpers/bus"
  helpers/bus/systemd.cpp "<sdbus-c++/sdbus-c++.h>" helpers/bus/units.cpp "<sdbus-c++/sdbus-c++.h>")

# The record of what is in force.
check("" state/in_force_file.cpp "const auto text = files.read(protocol::kInForceRecord)"
  daemon/sources.cpp "paths = {protocol::kInForceRecord}")
check("what is in force is read and written by state/in_force_file.cpp alone"
  cli/verbs/apply.cpp "const auto text = files.read(protocol::kInForceRecord)")
check("what is in force is read and written by state/in_force_file.cpp alone"
  daemon/sources.cpp "const auto text = files.read(protocol::kInForceRecord)")
check("what is in force is read and written by state/in_force_file.cpp alone"
  apply/new.cpp "constexpr auto kTrial = \"/var/lib/spark-reconcile/trial.json\"")
check("it tells an event" daemon/daemon.cpp "const auto next = state::step(record, event)")

# What all nodes decide.
check("" daemon/reconcile/all_nodes.cpp "kept_.state = all_nodes::step(kept_.state, event, may_decide)")
check("what all nodes decide happens in daemon/reconcile/all_nodes.cpp alone"
  daemon/reconcile/stages.cpp "const auto next = all_nodes::step(state, event, true)")

# Documents of helpers.
check("" state/source.cpp "const auto text = files.read_helpers(protocol::kFollowedFile, user, most)"
  daemon/sources.cpp "paths = {protocol::kJudgementFile}")
check("what helpers write is read by Files::read_helpers"
  cli/new.cpp "const auto text = files.read(protocol::kWebReportFile)")
check("what helpers write is read by Files::read_helpers"
  cli/new.cpp "const auto offer = document_from_text<protocol::Offer>(protocol::kOfferSchema, text)")

check("no sources")

file(REMOVE_RECURSE ${SCRATCH})

# Commands that people are told to type.
check("" kinds/common/remedy.cpp "const auto text = \"`sudo systemctl disable {}`\""
  cli/new.cpp "const auto text = \"`ip address show` and `systemctl restart docker`\"")
check("such a command is a kinds::Remedy" cli/new.cpp "const auto text = \"`sudo ip link set {} down`\"")
check("such a command is a kinds::Remedy" cli/new.cpp "const auto text = \"`systemctl disable {}`\"")
