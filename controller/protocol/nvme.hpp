#pragma once
// What the program and the executable that connects to NVMe targets (helpers/storage/storage.cpp)
// have in common: where they leave word for each other, and the words.

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.hpp"

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

/// One connection as it is wanted, as `ID.json` has it.
struct NvmeConnection {
  std::string nqn;
  std::string address;  ///< without prefix length
  std::uint16_t port = 4420;
  std::string via;          ///< interface; empty: the routes decide
  std::string secret_file;  ///< for DH-HMAC-CHAP; empty: none
};

template <EitherConst<NvmeConnection> T, class Visit>
void each_field(T& connection, Visit visit) {
  visit("nqn", connection.nqn);
  visit("address", connection.address);
  visit("port", connection.port);
  visit("via", connection.via);
  visit("secret_file", connection.secret_file);
}

/// How the last attempt at one connection went, as `ID.state` has it.
struct ConnectAttempt {
  std::string outcome;
  std::string reason;   ///< empty unless it failed
  std::string what;     ///< in words, without a secret
  std::int64_t at = 0;  ///< seconds since boot (CLOCK_BOOTTIME)
};

template <EitherConst<ConnectAttempt> T, class Visit>
void each_field(T& attempt, Visit visit) {
  visit("outcome", attempt.outcome);
  visit("reason", attempt.reason);
  visit("what", attempt.what);
  visit("at", attempt.at);
}

/// A subsystem that a target offers.
struct NvmeOffer {
  std::string nqn;
  std::string transport;  ///< "tcp", "rdma", …
  std::string address;
  std::string port;
  bool operator==(const NvmeOffer&) const = default;
};

template <EitherConst<NvmeOffer> T, class Visit>
void each_field(T& offer, Visit visit) {
  visit("nqn", offer.nqn);
  visit("transport", offer.transport);
  visit("address", offer.address);
  visit("port", offer.port);
}

/// What `spark-storage discover` prints.
struct DiscoveryAnswer {
  std::vector<NvmeOffer> offers;
  std::string reason;  ///< empty: the target was reached
  std::string what;    ///< in words
};

template <EitherConst<DiscoveryAnswer> T, class Visit>
void each_field(T& answer, Visit visit) {
  visit("offers", answer.offers);
  visit("reason", answer.reason);
  visit("what", answer.what);
}

}  // namespace spark::protocol
