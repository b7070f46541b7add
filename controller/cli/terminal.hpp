#pragma once
// Terminal: where text goes, how wide it may be, and whether it is coloured.

#include <cstddef>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "cli/input/arguments.hpp"

namespace spark::cli {

enum class Tone : unsigned char { kPlain, kGood, kChange, kBad, kFaint, kStrong };

/// The columns of the terminal that the stream is; empty: it is none. `wanted` is COLUMNS of the
/// environment, which comes first. Never so few that nothing fits, nor so many that a line is hard
/// to read.
std::optional<std::size_t> width_of(std::FILE* stream, const std::string& wanted);

class Terminal {
 public:
  /// Colours when asked to, or, on kAuto, when `out` is a terminal; then `err` too, if it is one.
  /// `width`: the columns of `out`; empty: nobody looks at it as a screen, and what is printed has
  /// one line for each thing, however long.
  Terminal(std::FILE* out, std::FILE* err, Color color, bool quiet,
           std::optional<std::size_t> width = std::nullopt);

  /// The same for who has to write sudo before what only root may.
  [[nodiscard]] Terminal with_sudo(bool writes_sudo) const;
  [[nodiscard]] bool writes_sudo() const { return writes_sudo_; }

  [[nodiscard]] std::optional<std::size_t> width() const { return width_; }
  /// The same for `err`: one that goes to a file has one line for each thing.
  [[nodiscard]] std::optional<std::size_t> error_width() const { return error_width_; }

  /// Text for stdout, unless --quiet.
  void print(std::string_view text) const;
  /// Text for stdout, always: results and closing lines.
  void print_always(std::string_view text) const;
  /// Text for stderr.
  void complain(std::string_view text) const;
  /// One line that says what is done just now. It stays until anything else is printed, and is cut
  /// where it is too wide. Only on a terminal, and not with --quiet.
  void show_passing(std::string_view line) const;
  /// One that prints into `memory` what this one would print, in the same tones, but `width` wide.
  [[nodiscard]] Terminal printing_into(std::FILE* memory, std::size_t width) const;
  /// The stream of `print`.
  [[nodiscard]] std::FILE* stream() const { return out_; }
  /// Flushes stdout. Errors: some of what was printed was not written. A reader that went away
  /// (`| head`) is no error.
  [[nodiscard]] Result<> finish() const;
  /// `text` in a tone; unchanged where there is no colour.
  [[nodiscard]] std::string paint(Tone tone, std::string_view text) const;

 private:
  void note_failure(bool failed) const;
  void clear_passing() const;

  std::FILE* out_;
  std::FILE* err_;
  bool color_;
  bool err_color_;  ///< what is painted for `out` keeps its colours on `err`
  bool quiet_;
  bool writes_sudo_ = false;
  std::optional<std::size_t> width_;
  std::optional<std::size_t> error_width_;
  mutable bool passing_ = false;  ///< such a line is shown
  mutable int failure_ = 0;       ///< errno of the first write to `out_` that failed
};

}  // namespace spark::cli
