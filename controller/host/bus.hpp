#pragma once
// Bus: what systemd, NetworkManager and systemd-networkd do when asked over D-Bus; adapter in
// bus_kernel. Only for changes and for what no file tells: a converged apply never asks.

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace spark {

/// A program that systemd starts once, as it starts a service that nobody has set anything for.
struct TransientService {
  std::string name;                ///< "spark-service-check-….service"
  std::vector<std::string> words;  ///< the program's path and its arguments
};

/// Errors of all functions: kUnsupported when there is no system bus, or what is asked is not on
/// it; kPermission; kTimeout.
class Bus {
 public:
  Bus() = default;
  Bus(const Bus&) = delete;
  Bus& operator=(const Bus&) = delete;
  virtual ~Bus() = default;

  /// Starts the unit and waits until its job has ended. One that is active already is done.
  /// Errors: kNotFound when there is no such unit; kTimeout when the job has not ended by the
  /// deadline (it goes on) or was given up by systemd; kSystem, with the job's result and the
  /// unit's, when it failed.
  virtual Result<> start(const std::string& unit, std::chrono::milliseconds deadline) = 0;
  /// Likewise; a unit that is not loaded counts as stopped.
  virtual Result<> stop(const std::string& unit, std::chrono::milliseconds deadline) = 0;
  /// systemd reads all unit files and its own settings anew (Manager.Reload, `daemon-reload`).
  virtual Result<> reload_units() = 0;
  /// Has systemd run the program once, so long from now, whatever becomes of this process
  /// (systemd.timer(5), OnActiveSec=); one that fails is run again a few seconds later. The timer
  /// is named as the service, with ".timer": stopping it calls that off.
  virtual Result<> start_timer(const TransientService& service,
                               std::chrono::milliseconds delay) = 0;
  /// What the program wrote to stdout, at most 64 KiB, once it has ended, however it did.
  virtual Result<std::string> run_service(const TransientService& service,
                                          std::chrono::milliseconds deadline) = 0;

  /// Sets Managed of one device until NetworkManager or the machine starts again, and waits until
  /// its state says so. Errors: kNotFound when NetworkManager has no such device.
  virtual Result<> nm_set_managed(const std::string& link, bool managed) = 0;
  /// NetworkManager reads its configuration files anew (Reload, flag 0x01); profiles stay.
  virtual Result<> nm_reload() = 0;
  /// systemd-networkd reads its .network files anew, and sets up the links whose file changed.
  virtual Result<> networkd_reload() = 0;
  /// netplan makes the files of the others anew from its own, below /run; nothing is applied.
  virtual Result<> netplan_generate() = 0;
};

}  // namespace spark
