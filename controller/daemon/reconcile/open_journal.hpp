#pragma once
// OpenJournal: an apply that is not over, as the passes of the Reconciler find it. While it waits
// for its confirmation, all corrections are paused; one that is overdue is rolled back.

#include "daemon/reconcile/pass.hpp"
#include "host/host.hpp"

namespace spark::daemon {

class OpenJournal {
 public:
  void look(host::Host& host, Pass& pass);
  /// At the end of a pass, which may have finished it.
  void look_again(host::Host& host, Pass& pass) const;
  /// An apply waits for its confirmation.
  [[nodiscard]] bool is_pending() const { return is_pending_; }

 private:
  bool is_pending_ = false;
};

}  // namespace spark::daemon
