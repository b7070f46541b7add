#include "cli/version.hpp"

namespace spark::cli {

std::string_view version_number() { return SPARK_VERSION; }

std::string_view version_commit() { return SPARK_COMMIT; }

}  // namespace spark::cli
