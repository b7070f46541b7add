#include "helpers/peers/handshake.hpp"

#include <string_view>

#include <fmt/format.h>

#include "base/json_document.hpp"
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

}  // namespace spark::helpers
