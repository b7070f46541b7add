// The verb `doctor`: checks what prevents this node from being managed, and prints the fix.

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "apply/recovery.hpp"
#include "base/text.hpp"
#include "cli/command.hpp"
#include "cli/daemon_status.hpp"
#include "cli/json_output.hpp"
#include "cli/verbs/doctor_node.hpp"
#include "host/file_lock.hpp"
#include "host/process/helper_program.hpp"
#include "protocol/paths.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/own_directories.hpp"
#include "state/pause.hpp"

namespace spark::cli {
namespace {

/// Of what only root can see nothing is claimed: each remedy would be for a fault that is not
/// there.
Finding not_root() {
  return {"rights", false,
          "not run as root: whether an apply is running or was interrupted, what is recorded of "
          "earlier ones, and whether the daemon runs cannot be seen",
          "run it as root: `sudo spark-reconcile doctor`"};
}

/// Looked at and not taken: an apply beside a doctor would end "busy".
Finding observe_lock(const Result<std::optional<std::string>>& holder) {
  if (!holder) {
    return {"lock", false, holder.error().what,
            "fix what is named: without its lock nothing is applied"};
  }
  if (!*holder) {
    return {"lock", true, "nobody changes this machine now", ""};
  }
  return {"lock", false, fmt::format("lock '{}': {}", protocol::kLockFile, **holder),
          "wait until it ends, or end that process: what it has done is then rolled back by "
          "`spark-reconcile rollback`"};
}

template <class T>
bool is_forbidden(const Result<T>& looked) {
  return !looked && looked.error().code == ErrorCode::kPermission;
}

/// With a root of their own others may see all of that too.
bool sees_all(const Command& command) {
  return (geteuid() == 0 || command.arguments.root != "/") &&
         !is_forbidden(command.host.files.list(protocol::kStateDirectory));
}

void add_helpers(std::vector<Finding>& findings) {
  const auto before = findings.size();
  for (const auto helper :
       {host::Helper::kBusCall, host::Helper::kVerbsProbe, host::Helper::kStorage}) {
    if (const auto starts = host::check_helper(helper); !starts) {
      findings.push_back({"helper", false, starts.error().what,
                          "until then apply refuses what needs it: SR-HELPER-001 in "
                          "docs/errors.md"});
    }
  }
  if (findings.size() == before) {
    findings.push_back({"helpers", true, "all three start", ""});
  }
}

Finding observe_journal(host::Host& host) {
  const auto open = apply::find_open_journal(host.files);
  if (!open) {
    return {"journal", false, open.error().what, "move the file away, and look at `plan`"};
  }
  if (!*open) {
    return {"journal", true, "no apply is open", ""};
  }
  const auto what = apply::describe(**open);
  switch (apply::journal_state_of(host.files, **open, now(), state::boot_id(host))) {
    case apply::JournalState::kPending:
      return {"journal", false, what + " waits for its confirmation",
              "`spark-reconcile confirm` keeps it, `spark-reconcile rollback` rolls it back"};
    case apply::JournalState::kOverdue:
      return {"journal", false, what + " was not confirmed in time, and is not rolled back yet",
              "`spark-reconcile rollback`"};
    case apply::JournalState::kRolledBack:
      return {"journal", false, what + " was rolled back, and its journal is still there",
              "`spark-reconcile rollback` removes it"};
    case apply::JournalState::kInterrupted:
      break;
  }
  return {"journal", false, what + " was interrupted",
          "`spark-reconcile apply` finishes it, `spark-reconcile rollback` rolls it back"};
}

/// All that is remembered can be read.
Finding observe_memory(host::Host& host) {
  if (auto safe = state::check_own_directories(host.files); !safe) {
    return {"memory", false, safe.error().what, "look at `history` and at the files there first"};
  }
  const auto nodes = host.files.list(protocol::kStateDirectory);
  if (!nodes) {
    return {"memory", false, nodes.error().what, "make that a directory of root's, mode 0700"};
  }
  for (const auto& node : *nodes) {
    host::View view(host);
    // With a journal it is that one's, which is looked at by itself.
    const auto ledger = state::known_ledger(view, node);
    const auto history = state::read_history(host.files, node);
    if (!ledger || !history) {
      return {"memory", false, ledger ? history.error().what : ledger.error().what,
              "move the file away, then `spark-reconcile apply`"};
    }
  }
  return {"memory", true, "ledger and history can be read", ""};
}

Finding observe_file(const std::string& name, const std::string& path, host::Files& files) {
  const auto text = files.read(path);
  if (!text) {
    return {name, false, text.error().what, "put a regular file there"};
  }
  if (!*text) {
    return {name, name != "file", fmt::format("there is no '{}'", path),
            name == "file" ? "write one: docs/guide.md, examples/" : ""};
  }
  const auto parsed = config::parse(**text);
  return config::has_errors(parsed.diagnostics)
             ? Finding{name, false, fmt::format("'{}' has errors", path),
                       fmt::format("`spark-reconcile validate -f {}` names them", path)}
             : Finding{name, true, fmt::format("'{}' is valid", path), ""};
}

void add_daemon(const Command& command, std::vector<Finding>& findings) {
  auto& host = command.host;
  const auto holder = host::lock_holder(command.arguments.root, protocol::kDaemonLockFile);
  if (!holder) {
    findings.push_back({"daemon", false,
                        fmt::format("whether it runs cannot be seen: {}", holder.error().what),
                        "`systemctl status spark-reconcile`"});
    return;
  }
  if (!*holder) {
    findings.push_back({"daemon", false,
                        "it does not run: no drift is corrected, and no alert is sent",
                        "`systemctl enable --now spark-reconcile`"});
    return;
  }
  if (const auto paused = state::read_pause(host, now())) {
    findings.push_back({"daemon", false, fmt::format("it runs, and is paused: {}", paused->reason),
                        "`spark-reconcile resume`"});
    return;
  }
  const auto word = read_last_status(host.files);
  if (!word || !*word) {
    findings.push_back(
        {"daemon", false, "it runs, and has reported nothing yet", "`spark-reconcile status`"});
    return;
  }
  if ((*word)->released) {
    findings.push_back({"daemon", false, "it runs, and the node is " + (*word)->why,
                        "`spark-reconcile resume` or `spark-reconcile apply`"});
    return;
  }
  findings.push_back({"daemon", true, "it runs", ""});
  std::ranges::move(findings_of(**word), std::back_inserter(findings));
}

/// The node by its own file; where that is not valid nothing is known of it.
void add_node(const Command& command, std::vector<Finding>& findings) {
  const auto text = command.host.files.read(protocol::kDefaultFile);
  if (!text || !*text) {
    return;
  }
  auto file = parse_cluster_text(protocol::kDefaultFile, **text);
  if (file.valid()) {
    std::ranges::move(observe_node(command, std::move(file)), std::back_inserter(findings));
  }
}

std::vector<Finding> observe_all(const Command& command) {
  auto& host = command.host;
  const auto holder = host::lock_holder(command.arguments.root, protocol::kLockFile);
  if (!sees_all(command) || is_forbidden(holder)) {
    return {not_root()};
  }
  std::vector<Finding> findings{observe_lock(holder), observe_journal(host), observe_memory(host),
                                observe_file("file", protocol::kDefaultFile, host.files),
                                observe_file("last good", protocol::kLastGoodFile, host.files)};
  add_helpers(findings);
  add_node(command, findings);
  add_daemon(command, findings);
  return findings;
}

std::string line_of(const Finding& finding, const Terminal& terminal) {
  constexpr std::size_t kNameColumns = 9;
  const auto sign =
      finding.good ? terminal.paint(Tone::kGood, "✓") : terminal.paint(Tone::kBad, "!");
  return fmt::format("  {} {}  {}\n{}", sign, padded(finding.name, kNameColumns),
                     printable(finding.what),
                     finding.good ? "" : fmt::format("      → {}\n", printable(finding.remedy)));
}

}  // namespace

ExitCode doctor(const Command& command) {
  const auto findings = observe_all(command);
  const bool good = std::ranges::all_of(findings, &Finding::good);
  const auto code = good ? ExitCode::kDone : ExitCode::kError;
  if (command.arguments.json) {
    auto list = nlohmann::json::array();
    for (const auto& [name, fine, what, remedy] : findings) {
      list.push_back({{"name", name}, {"good", fine}, {"what", what}, {"remedy", remedy}});
    }
    print_json(command.terminal, "doctor", config::Cluster{}, "", code,
               {{"findings", std::move(list)}});
    return code;
  }
  std::string text;
  for (const auto& finding : findings) {
    text += line_of(finding, command.terminal);
  }
  command.terminal.print_always(text);
  return code;
}

}  // namespace spark::cli
