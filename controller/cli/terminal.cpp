#include "cli/terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/columns.hpp"
#include "base/text.hpp"
#include "base/units.hpp"

namespace spark::cli {
namespace {

constexpr std::string_view kEndOfTone = "\x1b[0m";

std::string_view escape_of(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kGood:
      return "\x1b[32m";
    case Tone::kChange:
      return "\x1b[33m";
    case Tone::kBad:
      return "\x1b[31m";
    case Tone::kFaint:
      return "\x1b[2m";
    case Tone::kStrong:
      return "\x1b[1m";
  }
  return "";
}

/// The escape sequence of a tone that `text` begins with; empty: none of ours.
std::string_view own_escape_at(std::string_view text) {
  if (text.starts_with(kEndOfTone)) return kEndOfTone;
  for (const auto tone : {Tone::kGood, Tone::kChange, Tone::kBad, Tone::kFaint, Tone::kStrong}) {
    if (text.starts_with(escape_of(tone))) return escape_of(tone);
  }
  return {};
}

/// The text as a terminal may have it: names of processes, of control groups and of files come from
/// others, who could give the terminal orders with them. Hidden characters become `\uXXXX`, which
/// JSON reads as the same characters, so that JSON passes through here unchanged in meaning.
std::string harmless(std::string_view text, bool color) {
  constexpr char32_t kLargestOfFourDigits = 0xFFFF;
  if (std::ranges::all_of(text, [](char c) { return is_ascii_print(c) || c == '\n'; })) {
    return std::string(text);
  }
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto point = decode_utf8(text);
    auto size = point ? point->size : 1;
    const bool is_hidden_here = point && is_hidden(point->value) && point->value != U'\n' &&
                                point->value != U'\t' && point->value <= kLargestOfFourDigits;
    if (const auto own = color ? own_escape_at(text) : ""; !own.empty()) {
      size = own.size();
      out += own;
    } else if (!point) {
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text.front()));
    } else if (is_hidden_here) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point->value));
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(size);
  }
  return out;
}

/// The text in no tone.
std::string without_tones(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const auto own = own_escape_at(text).size();
    plain += own == 0 ? text.substr(0, 1) : "";
    text.remove_prefix(std::max<std::size_t>(own, 1));
  }
  return plain;
}

bool has_color(std::FILE* stream, Color color) {
  return color == Color::kAlways || (color == Color::kAuto && isatty(fileno(stream)) == 1);
}

bool write(std::FILE* stream, std::string_view text, bool color) {
  const auto shown = harmless(text, color);
  return std::fwrite(shown.data(), 1, shown.size(), stream) == shown.size();
}

}  // namespace

std::optional<std::size_t> width_of(std::FILE* stream, const std::string& wanted) {
  constexpr std::size_t kNarrowest = 40;
  constexpr std::size_t kWidest = 120;
  constexpr std::size_t kUsual = 80;  // a terminal that does not say, as a serial line
  if (isatty(fileno(stream)) != 1) return std::nullopt;
  auto width = number_in<std::size_t>(wanted).value_or(0);
  if (width == 0) {
    winsize size{};
    const bool says = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    width = says ? size.ws_col : kUsual;
  }
  return std::clamp(width, kNarrowest, kWidest);
}

Terminal::Terminal(std::FILE* out, std::FILE* err, Color color, bool quiet,
                   std::optional<std::size_t> width)
    : out_(out),
      err_(err),
      color_(has_color(out, color)),
      err_color_(color_ && has_color(err, color)),
      quiet_(quiet),
      width_(width),
      error_width_(err != nullptr && isatty(fileno(err)) == 1 ? width : std::nullopt) {}

void Terminal::print(std::string_view text) const {
  if (!quiet_) print_always(text);
}

void Terminal::print_always(std::string_view text) const {
  if (!text.empty()) clear_passing();
  note_failure(!write(out_, text, color_));
}

void Terminal::show_passing(std::string_view line) const {
  if (!width_ || quiet_) return;
  // Blanks, and no order to erase: any terminal knows them. The last column stays free, where some
  // terminals begin a new line.
  const auto shown = padded(cut(harmless(printable(line), false), *width_ - 1), *width_ - 1);
  note_failure(std::fprintf(out_, "\r%s\r", shown.c_str()) < 0 || std::fflush(out_) != 0);
  passing_ = true;
}

void Terminal::clear_passing() const {
  if (std::exchange(passing_, false)) {
    note_failure(std::fprintf(out_, "\r%*s\r", static_cast<int>(*width_ - 1), "") < 0);
  }
}

void Terminal::complain(std::string_view text) const {
  clear_passing();
  note_failure(std::fflush(out_) != 0);
  const bool drops_tones = color_ && !err_color_;
  // There is nowhere else to say it.
  static_cast<void>(write(err_, drops_tones ? without_tones(text) : text, err_color_));
}

void Terminal::note_failure(bool failed) const {
  if (failed && failure_ == 0) failure_ = errno;
}

Terminal Terminal::printing_into(std::FILE* memory, std::size_t width) const {
  return Terminal(memory, memory, color_ ? Color::kAlways : Color::kNever, quiet_, width)
      .with_sudo(writes_sudo_);
}

Terminal Terminal::with_sudo(bool writes_sudo) const {
  auto same = *this;
  same.writes_sudo_ = writes_sudo;
  return same;
}

Result<> Terminal::finish() const {
  clear_passing();
  note_failure(std::fflush(out_) != 0);
  return failure_ == 0 || failure_ == EPIPE ? Result<>{} : fail_errno(failure_, "write to stdout");
}

std::string Terminal::paint(Tone tone, std::string_view text) const {
  return color_ && tone != Tone::kPlain ? fmt::format("{}{}{}", escape_of(tone), text, kEndOfTone)
                                        : std::string(text);
}

}  // namespace spark::cli
