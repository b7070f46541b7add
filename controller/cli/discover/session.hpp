#pragma once
// DiscoverSession: what `init --discover` and `join` have in common: they listen, show who is
// there, and wait for a person.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/wait.hpp"
#include "cli/command.hpp"
#include "cli/discover/discover_helper.hpp"
#include "cli/discover/wiring.hpp"

namespace spark::cli {

class DiscoverSession {
 public:
  using Clock = std::chrono::steady_clock;

  /// What ended a wait.
  enum class Event : std::uint8_t {
    kNews,     ///< the nodes, their cables or a file
    kTyped,    ///< a line on stdin, or its end
    kNothing,  ///< nothing until the moment that was waited for
  };

  static Result<DiscoverSession> start(const Command& command, protocol::DiscoverTask task);

  /// Listens until something happens. Errors: the helper has ended.
  Result<Event> wait(SteadyTime until, bool reads_stdin);
  /// Shows who is there, once that has been so for a second, and only where it has changed.
  void show();

  [[nodiscard]] bool is_time_over() const { return Clock::now() >= deadline_; }
  [[nodiscard]] SteadyTime deadline() const { return deadline_; }
  [[nodiscard]] const protocol::DiscoverTask& task() const { return task_; }
  [[nodiscard]] const std::vector<protocol::NodeRecord>& nodes() const { return nodes_; }
  [[nodiscard]] const Wiring& wiring() const { return wiring_; }
  /// Since when nothing of what a file is written from has changed.
  [[nodiscard]] SteadyTime unchanged_since() const { return changed_; }
  /// The only founder; null: there is none, or more than one.
  [[nodiscard]] const protocol::NodeRecord* founder() const;
  /// A file that has come since it was asked for last.
  std::optional<protocol::DiscoverFile> take_file() { return std::exchange(file_, std::nullopt); }
  /// The line that was typed; empty: stdin has ended.
  std::optional<std::string> take_typed();
  Result<> order(const protocol::DiscoverOrder& order) { return helper_.order(order); }

 private:
  DiscoverSession(const Command& command, DiscoverHelper helper, protocol::DiscoverTask task);

  void take(DiscoverHelper::News news);
  void read_stdin();
  [[nodiscard]] bool has_typed() const;

  const Command* command_;
  DiscoverHelper helper_;
  protocol::DiscoverTask task_;
  SteadyTime deadline_;
  SteadyTime changed_;
  std::vector<protocol::NodeRecord> nodes_;
  Wiring wiring_;
  std::optional<protocol::DiscoverFile> file_;
  std::string typed_;
  bool typed_end_ = false;
  std::string shown_;
};

/// Without a terminal, others read what is printed as it comes.
void flush(const Terminal& terminal);

/// stdin and stdout are a terminal with a person before it.
bool is_person_there(const Arguments& arguments);

}  // namespace spark::cli
