#include "cli/terminal.hpp"

#include <algorithm>
#include <cerrno>

#include <fmt/format.h>
#include <unistd.h>

namespace spark {
namespace {

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

bool write(std::FILE* stream, std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stream) == text.size();
}

}  // namespace

Terminal::Terminal(std::FILE* out, std::FILE* err, Color color, bool quiet)
    : out_(out),
      err_(err),
      color_(color == Color::kAlways || (color == Color::kAuto && isatty(fileno(out)) == 1)),
      quiet_(quiet) {}

void Terminal::print(std::string_view text) const {
  if (!quiet_) {
    print_always(text);
  }
}

void Terminal::print_always(std::string_view text) const { note_failure(!write(out_, text)); }

void Terminal::complain(std::string_view text) const {
  note_failure(std::fflush(out_) != 0);
  static_cast<void>(write(err_, text));  // there is nowhere else to say it
}

void Terminal::note_failure(bool failed) const {
  if (failed && failure_ == 0) {
    failure_ = errno;
  }
}

Result<> Terminal::finish() const {
  note_failure(std::fflush(out_) != 0);
  return failure_ == 0 || failure_ == EPIPE ? Result<>{} : fail_errno(failure_, "write to stdout");
}

std::string Terminal::paint(Tone tone, std::string_view text) const {
  return color_ && tone != Tone::kPlain ? fmt::format("{}{}\x1b[0m", escape_of(tone), text)
                                        : std::string(text);
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string padded(std::string_view text, std::size_t width) {
  const auto used = columns(text);
  return std::string(text) + std::string(width > used ? width - used : 0, ' ');
}

std::string counted(std::size_t count, std::string_view noun) {
  const auto* const plural = noun.ends_with("ch") ? "es" : "s";
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : plural);
}

}  // namespace spark
