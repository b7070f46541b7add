// spark-verbs-probe: one loopback on one RDMA port, or one registration of memory, as JSON. An
// executable of its own, since verbs may block in the kernel and provider libraries may end the
// process: the process that starts it can kill it, and the program that manages the node loads no
// verbs.
//   spark-verbs-probe DEVICE PORT IFINDEX ADDRESS DEADLINE_MS light|full
//   spark-verbs-probe register DEVICE BYTES

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
#include "helpers/verbs/loopback.hpp"
#include "helpers/verbs/registration.hpp"

namespace {

using spark::protocol::LoopbackRequest;
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

std::optional<LoopbackRequest> read_loopback(std::span<char*> words) {
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

/// The exit status: success when all went well and the report was printed.
template <class Report, class Request>
int run(Report (*task)(const Request&), const Request& request) {
  Report report;
  if (drop_capabilities()) {
    report = task(request);
  } else {
    report.failed = "capset";
    report.error_number = errno;
    report.why = std::generic_category().message(errno);
  }
  const auto text = spark::json_text(spark::TextJsonWriter::write(report));
  const bool written = std::puts(text.c_str()) >= 0 && std::fflush(stdout) == 0;
  return written && !report.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

int probe(std::span<char*> words) {
  if (const auto request = read_registration(words)) {
    return run(spark::helpers::run_registration, *request);
  }
  if (const auto request = read_loopback(words)) {
    return run(spark::helpers::run_loopback, *request);
  }
  static_cast<void>(
      std::fputs("usage: spark-verbs-probe DEVICE PORT IFINDEX ADDRESS DEADLINE_MS light|full\n"
                 "       spark-verbs-probe register DEVICE BYTES\n"
                 "started by spark-reconcile gate; see docs/explain/gate.md\n",
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
