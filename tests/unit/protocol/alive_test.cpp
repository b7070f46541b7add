#include "protocol/alive.hpp"

#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spark::protocol {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::SizeIs;

constexpr milliseconds kSaid{1'000'000};

TEST(Alive, CountsForHalfAMinute) {
  const auto text = alive_text(kSaid);
  EXPECT_EQ(text, "0000000001030000\n");
  for (const auto later : {seconds(-1), seconds(0), seconds(30)}) {
    const auto silent = silent_since("spark-web", kSaid + later, text);
    ASSERT_TRUE(silent) << later.count();
    EXPECT_FALSE(*silent) << later.count();
  }
}

TEST(Alive, PastThatIsSilentSinceItWasSaid) {
  const auto silent =
      silent_since("spark-web", kSaid + seconds(30) + milliseconds(1), alive_text(kSaid));
  ASSERT_TRUE(silent && *silent);
  EXPECT_EQ(**silent, kSaid);
}

TEST(Alive, OfAnEarlierVersionThereIsNoneAndItCounts) {
  const auto silent = silent_since("spark-web", milliseconds::max(), std::nullopt);
  ASSERT_TRUE(silent);
  EXPECT_FALSE(*silent);
}

// It is written in place: what is left of a longer one would be read with it.
TEST(Alive, IsAlwaysAsLong) {
  for (const auto now : {milliseconds(-30'001), milliseconds(0), kSaid, milliseconds(1LL << 50)}) {
    EXPECT_THAT(alive_text(now), SizeIs(17)) << now.count();
  }
}

TEST(Alive, TakesNoTimeForGranted) {
  for (const auto* text :
       {"", "\n", "soon", "99999999999999999999", "9999999999999999", "-9223372036854775808"}) {
    const auto silent = silent_since("spark-web", kSaid, text);
    ASSERT_FALSE(silent) << text;
    EXPECT_EQ(silent.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(silent.error().what, HasSubstr("when spark-web lived last is not understood"));
  }
}

TEST(Alive, IsReadBeforeTheDocument) {
  std::vector<std::string> read;
  const auto reader = [&](const std::string& path,
                          std::size_t /*most_bytes*/) -> Result<std::optional<std::string>> {
    read.push_back(path);
    if (path == "gone") return std::nullopt;
    if (path == "bad") return fail(ErrorCode::kInvalid, "bad");
    return path + " text";
  };
  const auto aged = read_aged(reader, "alive", "document", 8);
  ASSERT_TRUE(aged);
  EXPECT_EQ(read, (std::vector<std::string>{"alive", "document"}));
  EXPECT_EQ(aged->text, "document text");
  EXPECT_EQ(read_aged(reader, "gone", "gone", 8)->alive, std::nullopt);
  EXPECT_FALSE(read_aged(reader, "alive", "bad", 8));
  EXPECT_FALSE(read_aged(reader, "bad", "document", 8));
}

}  // namespace
}  // namespace spark::protocol
