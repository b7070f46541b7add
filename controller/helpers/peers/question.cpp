#include "helpers/peers/question.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "base/text.hpp"
#include "helpers/peers/rail_sockets.hpp"
#include "protocol/peers.hpp"

namespace spark::helpers {
namespace {

using protocol::PeerAnswer;
using protocol::PeerAsk;
using protocol::RdmaHindrance;

Secret session_of(const Secret& key, const PeerNames& names, std::string_view asker_nonce,
                  std::string_view answerer_nonce) {
  return key.derive(
      {"spark-peers session 1", names.asker, names.answerer, asker_nonce, answerer_nonce});
}

}  // namespace

std::expected<void, Missing> begin_asking(PeerLines& lines, const Secret& key,
                                          const PeerNames& names, SteadyTime end) {
  const auto not_heard = [&](const std::string& why) {
    return std::unexpected(
        Missing{RdmaHindrance::kNotHeard, fmt::format("{}: {}", names.answerer, why)});
  };
  PeerAsk ask{.what = "key"};
  ask.node = names.asker;
  ask.nonce = new_nonce();
  if (auto said = lines.write(json_text(TextJsonWriter::write(ask)), end); !said) {
    return not_heard(said.error().what);
  }
  const auto line = lines.await(end);
  if (!line) return not_heard(line.error().what);
  const auto answer = value_from_text<PeerAnswer>(*line);
  // A version that knows of no key answers that it knows no such question.
  if (!answer || !is_nonce(answer->nonce)) {
    return std::unexpected(
        Missing{RdmaHindrance::kKey, key_text(names.answerer, protocol::KeyFault::kMissing)});
  }
  lines.protect(session_of(key, names, ask.nonce, answer->nonce), PeerSide::kAsks);
  return {};
}

Result<> begin_answering(PeerLines& lines, const Secret& key, const PeerNames& names,
                         const PeerAsk& asked, SteadyTime end) {
  if (asked.what != "key" || !is_nonce(asked.nonce)) {
    return fail(ErrorCode::kInvalid, "it does not begin with a nonce");
  }
  PeerAnswer answer;
  answer.nonce = new_nonce();
  if (auto said = lines.write(json_text(TextJsonWriter::write(answer)), end); !said) return said;
  lines.protect(session_of(key, names, asked.nonce, answer.nonce), PeerSide::kAnswers);
  return {};
}

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
  const auto asked_at = now();
  if (auto asked = lines.write(text, end); !asked) return not_heard(peer, asked.error());
  return Conversation{std::move(*connection), std::move(lines), asked_at, ""};
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
