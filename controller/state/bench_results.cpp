#include "state/bench_results.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/json_document.hpp"
#include "protocol/paths.hpp"

namespace spark::state {
namespace {

constexpr const char* kBenchSchema = "spark-reconcile/bench-results/v1";

struct BenchDocument {
  std::vector<BenchResult> results;
};

template <EitherConst<BenchDocument> T, class Visit>
void each_field(T& document, Visit visit) {
  visit("results", document.results);
}

}  // namespace

Result<std::vector<BenchResult>> read_bench_results(host::Files& files) {
  const auto text = files.read(protocol::kBenchFile);
  if (!text) return std::unexpected(text.error());
  if (!*text) return std::vector<BenchResult>{};
  auto document = document_from_text<BenchDocument>(kBenchSchema, **text);
  if (!document) {
    return fail(ErrorCode::kInvalid,
                fmt::format("'{}' is damaged or of another version ({}): the next `bench` begins a "
                            "new one",
                            protocol::kBenchFile, document.error().what));
  }
  return std::move(document->results);
}

Result<> keep_bench_result(host::Files& files, BenchResult result) {
  constexpr unsigned kMode = 0600;
  auto kept = read_bench_results(files);
  if (!kept && kept.error().code != ErrorCode::kInvalid) return std::unexpected(kept.error());
  BenchDocument document{kept ? std::move(*kept) : std::vector<BenchResult>{}};
  document.results.push_back(std::move(result));
  if (document.results.size() > kMostBenchResults) document.results.erase(document.results.begin());
  return files.write_durably(protocol::kBenchFile,
                             json_text(document_of(kBenchSchema, document), 0) + "\n", kMode);
}

}  // namespace spark::state
