#pragma once
// Log: the daemon's own lines, and what -v and -vv show of every verb. The only user of the logging
// library is log.cpp.

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "cli/input/arguments.hpp"

namespace spdlog {
class logger;
}  // namespace spdlog

namespace spark::cli {

struct LogOptions {
  Color color = Color::kAuto;  ///< kAuto: where the stream is a terminal
  int verbosity = 0;           ///< 0: LOG_NOTICE and more urgent; 1: LOG_INFO too; 2: all
  std::string journal_stream;  ///< JOURNAL_STREAM of the environment: systemd.exec(5)
};

/// One line for each text, in the form that its reader needs:
/// - journal: `<4>text`, with the priority as sd-daemon(3) has it; the journal adds the time
/// - terminal: `21:56:57.123 warning: text`, in local time
/// - file or pipe: `2026-11-21T21:56:57.123Z warning: text`
class Log {
 public:
  Log(std::FILE* stream, const LogOptions& options);
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log();

  /// `priority` as syslog(3) has them. What is hidden in `text` is made visible, so each text is
  /// one line, and none gives a terminal orders.
  void write(int priority, std::string_view text) const;
  /// Texts of this priority are shown: a caller with many of them need not make them else.
  [[nodiscard]] bool shows(int priority) const;
  /// What is done, for -v.
  void info(std::string_view text) const;
  /// Why, for -vv.
  void debug(std::string_view text) const;

 private:
  std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace spark::cli
