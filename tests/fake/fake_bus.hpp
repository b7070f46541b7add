#pragma once
// FakeBus: systemd, NetworkManager and networkd of a fake world. What a unit or a reload does there
// is what the test, or another part of the world, hangs on it.

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "fake/fake_writes.hpp"
#include "host/bus.hpp"

namespace spark::test {

/// A network device of the world's NetworkManager.
struct NmDevice {
  std::string link;
  bool managed = false;
};

class FakeBus : public host::Bus {
 public:
  /// What the start or stop of a unit does to the world; an error fails the job.
  using Act = std::function<Result<>(const std::string& unit)>;

  explicit FakeBus(FakeWrites& writes) : writes_(writes) {}

  Result<> start(const std::string& unit, std::chrono::milliseconds deadline) override;
  Result<> stop(const std::string& unit, std::chrono::milliseconds deadline) override;
  Result<> reload_units() override;
  Result<> start_timer(const host::TransientService& service,
                       std::chrono::milliseconds delay) override;
  Result<std::string> run_service(const host::TransientService& service,
                                  std::chrono::milliseconds deadline) override;
  Result<> nm_set_managed(const std::string& link, bool managed) override;
  Result<> nm_reload() override;
  Result<> nm_reload_profiles() override;
  Result<> networkd_reload() override;
  Result<> netplan_generate() override;

  // What the world is made of.

  /// Units whose name starts with `prefix`; those that match none start and stop without effect.
  void on_start(const std::string& prefix, Act act) { on_start_[prefix] = std::move(act); }
  void on_stop(const std::string& prefix, Act act) { on_stop_[prefix] = std::move(act); }
  void on_reload_units(std::function<void()> act) { on_reload_units_ = std::move(act); }
  void on_nm_reload(std::function<void()> act) { on_nm_reload_ = std::move(act); }
  /// NetworkManager manages the device, or does not, from now on. All that are given are called.
  void on_nm_managed(std::function<void(const NmDevice&)> act) {
    on_nm_managed_.push_back(std::move(act));
  }
  void on_networkd_reload(std::function<void()> act) { on_networkd_reload_ = std::move(act); }
  /// What a transient service prints.
  void on_run_service(std::function<Result<std::string>(const host::TransientService&)> act) {
    on_run_service_ = std::move(act);
  }
  /// NetworkManager has the device.
  void add_nm_device(NmDevice device);
  /// As seen from outside; null: there is none.
  NmDevice* nm_device(const std::string& link);
  /// No system bus: a container.
  void disconnect() { connected_ = false; }
  [[nodiscard]] bool is_active(const std::string& unit) const { return active_.contains(unit); }

 private:
  [[nodiscard]] Result<> change(const std::string& what, const std::function<Result<>()>& act);

  FakeWrites& writes_;
  bool connected_ = true;
  std::map<std::string, Act> on_start_;
  std::map<std::string, Act> on_stop_;
  std::function<void()> on_reload_units_;
  std::function<void()> on_nm_reload_;
  std::vector<std::function<void(const NmDevice&)>> on_nm_managed_;
  std::function<void()> on_networkd_reload_;
  std::function<Result<std::string>(const host::TransientService&)> on_run_service_;
  std::map<std::string, NmDevice> nm_devices_;
  std::set<std::string> active_;
};

}  // namespace spark::test
