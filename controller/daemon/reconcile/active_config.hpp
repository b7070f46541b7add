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

namespace spark {

/// A text without errors, and what it says.
struct GoodFile {
  std::string name;  ///< as messages call it
  std::string text;
  Cluster cluster;
};

/// When a file may be taken that nobody tells the daemon to take.
struct TakeRules {
  /// Whether it may be followed. Errors: kBusy while somebody writes it. Empty: always.
  std::function<Result<>(const std::string& path)> check;
  /// How long a changed text stands before it is tried: some writers close the file in between.
  std::chrono::milliseconds settles_in{0};
};

class ActiveConfig {
 public:
  explicit ActiveConfig(std::string path, TakeRules rules = {}) : rules_(std::move(rules)) {
    state_.path = std::move(path);
  }

  /// Reads the file, which lies in `source`, and at first the last good one too, which lies in
  /// `files`. `asked`: somebody says that the file is complete, so that it is tried at once.
  void look(Files& files, Files& source, const Moment& now, bool asked = false);
  void look(Files& files, const Moment& now) { look(files, files, now); }
  /// Why the last good file was not used although it is there; empty: it was, or there is none.
  [[nodiscard]] const std::string& damage() const { return damage_; }

  /// What is to be held. Null: nothing has ever been good.
  [[nodiscard]] const GoodFile* in_force() const { return in_force_.get(); }
  /// Likewise, for another thread.
  [[nodiscard]] std::shared_ptr<const GoodFile> shared() const { return in_force_; }
  /// What the file says, where that is good, not in force and not refused. Null else.
  [[nodiscard]] const GoodFile* candidate() const { return candidate_ ? &*candidate_ : nullptr; }

  /// The candidate was applied: it is in force, and the last good one.
  /// Errors: those of the files port; it is in force all the same.
  Result<> accept(Files& files, const Moment& now);
  /// Of a node that had no last good file: what its history has comes into force, and is kept as
  /// the last good file. Errors: those of the files port; it is in force all the same.
  Result<> go_on_with(Files& files, std::string text, Cluster cluster, const Moment& now);
  /// Somebody removed the last good file since it was read or written.
  [[nodiscard]] bool is_removed(Files& files) const;
  /// Writes what is in force as the last good file. Errors: those of the files port.
  Result<> keep(Files& files);
  /// The file is looked at as if it were new.
  void forget_refusal() { seen_.reset(); }
  /// The candidate cannot be had, and is not tried again until the file changes.
  void refuse(const std::string& why, const Moment& now);
  /// It could not be applied. It is tried again a few times, later and later, since what hinders
  /// may go by itself, as while the machine boots; then it is refused.
  void fail(const std::string& why, const Moment& now);
  /// When the candidate may be tried, by the boot clock; empty: there is none.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_try() const {
    return candidate_ ? std::optional(next_try_) : std::nullopt;
  }

  [[nodiscard]] const FileState& state() const { return state_; }

 private:
  void observe_last_good(Files& files, const Moment& now);
  /// False: it may not be read now, and what that means is noted.
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

}  // namespace spark
