#pragma once
// Installed: a copy of the built program with its helpers, which a test may break.

#include <filesystem>
#include <string>
#include <vector>

#include "process/spark.hpp"

namespace spark::test {

class Installed {
 public:
  Installed();
  Installed(const Installed&) = delete;
  Installed& operator=(const Installed&) = delete;
  ~Installed();

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  /// spark-bus-call as it is where the package of libsdbus-c++ is not installed: it needs a version
  /// of the library that no machine has.
  void take_bus_library_away() const;
  /// As Spark::reconcile, by this copy.
  [[nodiscard]] Outcome reconcile(const Spark& spark,
                                  const std::vector<std::string>& arguments) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace spark::test
