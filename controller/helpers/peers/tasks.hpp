#pragma once
// What spark-peers does, one task a process.

#include <string>

#include "base/result.hpp"
#include "helpers/peers/device_users.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {

struct PeersPlaces {
  std::string order = protocol::kPeersOrderFile;
  std::string door = protocol::kHelloDoor;
  std::string report = protocol::kPeersReportFile;
};

/// Hears the other nodes, answers them, has RDMA proven with them, and writes peers.json. Runs
/// until it is ended by a signal. Errors: what it cannot do without.
Result<> run_peers_service(const PeersPlaces& places, DeviceUsers users);

/// One measurement with a peer, for the verb `bench`. It is a process of its own: the one that may
/// change this machine parses nothing that a network sent. Reads the BenchTask from `in`, takes
/// part in it over all of its rails at once, and prints the lines of protocol/bench.hpp on `out`.
/// Once a line cannot be printed it ends. As root it becomes the user of spark-peers first,
/// without any capability. Errors: no task was read; there is no such user.
Result<> run_bench_task(int in, int out);

/// Asks peers for what they recorded, all at the same time, for the verbs that show it: as the task
/// above. Reads the RecordsTask from `in`, and prints a RecordTaken for each peer on `out`. Errors:
/// the same.
Result<> run_records_task(int in, int out);

/// Hears other nodes by frames on the cages, for the verbs `init --discover` and `join`. It is a
/// process of its own: the one that may change this machine parses nothing that a network sent.
/// Opens the socket as root, then becomes the user of spark-peers, without any capability. Reads
/// the DiscoverTask from `in` and orders after it, and prints the lines of protocol/discover.hpp
/// on `out`. Ends when `in` is closed, a line cannot be printed, or soon after kDiscoverTime.
/// Errors: no right to a raw socket; there is no such user; no task was read.
Result<> run_discover(int in, int out);

}  // namespace spark::helpers
