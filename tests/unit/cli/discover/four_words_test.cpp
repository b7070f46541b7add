#include <gtest/gtest.h>

#include "cli/discover/pairing.hpp"

namespace spark::cli {
namespace {

TEST(Proquint, IsThatOfThePaper) {
  // D. S. Wilkerson, "A Proposal for Proquints: Identifiers that are Readable, Spellable, and
  // Pronounceable", 2009: 127.0.0.1, 63.84.220.193, 140.98.193.141, 255.255.255.255.
  EXPECT_EQ(proquint(0x7F00) + "-" + proquint(0x0001), "lusab-babad");
  EXPECT_EQ(proquint(0x3F54) + "-" + proquint(0xDCC1), "gutih-tugad");
  EXPECT_EQ(proquint(0x8C62) + "-" + proquint(0xC18D), "mudof-sakat");
  EXPECT_EQ(proquint(0xFFFF), "zuzuz");
  EXPECT_EQ(proquint(0x0000), "babab");
}

TEST(FourWords, AreTheFirstBitsOfTheTranscript) {
  EXPECT_EQ(four_words("7f0000013f54dcc1" + std::string(48, 'f')), "lusab babad gutih tugad");
}

TEST(FourWords, AreComparedAsPeopleTypeThem) {
  EXPECT_TRUE(are_same_words("lusab babad gutih tugad", " Lusab-Babad  GUTIH tugad\n"));
  EXPECT_FALSE(are_same_words("lusab babad gutih tugad", "lusab babad gutih"));
  EXPECT_FALSE(are_same_words("", ""));
  EXPECT_FALSE(are_same_words("lusab babad gutih tugad", "lusab babad gutih tugaz"));
}

}  // namespace
}  // namespace spark::cli
