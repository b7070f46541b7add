#include "host/linux/helper_probe.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/json_document.hpp"
#include "host/echo.hpp"
#include "host/process/helper_program.hpp"

namespace spark::host {
namespace {

/// It ends by itself at the deadline; only one that hangs is killed, this much later.
constexpr std::chrono::milliseconds kProbeGrace{2000};

template <class Report>
Result<Report> parse_report(const std::string& text) {
  auto report = value_from_text<Report>(text);
  if (!report) {
    const auto why = text.empty() ? "" : fmt::format(" ({})", report.error().what);
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' gave no report{}", name_of(Helper::kVerbsProbe), why));
  }
  return report;
}

}  // namespace

Result<protocol::LoopbackReport> HelperProbe::loopback(const protocol::LoopbackRequest& request) {
  const auto ran =
      run_helper(Helper::kVerbsProbe,
                 {request.device, std::to_string(request.port), std::to_string(request.link_index),
                  request.ip.text(), std::to_string(request.deadline.count()),
                  request.with_bandwidth ? "full" : "light"},
                 request.deadline + kProbeGrace);
  if (!ran) return std::unexpected(ran.error());
  auto report = parse_loopback_report(ran->out);
  if (!report) report.error().what += fmt::format(" (it ended with {})", ran->status);
  return report;
}

Result<protocol::LoopbackReport> parse_loopback_report(const std::string& text) {
  return parse_report<protocol::LoopbackReport>(text);
}

Result<protocol::RegistrationReport> HelperProbe::registration(
    const protocol::RegistrationRequest& request) {
  const auto executable = find_helper(Helper::kVerbsProbe);
  if (!executable) return std::unexpected(executable.error());
  const auto out = bus_.run_service(
      {.name = fmt::format("spark-service-check-{}.service", getpid()),
       .words = {*executable, "register", request.device, std::to_string(request.bytes)}},
      request.deadline);
  if (!out) return std::unexpected(out.error());
  if (out->empty()) {
    // What it said on stderr is systemd's; whether it starts at all can be asked here.
    if (auto starts = check_helper(Helper::kVerbsProbe); !starts) {
      return std::unexpected(starts.error());
    }
  }
  return parse_registration_report(*out);
}

Result<protocol::RegistrationReport> parse_registration_report(const std::string& text) {
  return parse_report<protocol::RegistrationReport>(text);
}

Result<std::vector<protocol::EchoReport>> HelperProbe::echo(
    std::span<const protocol::EchoRequest> requests, std::chrono::milliseconds deadline) {
  return echo_all(requests, deadline);
}

Result<std::vector<NeighbourReport>> HelperProbe::neighbours(
    std::span<const NeighbourQuestion> questions, std::chrono::milliseconds patience) {
  return ask_neighbours(questions, patience);
}

}  // namespace spark::host
