// Reads one document a line and prints what the parser says about its structure: "valid", or the
// ids of what it refuses. The other half of the comparison is compare.py.

#include <iostream>
#include <string>

#include "spec/diagnostic_ids.hpp"
#include "spec/parse.hpp"

int main() {
  const auto first_meaning = spark::text_of(spark::SpecId::kMore);
  std::string line;
  while (std::getline(std::cin, line)) {
    std::string ids;
    for (const auto& diagnostic : spark::parse(line).diagnostics) {
      if (diagnostic.id < first_meaning) ids += diagnostic.id + " ";
    }
    std::cout << (ids.empty() ? "valid" : ids) << "\n";
  }
}
