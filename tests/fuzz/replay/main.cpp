// Stands in for libFuzzer: runs a fuzz target once over each file of the folders given.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
  std::size_t inputs = 0;
  for (int i = 1; i < argc; ++i) {
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(file), {});
      // Named first, so that a crash says which input caused it.
      std::cout << entry.path().filename().string() << '\n' << std::flush;
      static_cast<void>(LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                               bytes.size()));
      ++inputs;
    }
  }
  if (inputs == 0) {
    std::cerr << "no inputs: a fuzz target without a corpus tests nothing\n";
    return 1;
  }
  return 0;
}
