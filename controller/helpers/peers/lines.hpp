#pragma once
// Lines: whole lines of a descriptor that somebody else writes, bounded in length and in time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/line_buffer.hpp"
#include "base/result.hpp"
#include "base/wait.hpp"
#include "helpers/peers/own_key.hpp"

namespace spark::helpers {

class LineReader {
 public:
  /// Borrows the descriptor, which does not block.
  LineReader(int descriptor, std::size_t limit) : descriptor_(descriptor), lines_(limit) {}

  /// Another limit, for the lines from here on.
  void allow(std::size_t limit) { lines_.allow(limit); }

  /// Reads what is there. False: the other end is closed, or a line is longer than the limit.
  bool fill();
  /// The next whole line, without its end; empty: none is there yet.
  std::optional<std::string> take() { return lines_.take(); }

  /// Waits for one. Errors: kTimeout; kSystem: the other end closed it, or sent too long a line.
  Result<std::string> await(SteadyTime end);

 private:
  int descriptor_;
  LineBuffer lines_;
};

/// Writes it with an end of line. Errors: kTimeout: not all of it before `end`; kSystem.
Result<> write_line(int descriptor, std::string_view line, SteadyTime end);

// PeerLines: the lines of a conversation with a peer. With a key, each line has a MAC before it,
// which binds it to this conversation, to who wrote it and to its place: "MAC LINE".

/// Which end of a conversation this is.
enum class PeerSide : std::uint8_t { kAsks, kAnswers };

class PeerLines {
 public:
  /// Borrows the descriptor, which does not block. `limit`: of a line without its MAC.
  PeerLines(int connection, std::size_t limit)
      : connection_(connection), reader_(connection, limit + kMacLetters + 1) {}

  /// Another limit, for the lines from here on.
  void allow(std::size_t limit) { reader_.allow(limit + kMacLetters + 1); }

  /// All lines that are taken and written from now on have a MAC.
  void protect(Secret session, PeerSide side);

  [[nodiscard]] int connection() const { return connection_; }
  /// A line had another MAC than it must have: nothing is taken any more.
  [[nodiscard]] bool is_forged() const { return is_forged_; }

  /// As of LineReader.
  bool fill() { return reader_.fill(); }
  std::optional<std::string> take();
  /// Errors: as of LineReader; kInvalid: the line has another MAC than it must have.
  Result<std::string> await(SteadyTime end);
  /// Errors: as of write_line.
  Result<> write(std::string_view line, SteadyTime end);

 private:
  /// The line without its MAC; empty: it is forged.
  std::optional<std::string> checked(std::string line);
  [[nodiscard]] std::string mac(bool is_own, std::uint64_t number, std::string_view line) const;

  int connection_;
  LineReader reader_;
  std::optional<Secret> session_;
  PeerSide side_ = PeerSide::kAsks;
  std::uint64_t taken_ = 0;    ///< lines with a MAC
  std::uint64_t written_ = 0;  ///< the same
  bool is_forged_ = false;
};

}  // namespace spark::helpers
