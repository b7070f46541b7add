#include "host/linux/helper_probe.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/json_integer.hpp"
#include "host/echo.hpp"
#include "host/process/helper_program.hpp"

namespace spark::host {
namespace {

/// It ends by itself at the deadline; only one that hangs is killed, this much later.
constexpr std::chrono::milliseconds kGrace{2000};

std::unexpected<Error> no_report() {
  return fail(ErrorCode::kInvalid,
              fmt::format("'{}' gave no report", name_of(Helper::kVerbsProbe)));
}

}  // namespace

Result<protocol::LoopbackReport> HelperProbe::loopback(const protocol::LoopbackRequest& request) {
  const auto ran =
      run_helper(Helper::kVerbsProbe,
                 {request.device, std::to_string(request.port), std::to_string(request.link_index),
                  request.ip.text(), std::to_string(request.deadline.count()),
                  request.with_bandwidth ? "full" : "light"},
                 request.deadline + kGrace);
  if (!ran) return std::unexpected(ran.error());
  auto report = parse_loopback_report(ran->out);
  if (!report) {
    report.error().what += fmt::format(" (it ended with {})", ran->status);
  }
  return report;
}

Result<protocol::LoopbackReport> parse_loopback_report(const std::string& text) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  protocol::LoopbackReport report;
  try {
    report.state = json.at("state").get<std::string>();
    report.active_mtu = integer_of<std::uint32_t>(json.at("active_mtu"));
    report.gid_index = integer_of<std::uint32_t>(json.at("gid_index"));
    report.registered = json.at("registered").get<bool>();
    report.bytes_moved = json.at("bytes_moved").get<bool>();
    report.latency_p50_us = json.at("latency_p50_us").get<double>();
    report.latency_p99_us = json.at("latency_p99_us").get<double>();
    report.bits_per_second = json.at("bits_per_second").get<double>();
    if (const auto& failed = json.at("failed"); !failed.is_null()) {
      report.failed = failed.get<std::string>();
    }
    report.error_number = integer_of<int>(json.at("error_number"));
    report.why = json.at("why").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return no_report();
  }
  return report;
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
  const auto json = nlohmann::json::parse(text, nullptr, false);
  protocol::RegistrationReport report;
  try {
    report.registered = json.at("registered").get<bool>();
    report.limit = integer_of<std::uint64_t>(json.at("limit"));
    if (const auto& failed = json.at("failed"); !failed.is_null()) {
      report.failed = failed.get<std::string>();
    }
    report.error_number = integer_of<int>(json.at("error_number"));
    report.why = json.at("why").get<std::string>();
  } catch (const nlohmann::json::exception&) {
    return no_report();
  }
  return report;
}

Result<std::vector<protocol::EchoReport>> HelperProbe::echo(
    std::span<const protocol::EchoRequest> requests, std::chrono::milliseconds deadline) {
  return echo_all(requests, deadline);
}

}  // namespace spark::host
