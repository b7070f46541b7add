#pragma once
// The kernel's NVMe-over-fabrics interface: one line written to /dev/nvme-fabrics connects, a 1 in
// sysfs disconnects. No library between (docs/decisions/0019): its errno is the only thing that
// tells causes apart.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "protocol/nvme.hpp"

namespace spark::helpers {

using Connection = protocol::NvmeConnection;

/// Why a connection did not come about; `reason` is one of protocol/nvme.hpp.
struct ConnectFailure {
  std::string reason;
  std::string what;
};

/// Either `controller` ("nvme1") or `failure`.
struct Connected {
  std::string controller;
  std::optional<ConnectFailure> failure;
};

/// Connects; the kernel then reconnects by itself until somebody disconnects. An existing
/// connection is a success. Gives up after about `deadline`, unless the kernel blocks this call.
Connected connect_to(const Connection& wanted, std::chrono::milliseconds deadline);

/// The controllers that this host has to that target, as sysfs has them.
std::vector<std::string> controllers_of(const Connection& wanted);
/// The namespaces of the same subsystem, "nvme1n1", when no controller but `controllers` leads to
/// them.
std::vector<std::string> namespaces_behind(const std::vector<std::string>& controllers);

/// Blocks until the controller is gone. Returns 0 or an errno.
int disconnect(const std::string& controller);

/// One line of a file of sysfs or /etc; empty when there is none.
std::string line_in(const std::string& path);

}  // namespace spark::helpers
