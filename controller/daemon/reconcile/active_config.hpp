#pragma once
// ActiveConfig: the file that the daemon follows, and the one that it enforces. Which of them
// counts, `state::step` says; here are the texts, when each is tried, and why one is refused.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/parse/parse.hpp"
#include "daemon/common/node_state_names.hpp"
#include "host/file_lock.hpp"
#include "host/files.hpp"
#include "protocol/paths.hpp"
#include "state/in_force_file.hpp"

namespace spark::daemon {

/// A text without errors, and what it says.
struct GoodFile {
  std::string name;  ///< as messages call it
  std::string text;
  config::Cluster cluster;
};

/// "cluster.yaml:17:8"; empty: no line of the file is meant.
std::string line_of(const GoodFile& file, const config::Where& where);

/// When the daemon may take a file by itself.
struct TakeRules {
  /// Whether the file may be taken. Errors: kBusy while somebody writes it. Empty: always.
  std::function<Result<>(const std::string& path)> check;
  /// How it is read; empty: as any file.
  std::function<Result<std::optional<std::string>>()> read;
  /// Whether a text with that digest is the one to take. Errors: kBusy as above. Empty: any is.
  std::function<Result<>(const std::string& digest)> check_digest;
  /// Why there may be no file; empty: it is just not there.
  std::function<std::string()> why_absent;
  /// How long a changed text stands before it is tried: some writers close the file in between.
  std::chrono::milliseconds settles_in{0};
  /// How long nothing that held before may fail until the file is good; empty: it needs no trial.
  std::optional<std::chrono::milliseconds> trial;
  /// The offer to all nodes that the file is of, as of state::Trial; else empty.
  std::string offer;
};

class ActiveConfig {
 public:
  explicit ActiveConfig(std::string path, TakeRules rules = {}) : rules_(std::move(rules)) {
    state_.path = std::move(path);
  }

  /// The file is another one from now on: what the former one said is no candidate any more.
  void take_from(std::string path, TakeRules rules);

  /// Takes over what is on disk, which other processes write too, and reads the file from `source`.
  /// `asked`: somebody says that the file is complete, so it is tried at once.
  void look(host::Files& files, host::Files& source, const Moment& now, bool asked = false);
  void look(host::Files& files, const Moment& now) { look(files, files, now); }

  /// Lets an event happen, and returns what is to be done. Who has no lock of those who change this
  /// machine takes it for that. Errors: those of the files port; kBusy: another process has the
  /// lock, or wrote since. Nothing has happened then.
  Result<state::Effect> tell(host::Files& files, const state::InForceEvent& event,
                             const Moment& now, const host::FileLock* lock = nullptr);
  /// What is on disk is what is known here.
  [[nodiscard]] bool is_current(host::Files& files) const;
  /// Takes over what is on disk: this process, or another one, has written it. Errors: those of the
  /// files port.
  Result<> adopt(host::Files& files, const Moment& now);
  [[nodiscard]] const state::InForce& record() const { return kept_.file.state; }
  /// What is to be done about the candidate now.
  [[nodiscard]] state::Effect effect() const { return kept_.effect; }

  /// Why what is kept is not used although it is there; empty: it is, or nothing is kept.
  [[nodiscard]] const std::string& damage() const { return kept_.damage; }
  /// The file to enforce. Null: no file has ever been good.
  [[nodiscard]] const GoodFile* in_force() const { return in_force_.get(); }
  /// The same, for another thread.
  [[nodiscard]] std::shared_ptr<const GoodFile> shared() const { return in_force_; }
  /// The file's text, where that is good, not in force and not refused; else null.
  [[nodiscard]] const GoodFile* candidate() const { return candidate_ ? &*candidate_ : nullptr; }

  /// The file of the history is in force, since nothing else is known to be. Errors: those of
  /// `tell`.
  Result<> go_on_with(host::Files& files, const std::string& text, const Moment& now);
  /// Somebody removed what is kept since it was read or written.
  [[nodiscard]] bool is_removed(host::Files& files) const;
  /// Writes it again. Errors: those of the files port.
  Result<> restore(host::Files& files) const;
  /// The next look() takes the file as new.
  void forget_refusal() { seen_.reset(); }
  /// The candidate is refused, and not tried again until the file changes.
  void refuse(const std::string& why, const Moment& now);
  /// The candidate could not be applied. It is tried again a few times, later and later, since the
  /// cause may go away by itself, as while the machine boots; then it is refused. True: it was the
  /// last try.
  bool fail(const std::string& why, const Moment& now);
  /// When the candidate may be tried, by the boot clock; empty: there is none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_try() const {
    return candidate_ ? std::optional(tries_.next) : std::nullopt;
  }
  [[nodiscard]] bool is_candidate_due(const Moment& now) const {
    return candidate_ && tries_.next <= now.boot && kept_.effect == state::Effect::kTry;
  }

  /// A new text waits until its writer has ended. What differs from the one in force may be of the
  /// new one, as after an apply by hand.
  [[nodiscard]] bool is_settling(const Moment& now) const {
    return candidate_ && tries_.failures == 0 && tries_.next > now.boot;
  }

  [[nodiscard]] const FileState& state() const { return state_; }
  /// SHA-256 of the text that is refused; empty: none is, or it is not there or cannot be read.
  [[nodiscard]] std::string refused_digest() const;

 private:
  /// False: the file may not be read now; the candidate is dropped, and the reason noted.
  bool may_take(host::Files& files, const Moment& now);
  void consider(host::Files& files, std::optional<std::string> text,
                std::chrono::milliseconds try_at, const Moment& now);
  void offer(host::Files& files, const state::InForceEvent& event, const Moment& now);
  void clear_refusal();
  void put_in_force(const Moment& since);

  /// What is on disk.
  struct Kept {
    state::InForceFile file;
    state::Effect effect = state::Effect::kNone;
    std::string damage;
  };
  /// Of the candidate.
  struct Tries {
    bool are_first = true;  ///< nothing was looked at yet
    int failures = 0;
    std::chrono::milliseconds next{0};  ///< boot clock
  };

  TakeRules rules_;
  Kept kept_;
  std::optional<std::string> seen_;  ///< what the file said when it was last looked at
  std::shared_ptr<const GoodFile> in_force_;
  std::optional<GoodFile> candidate_;
  Tries tries_;
  FileState state_;
};

}  // namespace spark::daemon
