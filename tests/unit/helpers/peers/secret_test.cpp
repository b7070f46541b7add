#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "helpers/peers/own_key.hpp"
#include "unit/helpers/peers/a_key.hpp"

namespace spark::helpers {
namespace {

using test::kKeyDigits;
using test::kKeyText;
using testing::HasSubstr;
using testing::Not;

TEST(Secret, IsTheSameAsBase64AndAsHexadecimalDigits) {
  const auto key = Secret::parse(kKeyText);
  ASSERT_TRUE(key);
  for (const auto& text :
       {std::string(kKeyText) + "\n", std::string("  ") + kKeyText + " \r\n",
        std::string(kKeyText).substr(0, 43), std::string(kKeyDigits) + "\n",
        std::string("000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F")}) {
    const auto other = Secret::parse(text);
    ASSERT_TRUE(other) << text;
    EXPECT_TRUE(*other == *key) << text;
  }
  EXPECT_FALSE(*key == test::another_key());
}

TEST(Secret, AnotherLengthOrAnotherTextIsNone) {
  const std::string base64 = kKeyText;
  const std::string digits = kKeyDigits;
  for (const auto& text : {std::string(), std::string("\n"), base64.substr(0, 42), base64 + "A",
                           base64 + "\n" + base64, "A" + base64, digits.substr(1), digits + "00",
                           digits.substr(0, 62), "x" + digits.substr(1), std::string(43, '!'),
                           std::string(44, '='), std::string("AAECAwQFBgcICQoLDA0ODxAREhMUFRYX")}) {
    const auto key = Secret::parse(text);
    ASSERT_FALSE(key) << text;
    EXPECT_EQ(key.error().code, ErrorCode::kInvalid);
    EXPECT_THAT(key.error().what, Not(HasSubstr("AAEC")));
  }
}

/// hmac.new(key, b"".join(struct.pack("<Q", len(p)) + p for p in parts), "sha256").digest()[:16],
/// as Python's standard library has it.
TEST(Secret, MakesTheMacThatOthersMake) {
  EXPECT_EQ(test::a_key().mac({"one", "two"}), "Fx8YRLHgDkPwZbq6V9TgPQ");
  EXPECT_EQ(test::a_key().derive({"derived"}).mac({"x"}), "f999byNPG6Op+W5PTMK58A");
}

TEST(Secret, EachPartAndEachKeyMakesAnotherMac) {
  const std::set<std::string> macs{test::a_key().mac({"ab", "c"}),   test::a_key().mac({"a", "bc"}),
                                   test::a_key().mac({"abc"}),       test::a_key().mac({"abc", ""}),
                                   test::another_key().mac({"abc"}), test::a_key().mac({})};
  EXPECT_EQ(macs.size(), 6U);
  for (const auto& mac : macs) EXPECT_EQ(mac.size(), kMacLetters);
}

TEST(Secret, MacsAreComparedWhole) {
  const auto mac = test::a_key().mac({"x"});
  EXPECT_TRUE(is_same_mac(mac, test::a_key().mac({"x"})));
  EXPECT_FALSE(is_same_mac(mac, mac.substr(0, mac.size() - 1)));
  EXPECT_FALSE(is_same_mac(mac.substr(0, 1), mac));
  EXPECT_FALSE(is_same_mac("", mac));
  auto other = mac;
  other.back() = other.back() == 'A' ? 'Q' : 'A';
  EXPECT_FALSE(is_same_mac(mac, other));
}

TEST(Nonces, AreOfTheirLengthAndNeverTheSame) {
  std::set<std::string> nonces;
  for (int i = 0; i < 100; ++i) nonces.insert(new_nonce());
  EXPECT_EQ(nonces.size(), 100U);
  for (const auto& nonce : nonces) {
    EXPECT_EQ(nonce.size(), kNonceLetters);
    EXPECT_TRUE(is_nonce(nonce));
    EXPECT_FALSE(is_nonce(nonce.substr(1)));
    EXPECT_FALSE(is_nonce(nonce + "A"));
    EXPECT_FALSE(is_nonce("!" + nonce.substr(1)));
  }
  EXPECT_FALSE(is_nonce(""));
}

}  // namespace
}  // namespace spark::helpers
