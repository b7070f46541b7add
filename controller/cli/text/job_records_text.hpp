#pragma once
// Jobs that a node recorded: a line or two each, one of them whole, and as JSON.

#include <deque>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "cli/terminal.hpp"
#include "jobs/job_log.hpp"

namespace spark::cli {

/// The newest last. Times are UTC, with their date where that is not the one of `now`.
std::string job_records_text(const std::deque<jobs::JobRecord>& records, jobs::Time now,
                             const Terminal& terminal);

/// Who it was, when, what each rail carried, and the findings with what to do.
std::string job_record_text(const jobs::JobRecord& record, jobs::Time now,
                            const Terminal& terminal);

nlohmann::json job_record_json(const jobs::JobRecord& record);

}  // namespace spark::cli
