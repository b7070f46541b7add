#include "helpers/peers/question.hpp"

#include <utility>

#include "base/json_document.hpp"
#include "helpers/peers/rail_sockets.hpp"

namespace spark::helpers {
namespace {

using Steady = std::chrono::steady_clock;

/// The connection over which the question went.
Result<UniqueFd> put(const protocol::ExpectedPeer& peer, const protocol::PeerAsk& question) {
  const auto end = Steady::now() + kAskTime;
  auto connection = connect_over(peer.link, peer.local, peer.ip, end);
  if (!connection) return std::unexpected(connection.error());
  const auto text = json_text(TextJsonWriter::write(question));
  if (auto asked = write_line(connection->get(), text, end); !asked) {
    return std::unexpected(asked.error());
  }
  return connection;
}

}  // namespace

Result<Conversation> ask_peer(const protocol::ExpectedPeer& peer, const protocol::PeerAsk& question,
                              std::size_t limit, std::chrono::milliseconds patience) {
  const auto end = Steady::now() + patience;
  auto connection = put(peer, question);
  if (!connection) return std::unexpected(connection.error());
  LineReader reader(connection->get(), limit);
  auto answer = reader.await(end);
  if (!answer) return std::unexpected(answer.error());
  return Conversation{std::move(*connection), std::move(reader), std::move(*answer)};
}

Result<> tell_peer(const protocol::ExpectedPeer& peer, const protocol::PeerAsk& told) {
  const auto connection = put(peer, told);
  return connection ? Result<>{} : std::unexpected(connection.error());
}

}  // namespace spark::helpers
