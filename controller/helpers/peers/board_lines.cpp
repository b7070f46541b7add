#include "helpers/peers/board_lines.hpp"

#include "base/json_document.hpp"

namespace spark::helpers {

using protocol::Signed;

BoardLine board_line(const std::vector<Signed>& said) {
  return std::make_shared<const std::string>(json_text(TextJsonWriter::write(said)));
}

Result<std::string> give_board(PeerLines& lines, const BoardLine& own, SteadyTime end) {
  lines.allow(protocol::kMostBoardBytes);
  if (auto given = lines.write(*own, end); !given) return std::unexpected(given.error());
  return lines.await(end);
}

Result<std::string> take_board(PeerLines& lines, const std::function<BoardLine()>& own,
                               SteadyTime end) {
  lines.allow(protocol::kMostBoardBytes);
  auto taken = lines.await(end);
  if (!taken) return taken;
  const auto given = own();
  if (!given) return fail(ErrorCode::kNotFound, "there is no board here any more");
  if (auto written = lines.write(*given, end); !written) return std::unexpected(written.error());
  return taken;
}

Result<std::vector<Signed>> said_in(const std::string& line) {
  return value_from_text<std::vector<Signed>>(line);
}

}  // namespace spark::helpers
