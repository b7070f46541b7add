// The verb `doctor`: is something in the way of keeping this node, and which command mends it?

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/paths.hpp"
#include "cli/command.hpp"
#include "cli/daemon_word.hpp"
#include "cli/json_output.hpp"
#include "reconcile/history.hpp"
#include "reconcile/ledger.hpp"
#include "reconcile/open_journal.hpp"
#include "reconcile/own_directories.hpp"
#include "reconcile/pause.hpp"

namespace spark {
namespace {

struct Finding {
  std::string name;  ///< "journal"
  bool good = true;
  std::string what;
  std::string remedy;  ///< a command, or what to do; empty where it is good
};

Finding look_at_lock(Files& files) {
  const auto lock = files.lock(kLockFile);
  return lock ? Finding{"lock", true, "nobody changes this machine now", ""}
              : Finding{"lock", false, lock.error().what,
                        "wait until that is over, or end that process: what it has done is then "
                        "taken back by `spark-reconcile rollback`"};
}

Finding look_at_journal(Host& host) {
  const auto open = find_open_journal(host.files);
  if (!open) {
    return {"journal", false, open.error().what, "move the file away, and look at `plan`"};
  }
  if (!*open) {
    return {"journal", true, "no apply is open", ""};
  }
  const auto what = describe(**open);
  switch (standing_of(**open, now(), boot_id(host))) {
    case Standing::kPending:
      return {"journal", false, what + " waits for its confirmation",
              "`spark-reconcile confirm` keeps it, `spark-reconcile rollback` takes it back"};
    case Standing::kOverdue:
      return {"journal", false, what + " was not confirmed in time, and is not taken back yet",
              "`spark-reconcile rollback`"};
    case Standing::kCutOff:
      break;
  }
  return {"journal", false, what + " was cut off",
          "`spark-reconcile apply` finishes it, `spark-reconcile rollback` takes it back"};
}

/// All that is remembered can be read.
Finding look_at_memory(Host& host) {
  if (auto safe = check_own_directories(host.files); !safe) {
    return {"memory", false, safe.error().what, "look at `history` and at the files there first"};
  }
  const auto nodes = host.files.list(kStateDirectory);
  if (!nodes) {
    return {"memory", false, nodes.error().what, "make that a directory of root's, mode 0700"};
  }
  for (const auto& node : *nodes) {
    View view(host);
    // With a journal it is that one's, which is looked at by itself.
    const auto ledger = read_ledger(view, node);
    const auto history = read_history(host.files, node);
    if (!ledger || !history) {
      return {"memory", false, ledger ? history.error().what : ledger.error().what,
              "move the file away, then `spark-reconcile apply`"};
    }
  }
  return {"memory", true, "ledger and history can be read", ""};
}

Finding look_at_file(const std::string& name, const std::string& path, Files& files) {
  const auto text = files.read(path);
  if (!text) {
    return {name, false, text.error().what, "put a regular file there"};
  }
  if (!*text) {
    return {name, name != "file", fmt::format("there is no '{}'", path),
            name == "file" ? "write one: docs/guide.md, examples/" : ""};
  }
  const auto parsed = parse(**text);
  return has_errors(parsed.diagnostics)
             ? Finding{name, false, fmt::format("'{}' has errors", path),
                       fmt::format("`spark-reconcile validate -f {}` names them", path)}
             : Finding{name, true, fmt::format("'{}' is valid", path), ""};
}

Finding look_at_daemon(Host& host) {
  const auto alone = host.files.lock(kDaemonLockFile);
  if (alone) {
    return {"daemon", false, "it does not run: nothing is corrected, and nobody is told",
            "`systemctl enable --now spark-reconcile`"};
  }
  if (const auto paused = read_pause(host, now())) {
    return {"daemon", false, fmt::format("it runs, and is paused: {}", paused->reason),
            "`spark-reconcile resume`"};
  }
  const auto word = read_daemon_word(host.files);
  if (!word || !*word) {
    return {"daemon", false, "it runs, and has said nothing yet", "`spark-reconcile status`"};
  }
  return {"daemon", true, "it runs", ""};
}

std::string line_of(const Finding& finding, const Terminal& terminal) {
  constexpr std::size_t kNameColumns = 9;
  const auto sign =
      finding.good ? terminal.paint(Tone::kGood, "✓") : terminal.paint(Tone::kBad, "!");
  return fmt::format("  {} {}  {}\n{}", sign, padded(finding.name, kNameColumns), finding.what,
                     finding.good ? "" : fmt::format("      → {}\n", finding.remedy));
}

}  // namespace

ExitCode doctor(const Command& command) {
  auto& host = command.host;
  const std::vector<Finding> findings{look_at_lock(host.files),
                                      look_at_journal(host),
                                      look_at_memory(host),
                                      look_at_file("file", kDefaultFile, host.files),
                                      look_at_file("last good", kLastGoodFile, host.files),
                                      look_at_daemon(host)};
  const bool good = std::ranges::all_of(findings, &Finding::good);
  const auto code = good ? ExitCode::kDone : ExitCode::kError;
  if (command.arguments.json) {
    auto list = nlohmann::json::array();
    for (const auto& [name, fine, what, remedy] : findings) {
      list.push_back({{"name", name}, {"good", fine}, {"what", what}, {"remedy", remedy}});
    }
    print_json(command.terminal, "doctor", Cluster{}, "", code, {{"findings", std::move(list)}});
    return code;
  }
  std::string text;
  for (const auto& finding : findings) {
    text += line_of(finding, command.terminal);
  }
  command.terminal.print_always(text);
  return code;
}

}  // namespace spark
