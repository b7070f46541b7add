#include "protocol/board.hpp"

#include "base/json_document.hpp"

namespace spark::protocol {

std::size_t bytes_of(const Signed& said) { return json_text(TextJsonWriter::write(said)).size(); }

bool cut_to(std::vector<Signed>& said, std::size_t most) {
  std::size_t bytes = 2;  // the brackets
  const auto dropped = std::erase_if(said, [&](const Signed& one) {
    const auto more = bytes_of(one) + 1;
    if (more > most - bytes) return true;
    bytes += more;
    return false;
  });
  return dropped > 0;
}

}  // namespace spark::protocol
