#pragma once
// OwnFiles: what this program keeps on disk of the node, and what of it can be written again when
// somebody removes it.

#include <chrono>
#include <optional>
#include <string>

#include "daemon/reconcile/active_config.hpp"
#include "daemon/reconcile/machine.hpp"
#include "daemon/reconcile/pass.hpp"
#include "host/host.hpp"
#include "kinds/common/kind.hpp"

namespace spark::daemon {

class OwnFiles {
 public:
  /// After `rest`, somebody who removes files by hand has finished.
  explicit OwnFiles(std::chrono::milliseconds rest) : rest_(rest) {}

  /// Writes again what somebody removed, once they have finished, as far as it is known, and
  /// reports what is lost. `was_paused`: by hand, in the last pass.
  void look(host::Host& host, const std::string& node, bool was_paused, const ActiveConfig& file,
            Pass& pass);
  /// The last good file is gone. What is corrected without the ledger would become what was there
  /// before us.
  [[nodiscard]] bool are_removed() const { return removal_.has_value(); }
  /// The pass ends with this snapshot: keeps its ledger, and records which node this machine is.
  void keep(host::Host& host, Snapshot& snapshot, Pass& pass);

 private:
  std::string restore(host::Host& host, const std::string& node, const ActiveConfig& file,
                      bool is_paused);

  struct Removal {
    std::chrono::milliseconds seen;  ///< by the boot clock
    bool was_paused = false;
  };

  std::chrono::milliseconds rest_;
  std::optional<Removal> removal_;
  kinds::Ledger ledger_;  ///< of the node, as it was read last
  std::string recorded_;  ///< the node that this machine is recorded as
};

}  // namespace spark::daemon
