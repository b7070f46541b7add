#pragma once
// ActiveConfig: which text of cluster.yaml is in force. A new one comes into force when it has been
// applied; until then, and where it is refused, the last good one stays, also after a reboot.

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/parse/parse.hpp"
#include "daemon/common/node_state.hpp"
#include "host/files.hpp"
#include "protocol/paths.hpp"

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
  /// Whether a text with that digest is the one to take. Errors: kBusy as above. Empty: any is.
  std::function<Result<>(const std::string& digest)> check_digest;
  /// Why there may be no file; empty: it is just not there.
  std::function<std::string()> why_absent;
  /// How long a changed text stands before it is tried: some writers close the file in between.
  std::chrono::milliseconds settles_in{0};
};

class ActiveConfig {
 public:
  explicit ActiveConfig(std::string path, TakeRules rules = {}) : rules_(std::move(rules)) {
    state_.path = std::move(path);
  }

  /// The file is another one from now on: what the former one said is no candidate any more.
  void take_from(std::string path, TakeRules rules);

  /// Reads the file from `source`; the first call also reads the last good file, from `files`.
  /// `asked`: somebody says that the file is complete, so it is tried at once.
  void look(host::Files& files, host::Files& source, const Moment& now, bool asked = false);
  void look(host::Files& files, const Moment& now) { look(files, files, now); }
  /// Why the last good file was not used although it is there; empty: it was, or there is none.
  [[nodiscard]] const std::string& damage() const { return damage_; }

  /// The file to enforce. Null: no file has ever been good.
  [[nodiscard]] const GoodFile* in_force() const { return in_force_.get(); }
  /// The same, for another thread.
  [[nodiscard]] std::shared_ptr<const GoodFile> shared() const { return in_force_; }
  /// The file's text, where that is good, not in force and not refused; else null.
  [[nodiscard]] const GoodFile* candidate() const { return candidate_ ? &*candidate_ : nullptr; }

  /// The candidate was applied: it is in force, and the last good one.
  /// Errors: those of the files port; it is in force all the same.
  Result<> accept(host::Files& files, const Moment& now);
  /// The candidate was applied: it is in force. The last good file stays the one before it, until
  /// `keep`.
  void accept_on_trial(const Moment& now);
  /// The last good file on disk, where it is another one than that in force; empty: there is none.
  [[nodiscard]] std::optional<GoodFile> former(host::Files& files) const;
  /// `file` is in force instead of what is: that was no good, and is refused with that reason.
  void go_back_to(GoodFile file, const std::string& why, const Moment& now);
  /// For a node without a last good file: puts the file of its history in force, and keeps it as
  /// the last good file. Errors: those of the files port; the file is in force all the same.
  Result<> go_on_with(host::Files& files, std::string text, config::Cluster cluster,
                      const Moment& now);
  /// Somebody removed the last good file since it was read or written.
  [[nodiscard]] bool is_removed(host::Files& files) const;
  /// Writes what is in force as the last good file. Errors: those of the files port.
  Result<> keep(host::Files& files);
  /// The next look() takes the file as new.
  void forget_refusal() { seen_.reset(); }
  /// The candidate is refused, and not tried again until the file changes.
  void refuse(const std::string& why, const Moment& now);
  /// The candidate could not be applied. It is tried again a few times, later and later, since the
  /// cause may go away by itself, as while the machine boots; then it is refused.
  void fail(const std::string& why, const Moment& now);
  /// When the candidate may be tried, by the boot clock; empty: there is none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_try() const {
    return candidate_ ? std::optional(next_try_) : std::nullopt;
  }

  /// A new text waits until its writer has ended. What differs from the one in force may be of the
  /// new one, as after an apply by hand.
  [[nodiscard]] bool is_settling(const Moment& now) const {
    return candidate_ && failures_ == 0 && next_try_ > now.boot;
  }

  [[nodiscard]] const FileState& state() const { return state_; }

 private:
  void observe_last_good(host::Files& files, const Moment& now);
  /// False: the file may not be read now; the candidate is dropped, and the reason noted.
  bool may_take(const Moment& now);
  void consider(std::optional<std::string> text, std::chrono::milliseconds try_at,
                const Moment& now);
  void clear_refusal();
  void put_in_force(GoodFile good, const Moment& since);

  TakeRules rules_;
  bool looked_ = false;
  bool is_kept_ = false;  ///< the last good file is on disk, as far as is known
  std::string damage_;
  std::optional<std::string> seen_;  ///< what the file said when it was last looked at
  std::shared_ptr<const GoodFile> in_force_;
  std::optional<GoodFile> candidate_;
  int failures_ = 0;                       ///< of the candidate
  std::chrono::milliseconds next_try_{0};  ///< boot clock
  FileState state_;
};

}  // namespace spark::daemon
