#pragma once
// DriftTracker: what happens to resources that do not stay as they should be, and when to leave one
// alone.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/moment.hpp"
#include "config/node.hpp"
#include "daemon/common/node_state_names.hpp"
#include "daemon/reconcile/conflicting_config.hpp"
#include "host/view.hpp"
#include "plan/plan.hpp"

namespace spark::daemon {

/// How many corrections make a contest, and how long the resource is left alone then.
struct Pace {
  std::size_t corrections = 3;  ///< so many are a contest ...
  /// ... or so many after a change of carrier: a switch that flaps is no writer, but a process that
  /// takes the link down with each change is one.
  std::size_t after_carrier = 12;
  std::chrono::milliseconds window = std::chrono::minutes(10);  ///< ... within so long
  std::chrono::milliseconds first_hold = std::chrono::minutes(30);
  std::chrono::milliseconds longest_hold = std::chrono::hours(4);  ///< it doubles up to this
  /// After a correction that failed; doubles up to the next value.
  std::chrono::milliseconds first_retry = std::chrono::seconds(5);
  std::chrono::milliseconds longest_retry = std::chrono::minutes(5);
};

/// What made a correction necessary.
enum class Occasion : std::uint8_t {
  kWriter,   ///< someone else wrote it
  kCarrier,  ///< the link's carrier changed just before
  kDevice,   ///< the device came just before: it is set up, and nothing is corrected
};

/// When a link or its carrier came or went, which tells what made a correction necessary.
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

class DriftTracker {
 public:
  explicit DriftTracker(const Pace& pace) : pace_(pace) {}

  /// True: corrected too often, or failed just now, so the resource is left alone for now.
  [[nodiscard]] bool is_held(const std::string& resource, const Moment& now) const;

  /// The resource differs, and was not corrected: by policy, because it is held, or not yet
  /// (`due`).
  void differs(const plan::Step& step, const std::string& line, const Moment& now, bool due);
  /// The resource was corrected. `writer` says who had changed it, as far as is known: ", by …".
  void corrected(const plan::Step& step, const std::string& line, const std::string& writer,
                 Occasion occasion, const Moment& now);
  void failed(const plan::Step& step, const std::string& line, const std::string& why,
              const Moment& now);
  /// The pass is over: every resource that is not in `differing` is as it should be. A contest goes
  /// on until its time is over.
  void end_pass(const std::set<std::string>& differing, const Moment& now);

  /// Asks `find` for the conflicting setting of each resource that others have changed again
  /// lately, or whose correction failed. Keeps each answer: NetworkManager forgets a profile while
  /// it restarts it.
  void name_conflicts(
      const std::function<std::optional<ConflictingSetting>(const plan::ResourceKey&)>& find);

  /// The file asks for something else now, or somebody applied or resumed by hand: old contests are
  /// no reason to wait.
  void forget() { resources_.clear(); }

  /// All drift, by name of the resource.
  [[nodiscard]] std::vector<Drift> open() const;
  /// When the next resource that is held and differs may be tried again; empty: there is none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_due() const;

 private:
  struct Resource {
    std::optional<Drift> drift;
    std::deque<std::chrono::milliseconds> corrected;      ///< boot clock, within the window
    std::deque<std::chrono::milliseconds> after_carrier;  ///< the same, for Occasion::kCarrier
    std::chrono::milliseconds hold{0};                    ///< the last one of a contest
    std::chrono::milliseconds retry{0};                   ///< the last one after a failure
    std::chrono::milliseconds held_until{0};              ///< boot clock
    plan::ResourceKey key;
    std::string why;                             ///< of the drift, without `conflict`
    std::string writer;                          ///< the last one known, of these corrections
    std::optional<ConflictingSetting> conflict;  ///< the last one found
  };

  Resource& update(const plan::Step& step, const std::string& line, const Moment& now);
  void contest(Resource& resource, std::size_t corrections, const Moment& now);

  Pace pace_;
  std::map<std::string, Resource> resources_;  ///< by Step::name()
};

}  // namespace spark::daemon
