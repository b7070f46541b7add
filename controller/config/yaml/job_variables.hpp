#pragma once
// The variables of jobs that a file may set: one table. What is not in it stands under `extra`.

#include <span>
#include <string_view>

#include "config/yaml/variable_values.hpp"

namespace spark::config {

/// Sorted by name.
std::span<const JobVariable> job_variables();

/// Null: the table does not have it.
const JobVariable* find_job_variable(std::string_view name);

/// A name that guides and scripts set, and that no library reads.
struct DeadVariable {
  std::string_view name;
  std::string_view advice;  ///< a clause
};

std::span<const DeadVariable> dead_variables();

/// Whether a name that is not in the table says where programs, libraries or files lie, starts a
/// program, or holds a secret: by its beginning, or by its ending, in capitals or not.
bool runs_code(std::string_view name);
/// "_agent", in small letters.
std::span<const std::string_view> code_endings();

}  // namespace spark::config
