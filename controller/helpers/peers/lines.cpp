#include "helpers/peers/lines.hpp"

#include <array>
#include <cerrno>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace spark::helpers {

bool LineReader::fill() {
  std::array<char, 4096> bytes{};
  const auto got = ::read(descriptor_, bytes.data(), bytes.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  lines_.add({bytes.data(), static_cast<std::size_t>(got)});
  return !lines_.is_too_long();
}

Result<std::string> LineReader::await(SteadyTime end) {
  while (true) {
    if (auto line = take()) return std::move(*line);
    if (lines_.is_too_long()) {
      return fail(ErrorCode::kSystem,
                  fmt::format("it sent a line of more than {} bytes", lines_.most()));
    }
    if (!wait_for(descriptor_, POLLIN, end))
      return fail(ErrorCode::kTimeout, "it sent no whole line in time");
    if (!fill() && !lines_.is_too_long()) {
      if (auto line = take()) return std::move(*line);
      return fail(ErrorCode::kSystem, "it closed the connection");
    }
  }
}

Result<> write_line(int descriptor, std::string_view line, SteadyTime end) {
  std::string text(line);
  text += '\n';
  std::string_view left = text;
  while (!left.empty()) {
    const auto put = ::write(descriptor, left.data(), left.size());
    if (put > 0) {
      left.remove_prefix(static_cast<std::size_t>(put));
    } else if (put < 0 && errno == EAGAIN) {
      if (!wait_for(descriptor, POLLOUT, end)) {
        return fail(ErrorCode::kTimeout, "it reads too slowly");
      }
    } else if (put < 0 && errno != EINTR) {
      return fail_errno(errno, "write a line");
    }
  }
  return {};
}

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
