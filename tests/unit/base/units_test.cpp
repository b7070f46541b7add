#include "base/units.hpp"

#include <gtest/gtest.h>

namespace spark {
namespace {

using std::chrono::milliseconds;

TEST(Decimal, TakesPlainDigitsOnly) {
  EXPECT_EQ(parse_decimal("0"), 0U);
  EXPECT_EQ(parse_decimal("18446744073709551615"), UINT64_MAX);
  for (const char* text :
       {"", "007", "+1", "-1", "1_000", "0x10", "1e3", " 1", "1 ", "1.0", "18446744073709551616"}) {
    EXPECT_FALSE(parse_decimal(text)) << text;
  }
}

TEST(NumberIn, IsAllOfTheText) {
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<unsigned>("00ff", 16), 255U);
  EXPECT_EQ(number_in<std::uint8_t>("256"), std::nullopt);
  for (const char* text : {"", "+1", "0x10", " 1", "1 ", "1\n"}) {
    EXPECT_EQ(number_in<int>(text), std::nullopt) << text;
  }
}

TEST(BitRate, IsInPowersOfAThousand) {
  EXPECT_EQ(parse_bit_rate("200G"), 200'000'000'000U);
  EXPECT_EQ(parse_bit_rate("64Gb/s"), 64'000'000'000U);
  EXPECT_EQ(parse_bit_rate("2.5Gbit/s"), 2'500'000'000U);
  EXPECT_EQ(parse_bit_rate("1.125M"), 1'125'000U);
  EXPECT_EQ(parse_bit_rate("999999.999T"), 999'999'999'000'000'000U);
}

TEST(BitRate, RefusesBytesAndOtherGuesses) {
  for (const char* text : {"", "200", "G", "64GB/s", "64GiB", "64 G", "0G", "07G", "1.G", ".5G",
                           "1.2345G", "1e3M", "1000000G", "64Gb", "64g"}) {
    EXPECT_FALSE(parse_bit_rate(text)) << text;
  }
}

TEST(Duration, NamesWhatMayBeMeant) {
  EXPECT_EQ(meant_duration("2"), "2h or 2m");
  EXPECT_EQ(meant_duration("2d"), "48h");
  EXPECT_EQ(meant_duration("1 week"), "168h");
  EXPECT_EQ(meant_duration("30min"), "30m");
  EXPECT_EQ(meant_duration("2 Hours"), "2h");
  EXPECT_EQ(meant_duration("1h30m"), "90m");
  for (const auto* text : {"", "soon", "0", "0s", "2x", "-2h", "1h30", "1h30x", "2s5m"}) {
    EXPECT_EQ(meant_duration(text), "") << text;
  }
}

TEST(Duration, TakesOneUnit) {
  EXPECT_EQ(parse_duration("500ms"), milliseconds(500));
  EXPECT_EQ(parse_duration("20s"), milliseconds(20'000));
  EXPECT_EQ(parse_duration("2m"), milliseconds(120'000));
  EXPECT_EQ(parse_duration("1h"), milliseconds(3'600'000));
  for (const char* text : {"", "20", "s", "0s", "1.5s", "1m30s", "1d", "-1s", "1 s"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
}

TEST(ByteSize, IsInPowersOfTwo) {
  EXPECT_EQ(parse_byte_size("64KiB"), 65536U);
  EXPECT_EQ(parse_byte_size("16GiB"), std::uint64_t{16} << 30);
  EXPECT_EQ(parse_byte_size("999999TiB"), std::uint64_t{999'999} << 40);
  for (const char* text : {"", "16", "16G", "16GB", "1.5GiB", "0GiB", "GiB"}) {
    EXPECT_FALSE(parse_byte_size(text)) << text;
  }
}

}  // namespace
}  // namespace spark
