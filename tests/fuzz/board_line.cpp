#include <cstdint>
#include <cstdlib>
#include <string>

#include "helpers/peers/board_lines.hpp"

// What a peer says is on its board: it is refused, or a line of this node says the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string line(reinterpret_cast<const char*>(data), size);
  const auto said = spark::helpers::said_in(line);
  if (!said) return 0;
  const auto own = *spark::helpers::board_line(*said);
  const auto again = spark::helpers::said_in(own);
  if (!again || *spark::helpers::board_line(*again) != own) std::abort();
  return 0;
}
