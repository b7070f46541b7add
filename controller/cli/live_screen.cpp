#include "cli/live_screen.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/ioctl.h>

#include "base/text.hpp"

namespace spark::cli {
namespace {

// ECMA-48: CUP, EL, ED.
constexpr std::string_view kWholeScreen = "\x1b[H\x1b[2J";
constexpr std::string_view kRestOfLine = "\x1b[K";
constexpr std::string_view kRestOfScreen = "\x1b[J";

std::string go_to_row(std::size_t row) { return fmt::format("\x1b[{};1H", row + 1); }

std::string printed(const Terminal& terminal, std::size_t width,
                    const std::function<void(const Terminal&)>& print) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* memory = open_memstream(&text, &size);
  if (memory == nullptr) return {};
  print(terminal.printing_into(memory, width));
  static_cast<void>(std::fclose(memory));
  std::string all(text, size);
  std::free(text);
  return all;
}

}  // namespace

LiveScreen::Size LiveScreen::size_now() const {
  constexpr std::size_t kUsualRows = 24;
  winsize size{};
  const bool says = ioctl(fileno(terminal_.stream()), TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
  return {.rows = says ? size.ws_row : kUsualRows,
          .columns = width_of(terminal_.stream(), {}).value_or(*terminal_.width())};
}

bool LiveScreen::draw(const std::function<void(const Terminal&)>& print) {
  std::string orders;
  if (const auto size = size_now(); size != size_) {
    size_ = size;
    drawn_.clear();
    orders = kWholeScreen;
  }
  const auto text = printed(terminal_, size_.columns, print);
  const auto views = lines_of(text);
  std::vector<std::string> lines(views.begin(), views.end());
  // The last row is for what the shell prints after Ctrl-C.
  const auto most = size_.rows - 1;
  if (lines.size() > most) {
    const auto left = lines.size() - most + 1;
    lines.resize(most);
    lines.back() = fmt::format("… {} more lines", left);
  }
  for (std::size_t row = 0; row < lines.size(); ++row) {
    if (row < drawn_.size() && drawn_[row] == lines[row]) continue;
    orders += go_to_row(row) + lines[row] + std::string(kRestOfLine);
  }
  if (!orders.empty() || lines.size() != drawn_.size()) {
    orders += go_to_row(lines.size()) + std::string(kRestOfScreen);
  }
  drawn_ = std::move(lines);
  auto* out = terminal_.stream();
  return std::fwrite(orders.data(), 1, orders.size(), out) == orders.size() &&
         std::fflush(out) == 0;
}

}  // namespace spark::cli
