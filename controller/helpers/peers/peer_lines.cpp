#include "helpers/peers/peer_lines.hpp"

#include <utility>

#include <fmt/format.h>

namespace spark::helpers {
namespace {

constexpr const char* kForged = "a line of it has another MAC than the key makes";

}  // namespace

void PeerLines::protect(Secret session, PeerSide side) {
  session_ = std::move(session);
  side_ = side;
}

std::optional<std::string> PeerLines::take() {
  if (is_forged_) return std::nullopt;
  auto line = reader_.take();
  return line ? checked(std::move(*line)) : std::nullopt;
}

Result<std::string> PeerLines::await(SteadyTime end) {
  if (is_forged_) return fail(ErrorCode::kInvalid, kForged);
  auto line = reader_.await(end);
  if (!line) return line;
  auto found = checked(std::move(*line));
  if (!found) return fail(ErrorCode::kInvalid, kForged);
  return std::move(*found);
}

Result<> PeerLines::write(std::string_view line, SteadyTime end) {
  if (!session_) return write_line(connection_, line, end);
  return write_line(connection_, fmt::format("{} {}", mac(true, written_++, line), line), end);
}

std::optional<std::string> PeerLines::checked(std::string line) {
  if (!session_) return line;
  const std::string_view all = line;
  if (all.size() <= kMacLetters || all[kMacLetters] != ' ' ||
      !is_same_mac(all.substr(0, kMacLetters), mac(false, taken_, all.substr(kMacLetters + 1)))) {
    is_forged_ = true;
    return std::nullopt;
  }
  ++taken_;
  return line.substr(kMacLetters + 1);
}

std::string PeerLines::mac(bool is_own, std::uint64_t number, std::string_view line) const {
  const bool of_asker = (side_ == PeerSide::kAsks) == is_own;
  return session_->mac({of_asker ? "asks" : "answers", std::to_string(number), line});
}

}  // namespace spark::helpers
