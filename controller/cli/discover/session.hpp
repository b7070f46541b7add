#pragma once
// DiscoverSession: what `init --discover` and `join` have in common: they listen, show who is
// there, wait for people, and put nothing in place before all have said yes.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "base/wait.hpp"
#include "cli/command.hpp"
#include "cli/discover/discover_helper.hpp"
#include "cli/discover/discovered_file.hpp"
#include "cli/discover/pairing.hpp"
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

  /// What a pairing that was begun wants of the verb.
  enum class Next : std::uint8_t {
    kWait,     ///< nothing yet
    kAsk,      ///< the words are certain: a person is asked, once
    kAnswer,   ///< to that has come: consent() or refuse()
    kPut,      ///< all have said yes
    kRefused,  ///< pairing()->refused_by()
    kGone,     ///< pairing()->gone()
  };

  static Result<DiscoverSession> start(const Command& command, protocol::DiscoverTask task);

  /// Listens until something happens. Errors: the helper has ended; kInvalid: two sources say that
  /// they are one node.
  Result<Event> wait(SteadyTime until, bool reads_stdin);
  /// Shows who is there, once that has been so for a second, and only where it has changed.
  void show();

  [[nodiscard]] bool is_time_over() const { return Clock::now() >= deadline_; }
  [[nodiscard]] SteadyTime deadline() const { return deadline_; }
  [[nodiscard]] const protocol::DiscoverTask& task() const { return task_; }
  [[nodiscard]] const std::vector<protocol::NodeRecord>& nodes() const { return seen_.nodes; }
  [[nodiscard]] const Wiring& wiring() const { return wiring_; }
  /// Since when nothing of what a file is written from has changed.
  [[nodiscard]] SteadyTime unchanged_since() const { return changed_; }
  /// The only founder; null: there is none, or more than one.
  [[nodiscard]] const protocol::NodeRecord* founder() const;
  /// An offer that has come since it was asked for last.
  std::optional<protocol::DiscoverFile> take_file() { return std::exchange(file_, std::nullopt); }

  /// Offers the file to all nodes that are there; or, empty, that keys alone are exchanged.
  Result<> offer(std::string file);
  /// Goes by this offer from now on, and opens this node's commitment. Errors: kInvalid: it is none
  /// for this node; another one was begun before: who has seen an opening could choose this one by
  /// it.
  Result<> begin(const protocol::DiscoverFile& offer);
  /// What was begun; null: nothing.
  [[nodiscard]] const Pairing* pairing() const { return pairing_ ? &*pairing_ : nullptr; }
  /// `is_answered`: by what was typed, or by an option.
  Next next(bool is_answered);
  /// Asked, and without an answer.
  [[nodiscard]] bool awaits_person() const { return is_asked_ && !has_agreed_; }
  [[nodiscard]] bool has_agreed() const { return has_agreed_; }
  /// A person has said yes here.
  Result<> consent();
  /// Asks a person, whose answer is what is typed from now on.
  void ask(const std::string& question);
  /// Tells the others that the offer is refused here.
  void refuse();
  /// All have said yes: the keys of the others are trusted, and the file, if one was offered, is at
  /// its place, or at `out`. Errors: it cannot be written.
  Result<Placed> put(const std::string& out);
  /// Others may hear one node over this one alone: says for a while what it has heard.
  void pass_on();
  /// The line that was typed; empty: stdin has ended.
  std::optional<std::string> take_typed();

 private:
  DiscoverSession(const Command& command, DiscoverHelper helper, protocol::DiscoverTask task,
                  OwnOpening own);

  Result<> tell_transcript();
  Result<> begin_with(const std::string& offer, const std::string& founder,
                      protocol::DiscoverOrder order);
  Result<Event> listen(SteadyTime until, bool reads_stdin);

  void take(DiscoverHelper::News news);
  void read_stdin();
  [[nodiscard]] bool has_typed() const;

  const Command* command_;
  DiscoverHelper helper_;
  protocol::DiscoverTask task_;
  OwnOpening own_;
  SteadyTime deadline_;
  SteadyTime changed_;
  protocol::DiscoverSeen seen_;
  Wiring wiring_;
  std::string digest_;  ///< of the offer that came last
  std::optional<Pairing> pairing_;
  bool has_told_ = false;    ///< the transcript, to the helper
  bool is_asked_ = false;    ///< whether the words are the same
  bool has_agreed_ = false;  ///< to that
  bool is_asking_ = false;   ///< any question is on the screen
  std::optional<protocol::DiscoverFile> file_;
  std::string typed_;
  bool typed_end_ = false;
  std::string shown_;
};

/// Without a terminal, others read what is printed as it comes.
void flush(const Terminal& terminal);

/// "y" or "yes", as people type it.
bool is_word_of_yes(std::string_view typed);

/// stdin and stdout are a terminal with a person before it.
bool is_person_there(const Arguments& arguments);

}  // namespace spark::cli
