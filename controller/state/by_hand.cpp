#include "state/by_hand.hpp"

#include <cstdint>
#include <sstream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/moment.hpp"

namespace spark::state {

Result<> note_by_hand(host::Files& files, const std::string& change_id) {
  constexpr unsigned kMode = 0644;
  const auto text = fmt::format("{} {}{}\n", now().boot.count(), getpid(),
                                change_id.empty() ? "" : " " + change_id);
  return files.write(kByHandFile, text, kMode);
}

std::string last_by_hand(host::Files& files) {
  return files.read(kByHandFile).value_or(std::nullopt).value_or("");
}

ByHand parse_by_hand(const std::string& note) {
  std::istringstream words(note);
  std::int64_t boot = 0;
  std::int64_t process = 0;
  ByHand said;
  if (!(words >> boot >> process)) return said;
  said.boot = std::chrono::milliseconds(boot);
  words >> said.change_id;
  return said;
}

}  // namespace spark::state
