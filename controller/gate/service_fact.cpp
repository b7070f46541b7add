#include "gate/service_fact.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "gate/hardware_hints.hpp"

namespace spark::gate {
namespace {

constexpr const char* kFactName = "service";
constexpr std::chrono::seconds kDeadline{20};

constexpr std::uint64_t kMebi = std::uint64_t{1024} * 1024;
constexpr std::uint64_t kUnasked = 4 * kMebi;
/// More than any default of a service; and taken from memory that the graphics card uses too.
constexpr std::uint64_t kMost = 64 * kMebi;
constexpr std::uint64_t kPage = std::uint64_t{64} * 1024;  // the largest of arm64

std::uint64_t bytes_to_register(const config::Node& node) {
  if (!node.memlock) {
    return kUnasked;
  }
  const auto bytes = std::min(node.memlock->value.bytes.value_or(host::kUnlimited), kMost);
  return bytes / kPage * kPage;
}

std::string allowance(const protocol::RegistrationReport& report) {
  return report.limit == host::kUnlimited
             ? std::string("which may lock without limit")
             : fmt::format("which may lock {}", host::memlock_text(report.limit));
}

Fact refused(host::View& view, const protocol::RegistrationReport& report, std::uint64_t bytes) {
  const bool limited = report.error_number == ENOMEM && report.limit < bytes;
  const bool unexplained = report.error_number == ENOMEM && !limited;
  return {Verdict::kNotReady, std::string(kServiceFact), kFactName,
          fmt::format("{} of {} in a new service, {}: {}", report.failed.value_or("it"),
                      host::memlock_text(bytes), allowance(report), report.why),
          limited       ? "`memlock` under `host:` in the file, then spark-reconcile apply"
          : unexplained ? remedy_of_failed_registration(view)
                        : "`journalctl -k` shows what the driver logged"};
}

}  // namespace

std::optional<Fact> observe_new_service(host::Host& host, host::View& view,
                                        const config::Node& node, const std::string& device) {
  const auto bytes = bytes_to_register(node);
  const auto report =
      host.probe.registration({.device = device, .bytes = bytes, .deadline = kDeadline});
  if (!report) {
    const auto code = report.error().code;
    if (code == ErrorCode::kUnsupported) {
      return std::nullopt;
    }
    return Fact{Verdict::kUnknown, std::string(kServiceFact), kFactName, report.error().what,
                code == ErrorCode::kPermission ? "run it as root" : ""};
  }
  if (!report->registered) {
    return refused(view, *report, bytes);
  }
  const auto wanted = node.memlock ? node.memlock->value.bytes.value_or(host::kUnlimited) : 0;
  if (report->limit < wanted) {
    return Fact{
        Verdict::kNotReady, std::string(kServiceFact), kFactName,
        fmt::format("{} registered in a new service, {}; the file says {}",
                    host::memlock_text(bytes), allowance(*report), host::memlock_text(wanted)),
        "spark-reconcile apply"};
  }
  return Fact{Verdict::kReady, std::string(kServiceFact), kFactName,
              fmt::format("{} registered in a new service, {}", host::memlock_text(bytes),
                          allowance(*report)),
              ""};
}

}  // namespace spark::gate
