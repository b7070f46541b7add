#include "cli/log.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/ansicolor_sink.h>
#include <sys/stat.h>
#include <syslog.h>
#include <unistd.h>

#include "base/text.hpp"

namespace spark::cli {
namespace {

/// A level of syslog(3), and the level of the library that stands for it: the library has none
/// between a warning and information.
struct Level {
  int priority;
  std::string_view word;
  spdlog::level::level_enum level;
  std::string_view color;  ///< of the word
};
constexpr std::array kLevels{
    Level{LOG_CRIT, "critical", spdlog::level::critical, "\x1b[31m"},
    Level{LOG_ERR, "error", spdlog::level::err, "\x1b[31m"},
    Level{LOG_WARNING, "warning", spdlog::level::warn, "\x1b[33m"},
    Level{LOG_NOTICE, "notice", spdlog::level::info, "\x1b[1m"},
    Level{LOG_INFO, "info", spdlog::level::debug, "\x1b[2m"},
    Level{LOG_DEBUG, "debug", spdlog::level::trace, "\x1b[2m"},
};

/// Emergencies and alerts of syslog(3) are of a whole machine: none of ours.
const Level& level_of(int priority) {
  const auto clamped = std::clamp<int>(priority, LOG_CRIT, LOG_DEBUG);
  return *std::ranges::find(kLevels, clamped, &Level::priority);
}

spdlog::level::level_enum threshold_of(int verbosity) {
  return level_of(LOG_NOTICE + std::clamp(verbosity, 0, LOG_DEBUG - LOG_NOTICE)).level;
}

/// A flag of the pattern that is about the level.
class LevelFlag : public spdlog::custom_flag_formatter {
 public:
  using Text = std::string (*)(const Level&);
  explicit LevelFlag(Text text) : text_(text) {}

  void format(const spdlog::details::log_msg& message, const std::tm& /*time*/,
              spdlog::memory_buf_t& line) override {
    const auto level = std::ranges::find(kLevels, message.level, &Level::level);
    const auto text = level == kLevels.end() ? std::string() : text_(*level);
    line.append(text.data(), text.data() + text.size());
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelFlag>(text_);
  }

 private:
  Text text_;
};

enum class Reader : unsigned char { kJournal, kTerminal, kFile };

/// As systemd.exec(5) has it: a stream that somebody has redirected is the journal's no longer.
bool is_journal(int stream, const std::string& journal_stream) {
  struct stat status{};
  return !journal_stream.empty() && fstat(stream, &status) == 0 &&
         journal_stream == fmt::format("{}:{}", status.st_dev, status.st_ino);
}

Reader reader_of(int stream, const std::string& journal_stream) {
  if (is_journal(stream, journal_stream)) return Reader::kJournal;
  return isatty(stream) == 1 ? Reader::kTerminal : Reader::kFile;
}

/// The one format of every line: %N is the priority, %W the word for it.
std::unique_ptr<spdlog::pattern_formatter> format_for(Reader reader) {
  const bool is_local = reader == Reader::kTerminal;
  auto format = std::make_unique<spdlog::pattern_formatter>(
      is_local ? spdlog::pattern_time_type::local : spdlog::pattern_time_type::utc, "\n");
  format->add_flag<LevelFlag>(
      'N', LevelFlag::Text([](const Level& level) { return std::to_string(level.priority); }));
  format->add_flag<LevelFlag>(
      'W', LevelFlag::Text([](const Level& level) { return std::string(level.word); }));
  switch (reader) {
    case Reader::kJournal:
      format->set_pattern("<%N>%v");
      break;
    case Reader::kTerminal:
      format->set_pattern("%H:%M:%S.%e %^%W%$: %v");
      break;
    case Reader::kFile:
      format->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%W%$: %v");
      break;
  }
  return format;
}

bool has_color(Color color, Reader reader) {
  return color == Color::kAlways || (color == Color::kAuto && reader == Reader::kTerminal);
}

}  // namespace

Log::Log(std::FILE* stream, const LogOptions& options) {
  const auto reader = reader_of(fileno(stream), options.journal_stream);
  auto sink = std::make_shared<spdlog::sinks::ansicolor_sink<spdlog::details::console_mutex>>(
      stream,
      has_color(options.color, reader) ? spdlog::color_mode::always : spdlog::color_mode::never);
  for (const auto& level : kLevels) {
    sink->set_color(level.level, {level.color.data(), level.color.size()});
  }
  sink->set_formatter(format_for(reader));
  logger_ = std::make_unique<spdlog::logger>("", std::move(sink));
  logger_->set_level(threshold_of(options.verbosity));
}

Log::~Log() = default;

void Log::write(int priority, std::string_view text) const {
  const auto level = level_of(priority).level;
  if (logger_->should_log(level)) {
    // Some of it is what other processes call themselves.
    logger_->log(level, "{}", printable(text));
  }
}

bool Log::shows(int priority) const { return logger_->should_log(level_of(priority).level); }

void Log::info(std::string_view text) const { write(LOG_INFO, text); }

void Log::debug(std::string_view text) const { write(LOG_DEBUG, text); }

}  // namespace spark::cli
