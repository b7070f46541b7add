#include "helpers/peers/question.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "helpers/peers/handshake.hpp"
#include "helpers/peers/rail_sockets.hpp"

namespace spark::helpers {
namespace {

using protocol::KeyFault;
using protocol::RdmaHindrance;
using Steady = std::chrono::steady_clock;

std::unexpected<Missing> not_heard(const protocol::ExpectedPeer& peer, const Error& error) {
  return std::unexpected(
      Missing{RdmaHindrance::kNotHeard, fmt::format("{}: {}", peer.node, error.what)});
}

/// The connection over which the question went.
std::expected<Conversation, Missing> put(const protocol::ExpectedPeer& peer, const Asker& asker,
                                         const protocol::PeerAsk& question, std::size_t limit) {
  const auto& key = asker.key;
  if (!key.failed.empty()) return std::unexpected(Missing{RdmaHindrance::kKey, key.failed});
  const auto end = Steady::now() + kAskTime;
  auto connection = connect_over(peer.link, peer.local, peer.ip, end);
  if (!connection) return not_heard(peer, connection.error());
  PeerLines lines(connection->get(), limit);
  if (key.secret) {
    const PeerNames names{.asker = asker.node, .answerer = peer.node};
    if (auto begun = begin_asking(lines, *key.secret, names, end); !begun) {
      return std::unexpected(begun.error());
    }
  }
  const auto text = json_text(TextJsonWriter::write(question));
  if (auto asked = lines.write(text, end); !asked) return not_heard(peer, asked.error());
  return Conversation{std::move(*connection), std::move(lines), ""};
}

}  // namespace

std::expected<Conversation, Missing> ask_peer(const protocol::ExpectedPeer& peer,
                                              const Asker& asker, const protocol::PeerAsk& question,
                                              std::size_t limit,
                                              std::chrono::milliseconds patience) {
  const auto end = Steady::now() + patience;
  auto said = put(peer, asker, question, limit);
  if (!said) return said;
  auto answer = said->lines.await(end);
  if (said->lines.is_forged()) {
    return std::unexpected(Missing{RdmaHindrance::kKey, key_text(peer.node, KeyFault::kAnother)});
  }
  if (!answer) return not_heard(peer, answer.error());
  said->answer = std::move(*answer);
  return said;
}

std::expected<void, Missing> tell_peer(const protocol::ExpectedPeer& peer, const Asker& asker,
                                       const protocol::PeerAsk& told) {
  const auto said = put(peer, asker, told, protocol::kLongestPeerLine);
  if (!said) return std::unexpected(said.error());
  return {};
}

namespace {

using protocol::RdmaHindrance;

constexpr std::size_t kLongestRefusal = 300;

}  // namespace

Missing refusal(const std::string& peer, const protocol::PeerAnswer& answer) {
  auto kind = RdmaHindrance::kOther;
  const auto& names = protocol::kRdmaHindrances;
  const auto named = std::ranges::find(names, answer.kind);
  if (named != names.end()) kind = static_cast<RdmaHindrance>(named - names.begin());
  // What is its own end there is the peer's end here.
  if (kind == RdmaHindrance::kThisEnd) kind = RdmaHindrance::kPeerWaits;
  if (kind == RdmaHindrance::kNone) kind = RdmaHindrance::kOther;
  if (kind == RdmaHindrance::kKey) return {kind, key_text(peer, protocol::KeyFault::kAsked)};
  return {kind, fmt::format("{}: {}", peer, printable(answer.refused, kLongestRefusal))};
}

}  // namespace spark::helpers
