#include "state/journal.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>

#include "fake/fake_host.hpp"

// What a rollback goes by: a journal that was read can be written again, and then says the same.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text_of = [](const spark::state::Journal& journal) {
    spark::test::FakeHost host;
    if (!spark::state::write_journal(host.files(), journal)) {
      std::abort();
    }
    return host.files().read(spark::state::path_of(journal)).value().value();
  };
  const std::string path = "/var/lib/spark-reconcile/spark1/journal.json";
  const auto journal =
      spark::state::parse_journal(path, std::string(reinterpret_cast<const char*>(data), size));
  if (!journal) {
    return 0;
  }
  static_cast<void>(journal->left(spark::Moment{}, journal->boot_id));
  const auto text = text_of(*journal);
  const auto again = spark::state::parse_journal(path, text);
  if (!again || text_of(*again) != text) {
    std::abort();
  }
  return 0;
}
