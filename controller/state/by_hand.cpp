#include "state/by_hand.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "base/moment.hpp"

namespace spark::state {

Result<> note_by_hand(host::Files& files) {
  constexpr unsigned kMode = 0644;
  const auto text = fmt::format("{} {}\n", now().boot.count(), getpid());
  return files.write(kByHandFile, text, kMode);
}

std::string last_by_hand(host::Files& files) {
  return files.read(kByHandFile).value_or(std::nullopt).value_or("");
}

}  // namespace spark::state
