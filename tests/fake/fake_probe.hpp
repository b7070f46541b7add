#pragma once
// FakeProbe: loopbacks and echoes of a fake world. They go well unless a test says otherwise.

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "host/probe.hpp"

namespace spark::test {

class FakeProbe : public host::Probe {
 public:
  Result<protocol::LoopbackReport> loopback(const protocol::LoopbackRequest& request) override {
    requests_.push_back(request);
    if (answer_) {
      return answer_(request);
    }
    return good(request);
  }

  Result<protocol::RegistrationReport> registration(
      const protocol::RegistrationRequest& request) override {
    registrations_.push_back(request);
    return registration_;
  }

  Result<std::vector<protocol::EchoReport>> echo(std::span<const protocol::EchoRequest> requests,
                                                 std::chrono::milliseconds /*deadline*/) override {
    if (no_echo_) return std::unexpected(*no_echo_);
    std::vector<protocol::EchoReport> reports;
    for (const auto& request : requests) {
      echoes_.push_back(request);
      reports.push_back(echo_(request));
    }
    return reports;
  }

  Result<std::vector<host::NeighbourReport>> neighbours(
      std::span<const host::NeighbourQuestion> questions,
      std::chrono::milliseconds /*patience*/) override {
    if (no_questions_) return std::unexpected(*no_questions_);
    std::vector<host::NeighbourReport> reports;
    for (const auto& question : questions) {
      questions_.push_back(question);
      reports.push_back({.macs = neighbours_(question), .refused = refused_});
    }
    return reports;
  }

  /// What a port at MTU 9000 reports.
  static protocol::LoopbackReport good(const protocol::LoopbackRequest& request) {
    protocol::LoopbackReport report;
    report.state = "active";
    report.active_mtu = 4096;
    report.registered = true;
    report.bytes_moved = true;
    report.latency_p50_us = 1.5;
    report.latency_p99_us = 2.5;
    report.bits_per_second = request.with_bandwidth ? 97e9 : 0;
    return report;
  }

  void answer_with(
      std::function<Result<protocol::LoopbackReport>(const protocol::LoopbackRequest&)> answer) {
    answer_ = std::move(answer);
  }
  /// What a new service feels from now on.
  void register_with(Result<protocol::RegistrationReport> report) {
    registration_ = std::move(report);
  }
  /// What peers answer from now on.
  void echo_with(std::function<protocol::EchoReport(const protocol::EchoRequest&)> echo) {
    echo_ = std::move(echo);
  }
  /// Who answers for addresses from now on; nobody does where no test says so.
  void neighbours_with(
      std::function<std::vector<host::MacAddress>(const host::NeighbourQuestion&)> neighbours) {
    neighbours_ = std::move(neighbours);
  }
  void refuse_questions(Error why) { no_questions_ = std::move(why); }
  /// The kernel lets this process ask, and each question fails.
  void refuse_each_question(std::string why) { refused_ = std::move(why); }
  std::vector<host::NeighbourQuestion> take_questions() { return std::exchange(questions_, {}); }
  void refuse_echo(Error why) { no_echo_ = std::move(why); }
  [[nodiscard]] const std::vector<protocol::EchoRequest>& echoes() const { return echoes_; }
  [[nodiscard]] const std::vector<protocol::RegistrationRequest>& registrations() const {
    return registrations_;
  }
  [[nodiscard]] const std::vector<protocol::LoopbackRequest>& requests() const { return requests_; }

 private:
  std::function<Result<protocol::LoopbackReport>(const protocol::LoopbackRequest&)> answer_;
  std::vector<protocol::LoopbackRequest> requests_;
  std::function<protocol::EchoReport(const protocol::EchoRequest&)> echo_ =
      [](const protocol::EchoRequest&) {
        return protocol::EchoReport{
            .whole = true, .small = true, .took = std::chrono::microseconds(210), .refused = ""};
      };
  std::optional<Error> no_echo_;
  std::function<std::vector<host::MacAddress>(const host::NeighbourQuestion&)> neighbours_ =
      [](const host::NeighbourQuestion&) { return std::vector<host::MacAddress>{}; };
  std::vector<host::NeighbourQuestion> questions_;
  std::optional<Error> no_questions_;
  std::string refused_;
  std::vector<protocol::EchoRequest> echoes_;
  Result<protocol::RegistrationReport> registration_ =
      protocol::RegistrationReport{.registered = true,
                                   .limit = UINT64_MAX,
                                   .failed = std::nullopt,
                                   .error_number = 0,
                                   .why = ""};
  std::vector<protocol::RegistrationRequest> registrations_;
};

}  // namespace spark::test
