#include "protocol/peer_probe.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

namespace spark::protocol {
namespace {

constexpr std::uint32_t k24Bits = 0xffffff;
constexpr std::array<std::uint32_t, 5> kPathMtus = {256, 512, 1024, 2048, 4096};

template <class Line>
Result<PeerLine> read_line(const nlohmann::json& document) {
  auto line = value_from<Line>(document);
  if (!line) return std::unexpected(std::move(line.error()));
  return std::move(*line);
}

/// The number of a queue pair: 0 and 1 are those of management.
bool names_queue_pair(std::uint32_t number) { return number > 1 && number <= k24Bits; }

Result<> check_ranges(const PeerOffer& offer) {
  const auto wrong = [](std::string_view key) {
    return fail(ErrorCode::kInvalid, fmt::format("at '/{}': out of range", key));
  };
  if (std::ranges::find(kPathMtus, offer.active_mtu) == kPathMtus.end()) return wrong("active_mtu");
  if (offer.gid.is_v4() || offer.gid.is_unspecified() || offer.gid.is_multicast()) {
    return wrong("gid");
  }
  if (offer.queue_pairs.empty() || offer.queue_pairs.size() > kMostQueuePairs ||
      !std::ranges::all_of(offer.queue_pairs, names_queue_pair)) {
    return wrong("queue_pairs");
  }
  if (offer.psn > k24Bits) return wrong("psn");
  if (offer.reads == 0) return wrong("reads");
  if (offer.bytes == 0) return wrong("bytes");
  if (offer.address > std::numeric_limits<std::uint64_t>::max() - offer.bytes) {
    return wrong("address");
  }
  return {};
}

Result<PeerLine> read_offer(const nlohmann::json& document) {
  // Before all else: another version may have other keys.
  const auto version = document.find("version");
  if (version != document.end() && *version != kPeerVersion) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("its lines are of another version than {}; both ends need the same "
                            "release",
                            kPeerVersion));
  }
  auto line = read_line<PeerOffer>(document);
  if (line) {
    if (auto good = check_ranges(std::get<PeerOffer>(*line)); !good) {
      return std::unexpected(std::move(good.error()));
    }
  }
  return line;
}

}  // namespace

Result<PeerLine> parse_peer_line(const std::string& line) {
  // Without the words of the parser, which hold some of the line.
  const auto document = parse_json(line);
  if (!document || !document->is_object()) return fail(ErrorCode::kInvalid, "it is no JSON object");
  const auto step = document->find("step");
  if (step == document->end() || !step->is_string()) {
    return fail(ErrorCode::kInvalid, "at '/step': expected a text");
  }
  const auto& name = step->get_ref<const std::string&>();
  if (name == PeerOffer::kStep) return read_offer(*document);
  if (name == PeerConnected::kStep) return read_line<PeerConnected>(*document);
  if (name == PeerProgress::kStep) return read_line<PeerProgress>(*document);
  if (name == PeerReport::kStep) return read_line<PeerReport>(*document);
  return fail(ErrorCode::kInvalid, "at '/step': it is of no known name");
}

Result<> check_offers(const PeerOffer& own, const PeerOffer& other) {
  const auto verifies = [](const PeerOffer& offer) {
    return offer.operation == PeerOperation::kVerify;
  };
  if (verifies(own) != verifies(other)) {
    return fail(ErrorCode::kInvalid, "one end was started as 'peer', the other as 'bench'");
  }
  if (own.operation == PeerOperation::kNone && other.operation == PeerOperation::kNone) {
    return fail(ErrorCode::kInvalid, "both ends only lend their memory");
  }
  if (own.queue_pairs.size() != other.queue_pairs.size()) {
    return fail(ErrorCode::kInvalid, fmt::format("the ends have {} and {} queue pairs",
                                                 own.queue_pairs.size(), other.queue_pairs.size()));
  }
  if (own.bytes != other.bytes) {
    return fail(ErrorCode::kInvalid,
                fmt::format("the ends lend {} and {} bytes of memory", own.bytes, other.bytes));
  }
  return {};
}

Result<std::optional<std::string>> PeerLineBuffer::next() {
  if (lines_.is_too_long()) {
    return fail(ErrorCode::kInvalid, fmt::format("it is longer than {} bytes", kLongestPeerLine));
  }
  return lines_.take();
}

}  // namespace spark::protocol
