// spark-verbs-probe: one loopback on one RDMA port, one registration of memory, or one end of an
// RDMA connection between two nodes, as JSON. An executable of its own, since verbs may block in
// the kernel and provider libraries may end the process: the process that starts it can kill it,
// and the program that manages the node loads no verbs.
//   spark-verbs-probe DEVICE PORT IFINDEX ADDRESS DEADLINE_MS light|full
//   spark-verbs-probe register DEVICE BYTES
//   spark-verbs-probe peer DEVICE PORT IFINDEX ADDRESS DEADLINE_MS
//   spark-verbs-probe bench DEVICE PORT IFINDEX ADDRESS DEADLINE_MS write|read|none SECONDS
//   QUEUE_PAIRS

#include <algorithm>
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

#include "base/json_document.hpp"
#include "helpers/verbs/tasks.hpp"

namespace {

using spark::protocol::LoopbackRequest;
using spark::protocol::PeerOperation;
using spark::protocol::PeerRequest;
using spark::protocol::RegistrationRequest;

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Bounds what is taken from a machine whose graphics card has the same memory.
constexpr std::uint64_t kMostBytes = std::uint64_t{1024} * 1024 * 1024;

std::optional<RegistrationRequest> read_registration(std::span<char*> words) {
  constexpr std::size_t kWords = 4;
  RegistrationRequest request;
  if (words.size() != kWords || std::string_view(words[1]) != "register" ||
      !read_number(words[3], request.bytes) || request.bytes == 0 || request.bytes > kMostBytes) {
    return std::nullopt;
  }
  request.device = words[2];
  return request;
}

/// DEVICE PORT IFINDEX ADDRESS DEADLINE_MS, which three tasks begin with.
template <class Request>
std::optional<Request> read_port(std::span<char*> words) {
  Request request;
  request.device = words[0];
  const auto ip = spark::IpAddress::parse(words[3]);
  std::int64_t deadline_ms = 0;
  if (!read_number(words[1], request.port) || request.port == 0 || request.port > UINT8_MAX ||
      !read_number(words[2], request.link_index) || !ip || !read_number(words[4], deadline_ms) ||
      deadline_ms <= 0) {
    return std::nullopt;
  }
  request.ip = *ip;
  request.deadline = std::chrono::milliseconds(deadline_ms);
  return request;
}

std::optional<LoopbackRequest> read_loopback(std::span<char*> words) {
  constexpr std::size_t kWords = 7;
  if (words.size() != kWords) return std::nullopt;
  const std::string_view how = words[6];
  auto request = read_port<LoopbackRequest>(words.subspan(1));
  if (!request || (how != "light" && how != "full")) return std::nullopt;
  request->with_bandwidth = how == "full";
  return request;
}

std::optional<PeerRequest> read_peer(std::span<char*> words) {
  constexpr std::size_t kWords = 7;
  if (words.size() != kWords || std::string_view(words[1]) != "peer") return std::nullopt;
  return read_port<PeerRequest>(words.subspan(2));
}

std::optional<PeerOperation> read_operation(std::string_view word) {
  if (word == "write") return PeerOperation::kWrite;
  if (word == "read") return PeerOperation::kRead;
  if (word == "none") return PeerOperation::kNone;
  return std::nullopt;
}

std::optional<PeerRequest> read_bench(std::span<char*> words) {
  constexpr std::size_t kWords = 10;
  if (words.size() != kWords || std::string_view(words[1]) != "bench") return std::nullopt;
  auto request = read_port<PeerRequest>(words.subspan(2));
  const auto operation = read_operation(words[7]);
  std::uint16_t seconds = 0;
  if (!request || !operation || !read_number(words[8], seconds) || seconds == 0 ||
      !read_number(words[9], request->queue_pairs) || request->queue_pairs == 0 ||
      request->queue_pairs > spark::protocol::kMostQueuePairs) {
    return std::nullopt;
  }
  request->operation = *operation;
  request->duration = std::chrono::seconds(seconds);
  // A measurement that its own deadline would cut short.
  return request->duration < request->deadline ? request : std::nullopt;
}

/// Root may lock any amount of memory by CAP_IPC_LOCK, and would feel no limit that a job meets.
bool drop_capabilities() {
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  __user_cap_data_struct own[2]{};
  // A service that has none may not even be allowed the call that drops them.
  if (syscall(SYS_capget, &header, own) == 0 && std::ranges::all_of(own, [](const auto& set) {
        return set.effective == 0 && set.permitted == 0 && set.inheritable == 0;
      })) {
    return true;
  }
  __user_cap_data_struct none[2]{};
  return syscall(SYS_capset, &header, none) == 0;
}

/// What `task` reports, without capabilities.
template <class Report>
Report report_of(auto task) {
  if (drop_capabilities()) return task();
  Report report;
  report.failed = "capset";
  report.error_number = errno;
  report.why = std::generic_category().message(errno);
  return report;
}

bool print(const std::string& text) {
  return std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
}

/// The exit status: success when all went well and the report was printed.
template <class Report, class Request>
int run(Report (*task)(const Request&), const Request& request) {
  const auto report = report_of<Report>([&] { return task(request); });
  const bool written = print(spark::json_text(spark::TextJsonWriter::write(report)) + '\n');
  return written && !report.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

/// The same for an end, which prints its lines itself.
int run_end(const PeerRequest& request) {
  bool written = true;
  const auto report = report_of<spark::protocol::PeerReport>(
      [&] { return spark::helpers::run_peer(request, STDIN_FILENO, stdout); });
  if (report.failed == "capset") written = print(spark::protocol::peer_line_text(report));
  return written && !report.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

int probe(std::span<char*> words) {
  if (const auto request = read_registration(words)) {
    return run(spark::helpers::run_registration, *request);
  }
  if (const auto request = read_loopback(words)) return run(spark::helpers::run_loopback, *request);
  if (const auto request = read_peer(words)) return run_end(*request);
  if (const auto request = read_bench(words)) return run_end(*request);
  static_cast<void>(
      std::fputs(R"(usage: spark-verbs-probe DEVICE PORT IFINDEX ADDRESS DEADLINE_MS light|full
       spark-verbs-probe register DEVICE BYTES
       spark-verbs-probe peer DEVICE PORT IFINDEX ADDRESS DEADLINE_MS
       spark-verbs-probe bench DEVICE PORT IFINDEX ADDRESS DEADLINE_MS write|read|none SECONDS QUEUE_PAIRS
started by spark-reconcile gate; see docs/explain/gate.md
)",
                 stderr));
  constexpr int kUsage = 64;
  return kUsage;
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
