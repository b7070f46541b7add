#include "host/linux/helper_probe.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <unistd.h>

#include "base/json_document.hpp"
#include "host/echo.hpp"
#include "host/process/helper_program.hpp"
#include "protocol/bus_answer.hpp"

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

namespace {

/// It ends by itself at its own deadlines; only one that hangs is killed.
constexpr std::chrono::milliseconds kBusGrace{25'000};

std::unexpected<Error> no_bus_answer() {
  return fail(ErrorCode::kInvalid, fmt::format("'{}' gave no answer", name_of(Helper::kBusCall)));
}

/// The answer in `text`. Errors: the one that it holds; kInvalid.
Result<protocol::BusAnswer> parse_answer(const std::string& text) {
  auto answer = value_from_text<protocol::BusAnswer>(text);
  if (!answer) return no_bus_answer();
  if (answer->error) return std::unexpected(*std::move(answer->error));
  return answer;
}

Result<std::string> call(std::vector<std::string> words, std::chrono::milliseconds deadline) {
  auto ran = run_helper(Helper::kBusCall, std::move(words), deadline + kBusGrace);
  if (!ran) return std::unexpected(ran.error());
  return std::move(ran->out);
}

Result<> order(std::vector<std::string> words,
               std::chrono::milliseconds deadline = std::chrono::milliseconds(0)) {
  const auto text = call(std::move(words), deadline);
  if (!text) return std::unexpected(text.error());
  const auto answer = parse_answer(*text);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

}  // namespace

Result<> HelperBus::start(const std::string& unit, std::chrono::milliseconds deadline) {
  return order({"start", unit, std::to_string(deadline.count())}, deadline);
}

Result<> HelperBus::stop(const std::string& unit, std::chrono::milliseconds deadline) {
  return order({"stop", unit, std::to_string(deadline.count())}, deadline);
}

Result<> HelperBus::reload_units() { return order({"reload-units"}); }

Result<> HelperBus::start_timer(const TransientService& service, std::chrono::milliseconds delay) {
  std::vector<std::string> words{"start-timer", service.name, std::to_string(delay.count())};
  std::ranges::copy(service.words, std::back_inserter(words));
  return order(std::move(words));
}

Result<std::string> HelperBus::run_service(const TransientService& service,
                                           std::chrono::milliseconds deadline) {
  std::vector<std::string> words{"run-service", service.name, std::to_string(deadline.count())};
  std::ranges::copy(service.words, std::back_inserter(words));
  const auto text = call(std::move(words), deadline);
  if (!text) return text;
  auto answer = parse_answer(*text);
  if (!answer) return std::unexpected(answer.error());
  if (!answer->output) return no_bus_answer();
  return *std::move(answer->output);
}

Result<> HelperBus::nm_set_managed(const std::string& link, bool managed) {
  return order({"nm-set-managed", link, managed ? "yes" : "no"});
}

Result<> HelperBus::nm_reload() { return order({"nm-reload"}); }

Result<> HelperBus::nm_reload_profiles() { return order({"nm-reload-profiles"}); }

Result<> HelperBus::networkd_reload() { return order({"networkd-reload"}); }

Result<> HelperBus::netplan_generate() { return order({"netplan-generate"}); }

}  // namespace spark::host
