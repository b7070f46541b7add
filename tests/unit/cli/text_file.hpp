#pragma once
// TextFile: an open file that is empty at first, and what has been printed into it.

#include <array>
#include <cstdio>
#include <string>

#include "base/handle.hpp"

namespace spark::cli {

class TextFile {
 public:
  [[nodiscard]] std::FILE* stream() const { return file_.get(); }

  [[nodiscard]] std::string text() const {
    EXPECT_EQ(std::fseek(file_.get(), 0, SEEK_SET), 0);
    std::string text;
    std::array<char, 4096> read{};
    while (const auto size = std::fread(read.data(), 1, read.size(), file_.get())) {
      text.append(read.data(), size);
    }
    return text;
  }

 private:
  Handle<std::FILE, std::fclose> file_{std::tmpfile()};
};

}  // namespace spark::cli
