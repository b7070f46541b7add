#pragma once
// HelperBus: the Bus port, by spark-bus-call.

#include "host/bus.hpp"

namespace spark::host {

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
