#pragma once
// Probe: traffic made to see what a port, a new service and a cable can do; adapter in
// linux/helper_probe.

#include <span>
#include <vector>

#include "base/result.hpp"
#include "host/neighbours.hpp"
#include "protocol/echo.hpp"
#include "protocol/loopback.hpp"
#include "protocol/registration.hpp"

namespace spark::host {

/// Loopback and registration are the work of an executable of its own: verbs can hang, or end it.
class Probe {
 public:
  Probe() = default;
  Probe(const Probe&) = delete;
  Probe& operator=(const Probe&) = delete;
  virtual ~Probe() = default;

  /// A report also when the loopback failed. Errors: kTimeout when it had to be killed; kInvalid
  /// when the executable does not start, or what it said is no report.
  virtual Result<protocol::LoopbackReport> loopback(const protocol::LoopbackRequest& request) = 0;
  /// Registers memory in a service that systemd starts for this, under the limits of a new service.
  /// A report also when that failed. Errors: as above; kUnsupported when there is no systemd.
  virtual Result<protocol::RegistrationReport> registration(
      const protocol::RegistrationRequest& request) = 0;
  /// As echo_all.
  virtual Result<std::vector<protocol::EchoReport>> echo(
      std::span<const protocol::EchoRequest> requests, std::chrono::milliseconds deadline) = 0;
  /// As ask_neighbours.
  virtual Result<std::vector<NeighbourReport>> neighbours(
      std::span<const NeighbourQuestion> questions, std::chrono::milliseconds patience) = 0;
};

}  // namespace spark::host
