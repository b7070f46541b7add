#pragma once
// What is known of single releases of the kernel of a Spark: the one table of it, and what an owner
// knows over it (state/known_releases.hpp). docs/explain/hardware.md shows it.

#include <string>
#include <string_view>
#include <vector>

namespace spark::host {

/// Of all others nothing is known: they are neither good nor bad, newer or older.
struct KernelRelease {
  std::string release;  ///< as `uname -r` begins
  std::string fault;    ///< a clause, without the subject; empty: it is known to be good
  std::string cure;     ///< a word of the kernel's command line; empty: there is none
  std::string source;   ///< where that stands
  std::string date;     ///< when it was written there: "2026-09-12", "2026-09"
};

class KernelReleases {
 public:
  /// What this program knows.
  KernelReleases() : KernelReleases(std::vector<KernelRelease>{}) {}
  /// `over`: what an owner knows goes before that.
  explicit KernelReleases(std::vector<KernelRelease> over);

  [[nodiscard]] const std::vector<KernelRelease>& all() const { return all_; }
  /// Of `uname -r`; null: nothing is known of it.
  [[nodiscard]] const KernelRelease* known(std::string_view release) const;
  /// "boot 6.17.0-1032": what there is to boot in place of a bad one.
  [[nodiscard]] std::string boot_a_good_one() const;

 private:
  std::vector<KernelRelease> all_;
};

/// "2026-09-12, https://…"; what is not known is left out.
std::string origin_text(const KernelRelease& release);

}  // namespace spark::host
