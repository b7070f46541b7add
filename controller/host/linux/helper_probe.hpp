#pragma once
// HelperProbe: the Probe port, by spark-verbs-probe, echo_all and ask_neighbours.

#include <string>

#include "host/bus.hpp"
#include "host/probe.hpp"

namespace spark::host {

class HelperProbe : public Probe {
 public:
  explicit HelperProbe(Bus& bus) : bus_(bus) {}

  Result<protocol::LoopbackReport> loopback(const protocol::LoopbackRequest& request) override;
  Result<protocol::RegistrationReport> registration(
      const protocol::RegistrationRequest& request) override;
  Result<std::vector<protocol::EchoReport>> echo(std::span<const protocol::EchoRequest> requests,
                                                 std::chrono::milliseconds deadline) override;
  Result<std::vector<NeighbourReport>> neighbours(std::span<const NeighbourQuestion> questions,
                                                  std::chrono::milliseconds patience) override;

 private:
  Bus& bus_;
};

/// Reads what spark-verbs-probe prints. Errors: kInvalid.
Result<protocol::LoopbackReport> parse_loopback_report(const std::string& text);
Result<protocol::RegistrationReport> parse_registration_report(const std::string& text);

// HelperBus: the Bus port, by spark-bus-call.

class HelperBus : public Bus {
 public:
  HelperBus() = default;

  Result<> start(const std::string& unit, std::chrono::milliseconds deadline) override;
  Result<> stop(const std::string& unit, std::chrono::milliseconds deadline) override;
  Result<> reload_units() override;
  Result<> start_timer(const TransientService& service, std::chrono::milliseconds delay) override;
  Result<std::string> run_service(const TransientService& service,
                                  std::chrono::milliseconds deadline) override;
  Result<> nm_set_managed(const std::string& link, bool managed) override;
  Result<> nm_reload() override;
  Result<> nm_reload_profiles() override;
  Result<> networkd_reload() override;
  Result<> netplan_generate() override;
};

}  // namespace spark::host
