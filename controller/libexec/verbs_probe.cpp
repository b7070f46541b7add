// spark-verbs-probe: one loopback on one RDMA port, as JSON. An executable of its own, since verbs
// may block in the kernel and provider libraries may end the process: whoever starts it can kill
// it, and the program that holds the node loads no verbs.
//   spark-verbs-probe DEVICE PORT IFINDEX ADDRESS DEADLINE_MS light|full

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "libexec/loopback.hpp"

namespace {

using spark::LoopbackReport;
using spark::LoopbackRequest;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::optional<LoopbackRequest> read_arguments(std::span<char*> words) {
  constexpr std::size_t kWords = 7;
  if (words.size() != kWords) {
    return std::nullopt;
  }
  LoopbackRequest request;
  request.device = words[1];
  const auto ip = spark::IpAddress::parse(words[4]);
  std::int64_t deadline_ms = 0;
  const std::string_view how = words[6];
  if (!read_number(words[2], request.port) || request.port == 0 || request.port > UINT8_MAX ||
      !read_number(words[3], request.link_index) || !ip || !read_number(words[5], deadline_ms) ||
      deadline_ms <= 0 || (how != "light" && how != "full")) {
    return std::nullopt;
  }
  request.ip = *ip;
  request.deadline = std::chrono::milliseconds(deadline_ms);
  request.with_bandwidth = how == "full";
  return request;
}

/// Root may lock any amount of memory by CAP_IPC_LOCK, and would feel no limit that a job meets.
bool drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0;
}

nlohmann::json to_json(const LoopbackReport& report) {
  nlohmann::json json{{"state", report.state},
                      {"active_mtu", report.active_mtu},
                      {"gid_index", report.gid_index},
                      {"registered", report.registered},
                      {"bytes_moved", report.bytes_moved},
                      {"latency_p50_us", report.latency_p50_us},
                      {"latency_p99_us", report.latency_p99_us},
                      {"bits_per_second", report.bits_per_second},
                      {"failed", nullptr},
                      {"error_number", report.error_number},
                      {"why", report.why}};
  if (report.failed) {
    json["failed"] = *report.failed;
  }
  return json;
}

/// The exit status: success when the bytes moved and the report was printed.
int probe(std::span<char*> words) {
  const auto request = read_arguments(words);
  if (!request) {
    static_cast<void>(
        std::fputs("usage: spark-verbs-probe DEVICE PORT IFINDEX ADDRESS DEADLINE_MS light|full\n"
                   "started by spark-reconcile gate; see docs/gate.md\n",
                   stderr));
    constexpr int kUsage = 64;
    return kUsage;
  }
  LoopbackReport report;
  if (drop_capabilities()) {
    report = spark::run_loopback(*request);
  } else {
    report.failed = "capset";
    report.error_number = errno;
    report.why = std::generic_category().message(errno);
  }
  const auto text = to_json(report).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const bool written = std::puts(text.c_str()) >= 0 && std::fflush(stdout) == 0;
  return written && !report.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return probe({argv, static_cast<std::size_t>(argc)});
  } catch (const std::exception& error) {
    // Out of memory, most likely; without a report the gate says that there is none.
    static_cast<void>(std::fputs(error.what(), stderr));
    return EXIT_FAILURE;
  }
}
