#pragma once
// The helpers: programs of this project that do what must not happen in the main process. They are
// beside the main program, or in ../libexec/spark-reconcile from there.

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "host/process/child.hpp"

namespace spark::host {

enum class Helper : std::uint8_t {
  kBusCall,     ///< asks NetworkManager, networkd and systemd
  kVerbsProbe,  ///< moves bytes for the gate
  kStorage,     ///< connects to NVMe-TCP targets
  kPeers,       ///< talks to other nodes; started without a word it is the service
  kWeb,         ///< serves the page and the metrics
};

/// The name of its file.
std::string_view name_of(Helper helper);

/// The path of this program. Errors: kNotFound, where it was deleted or replaced since it began.
Result<std::string> own_program();

/// The path of a helper. Errors: kNotFound, which says where it was looked for; kPermission, where
/// it may not be executed. Both name the remedy.
Result<std::string> find_helper(Helper helper);

/// Runs a helper to its end. A helper that printed no answer is an error, with its stderr or the
/// dynamic loader's, and the missing package. The stderr of a helper that answered goes to this
/// process's stderr. Errors: kTimeout, as run_child; kInvalid for all others, so that no caller
/// takes one for an answer of the service that the helper was to ask.
Result<ChildOutput> run_helper(Helper helper, std::vector<std::string> words,
                               std::chrono::milliseconds deadline);

/// Checks that the helper can be started: starts it, to do nothing. Not for kPeers.
/// Errors: as run_helper.
Result<> check_helper(Helper helper);

/// check_helper, or what stands for it in tests.
using CheckHelper = std::function<Result<>(Helper)>;

/// Why a helper did not start, from its output: the dynamic loader's own words, and the package
/// that has the library. `program` is the helper's path.
std::string why_not_started(const std::string& program, const ChildOutput& output);

}  // namespace spark::host
