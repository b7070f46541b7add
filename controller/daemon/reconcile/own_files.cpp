#include "daemon/reconcile/own_files.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "protocol/paths.hpp"
#include "state/ledger.hpp"
#include "state/node_record.hpp"

namespace spark::daemon {

void OwnFiles::look(host::Host& host, const std::string& node, bool was_paused,
                    const ActiveConfig& file, Pass& pass) {
  const auto& now = pass.start;
  if (!file.is_removed(host.files)) {
    removal_.reset();
    return;
  }
  if (!removal_) removal_ = Removal{.seen = now.boot, .was_paused = was_paused};
  if (now.boot - removal_->seen < rest_) {
    pass.outcome.again_in = rest_;
    return;
  }
  pass.found.loss = StateLoss{now, restore(host, node, file, pass.found.paused.has_value())};
  pass.happened.restored = true;
  removal_.reset();
}

std::string OwnFiles::restore(host::Host& host, const std::string& node, const ActiveConfig& file,
                              bool is_paused) {
  std::vector<std::string> lost;
  std::vector<std::string> kept;
  const auto note = [&](const Result<>& written, const char* what) {
    (written ? kept : lost).emplace_back(what);
  };
  const bool all_is_gone =
      !node.empty() &&
      host.files.list(state::state_directory(node)).value_or(std::vector<std::string>{}).empty();
  note(file.restore(host.files), "the file in force");
  if (all_is_gone && !ledger_.empty()) {
    const auto lock = host.files.lock(protocol::kLockFile);
    note(lock ? state::write_ledger(host.files, node, ledger_) : std::unexpected(lock.error()),
         "the values from before the first apply, which `release` restores");
  }
  if (all_is_gone) lost.emplace_back("the history, to which `rollback` returns");
  if (removal_->was_paused && !is_paused) lost.emplace_back("the pause");
  const auto list = [](std::string_view verb, const std::vector<std::string>& whats) {
    return whats.empty() ? "" : fmt::format(". {}: {}", verb, fmt::join(whats, "; "));
  };
  return fmt::format("'{}' was removed by somebody else{}{}",
                     all_is_gone ? protocol::kStateDirectory : protocol::kInForceRecord,
                     list("Written again from memory", kept), list("Lost", lost));
}

void OwnFiles::keep(host::Host& host, Snapshot& snapshot, Pass& pass) {
  // One that is gone may be gone with all else, which takes its time: then it is written again.
  if (!snapshot.ledger.empty()) ledger_ = std::move(snapshot.ledger);
  const auto& node = snapshot.node.name;
  if (recorded_ == node) return;
  const auto noted = state::remember_node(host, node);
  recorded_ = noted ? node : "";
  pass.note(noted);
}

}  // namespace spark::daemon
