#pragma once
// HardwareTracker: what several looks at the hardware tell and one cannot: which counters grow.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/moment.hpp"
#include "daemon/common/node_state_names.hpp"

namespace spark::daemon {

class HardwareTracker {
 public:
  /// Takes in one look. What was there before the first one counts as no growth, and a device that
  /// goes takes what is known of it along.
  HardwareState take(host::HardwareFacts facts, const host::KernelReleases& releases,
                     const Moment& now);

 private:
  using Boot = std::chrono::milliseconds;  ///< Moment::boot

  /// One counter, and when it was found to have grown.
  struct Counter {
    std::optional<std::uint64_t> last;
    std::vector<Boot> grew;  ///< the newest last, at most kMostGrowths
    /// `counts`: growth since the last look is a fault.
    void note(std::uint64_t value, Boot now, bool counts);
    [[nodiscard]] std::size_t grew_within(Boot duration, Boot now) const;
  };

  struct Link {
    std::optional<std::int64_t> appeared_ms;
    std::optional<std::uint64_t> carrier_changes;
    std::map<std::string_view, Counter> errors;  ///< by name of ErrorCounter
    std::optional<host::PauseFrames> paused;     ///< where the rate is counted from
    Boot paused_at{};
    std::string storm;      ///< of the last rate: what the frames say; empty: there is none
    bool is_rated = false;  ///< there was a rate
  };

  void take_link(const host::LinkHardware& link, Boot now, std::vector<host::HardwareSign>& signs);
  static void note_errors(const host::LinkHardware& link, Boot now, Link& past);
  static void note_pause(const host::PauseFrames& frames, Boot now, Link& past);

  std::map<std::string, Link> links_;
  std::map<std::string, Counter> functions_;  ///< uncorrected errors, by PCI address
};

}  // namespace spark::daemon
