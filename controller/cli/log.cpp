#include "cli/log.hpp"

#include <memory>

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include "base/text.hpp"

namespace spark::cli {

void set_verbosity(int verbosity) {
  if (verbosity <= 0) {
    spdlog::set_level(spdlog::level::off);
    return;
  }
  auto logger = std::make_shared<spdlog::logger>("spark-reconcile",
                                                 std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger->set_pattern("%H:%M:%S.%f %l: %v");
  logger->set_level(verbosity > 1 ? spdlog::level::debug : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void log_info(std::string_view text) { spdlog::info("{}", printable(text)); }

void log_debug(std::string_view text) { spdlog::debug("{}", printable(text)); }

void log_of_daemon(int priority, std::string_view text) {
  static const bool kIsTerminal = isatty(STDERR_FILENO) == 1;
  static const auto kLogger = [] {
    auto logger = std::make_shared<spdlog::logger>(
        "daemon", std::make_shared<spdlog::sinks::stderr_sink_st>());
    logger->set_pattern(kIsTerminal ? "%H:%M:%S  %v" : "%v");
    return logger;
  }();
  // Some of it is what other processes call themselves.
  const auto line = printable(text);
  if (kIsTerminal) {
    kLogger->info("{}", line);
  } else {
    kLogger->info("<{}>{}", priority, line);
  }
}

}  // namespace spark::cli
