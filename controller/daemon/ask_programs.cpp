#include "daemon/ask_programs.hpp"

#include <chrono>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <syslog.h>

#include <boost/asio/io_context.hpp>

#include "daemon/alerts/sinks/hooks.hpp"

namespace spark::daemon {
namespace {

constexpr std::chrono::seconds kAskDeadline{30};
constexpr int kNotNow = 75;  // EX_TEMPFAIL of sysexits.h

/// What one program answers.
struct ProgramAnswer {
  Result<int> status = 0;
  std::string last_line;  ///< of its output
};

ProgramAnswer ask_program(const std::string& path, const AskOrder& order) {
  ProgramAnswer answer;
  boost::asio::io_context context;
  run_hook(
      context,
      {.path = path,
       .deadline = kAskDeadline,
       .environment = {"SPARK_NODE=" + order.node,
                       fmt::format("SPARK_LINKS={}", fmt::join(order.links, " ")),
                       "SPARK_DIGEST=" + order.digest}},
      [&answer](std::string_view line) { answer.last_line = line; },
      [&answer](Result<int> status) { answer.status = std::move(status); });
  context.run();
  return answer;
}

}  // namespace

bool has_ask_programs(const std::string& directory) {
  std::error_code error;
  const bool is_empty = std::filesystem::is_empty(directory, error);
  return error ? error != std::errc::no_such_file_or_directory : !is_empty;
}

std::string ask_programs(const std::string& directory, const AskOrder& order, const DaemonLog& log,
                         uid_t owner) {
  const auto failed = [&log](std::string why) {
    log(LOG_WARNING, why);
    return why;
  };
  const auto programs = hooks_in(directory, owner);
  if (!programs) return failed(programs.error().what);
  if (!programs->refused.empty()) return failed(programs->refused.front());
  for (const auto& path : programs->paths) {
    const auto [status, line] = ask_program(path, order);
    if (!status) return failed(status.error().what);
    if (*status == 0) continue;
    const auto said = line.empty() ? "" : ": " + line;
    if (*status == kNotNow) return fmt::format("'{}' says not now{}", path, said);
    return failed(fmt::format("'{}' ended with status {}, where 0 is yes and {} not now{}", path,
                              *status, kNotNow, said));
  }
  return {};
}

}  // namespace spark::daemon
