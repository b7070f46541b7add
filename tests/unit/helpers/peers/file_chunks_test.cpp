#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "base/base64.hpp"
#include "base/sha256.hpp"
#include "helpers/peers/frames.hpp"

namespace spark::helpers {
namespace {

std::string text_of_size(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += static_cast<char>('a' + (i % 26));
  return text;
}

TEST(FileChunks, MakeTheFileAgainInAnyOrder) {
  for (const std::size_t size :
       {std::size_t{1}, kChunkBytes, kChunkBytes + 1, protocol::kMostFileBytes}) {
    const auto text = text_of_size(size);
    auto chunks = chunks_of(text);
    std::ranges::reverse(chunks);
    FileAssembly assembly;
    assembly.want(sha256_of(text));
    for (const auto& chunk : chunks) {
      EXPECT_FALSE(assembly.text()) << size;
      assembly.take(chunk);
      assembly.take(chunk);  // again: it counts once
    }
    EXPECT_EQ(assembly.text(), text) << size;
  }
}

TEST(FileChunks, AFileThatIsTooLongHasNone) {
  EXPECT_TRUE(chunks_of(text_of_size(protocol::kMostFileBytes + 1)).empty());
}

TEST(FileAssembly, TakesNothingThatIsNotWanted) {
  const auto chunks = chunks_of("one file");
  FileAssembly assembly;
  assembly.take(chunks.front());
  EXPECT_FALSE(assembly.text()) << "nothing is wanted yet";
  assembly.want(sha256_of("another file"));
  assembly.take(chunks.front());
  EXPECT_FALSE(assembly.text());
}

TEST(FileAssembly, BeginsAgainWhereAForgedPieceCameIn) {
  const auto text = text_of_size(2 * kChunkBytes);
  const auto chunks = chunks_of(text);
  FileAssembly assembly;
  assembly.want(sha256_of(text));
  auto forged = chunks[0];
  forged.data = to_base64(std::string(kChunkBytes, 'z'));
  assembly.take(forged);
  assembly.take(chunks[1]);
  EXPECT_FALSE(assembly.text()) << "the digest has the last word";
  assembly.take(chunks[0]);
  assembly.take(chunks[1]);
  EXPECT_EQ(assembly.text(), text);
}

TEST(FileAssembly, IsBounded) {
  FileAssembly assembly;
  const auto digest = sha256_of("x");
  assembly.want(digest);
  assembly.take({.file = digest, .index = 0, .count = 30'000, .data = to_base64("x")});
  assembly.take({.file = digest, .index = 0, .count = 1, .data = to_base64(text_of_size(5000))});
  assembly.take({.file = digest, .index = 5, .count = 1, .data = to_base64("x")});
  EXPECT_FALSE(assembly.text());
  assembly.take({.file = digest, .index = 0, .count = 1, .data = to_base64("x")});
  EXPECT_EQ(assembly.text(), "x");
}

}  // namespace
}  // namespace spark::helpers
