// The verb `wait`: until the daemon says that this node is ready, or all nodes say it of
// themselves.

#include <algorithm>
#include <array>
#include <chrono>
#include <expected>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "base/moment.hpp"
#include "cli/command.hpp"
#include "cli/input/named_nodes.hpp"
#include "cli/input/typed_line.hpp"
#include "cli/json_output.hpp"
#include "cli/state_here/node_here.hpp"
#include "cli/state_here/status_watch.hpp"
#include "cli/state_here/told_here.hpp"
#include "cli/text/layout.hpp"
#include "cli/text/other_nodes.hpp"
#include "protocol/discover.hpp"

namespace spark::cli {
namespace {

constexpr Value kDigestValue{"DIGEST", {}, "a digest, or its beginning", "3f9a1c02"};

struct WaitArguments {
  bool cluster = false;
  std::string names;                     ///< --nodes
  std::string digest;                    ///< its beginning; empty: of the file in force here
  std::chrono::milliseconds timeout{0};  ///< 0: forever
};

using Clock = std::chrono::steady_clock;

/// How far it is.
struct Reached {
  gate::Verdict verdict = gate::Verdict::kUnknown;
  std::string why;            ///< empty: it is ready
  nlohmann::json nodes = {};  ///< the other nodes that are waited for; null: of this node alone
};

Reached of_this_node(const std::optional<NodeHere>& here) {
  const auto own = own_node_of("", here);
  return {.verdict = own.verdict, .why = own.why};
}

/// Between the upgrade of the package and its restart the daemon is of another version.
Result<std::optional<NodeHere>> reported_here(host::Host& host) {
  auto read = node_here(host);
  if (!read && read.error().code == ErrorCode::kUnsupported) return std::nullopt;
  return read;
}

/// For people at a terminal, who see each change of it.
std::string waits_for(const Reached& reached, bool is_reported) {
  if (!is_reported) return "for a daemon that reports this node's state";
  return std::string(name_of(reached.verdict)) + (reached.why.empty() ? "" : ": " + reached.why);
}

/// What `--cluster` waits for.
struct Awaited {
  std::set<std::string> nodes;
  std::vector<std::string> away;  ///< by the file, and not named: nobody waits for them
  std::string digest;  ///< so much of it as was said; empty: that of the file in force here
  std::optional<state::NewerFile> newer;  ///< as ClusterFile has it
};

/// One node that is waited for, as far as it is not there yet. Empty: it is.
std::string missing_of(const OtherNode& node, std::string_view digest) {
  if (node.verdict != gate::Verdict::kReady) return verdict_clause(node);
  const auto& file = node.latest.file;
  const auto known = std::min(file.size(), digest.size());
  if (known > 0 && file.substr(0, known) == digest.substr(0, known)) return {};
  return file.empty() ? node.name + " tells no file"
                      : fmt::format("{} has another file, digest {}", node.name, file);
}

Reached of_cluster(const Awaited& awaited, const std::optional<NodeHere>& here, host::Host& host) {
  const auto told = told_here(host);
  if (!told) return {.why = "the other nodes have told nothing here yet"};
  const auto digest = awaited.digest.empty() && here ? here->state.file.digest : awaited.digest;
  auto nodes = other_nodes(*told, awaited.nodes, now().boot);
  if (awaited.nodes.contains(told->own.node)) {
    nodes.insert(nodes.begin(), own_node_of(told->own.node, here));
  }
  Reached reached{.verdict = gate::Verdict::kReady, .why = {}, .nodes = nlohmann::json::array()};
  std::vector<std::string> missing;
  for (const auto& node : nodes) {
    auto what = missing_of(node, digest);
    // Who is ready with another file is on its way to this one.
    const auto verdict = what.empty() || node.verdict != gate::Verdict::kReady
                             ? node.verdict
                             : gate::Verdict::kWaiting;
    reached.verdict = std::max(reached.verdict, verdict);
    if (!what.empty()) missing.push_back(std::move(what));
    reached.nodes.push_back(to_json(node));
  }
  reached.why = fmt::format("{}", fmt::join(missing, "; "));
  return reached;
}

/// The nodes of the file that are not away, or those that were named. The error is the exit code;
/// it is reported.
std::expected<Awaited, ExitCode> awaited_by(const Command& command) {
  const auto& arguments = command.arguments;
  const auto file = read_cluster_file(arguments, command.host.files);
  if (!file) return std::unexpected(report_error(command, file.error()));
  if (const auto code = report_findings(command, *file); code != ExitCode::kDone) {
    return std::unexpected(code);
  }
  Awaited awaited{.digest = own_options<WaitArguments>(command).digest, .newer = file->newer};
  const auto& nodes = file->parsed.cluster.nodes;
  for (const auto& name : named_nodes(own_options<WaitArguments>(command).names)) {
    if (const auto none = no_such_node(*file, name)) {
      return std::unexpected(report_error(command, *none));
    }
    awaited.nodes.insert(name);
  }
  if (awaited.nodes.empty()) {
    for (const auto& [name, spec] : nodes) {
      if (spec.away) {
        awaited.away.push_back(name);
      } else {
        awaited.nodes.insert(name);
      }
    }
  }
  if (awaited.nodes.empty()) {
    return std::unexpected(report_error(
        command,
        {ErrorCode::kInvalid,
         "all nodes of the file are away, so there is nobody to wait for: name some with --nodes"},
        ExitCode::kUsage));
  }
  return awaited;
}

/// "; not waited for (away): spark4"; empty: there is none.
std::string left_out_text(const std::optional<Awaited>& awaited) {
  return !awaited || awaited->away.empty()
             ? ""
             : fmt::format("; not waited for (away): {}", fmt::join(awaited->away, ", "));
}

std::string all_ready_text(const std::optional<Awaited>& awaited) {
  return awaited ? fmt::format("{} ready, with one file{}\n",
                               counted(awaited->nodes.size(), "node"), left_out_text(awaited))
                 : "ready\n";
}

ExitCode wait_until_ready(const Command& command) {
  const auto& arguments = command.arguments;
  const auto& own = own_options<WaitArguments>(command);
  const auto& terminal = command.terminal;
  const auto complain = [&terminal](const std::string& what) {
    terminal.complain(in_lines("spark-reconcile: " + what + "\n", terminal.error_width()));
  };
  std::optional<Awaited> awaited;
  if (own.cluster) {
    auto found = awaited_by(command);
    if (!found) return found.error();
    awaited = *std::move(found);
  }
  const auto limit = own.timeout;
  const auto end = limit.count() == 0 ? std::nullopt : std::optional(Clock::now() + limit);
  const StatusWatch watch(arguments.root);
  // One that cannot be read now will not be read later either.
  auto read = reported_here(command.host);
  if (read && *read && (*read)->state.released && !arguments.json) {
    // Else nobody knows why it takes forever.
    complain("this node is " + (*read)->why);
  }
  if (read && !*read && !arguments.quiet) {
    // At boot the daemon is started at the same time, so it is waited for all the same.
    complain(
        "no daemon has reported this node's state: waiting for it. Where none runs, start it: "
        "`sudo systemctl start spark-reconcile`");
  }
  const auto look = [&] {
    return awaited ? of_cluster(*awaited, *read, command.host) : of_this_node(*read);
  };
  auto reached = read ? look() : Reached{};
  std::string shown;
  while (read && reached.verdict != gate::Verdict::kReady && (!end || Clock::now() < *end)) {
    if (auto waited = waits_for(reached, read->has_value());
        waited != shown && terminal.width() && !arguments.json) {
      terminal.print(hanging("waiting: ", waited, *terminal.width()));
      shown = std::move(waited);
    }
    watch.wait(end);
    read = reported_here(command.host);
    if (read) reached = look();
  }
  if (!read) return report_error(command, read.error());
  const bool is_ready = reached.verdict == gate::Verdict::kReady;
  const auto code = is_ready ? ExitCode::kDone : ExitCode::kWaiting;
  if (arguments.json) {
    nlohmann::json body{{"verdict", name_of(reached.verdict)}, {"why", reached.why}};
    if (awaited) {
      body["nodes"] = std::move(reached.nodes);
      body["away"] = awaited->away;
      if (awaited->newer) body["not_in_force"] = not_in_force_json(*awaited->newer);
    }
    print_json(terminal, "wait", config::Cluster{}, "", code, std::move(body));
  } else if (is_ready) {
    terminal.print_always(all_ready_text(awaited));
    print_next(terminal, arguments, "The environment for jobs",
               command_line_for("export", arguments));
  } else {
    complain(fmt::format("not ready within {} s: {}{}{}",
                         std::chrono::duration<double>(limit).count(), name_of(reached.verdict),
                         reached.why.empty() ? "" : ": " + reached.why, left_out_text(awaited)));
    print_next(terminal, arguments, "What prevents it",
               command_line_for(awaited ? "status" : "doctor", arguments));
  }
  return code;
}

constexpr auto kWaitOptions = std::to_array<OptionRow>({
    {"--ready", &Value::kNone, kNowhere, "for the gate to be open (the default)"},
    {"--cluster", &Value::kNone, in<&WaitArguments::cluster>(),
     "for all nodes of the file that are not `away` to say that they are ready, with one file"},
    {"--nodes", &Value::kNames, in<&WaitArguments::names>(),
     "with --cluster: for these nodes alone, also where they are `away`"},
    {"--digest", &kDigestValue, in<&WaitArguments::digest>(),
     "with --cluster: for the file of this digest, or of what it begins with (default: "
     "the file in force on this node)"},
    {"--timeout",
     &Value::kDuration,
     in<&WaitArguments::timeout>(),
     "give up after this long (default: never)",
     {"", "", "s"}},
});

constexpr auto kWaitMeant = std::to_array<Meaning>({
    {"--for",
     "it waits for this node to be ready: `spark-reconcile wait --ready`; how long is said "
     "by --timeout: `spark-reconcile wait --timeout 5m`"},
});

void complete_wait(std::vector<std::string>& words) {
  const TypedLine line(words);
  const auto has = [&](const char* name) { return typed_option(line, name) != nullptr; };
  if ((has("--nodes") || has("--digest")) && !has("--cluster")) words.emplace_back("--cluster");
}

std::string advise_wait(const ExtraWord& extra) {
  const auto& [at, node] = extra.argument;
  return protocol::is_host_name(node)
             ? fmt::format("nodes are named by --nodes: {}",
                           line_with(extra.line, at, {"--cluster", "--nodes", node}))
             : "";
}

std::string contradiction_of_wait(const Arguments& arguments, const TypedLine& line) {
  const auto& own = own_options<WaitArguments>(arguments);
  const auto& digest = own.digest;
  if (!own.cluster) {
    return own.names.empty() && digest.empty()
               ? ""
               : "--nodes and --digest of wait go with --cluster: " + line_to_type(line.words);
  }
  constexpr std::size_t kLeast = 8;
  constexpr std::size_t kWhole = 64;
  const bool is_digest = digest.size() >= kLeast && digest.size() <= kWhole &&
                         digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  return digest.empty() || is_digest
             ? ""
             : "--digest takes 8 to 64 hexadecimal digits, as `status` shows them";
}

}  // namespace

extern const VerbSpec kWaitVerb{.name = "wait",
                                .group = VerbGroup::kService,
                                .about = "wait until the daemon reports this node ready",
                                .names_unfinished = true,
                                .node = VerbSpec::OfNode::kNone,
                                .options = own_rows<WaitArguments>(kWaitOptions),
                                .meant = kWaitMeant,
                                .complete = complete_wait,
                                .advise_last = advise_wait,
                                .check = contradiction_of_wait,
                                .run = wait_until_ready};

}  // namespace spark::cli
