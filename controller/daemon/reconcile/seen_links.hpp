#pragma once
// SeenLinks: when a link or its carrier came or went, which tells what made a correction necessary.

#include <chrono>
#include <map>
#include <string>

#include "base/moment.hpp"
#include "config/node.hpp"
#include "daemon/reconcile/drift_tracker.hpp"
#include "host/view.hpp"

namespace spark::daemon {

class SeenLinks {
 public:
  /// Notes which of the node's links came or changed their carrier since the last call, and when.
  void note(const config::Node& node, host::View& view, const Moment& now);
  /// What made a correction of that link necessary. Others may still set up a link for 5 s after
  /// its device or its carrier came, as at boot.
  [[nodiscard]] Occasion occasion(const std::string& link, const Moment& now) const;

 private:
  struct Link {
    int index = 0;  ///< 0: it is not there
    bool carrier = false;
    std::chrono::milliseconds came{0};     ///< boot clock; 0: before the first call
    std::chrono::milliseconds changed{0};  ///< its carrier, also by the boot clock
  };
  std::map<std::string, Link> links_;
};

}  // namespace spark::daemon
