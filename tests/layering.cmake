# Fails when an include breaks the one-way dependencies of docs/dev/architecture.md, or a namespace is not
# that of the file's top folder:
#   cmake -DROOT=<source tree> -P tests/layering.cmake
#
# A room is a folder of controller/ with the files that lie in no deeper room.

cmake_minimum_required(VERSION 3.25)

set(rooms "")
# room(<folder> SEES <what its files may include besides their own room>...)
function(room folder)
  cmake_parse_arguments(PARSE_ARGV 1 room "" "" "SEES")
  set(${folder}_sees ${room_SEES} PARENT_SCOPE)
  set(rooms ${rooms} ${folder} PARENT_SCOPE)
endfunction()

room(base)
room(protocol SEES base)

room(config/yaml SEES base)
room(config SEES base config/yaml)
room(config/check SEES base config config/yaml)
room(config/parse SEES base config config/yaml config/check)
room(config/resolve SEES base config)
set(config config config/yaml config/check config/parse config/resolve)

room(host/process SEES base)
room(host SEES base protocol host/process)
room(host/json SEES base protocol host)
room(host/linux/netlink SEES base host)
room(host/linux SEES base protocol host host/json host/process host/linux/netlink)
room(host/linux/rdma SEES base host host/process host/linux/netlink)
set(host protocol host host/json host/process)

# Which rails jobs use, from two looks at them.
room(jobs SEES base config ${host})

# The key by which others know this node.
room(signing SEES base protocol host)

# One file for all nodes: the protocol is a value of its own, and what nodes say of it is signed.
room(all_nodes SEES base protocol host signing)

# No kind sees another but through kinds/common; GIDs need the module of their device.
room(kinds/common SEES base config ${host})
file(GLOB kinds RELATIVE ${ROOT}/controller LIST_DIRECTORIES true ${ROOT}/controller/kinds/*)
list(FILTER kinds EXCLUDE REGEX "/common$|[.]hpp$")
foreach(kind IN LISTS kinds)
  room(${kind} SEES base config config/yaml ${host} kinds/common)
endforeach()
list(APPEND kinds/network_sees kinds/module)
list(APPEND kinds kinds/common)
room(kinds SEES ${kinds})
list(APPEND kinds kinds)

room(plan SEES base ${config} ${host} ${kinds})
room(state SEES base ${config} ${host} ${kinds} plan)
room(apply SEES base ${config} ${host} ${kinds} plan state)
set(all base ${config} ${host} ${kinds} plan state apply)
room(gate/common SEES ${all})
room(gate/checks SEES ${all} gate/common)
room(gate SEES ${all} gate/common gate/checks)
set(gate gate/common gate/checks gate)

# Which problem explains which: values alone.
room(diagnosis SEES base protocol ${gate})

# The whole cluster as one node knows it: values alone, for the screens of cli/ and for the page. Of the gate it has
# the ids.
room(cluster SEES base protocol ${config} gate/common gate/checks diagnosis)

# Pictures of a cluster, by its file or as a node knows it: the same for the verb topology and for the page.
room(drawing SEES base protocol ${config} cluster)

# How the node is, as the daemon writes it and the page and the verbs read it.
room(node_state SEES ${all} all_nodes jobs ${gate} diagnosis cluster)

room(daemon/common SEES ${all} all_nodes jobs ${gate} diagnosis cluster node_state)
room(daemon/events SEES base host host/process host/linux/netlink)
room(daemon/reconcile SEES ${all} all_nodes signing jobs ${gate} diagnosis cluster node_state daemon/common)
room(daemon/alerts/common SEES base diagnosis node_state daemon/common)
room(daemon/alerts/rules SEES base protocol host all_nodes jobs ${gate} diagnosis node_state daemon/common daemon/alerts/common)
room(daemon/alerts SEES base diagnosis node_state daemon/common daemon/alerts/common daemon/alerts/rules)
room(daemon/alerts/sinks SEES base config host host/process daemon/common daemon/alerts/common
  daemon/alerts)
room(daemon/export SEES ${all} all_nodes jobs ${gate} diagnosis node_state daemon/common)
room(daemon SEES ${all} all_nodes jobs ${gate} diagnosis node_state daemon/common daemon/events daemon/reconcile
  daemon/alerts/common daemon/alerts daemon/alerts/sinks daemon/export)

# What is said of that state.
set(node_state all_nodes jobs node_state daemon/common daemon/export)

room(cli/input SEES ${all})
# What the daemon and spark-peers wrote, as verbs read it.
room(cli/state_here SEES ${all} ${gate} diagnosis cluster ${node_state})
room(cli SEES ${all} cli/input cli/state_here)
room(cli/plan SEES ${all} cli/input cli)
room(cli/text SEES ${all} all_nodes jobs ${gate} diagnosis cluster node_state cli/input cli/state_here cli cli/plan)
room(cli/bench SEES ${all} cli/input cli cli/text)
# The help of the metrics is where they are written; words are looked up by explain and offered by completion.
room(cli/explain SEES ${all} ${gate} ${node_state} cli/input cli/state_here cli cli/plan cli/text)
room(cli/completion SEES ${all} cli/input cli/explain)
room(cli/init SEES ${all} ${gate} cli/input cli)
room(cli/cluster SEES ${all} ${gate} diagnosis cluster ${node_state} cli/input cli/state_here cli cli/plan cli/bench cli/text)
room(cli/doctor SEES ${all} ${gate} diagnosis cluster ${node_state} cli/input cli/state_here cli cli/plan cli/bench cli/cluster cli/init cli/text)
room(cli/discover SEES ${all} all_nodes signing cli/input cli cli/init cli/text)
room(cli/source SEES ${all} cli/input cli)
room(cli/share SEES base config config/yaml)
room(cli/topology SEES base ${config} drawing cli/input cli)
room(cli/verbs SEES ${all} all_nodes signing ${gate} diagnosis cluster drawing ${node_state} daemon/alerts cli/input cli/state_here cli cli/plan cli/bench cli/cluster cli/discover cli/doctor cli/explain cli/init cli/share cli/source cli/text
  cli/topology)

room(helpers/bus SEES base protocol)
# They read agent.yaml, and start other programs.
room(helpers/git SEES base protocol config config/yaml host/process)
room(helpers/peers SEES base protocol signing host host/process host/linux host/linux/rdma)
room(helpers/storage SEES base protocol)
room(helpers/verbs SEES base protocol)
# It shows what the daemon knows, and sees nothing of what the daemon does.
room(helpers/web SEES base protocol host host/process gate/common diagnosis cluster drawing ${node_state})

room(main SEES ${rooms})

# A library stays behind the folders that wrap it. The slow ones (seconds of compile time each, and
# the first that would spread) keep to one file.
set(libraries yaml-cpp netlink sdbus-c++ infiniband sodium spdlog CLI boost)
set(yaml-cpp_in config)
set(netlink_in host/linux/netlink host/linux/rdma)
set(sdbus-c++_in helpers/bus daemon)
set(infiniband_in host helpers/verbs)
set(sodium_in helpers/peers helpers/web signing)
set(spdlog_in cli daemon)
set(CLI_in cli/input)
set(boost_in daemon helpers/web)
set(once sdbus-c++ spdlog CLI)

# Which file is in force is one record: what writes it, or what 0.2.0 had in its place, is one file, and
# so is the function by which it changes.
set(record "in_force\\.json|last-good|bad-files\\.json|trial\\.json|kInForceRecord|kLastGoodFile")
set(record_in state/in_force_file.cpp)
# They name it: to watch it, to show where it is, and in a message.
set(record_named_by protocol/paths.hpp daemon/sources.cpp daemon/reconcile/own_files.cpp
  cli/doctor/file_check.cpp)

# What all nodes decide is decided in one place, which writes it before anything follows.
set(all_nodes_in daemon/reconcile/all_nodes.cpp)

# What a helper wrote that runs as a user of its own: no link of it is followed, and no word of a parser shown.
set(of_helpers "(\\.|->)read\\([^;]*(kWebReportFile|kPeersReportFile|kJudgementFile|kCheckJudgement|kFollowedFile|kCheckFile|kOfferName)")
set(of_helpers "${of_helpers}|document_from_text<protocol::(WebReport|Judgement|Offer)>")

# A command that changes a link, or what sets one up, passes the guard of kinds::Remedy before it is text.
set(guarded "`(sudo )?(ip (link|address|route|rule) (set|add|del|replace)|nmcli (con|dev)[a-z]* [a-z]|sysctl -w net|systemctl (disable|mask))")
# One file makes them; the list for a real Spark asks for an experiment.
set(guarded_in kinds/common/remedy.cpp gate/checklist.cpp)

set(findings "")
function(report text)
  set(findings "${findings}  ${text}\n" PARENT_SCOPE)
endfunction()

# The room of a path below controller/; empty: it lies in none.
function(find_room path result)
  cmake_path(GET path PARENT_PATH folder)
  if(folder STREQUAL "")
    set(folder main)
  endif()
  if(NOT folder IN_LIST rooms)
    set(folder "")
  endif()
  set(${result} "${folder}" PARENT_SCOPE)
endfunction()

# Whether a room is that folder or lies in it.
function(lies_in room folder result)
  string(FIND "${room}/" "${folder}/" at)
  if(at EQUAL 0)
    set(${result} TRUE PARENT_SCOPE)
  else()
    set(${result} FALSE PARENT_SCOPE)
  endif()
endfunction()

file(GLOB_RECURSE sources RELATIVE ${ROOT}/controller
  ${ROOT}/controller/*.hpp ${ROOT}/controller/*.cpp)
if(NOT sources)
  message(FATAL_ERROR "no sources in '${ROOT}/controller'")
endif()

foreach(source IN LISTS sources)
  find_room(${source} room)
  if(NOT room)
    report("${source}: its folder has no place in the order of rooms")
    continue()
  endif()

  string(REGEX REPLACE "/.*" "" top ${source})
  set(namespace "spark::${top}")
  if(top STREQUAL "base")
    set(namespace "spark")
  endif()
  file(STRINGS ${ROOT}/controller/${source} opened REGEX "^namespace spark")
  foreach(line IN LISTS opened)
    if(NOT line STREQUAL "namespace ${namespace} {")
      report("${source}: its namespace is ${namespace}: ${line}")
    endif()
  endforeach()

  if(NOT source STREQUAL record_in)
    set(sort "(read|write|write_durably|write_again|remove|remove_durably|rename)\\([^;]*(${record})")
    if(NOT source IN_LIST record_named_by)
      set(sort "${record}")
    endif()
    file(STRINGS ${ROOT}/controller/${source} touched REGEX "${sort}")
    list(FILTER touched EXCLUDE REGEX "^ *//")
    foreach(line IN LISTS touched)
      report("${source}: what is in force is read and written by ${record_in} alone: ${line}")
    endforeach()
    file(STRINGS ${ROOT}/controller/${source} decided REGEX "state::step\\(")
    foreach(line IN LISTS decided)
      report("${source}: it tells an event (state::tell_in_force), and decides nothing: ${line}")
    endforeach()
  endif()

  if(NOT source STREQUAL all_nodes_in)
    file(STRINGS ${ROOT}/controller/${source} decided REGEX "all_nodes::step\\(")
    foreach(line IN LISTS decided)
      report("${source}: what all nodes decide happens in ${all_nodes_in} alone: ${line}")
    endforeach()
  endif()

  file(STRINGS ${ROOT}/controller/${source} reads REGEX "${of_helpers}")
  foreach(line IN LISTS reads)
    report("${source}: what helpers write is read by Files::read_helpers and host::helper_document: ${line}")
  endforeach()

  if(NOT source IN_LIST guarded_in)
    file(STRINGS ${ROOT}/controller/${source} commands REGEX "${guarded}")
    list(FILTER commands EXCLUDE REGEX "^ *//")
    foreach(line IN LISTS commands)
      report("${source}: such a command is a kinds::Remedy: ${line}")
    endforeach()
  endif()

  file(STRINGS ${ROOT}/controller/${source} includes REGEX "^[ \t]*#[ \t]*include")
  foreach(include IN LISTS includes)
    if(include MATCHES "\"([^\"]+/[^\"/]+)\"")
      find_room(${CMAKE_MATCH_1} included)
      if(NOT included)
        report("${source}: no such room: ${include}")
      elseif(NOT included IN_LIST ${room}_sees AND NOT included STREQUAL room)
        report("${source}: ${room} must not depend on ${included}")
      endif()
      if(include MATCHES "(linux_[a-z]+|helper_(bus|probe))\\.hpp" AND NOT room MATCHES "^(host/linux|main)"
          AND NOT source STREQUAL helpers/peers/peers.cpp)  # a program of its own
        report("${source}: only main.cpp names the real adapters: ${include}")
      endif()
    elseif(include MATCHES "\"")
      report("${source}: includes are relative to controller/: ${include}")
    endif()
    foreach(library IN LISTS libraries)
      string(FIND "${include}" "<${library}/" found)
      if(found EQUAL -1)
        string(FIND "${include}" "<${library}.h>" found)
      endif()
      if(NOT found EQUAL -1)
        set(user "")
        foreach(folder IN LISTS ${library}_in)
          lies_in(${room} ${folder} inside)
          if(inside)
            set(user ${folder})
          endif()
        endforeach()
        if(NOT user)
          report("${source}: ${library} is for ${${library}_in} only")
        elseif(source MATCHES "\\.hpp$" AND library IN_LIST once)
          report("${source}: ${library} belongs in one .cpp, not in a header")
        endif()
        list(APPEND ${library}_users ${user}:${source})
      endif()
    endforeach()
  endforeach()
endforeach()

foreach(library IN LISTS once)
  foreach(folder IN LISTS ${library}_in)
    set(users ${${library}_users})
    list(FILTER users INCLUDE REGEX "^${folder}:")
    list(REMOVE_DUPLICATES users)
    list(LENGTH users count)
    if(count GREATER 1)
      report("${library} belongs in one file of ${folder}, not in ${count}: ${users}")
    endif()
  endforeach()
endforeach()

if(findings)
  message(FATAL_ERROR "against the order of rooms:\n${findings}")
endif()
