#pragma once
// Keys for tests.

#include <string>

#include "helpers/peers/own_key.hpp"

namespace spark::test {

/// The bytes 0 to 31.
inline constexpr const char* kKeyText = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
inline constexpr const char* kKeyDigits =
    "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

inline helpers::Secret a_key() { return *helpers::Secret::parse(kKeyText); }
inline helpers::Secret another_key() { return *helpers::Secret::parse(std::string(64, 'e')); }

}  // namespace spark::test
