#pragma once
// FakeProbe: loopbacks and echoes of a fake world. They go well unless a test says otherwise.

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "host/probe.hpp"

namespace spark {

class FakeProbe : public Probe {
 public:
  Result<LoopbackReport> loopback(const LoopbackRequest& request) override {
    requests_.push_back(request);
    if (answer_) {
      return answer_(request);
    }
    return good(request);
  }

  Result<RegistrationReport> registration(const RegistrationRequest& request) override {
    registrations_.push_back(request);
    return registration_;
  }

  Result<std::vector<EchoReport>> echo(std::span<const EchoRequest> requests,
                                       std::chrono::milliseconds /*deadline*/) override {
    if (no_echo_) return std::unexpected(*no_echo_);
    std::vector<EchoReport> reports;
    for (const auto& request : requests) {
      echoes_.push_back(request);
      reports.push_back(echo_(request));
    }
    return reports;
  }

  /// What a port at MTU 9000 reports.
  static LoopbackReport good(const LoopbackRequest& request) {
    LoopbackReport report;
    report.state = "active";
    report.active_mtu = 4096;
    report.registered = true;
    report.bytes_moved = true;
    report.latency_p50_us = 1.5;
    report.latency_p99_us = 2.5;
    report.bits_per_second = request.with_bandwidth ? 97e9 : 0;
    return report;
  }

  void answer_with(std::function<Result<LoopbackReport>(const LoopbackRequest&)> answer) {
    answer_ = std::move(answer);
  }
  /// What a new service feels from now on.
  void register_with(Result<RegistrationReport> report) { registration_ = std::move(report); }
  /// What peers answer from now on.
  void echo_with(std::function<EchoReport(const EchoRequest&)> echo) { echo_ = std::move(echo); }
  void refuse_echo(Error why) { no_echo_ = std::move(why); }
  [[nodiscard]] const std::vector<EchoRequest>& echoes() const { return echoes_; }
  [[nodiscard]] const std::vector<RegistrationRequest>& registrations() const {
    return registrations_;
  }
  [[nodiscard]] const std::vector<LoopbackRequest>& requests() const { return requests_; }

 private:
  std::function<Result<LoopbackReport>(const LoopbackRequest&)> answer_;
  std::vector<LoopbackRequest> requests_;
  std::function<EchoReport(const EchoRequest&)> echo_ = [](const EchoRequest&) {
    return EchoReport{
        .whole = true, .small = true, .took = std::chrono::microseconds(210), .refused = ""};
  };
  std::optional<Error> no_echo_;
  std::vector<EchoRequest> echoes_;
  Result<RegistrationReport> registration_ = RegistrationReport{.registered = true,
                                                                .limit = UINT64_MAX,
                                                                .failed = std::nullopt,
                                                                .error_number = 0,
                                                                .why = ""};
  std::vector<RegistrationRequest> registrations_;
};

}  // namespace spark
