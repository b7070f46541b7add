#pragma once
// What the program and the executable that connects to NVMe targets (helpers/storage/storage.cpp)
// have in common: where they leave word for each other, and the words.

#include <string>

namespace spark::protocol {

/// What is left there for one connection: ID.json, what is wanted, and ID.state, how the last
/// attempt went. Root's alone.
inline constexpr const char* kNvmeFolder = "/run/spark-reconcile/nvme";
inline constexpr const char* kHostNqnFile = "/etc/nvme/hostnqn";
inline constexpr const char* kHostIdFile = "/etc/nvme/hostid";
inline constexpr const char* kDiscoveryNqn = "nqn.2014-08.org.nvmexpress.discovery";

/// `outcome` of an attempt.
inline constexpr const char* kTrying = "trying";
inline constexpr const char* kConnected = "connected";
inline constexpr const char* kFailed = "failed";
inline constexpr const char* kStopped = "stopped";  ///< disconnected on purpose

/// `reason` of one that failed. Each has a cause and a remedy of its own.
inline constexpr const char* kNoNetwork = "no_network";         ///< no route, no neighbour
inline constexpr const char* kPortClosed = "port_closed";       ///< the host answers, no target
inline constexpr const char* kSilent = "silent";                ///< nobody answers
inline constexpr const char* kNoSubsystem = "no_subsystem";     ///< no such NQN there
inline constexpr const char* kHostRefused = "host_refused";     ///< our host NQN may not
inline constexpr const char* kNqnOrHost = "subsystem_or_host";  ///< one of the two: no telling
inline constexpr const char* kBadSecret = "bad_secret";         ///< absent, open to others, wrong
inline constexpr const char* kNoFabrics = "no_fabrics";         ///< no NVMe over TCP in the kernel
inline constexpr const char* kBadIdentity = "bad_identity";     ///< /etc/nvme is absent or wrong
inline constexpr const char* kOtherReason = "other";

/// How the last attempt at one connection went, as `ID.state` has it.
struct ConnectAttempt {
  std::string outcome;
  std::string reason;  ///< empty unless it failed
  std::string what;    ///< in words, without a secret
  long at = 0;         ///< seconds since boot (CLOCK_BOOTTIME)
};

}  // namespace spark::protocol
