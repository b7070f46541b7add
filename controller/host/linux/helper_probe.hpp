#pragma once
// HelperProbe: the Probe port, by spark-verbs-probe and echo_all.

#include <string>

#include "host/bus.hpp"
#include "host/probe.hpp"

namespace spark {

class HelperProbe : public Probe {
 public:
  explicit HelperProbe(Bus& bus) : bus_(bus) {}

  Result<LoopbackReport> loopback(const LoopbackRequest& request) override;
  Result<RegistrationReport> registration(const RegistrationRequest& request) override;
  Result<std::vector<EchoReport>> echo(std::span<const EchoRequest> requests,
                                       std::chrono::milliseconds deadline) override;

 private:
  Bus& bus_;
};

/// Reads what spark-verbs-probe prints. Errors: kInvalid.
Result<LoopbackReport> parse_loopback_report(const std::string& text);
Result<RegistrationReport> parse_registration_report(const std::string& text);

}  // namespace spark
