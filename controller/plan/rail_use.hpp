#pragma once
// RailUse: which processes have queue pairs on the RDMA device of a rail, and so lose something by
// a step that disturbs the rail.

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/fields.hpp"
#include "config/node.hpp"
#include "host/running_process.hpp"
#include "host/view.hpp"
#include "plan/plan.hpp"

namespace spark::plan {

struct RailUse {
  std::string link;
  std::string device;                           ///< RDMA device; empty: not known
  std::optional<config::Rail> rail;             ///< empty: the link is in no cage that is known
  std::vector<host::RunningProcess> processes;  ///< by pid; those of the kernel do not count
  std::string unknown;  ///< why it cannot be known who uses the rail; empty: it is known

  /// Where nobody can tell, somebody may.
  [[nodiscard]] bool is_used() const { return !processes.empty() || !unknown.empty(); }
  bool operator==(const RailUse&) const = default;
};

/// The same without what names the processes. What leaves this node has it so: a RailUse has no
/// `each_field`, and so cannot be written into a document.
struct NamelessUse {
  std::string link;
  std::string device;                ///< RDMA device; empty: not known
  std::optional<config::Rail> rail;  ///< empty: the link is in no cage that is known
  std::size_t process_count = 0;     ///< how many use it
  std::string unknown;               ///< why it cannot be known who uses the rail
  bool operator==(const NamelessUse&) const = default;
};

template <EitherConst<NamelessUse> T, class Visit>
void each_field(T& use, Visit visit) {
  visit("link", use.link);
  visit("device", use.device);
  visit("rail", use.rail);
  visit("process_count", use.process_count);
  visit("unknown", use.unknown);
}

using RailUses = std::map<std::string, RailUse>;  ///< by link

/// The links whose RDMA device has queue pairs that `step` may end or pause: its own link, what
/// that stands on, or all links. A link that is handed to another manager is disturbed too, since
/// that acts on it at once. Where the RDMA devices cannot be read, the file's rails count.
std::set<std::string> disturbed_rails(const Step& step, const config::Node& node, host::View& view);

/// Who uses the rail now. Reads the queue pairs at each call.
RailUse use_of_rail(const std::string& name, const config::Node& node, host::View& view);

/// The rails that the plan disturbs and somebody uses. Reads nothing more of a plan that disturbs
/// nothing.
RailUses used_rails(const Plan& plan, const config::Node& node, host::View& view);

/// One clause for each process: "python3 (pid 4711) of alice uses rail 0 of cage 0 (enp1s0f0np0)";
/// and one for what cannot be known.
std::vector<std::string> texts_of(const RailUse& use);

NamelessUse without_names(const RailUse& use);

/// "a job uses rail 0 of cage 0 (enp1s0f0np0)", or what cannot be known.
std::string text_of(const NamelessUse& use);

}  // namespace spark::plan
