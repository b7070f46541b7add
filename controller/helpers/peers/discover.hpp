#pragma once
// run_discover: hears other nodes by frames on the cages, for the verbs `init --discover` and
// `join`. It is a process of its own: the one that may change this machine parses nothing that a
// network sent.

#include "base/result.hpp"

namespace spark::helpers {

/// Opens the socket as root, then becomes the user of spark-peers, without any capability. Reads
/// the DiscoverTask from `in` and orders after it, and prints the lines of protocol/discover.hpp on
/// `out`. Ends when `in` is closed, a line cannot be printed, or after kDiscoverTime.
/// Errors: no right to a raw socket; there is no such user; no task was read.
Result<> run_discover(int in, int out);

}  // namespace spark::helpers
