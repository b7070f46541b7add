#include "fake/fake_bus.hpp"

namespace spark::test {
namespace {

std::unexpected<Error> no_bus() {
  return fail(ErrorCode::kUnsupported, "there is no system bus in this fake world");
}

Result<> act_of(const std::map<std::string, FakeBus::Act>& acts, const std::string& unit) {
  for (const auto& [prefix, act] : acts) {
    if (unit.starts_with(prefix)) {
      return act(unit);
    }
  }
  return {};
}

}  // namespace

Result<> FakeBus::change(const std::string& what, const std::function<Result<>()>& act) {
  if (!connected_) return no_bus();
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  if (auto acted = act(); !acted) return acted;
  writes_.record(FakePort::kBus, what);
  return {};
}

Result<> FakeBus::start(const std::string& unit, std::chrono::milliseconds /*deadline*/) {
  return change("start '" + unit + "'", [&]() -> Result<> {
    if (auto acted = act_of(on_start_, unit); !acted) return acted;
    active_.insert(unit);
    return {};
  });
}

Result<> FakeBus::stop(const std::string& unit, std::chrono::milliseconds /*deadline*/) {
  return change("stop '" + unit + "'", [&]() -> Result<> {
    if (auto acted = act_of(on_stop_, unit); !acted) return acted;
    active_.erase(unit);
    return {};
  });
}

/// The timer is active from then on; nothing runs out in a fake world.
Result<> FakeBus::start_timer(const host::TransientService& service,
                              std::chrono::milliseconds /*delay*/) {
  const auto timer = service.name.substr(0, service.name.rfind('.')) + ".timer";
  return change("start '" + timer + "'", [&]() -> Result<> {
    active_.insert(timer);
    return {};
  });
}

Result<> FakeBus::reload_units() {
  return change("reload units", [&]() -> Result<> {
    if (on_reload_units_) on_reload_units_();
    return {};
  });
}

Result<std::string> FakeBus::run_service(const host::TransientService& service,
                                         std::chrono::milliseconds /*deadline*/) {
  if (!connected_) return no_bus();
  return on_run_service_ ? on_run_service_(service) : Result<std::string>("");
}

Result<> FakeBus::nm_set_managed(const std::string& link, bool managed) {
  return change("set Managed of '" + link + "'", [&]() -> Result<> {
    auto* const device = nm_device(link);
    if (device == nullptr) {
      return fail(ErrorCode::kNotFound, "NetworkManager has no device '" + link + "'");
    }
    device->managed = managed;
    for (const auto& act : on_nm_managed_) {
      act(*device);
    }
    return {};
  });
}

Result<> FakeBus::nm_reload() {
  return change("reload NetworkManager", [&]() -> Result<> {
    if (on_nm_reload_) on_nm_reload_();
    return {};
  });
}

Result<> FakeBus::nm_reload_profiles() {
  return change("reload NetworkManager's profiles", []() -> Result<> { return {}; });
}

Result<> FakeBus::networkd_reload() {
  return change("reload networkd", [&]() -> Result<> {
    if (on_networkd_reload_) on_networkd_reload_();
    return {};
  });
}

Result<> FakeBus::netplan_generate() {
  return change("netplan generate", []() -> Result<> { return {}; });
}

void FakeBus::add_nm_device(NmDevice device) {
  auto link = device.link;
  nm_devices_.insert_or_assign(std::move(link), std::move(device));
}

NmDevice* FakeBus::nm_device(const std::string& link) {
  const auto found = nm_devices_.find(link);
  return found == nm_devices_.end() ? nullptr : &found->second;
}

}  // namespace spark::test
