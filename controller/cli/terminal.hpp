#pragma once
// Terminal: where text goes, and whether it is coloured.

#include <cstdio>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/input/arguments.hpp"

namespace spark::cli {

enum class Tone : unsigned char { kPlain, kGood, kChange, kBad, kFaint, kStrong };

class Terminal {
 public:
  /// Colours when asked to, or, on kAuto, when `out` is a terminal; then `err` too, if it is one.
  Terminal(std::FILE* out, std::FILE* err, Color color, bool quiet);

  /// Text for stdout, unless --quiet.
  void print(std::string_view text) const;
  /// Text for stdout, always: results and closing lines.
  void print_always(std::string_view text) const;
  /// Text for stderr.
  void complain(std::string_view text) const;
  /// Flushes stdout. Errors: some of what was printed was not written. A reader that went away
  /// (`| head`) is no error.
  [[nodiscard]] Result<> finish() const;
  /// `text` in a tone; unchanged where there is no colour.
  [[nodiscard]] std::string paint(Tone tone, std::string_view text) const;

 private:
  void note_failure(bool failed) const;

  std::FILE* out_;
  std::FILE* err_;
  bool color_;
  bool err_color_;  ///< what is painted for `out` keeps its colours on `err`
  bool quiet_;
  mutable int failure_ = 0;  ///< errno of the first write to `out_` that failed
};

/// `text` followed by blanks up to `width` columns (code points; the texts here have no wide ones).
std::string padded(std::string_view text, std::size_t width);
std::size_t columns(std::string_view text);

/// "3 changes", "1 change", "2 switches".
std::string counted(std::size_t count, std::string_view noun);

}  // namespace spark::cli
