#include "fake/fake_storage.hpp"

#include <algorithm>
#include <iterator>
#include <ranges>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "protocol/nvme.hpp"

namespace spark::test {
namespace {

constexpr const char* kHostNqn =
    "nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-000000000001";

/// The value of a line "Key=…" of a unit.
std::string value_of(const std::string& unit, const std::string& key) {
  const auto at = unit.find("\n" + key + "=");
  if (at == std::string::npos) {
    return {};
  }
  const auto from = at + key.size() + 2;
  return unit.substr(from, unit.find('\n', from) - from);
}

std::string id_of(const std::string& unit) {
  const auto at = unit.find('@') + 1;
  return unit.substr(at, unit.rfind('.') - at);
}

}  // namespace

FakeStorage::FakeStorage(FakeWrites& writes, FakeFiles& files, FakeBus& bus)
    : writes_(writes), files_(files) {
  world_.program = "/usr/libexec/spark-reconcile/spark-storage";
  bus.on_start("spark-nvme@", [this](const auto& unit) { return start_connection(unit); });
  bus.on_stop("spark-nvme@", [this](const auto& unit) { return stop_connection(unit); });
  bus.on_start("mnt-", [this](const auto& unit) { return start_mount(unit); });
  bus.on_stop("mnt-", [this](const auto& unit) { return stop_mount(unit); });
}

Result<host::NvmeWorld> FakeStorage::nvme() {
  if (auto readable = writes_.readable("NVMe targets"); !readable) {
    return std::unexpected(readable.error());
  }
  auto world = world_;
  // A word is left below /run, and goes with the rest of its connection.
  std::erase_if(world.attempts, [&](const auto& attempt) {
    const auto file = files_.read(fmt::format("{}/{}.json", protocol::kNvmeFolder, attempt.first));
    return !file || !*file;
  });
  return world;
}

Result<host::NvmeWorld> FakeStorage::await_nvme(
    const std::function<bool(const host::NvmeWorld&)>& until,
    std::chrono::milliseconds /*deadline*/) {
  auto world = nvme();
  if (!world || until(*world) || !volumes_come_) return world;
  std::ranges::move(late_, std::back_inserter(world_.namespaces));
  late_.clear();
  return nvme();
}

Result<std::vector<host::MountInfo>> FakeStorage::mounts() {
  if (auto readable = writes_.readable("mounts"); !readable) {
    return std::unexpected(readable.error());
  }
  return mounts_;
}

Result<host::Mountpoint> FakeStorage::mountpoint(const std::string& path) {
  return directories_[path];
}

Result<host::Superblock> FakeStorage::superblock(const std::string& name) {
  const auto space = std::ranges::find(world_.namespaces, name, &host::NvmeNamespace::name);
  if (space == world_.namespaces.end()) {
    return fail(ErrorCode::kNotFound, fmt::format("read '/dev/{}': No such file", name));
  }
  const auto& volumes = targets_.at(space->nqn).volumes;
  return std::ranges::find(volumes, space->nsid, &FakeTarget::Volume::nsid)->superblock;
}

Result<> FakeStorage::try_out(const std::string& path, bool /*writes*/) {
  const auto broken = broken_.find(path);
  return broken == broken_.end() ? Result<>{} : std::unexpected(broken->second);
}

Result<> FakeStorage::sync(const std::string& path) { return try_out(path, true); }

Result<> FakeStorage::claim(const std::string& name) {
  const auto space = std::ranges::find(world_.namespaces, name, &host::NvmeNamespace::name);
  const bool mounted =
      space != world_.namespaces.end() &&
      std::ranges::find(mounts_, space->device, &host::MountInfo::device) != mounts_.end();
  return mounted ? fail(ErrorCode::kBusy, "claim '/dev/" + name + "': busy") : Result<>{};
}

Result<std::vector<std::string>> FakeStorage::users(const std::string& path,
                                                    const std::string& /*device*/) {
  const auto user = users_.find(path);
  return user == users_.end() ? std::vector<std::string>{} : std::vector{user->second};
}

Result<std::vector<host::NvmeOffer>> FakeStorage::discover(const IpAddress& address,
                                                           std::uint16_t port,
                                                           const std::string& /*via*/) {
  std::vector<host::NvmeOffer> offers;
  for (const auto& [nqn, target] : targets_) {
    if (target.address == address.text() && target.port == port) {
      offers.push_back({nqn, "tcp", target.address, std::to_string(port)});
    }
  }
  return offers;
}

Result<std::string> FakeStorage::random_uuid() { return "00000000-0000-4000-8000-000000000001"; }

Result<bool> FakeStorage::make_mountpoint(const std::string& path) {
  const auto what = fmt::format("make the mountpoint '{}'", path);
  if (auto admitted = writes_.admit(what); !admitted) return std::unexpected(admitted.error());
  auto& directory = directories_[path];
  const bool made = !directory.exists;
  directory = {.exists = true, .is_directory = true, .empty = true, .immutable = true};
  writes_.record(FakePort::kStorage, what);
  return made;
}

Result<> FakeStorage::release_mountpoint(const std::string& path) {
  if (directories_[path].immutable) {
    const auto what = fmt::format("let go of the mountpoint '{}'", path);
    if (auto admitted = writes_.admit(what); !admitted) return admitted;
    directories_[path].immutable = false;
    writes_.record(FakePort::kStorage, what);
  }
  return {};
}

Result<> FakeStorage::keep_trying(const std::string& controller) {
  const auto what = fmt::format("write ctrl_loss_tmo of '{}'", controller);
  if (auto admitted = writes_.admit(what); !admitted) return admitted;
  for (auto& known : world_.controllers) {
    known.forever |= known.name == controller;
  }
  writes_.record(FakePort::kStorage, what);
  return {};
}

void FakeStorage::add_target(FakeTarget target) {
  auto nqn = target.nqn;
  targets_.insert_or_assign(std::move(nqn), std::move(target));
}

FakeTarget* FakeStorage::target(const std::string& nqn) {
  const auto found = targets_.find(nqn);
  return found == targets_.end() ? nullptr : &found->second;
}

void FakeStorage::attach(const FakeTarget& target, const std::string& via, bool forever) {
  const auto number = next_controller_++;
  world_.controllers.push_back({.name = fmt::format("nvme{}", number),
                                .nqn = target.nqn,
                                .transport = "tcp",
                                .state = "live",
                                .address = target.address,
                                .port = std::to_string(target.port),
                                .via = via,
                                .source = "",
                                .host_nqn = kHostNqn,
                                .forever = forever});
  for (const auto& volume : target.volumes) {
    (volumes_late_ ? late_ : world_.namespaces)
        .push_back({.name = fmt::format("nvme{}n{}", number, volume.nsid),
                    .nqn = target.nqn,
                    .nsid = volume.nsid,
                    .wwid = "uuid." + volume.uuid,
                    .uuid = volume.uuid,
                    .device = fmt::format("259:{}", 10 * number + static_cast<int>(volume.nsid))});
  }
}

void FakeStorage::connect(const std::string& nqn, const std::string& via, bool forever) {
  attach(targets_.at(nqn), via, forever);
}

void FakeStorage::disconnect(const std::string& nqn) {
  for (const auto& space : world_.namespaces) {
    std::erase_if(mounts_, [&](const host::MountInfo& mount) {
      return space.nqn == nqn && mount.device == space.device;
    });
  }
  std::erase_if(world_.controllers, [&](const auto& controller) { return controller.nqn == nqn; });
  for (auto* spaces : {&world_.namespaces, &late_}) {
    std::erase_if(*spaces, [&](const auto& space) { return space.nqn == nqn; });
  }
}

void FakeStorage::cut_power() {
  mounts_.clear();
  world_.controllers.clear();
  world_.namespaces.clear();
  late_.clear();
  world_.attempts.clear();
}

void FakeStorage::set_state(const std::string& nqn, const std::string& state) {
  for (auto& controller : world_.controllers) {
    if (controller.nqn == nqn) {
      controller.state = state;
    }
  }
}

void FakeStorage::mount(host::MountInfo mount) {
  mount.id = next_mount_++;
  mounts_.push_back(std::move(mount));
}

host::MountInfo* FakeStorage::mounted(const std::string& path) {
  const auto found = std::ranges::find(mounts_, path, &host::MountInfo::path);
  return found == mounts_.end() ? nullptr : &*found;
}

host::NvmeNamespace* FakeStorage::volume(const std::string& nqn) {
  const auto found = std::ranges::find(world_.namespaces, nqn, &host::NvmeNamespace::nqn);
  return found == world_.namespaces.end() ? nullptr : &*found;
}

void FakeStorage::set_user(const std::string& path, const std::string& who) {
  users_.erase(path);
  if (!who.empty()) {
    users_.emplace(path, who);
  }
}

void FakeStorage::pass(std::int64_t seconds) {
  for (auto& [id, attempt] : world_.attempts) {
    attempt.seconds_ago += seconds;
  }
}

Result<> FakeStorage::start_connection(const std::string& unit) {
  const auto id = id_of(unit);
  const auto file = files_.read(fmt::format("{}/{}.json", protocol::kNvmeFolder, id));
  if (!file || !*file) {
    return fail(ErrorCode::kNotFound, "start '" + unit + "': nothing to connect to");
  }
  const auto wanted = nlohmann::json::parse(**file);
  const auto nqn = wanted.at("nqn").get<std::string>();
  const auto* const offered = target(nqn);
  if (std::ranges::find(world_.controllers, nqn, &host::NvmeController::nqn) !=
      world_.controllers.end()) {
    world_.attempts.insert_or_assign(id, host::NvmeAttempt{.outcome = protocol::kConnected});
    return {};
  }
  const bool there = offered != nullptr &&
                     offered->address == wanted.at("address").get<std::string>() &&
                     offered->port == wanted.at("port") && offered->refuses.empty();
  if (!there) {
    world_.attempts.insert_or_assign(
        id,
        host::NvmeAttempt{.outcome = protocol::kFailed,
                          .reason = offered == nullptr ? protocol::kPortClosed : offered->refuses,
                          .what = "the fake target says no"});
    return fail(ErrorCode::kSystem, "start '" + unit + "': the job ended as 'failed'");
  }
  attach(*offered, wanted.at("via").get<std::string>(), true);
  world_.attempts.insert_or_assign(id, host::NvmeAttempt{.outcome = protocol::kConnected});
  return {};
}

Result<> FakeStorage::stop_connection(const std::string& unit) {
  const auto file = files_.read(fmt::format("{}/{}.json", protocol::kNvmeFolder, id_of(unit)));
  if (!file || !*file) {
    return {};
  }
  const auto nqn = nlohmann::json::parse(**file).at("nqn").get<std::string>();
  for (const auto& space : world_.namespaces) {
    if (space.nqn == nqn && !claim(space.name)) {
      return fail(ErrorCode::kSystem, "stop '" + unit + "': the job ended as 'failed'");
    }
  }
  disconnect(nqn);
  world_.attempts.insert_or_assign(id_of(unit), host::NvmeAttempt{.outcome = protocol::kStopped});
  return {};
}

Result<> FakeStorage::start_mount(const std::string& unit) {
  const auto file = files_.read("/run/systemd/system/" + unit);
  if (!file || !*file) {
    return fail(ErrorCode::kNotFound, "start '" + unit + "': there is no such unit");
  }
  const auto device = value_of(**file, "What");
  const auto path = value_of(**file, "Where");
  const auto space = std::ranges::find(
      world_.namespaces, device,
      [](const host::NvmeNamespace& known) { return "/dev/disk/by-id/nvme-" + known.wwid; });
  if (space == world_.namespaces.end()) {
    return fail(ErrorCode::kSystem, "start '" + unit + "': the job ended as 'dependency'");
  }
  host::MountInfo mount{.path = path,
                        .device = space->device,
                        .source = "/dev/" + space->name,
                        .type = value_of(**file, "Type")};
  for (const auto option : std::views::split(value_of(**file, "Options"), ',')) {
    const std::string word(option.begin(), option.end());
    mount.writable |= word == "rw";
    if (word != "rw" && word != "ro") {
      mount.options.push_back(word);
    }
  }
  if (mount.writable) {
    auto& volumes = targets_.at(space->nqn).volumes;
    auto& superblock =
        std::ranges::find(volumes, space->nsid, &FakeTarget::Volume::nsid)->superblock;
    superblock.clean = false;
    superblock.mounts += 1;
    superblock.mounted_at += 60;
  }
  this->mount(std::move(mount));
  return {};
}

Result<> FakeStorage::stop_mount(const std::string& unit) {
  const auto file = files_.read("/run/systemd/system/" + unit);
  const auto path = file && *file ? value_of(**file, "Where") : "";
  auto* const mount = mounted(path);
  if (mount == nullptr) {
    return {};
  }
  if (users_.contains(path)) {
    return fail(ErrorCode::kSystem, "stop '" + unit + "': the job ended as 'failed'");
  }
  for (const auto& space : world_.namespaces) {
    for (auto& volume : targets_.at(space.nqn).volumes) {
      volume.superblock.clean |=
          space.device == mount->device && space.nsid == volume.nsid && mount->writable;
    }
  }
  std::erase_if(mounts_, [&](const auto& known) { return known.path == path; });
  return {};
}

}  // namespace spark::test
