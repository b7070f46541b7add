#pragma once
// Bus: what systemd, NetworkManager and systemd-networkd do when asked over D-Bus; adapter in
// linux/helper_bus. Only for changes and for what no file tells: an apply that changes nothing
// never asks.

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace spark::host {

/// A program that systemd starts once, with the defaults of a service that nobody has configured.
struct TransientService {
  std::string name;                ///< "spark-service-check-….service"
  std::vector<std::string> words;  ///< the program's path and its arguments
};

/// Errors of all functions: kUnsupported when there is no system bus, or the service that is asked
/// is not on it; kPermission; kTimeout.
class Bus {
 public:
  Bus() = default;
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;
  virtual ~Bus() = default;

  /// Starts the unit and waits until its job has ended. A unit that is active already is done.
  /// Errors: kNotFound when there is no such unit; kTimeout when the job has not ended by the
  /// deadline (it goes on) or was given up by systemd; kSystem, with the job's result and the
  /// unit's, when it failed.
  virtual Result<> start(const std::string& unit, std::chrono::milliseconds deadline) = 0;
  /// Stops the unit, the same way; a unit that is not loaded counts as stopped.
  virtual Result<> stop(const std::string& unit, std::chrono::milliseconds deadline) = 0;
  /// Makes systemd read all unit files and its own settings again (Manager.Reload,
  /// `daemon-reload`).
  virtual Result<> reload_units() = 0;
  /// Makes systemd run the program once after `delay`, whatever becomes of this process
  /// (systemd.timer(5), OnActiveSec=). A program that fails is run again a few seconds later. The
  /// timer has the service's name, with ".timer": stopping the timer cancels the run.
  virtual Result<> start_timer(const TransientService& service,
                               std::chrono::milliseconds delay) = 0;
  /// Runs the program to its end, however it ends. The value is what it wrote to stdout, at most 64
  /// KiB.
  virtual Result<std::string> run_service(const TransientService& service,
                                          std::chrono::milliseconds deadline) = 0;

  /// Sets Managed of one device until NetworkManager or the machine starts again, and waits until
  /// its state says so. Errors: kNotFound when NetworkManager has no such device.
  virtual Result<> nm_set_managed(const std::string& link, bool managed) = 0;
  /// Makes NetworkManager read its configuration files again (Reload, flag 0x01); profiles stay.
  virtual Result<> nm_reload() = 0;
  /// Makes NetworkManager read its profiles again (Settings.ReloadConnections), those that netplan
  /// generated too.
  virtual Result<> nm_reload_profiles() = 0;
  /// Makes systemd-networkd read its .network files again, and set up the links whose file changed.
  virtual Result<> networkd_reload() = 0;
  /// Makes netplan generate the other managers' files again from its own, below /run; nothing is
  /// applied.
  virtual Result<> netplan_generate() = 0;
};

}  // namespace spark::host
