#pragma once
// The request to the service check, which registers memory as a new service would, and its report.
// The program and spark-verbs-probe share both, as they share loopback.hpp for the loopback.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "base/fields.hpp"

namespace spark::protocol {

struct RegistrationRequest {
  std::string device;       ///< "rocep1s0f0"
  std::uint64_t bytes = 0;  ///< to register; they are taken from memory while it lasts
  std::chrono::milliseconds deadline{10'000};
};

struct RegistrationReport {
  bool registered = false;
  std::uint64_t limit = 0;            ///< RLIMIT_MEMLOCK, soft, bytes; UINT64_MAX: none
  std::optional<std::string> failed;  ///< the call that ended it
  int error_number = 0;               ///< its errno, or 0
  std::string why;                    ///< in words
};

template <EitherConst<RegistrationReport> T, class Visit>
void each_field(T& report, Visit visit) {
  visit("registered", report.registered);
  visit("limit", report.limit);
  visit("failed", report.failed);
  visit("error_number", report.error_number);
  visit("why", report.why);
}

}  // namespace spark::protocol
