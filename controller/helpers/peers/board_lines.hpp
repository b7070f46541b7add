#pragma once
// The lines in which two peers exchange what is on their boards, after the one has asked for it
// and the other has agreed.

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "base/wait.hpp"
#include "helpers/peers/lines.hpp"
#include "protocol/board.hpp"

namespace spark::helpers {

/// Of the whole conversation, its question included.
inline constexpr std::chrono::seconds kBoardTime{5};

/// Bytes, and null where this node has no board.
using BoardLine = std::shared_ptr<const std::string>;

BoardLine board_line(const std::vector<protocol::Signed>& said);

/// Who asked gives its own first, and takes the peer's. Errors: as of PeerLines.
Result<std::string> give_board(PeerLines& lines, const BoardLine& own, SteadyTime end);

/// Who was asked takes the peer's, and gives what is on its own board then: so who asks hears what
/// was said after it has asked. Errors: as of PeerLines; kNotFound: this node has no board any
/// more.
Result<std::string> take_board(PeerLines& lines, const std::function<BoardLine()>& own,
                               SteadyTime end);

/// What a peer's line says. Errors: kInvalid, also for a line that no node writes.
Result<std::vector<protocol::Signed>> said_in(const std::string& line);

}  // namespace spark::helpers
