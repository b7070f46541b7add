#include "cli/told_here.hpp"

#include <utility>

#include "base/json_document.hpp"
#include "protocol/paths.hpp"
#include "state/journal.hpp"

namespace spark::cli {
namespace {

/// What a document holds; empty: it is not there, or not understood.
template <class T>
std::optional<T> document_in(host::Files& files, const char* path, const char* schema) {
  const auto text = files.read(path);
  if (!text || !*text) return std::nullopt;
  auto document = document_from_text<T>(schema, **text);
  return document ? std::optional(*std::move(document)) : std::nullopt;
}

}  // namespace

std::optional<ToldHere> told_here(host::Host& host) {
  auto order = document_in<protocol::PeersOrder>(host.files, protocol::kPeersOrderFile,
                                                 protocol::kPeersOrderSchema);
  auto report = document_in<protocol::PeersReport>(host.files, protocol::kPeersReportFile,
                                                   protocol::kPeersReportSchema);
  if (!order || !report || report->boot_id != state::boot_id(host)) return std::nullopt;
  return cluster::told_of(*std::move(order), *std::move(report));
}

}  // namespace spark::cli
