#include <cstdint>
#include <cstdlib>
#include <string>

#include <boost/asio/io_context.hpp>

#include "cli/state_here/node_here.hpp"
#include "cli/text/daemon_text.hpp"
#include "daemon/alerts/sinks/alert_sinks.hpp"
#include "fake/fake_host.hpp"
#include "jobs/job_follower.hpp"
#include "jobs/sign_log.hpp"
#include "protocol/paths.hpp"
#include "protocol/web.hpp"
#include "state/history.hpp"
#include "state/journal.hpp"
#include "state/ledger.hpp"
#include "state/pause.hpp"

// Every file of the program's own that one of its processes reads: whatever is in it, each is read
// or refused.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string node = "spark1";
  spark::test::FakeHost host;
  for (const std::string& path :
       {std::string(spark::protocol::kNodeStateFile), std::string(spark::protocol::kPauseFile),
        std::string(spark::protocol::kMutesFile), std::string(spark::protocol::kRecordFile),
        std::string(spark::jobs::kJobsFile), spark::state::ledger_path(node),
        spark::state::state_directory(node) + "/history.json"}) {
    host.files().put(path, text);
  }
  auto ports = host.host();
  if (const auto here = spark::cli::node_here(ports); here && *here) {
    static_cast<void>(spark::cli::daemon_text(**here));
  }
  const spark::Moment now{};
  static_cast<void>(spark::state::read_pause(ports, now));
  static_cast<void>(spark::state::read_mutes(ports, now));
  static_cast<void>(spark::state::read_history(host.files(), node));
  spark::host::View view(ports);
  if (const auto ledger = spark::state::known_ledger(view, node); ledger && !ledger->empty()) {
    if (!spark::state::write_ledger(host.files(), node, *ledger)) {
      std::abort();
    }
    spark::host::View again(ports);
    if (spark::state::known_ledger(again, node).value() != *ledger) {
      std::abort();
    }
  }
  if (auto kept = spark::jobs::read_record(host.files()); kept && *kept) {
    spark::jobs::SignLog log(**std::move(kept));
    log.begin(now.wall);
    log.forget({}, now.wall);
    if (!spark::jobs::record_from_text(spark::jobs::record_text(log.record()))) std::abort();
  }
  if (auto kept = spark::jobs::read_job_log(host.files())) {
    spark::jobs::JobFollower follower(*std::move(kept), true);
    follower.take({}, {}, now, {});
    if (!spark::jobs::JobLog::from_text(follower.log().to_text())) std::abort();
  }
  boost::asio::io_context context;
  spark::daemon::AlertSinks sinks(context, {}, {});
  if (auto kept = spark::daemon::read_alerts_file(text, "boot", now)) {
    static_cast<void>(kept->mutes.update({}, kept->store, now));
    sinks.restore(kept->undelivered, [](const spark::daemon::Alert&) { return false; });
    sinks.deliver({}, kept->store);
  }
  return 0;
}
