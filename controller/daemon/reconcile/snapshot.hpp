#pragma once
// Snapshot: one look at this machine with one file in mind. Snapshots takes them.

#include <optional>
#include <string>
#include <utility>

#include "base/result.hpp"
#include "config/node.hpp"
#include "daemon/reconcile/active_config.hpp"
#include "host/host.hpp"
#include "host/view.hpp"
#include "kinds/common/kind.hpp"
#include "plan/plan.hpp"

namespace spark::daemon {

struct Snapshot {
  host::View view;
  config::Node node;
  kinds::Ledger ledger;
  plan::Plan plan;
  const GoodFile* file = nullptr;
};

class Snapshots {
 public:
  /// `node`: as in select(). `host` must outlive it.
  Snapshots(host::Host& host, std::string node) : host_(host), node_(std::move(node)) {}

  /// Reads everything. Errors: what keeps the machine, or the node's state on disk, from being
  /// read.
  Result<Snapshot> of_all(const GoodFile& file);
  /// Reads netlink's tables alone, with a node that was selected before. Errors: as of_all; kBusy
  /// where an apply is not over, or waits for its confirmation.
  Result<Snapshot> of_network(const GoodFile& file, config::Node node);
  /// The same look again.
  Result<Snapshot> again(const Snapshot& snapshot);

 private:
  Result<Snapshot> complete(Snapshot snapshot, plan::Kinds kinds);
  Result<kinds::Ledger> ledger_without_journal(Snapshot& snapshot);

  host::Host& host_;
  std::string node_;
  /// The ledger's text, and what it says.
  std::optional<std::pair<std::optional<std::string>, kinds::Ledger>> parsed_;
};

/// Whether the state on disk is still as in the snapshot: since then nobody has applied anything,
/// and no apply waits for its confirmation.
bool is_current(host::Files& files, Snapshot& snapshot);

}  // namespace spark::daemon
