#pragma once
// Findings collects what is wrong with one file, up to a bound, and hands it out in the file's
// order.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/yaml/diagnostic.hpp"
#include "config/yaml/diagnostic_ids.hpp"
#include "config/yaml/value.hpp"

namespace spark::config {

class Findings {
 public:
  /// More than anyone reads at once; the rest is counted.
  static constexpr std::size_t kMost = 100;

  /// A finding about the value or key at a place. The id decides between error and warning.
  void add(SpecId id, Where where, std::string message, std::string reason = {},
           std::vector<Related> related = {});
  /// About a whole map or list, whose place is that of its first key or item.
  void add_about(const Value& container, SpecId id, std::string message, std::string reason = {});
  /// About the text and no value in it.
  void add_about_text(SpecId id, Where where, std::string message, std::string reason = {},
                      std::vector<Related> related = {});

  /// True when further findings are only counted: no need to search for good advice then.
  [[nodiscard]] bool is_full() const { return entries_.size() == kMost; }

  /// True when some part of the file could not be read: what is absent may only be unreadable.
  [[nodiscard]] bool structure_is_broken() const { return structure_is_broken_; }

  [[nodiscard]] bool has(SpecId id) const;
  /// Whether one of that id has its first related place there.
  [[nodiscard]] bool has_beside(SpecId id, Where related) const;
  [[nodiscard]] bool has_errors() const;
  /// The places of errors on a line.
  [[nodiscard]] std::vector<Where> errors_on(int line) const;
  /// Drops the errors on a line, or all (line 0): another one says what is wrong there.
  void drop_errors(int line);

  /// All findings, sorted by place, with their paths in `root` (null: the file has no tree). Beside
  /// an error, warnings are dropped: they may be about what the error distorts.
  [[nodiscard]] std::vector<Diagnostic> take(const Value* root) &&;

 private:
  enum class About : std::uint8_t { kValue, kContainer, kText };
  struct Entry {
    Diagnostic diagnostic;
    About about = About::kValue;
  };
  void add(SpecId id, About about, Diagnostic diagnostic);

  std::vector<Entry> entries_;
  std::array<std::size_t, 2> dropped_{};  ///< by severity
  bool structure_is_broken_ = false;
};

}  // namespace spark::config
