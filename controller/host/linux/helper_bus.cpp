#include "host/linux/helper_bus.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "host/process/helper_program.hpp"
#include "protocol/bus_answer.hpp"

namespace spark::host {
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
