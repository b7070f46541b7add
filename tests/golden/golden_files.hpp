#pragma once
// golden_folder, read_golden: the files that the golden tests compare with.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace spark::test {

inline std::filesystem::path golden_folder() {
  return std::filesystem::path(SPARK_SOURCE_DIR) / "tests/golden";
}

/// The bytes of a file; one that is not there fails the test.
inline std::string read_golden(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace spark::test
