#include "process/installed.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace spark::test {
namespace {

namespace fs = std::filesystem;

/// A copy takes long where the sanitizers make the program large; a second name does as well.
void put(const fs::path& from, const fs::path& to) {
  std::error_code other_file_system;
  fs::create_hard_link(from, to, other_file_system);
  if (other_file_system) {
    fs::copy_file(from, to);
  }
}

}  // namespace

Installed::Installed() {
  const fs::path program = std::getenv("SPARK_RECONCILE");
  std::string name = (program.parent_path() / "installed-XXXXXX").string();
  EXPECT_NE(mkdtemp(name.data()), nullptr) << "cannot make " << name;
  folder_ = name;
  put(program, folder_ / "spark-reconcile");
  for (const auto* helper : {"spark-bus-call", "spark-verbs-probe", "spark-storage"}) {
    put(program.parent_path() / helper, folder_ / helper);
  }
}

Installed::~Installed() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Installed::take_bus_library_away() const {
  const auto helper = path("spark-bus-call");
  std::ifstream file(helper, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const std::string library = "libsdbus-c++.so.";
  const auto at = bytes.find(library);
  ASSERT_NE(at, std::string::npos) << "it is not linked with " << library;
  bytes[at + library.size()] = '9';
  fs::remove(helper);  // the built one may be the same file
  std::ofstream(helper, std::ios::binary) << bytes;
  fs::permissions(helper, fs::perms(0755));
}

Outcome Installed::reconcile(const Spark& spark, const std::vector<std::string>& arguments) const {
  auto command = spark.command(arguments);
  command.argv[0] = path("spark-reconcile").string();
  return run(command);
}

}  // namespace spark::test
