#pragma once
// Findings collects what is wrong with one file, up to a bound, and hands it out in the file's
// order.

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "spec/diagnostic.hpp"
#include "spec/diagnostic_ids.hpp"
#include "spec/document.hpp"

namespace spark {

class Findings {
 public:
  /// More than anyone reads at once; the rest is counted.
  static constexpr std::size_t kMost = 100;

  /// The id's number decides between error and warning.
  void add(SpecId id, Where where, std::string message, std::string reason = {},
           std::vector<Related> related = {});
  /// A finding about a whole map or list, whose place is that of its first key or item.
  void add_about(const Value& container, SpecId id, std::string message, std::string reason = {});

  /// True when some part of the file could not be read: what is absent may only be unreadable.
  [[nodiscard]] bool structure_is_broken() const { return structure_is_broken_; }

  /// All findings, sorted by place, with their paths in `root` (null: the file has no tree).
  [[nodiscard]] std::vector<Diagnostic> take(const Value* root) &&;

 private:
  struct Entry {
    Diagnostic diagnostic;
    bool about_container = false;
  };
  void add(Entry entry, SpecId id);

  std::vector<Entry> entries_;
  std::array<std::size_t, 2> dropped_{};  ///< by severity
  bool structure_is_broken_ = false;
};

}  // namespace spark
