#pragma once
// gate: is this node ready? The AND of independent facts, each of which alone can be true on a node
// that is not: a loopback passes with the cable out, at MTU 1500, and as root with hardly any
// memory to lock.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/exit_code.hpp"
#include "config/node.hpp"
#include "host/host.hpp"
#include "host/view.hpp"

namespace spark {

/// What is known of one fact, or of all of them.
enum class Verdict : std::uint8_t { kReady, kUnknown, kWaiting, kNotReady };

/// 0 ready, 3 not ready or waiting, 4 unknown.
ExitCode exit_code_of(Verdict verdict);

/// One thing that has to be so.
struct Fact {
  Verdict verdict = Verdict::kUnknown;
  std::string id;        ///< SR-GATE-NNN
  std::string name;      ///< "carrier"
  std::string measured;  ///< what was seen, in words and figures
  std::string remedy;    ///< what to do; empty where it holds
  bool counts = true;    ///< false: reported, and no part of the verdict
};

/// The facts of one address of one rail, in the order in which they depend on each other. Behind
/// one that cannot be had, those that need it are left out.
struct RailFacts {
  std::string link;
  std::string device;  ///< RDMA device; empty: none
  IpAddress ip;
  std::vector<Fact> facts;
  std::optional<std::uint32_t> gid_index;  ///< where the address's RoCE v2 GID stands now
};

struct GateReport {
  std::vector<RailFacts> rails;
  std::vector<Fact> node;  ///< facts of the node as a whole

  /// The worst of all facts: not ready, waiting, unknown, ready.
  [[nodiscard]] Verdict verdict() const;
  [[nodiscard]] ExitCode exit_code() const { return exit_code_of(verdict()); }
  /// The first fact that makes the verdict what it is, on one line:
  /// "mtu of enp1s0f0np0: 1500, the file says 9000 [SR-GATE-002]". Where it is ready, what that
  /// proves.
  [[nodiscard]] std::string why() const;
};

struct GateOptions {
  enum class Depth : std::uint8_t {
    kLight,   ///< no bandwidth, and no service is started: to be done again and again
    kNormal,  ///< bandwidth where the file names a floor, and no job uses the device
    kFull,    ///< always
  };
  Depth depth = Depth::kNormal;
};

/// Looks at every rail that the file gives an address, and moves bytes over each through
/// `host.probe`. Blocks for as long as that takes, at most the file's deadline a rail.
GateReport judge(Host& host, View& view, const Node& node, const GateOptions& options);

/// Adds to a light look what only an earlier, deeper one has measured. True: some of that did not
/// hold, so another deep look is due.
bool keep_measured(const GateReport& earlier, GateReport& report);

/// "ready", "not ready", "waiting", "unknown".
std::string_view name_of(Verdict verdict);

}  // namespace spark
