#include <algorithm>
#include <cerrno>
#include <chrono>

#include <fmt/format.h>

#include "gate/checks/checks.hpp"
#include "gate/common/hints.hpp"

namespace spark::gate {
namespace {

constexpr std::chrono::seconds kRegistrationDeadline{20};

constexpr std::uint64_t kMebi = std::uint64_t{1024} * 1024;
constexpr std::uint64_t kUnasked = 4 * kMebi;
/// More than any default of a service; and taken from memory that the graphics card uses too.
constexpr std::uint64_t kMost = 64 * kMebi;
constexpr std::uint64_t kPage = std::uint64_t{64} * 1024;  // the largest of arm64

std::uint64_t bytes_to_register(const config::Node& node) {
  if (!node.memlock) return kUnasked;
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
  return fails(kServiceFact, Verdict::kNotReady, Detail::kTryFailed,
               fmt::format("{} of {} in a new service, {}: {}", report.failed.value_or("it"),
                           host::memlock_text(bytes), allowance(report), report.why),
               limited       ? "`memlock` under `host:` in the file, then spark-reconcile apply"
               : unexplained ? remedy_of_failed_registration(view)
                             : "`journalctl -k` shows what the driver logged");
}

Fact registered(const protocol::RegistrationReport& report, const config::Node& node,
                std::uint64_t bytes) {
  const auto measured = fmt::format("{} registered in a new service, {}", host::memlock_text(bytes),
                                    allowance(report));
  const auto wanted = node.memlock ? node.memlock->value.bytes.value_or(host::kUnlimited) : 0;
  return report.limit < wanted ? fails_until_apply(kServiceFact, Detail::kDiffers,
                                                   fmt::format("{}; the file says {}", measured,
                                                               host::memlock_text(wanted)))
                               : holds(kServiceFact, measured);
}

}  // namespace

void check_service(const GateSnapshot& snapshot, GateReport& report) {
  const auto& [host, view, node, options] = snapshot;
  // One device is enough: the limit is a service's, not a device's.
  const auto with_device =
      std::ranges::find_if(report.rails, [](const auto& rail) { return !rail.device.empty(); });
  if (with_device == report.rails.end() || options.depth == GateOptions::Depth::kLight) return;
  const auto bytes = bytes_to_register(node);
  const auto answer = host.probe.registration(
      {.device = with_device->device, .bytes = bytes, .deadline = kRegistrationDeadline});
  if (answer) {
    report.service_memlock = answer->limit;
    report.node.push_back(answer->registered ? registered(*answer, node, bytes)
                                             : refused(view, *answer, bytes));
  } else if (const auto code = answer.error().code; code != ErrorCode::kUnsupported) {
    report.node.push_back(fails(kServiceFact, Verdict::kUnknown, Detail::kUnread,
                                answer.error().what,
                                code == ErrorCode::kPermission ? "run it as root" : ""));
  }
}

}  // namespace spark::gate
