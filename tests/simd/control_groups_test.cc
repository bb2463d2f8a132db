#include "simd/control_groups.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "simd/memory.h"
#include "simd/workers.h"
#include "tests/temp_folder.h"

namespace cedar::simd {
namespace {

constexpr char kV2Mount[] =
    "22 28 0:21 / /proc rw,nosuid - proc proc rw\n"
    "31 23 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr char kV1Mounts[] =
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
    "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw shared:3 master:1 - cgroup cgroup rw,memory\n"
    "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,xattr,name=systemd\n";
constexpr char kNoLimitV1[] = "9223372036854771712\n";

// A pretended machine: /proc and /sys in a folder.
class Machine {
 public:
  Machine(const std::string& groups, const std::string& mounts) {
    Put("/proc/self/cgroup", groups);
    Put("/proc/self/mountinfo", mounts);
  }
  Machine& Put(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(folder_.path() + path).parent_path());
    folder_.Write(path.substr(1), text);
    return *this;
  }
  GroupLimits Limits() const { return ReadGroupLimits(folder_.path()); }

 private:
  test::TempFolder folder_;
};

void ExpectMemory(const Machine& machine, size_t limit, size_t left, const std::string& file) {
  const auto memory = machine.Limits().memory;
  ASSERT_TRUE(memory.has_value());
  EXPECT_EQ(memory->limit, limit);
  EXPECT_EQ(memory->left, left);
  EXPECT_EQ(memory->file, file);
}

void ExpectCpus(const Machine& machine, double cpus, const std::string& file) {
  const auto found = machine.Limits().cpus;
  ASSERT_TRUE(found.has_value());
  EXPECT_DOUBLE_EQ(found->cpus, cpus);
  EXPECT_EQ(found->file, file);
}

void ExpectNothing(const Machine& machine) {
  EXPECT_FALSE(machine.Limits().memory.has_value());
  EXPECT_FALSE(machine.Limits().cpus.has_value());
}

// As systemd-run -p MemoryMax=... -p CPUQuota=150% makes one.
TEST(ControlGroupsTest, AServiceOfSystemd) {
  Machine machine("0::/system.slice/cedar.service\n", kV2Mount);
  const std::string group = "/sys/fs/cgroup/system.slice/cedar.service";
  machine.Put(group + "/memory.max", "8589934592\n")
      .Put(group + "/memory.high", "max\n")
      .Put(group + "/memory.current", "1000\n")
      .Put(group + "/memory.stat", "anon 600\nfile 300\nactive_file 100\ninactive_file 200\n")
      .Put(group + "/cpu.max", "150000 100000\n")
      .Put("/sys/fs/cgroup/system.slice/memory.max", "max\n")
      .Put("/sys/fs/cgroup/system.slice/cpu.max", "max 100000\n");
  ExpectMemory(machine, 8589934592, 8589934592 - 700, group + "/memory.max");
  ExpectCpus(machine, 1.5, group + "/cpu.max");
}

TEST(ControlGroupsTest, TheGroupThatLeavesLeastCounts) {
  Machine machine("0::/a/b/c\n", kV2Mount);
  machine.Put("/sys/fs/cgroup/a/b/c/memory.max", "max\n")
      .Put("/sys/fs/cgroup/a/b/memory.max", "5000\n")
      .Put("/sys/fs/cgroup/a/b/memory.current", "1000\n")
      .Put("/sys/fs/cgroup/a/memory.max", "9000\n")  // but others there have taken most of it
      .Put("/sys/fs/cgroup/a/memory.current", "8000\n")
      .Put("/sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n")
      .Put("/sys/fs/cgroup/a/cpu.max", "100000 50000\n");
  ExpectMemory(machine, 9000, 1000, "/sys/fs/cgroup/a/memory.max");
  ExpectCpus(machine, 2, "/sys/fs/cgroup/a/cpu.max");
}

// Above it the kernel slows a group down until it stands still.
TEST(ControlGroupsTest, MemoryHighIsALimit) {
  Machine machine("0::/a\n", kV2Mount);
  machine.Put("/sys/fs/cgroup/a/memory.max", "5000\n")
      .Put("/sys/fs/cgroup/a/memory.high", "3000\n")
      .Put("/sys/fs/cgroup/a/memory.current", "1000\n");
  ExpectMemory(machine, 3000, 2000, "/sys/fs/cgroup/a/memory.high");
}

TEST(ControlGroupsTest, AGroupThatIsFull) {
  Machine machine("0::/a\n", kV2Mount);
  machine.Put("/sys/fs/cgroup/a/memory.max", "5000\n")
      .Put("/sys/fs/cgroup/a/memory.current", "6000\n");
  ExpectMemory(machine, 5000, 0, "/sys/fs/cgroup/a/memory.max");
}

// A job of Slurm on version 2: the step has no limit of its own, the job has.
TEST(ControlGroupsTest, AJobOfSlurm) {
  const std::string job = "/system.slice/slurmstepd.scope/job_123";
  Machine machine("0::" + job + "/step_0/user/task_0\n", kV2Mount);
  machine.Put("/sys/fs/cgroup" + job + "/memory.max", "64000\n")
      .Put("/sys/fs/cgroup" + job + "/step_0/memory.max", "max\n")
      .Put("/sys/fs/cgroup" + job + "/step_0/user/task_0/memory.max", "max\n");
  ExpectMemory(machine, 64000, 64000, "/sys/fs/cgroup" + job + "/memory.max");
}

TEST(ControlGroupsTest, AJobOfSlurmOnVersion1) {
  const std::string job = "/slurm/uid_1000/job_7";
  Machine machine("11:memory:" + job + "/step_0/task_0\n9:cpuset:" + job +
                      "/step_0\n4:cpu,cpuacct:/user.slice\n1:name=systemd:/system.slice\n",
                  kV1Mounts);
  const std::string memory = "/sys/fs/cgroup/memory" + job;
  machine.Put(memory + "/memory.limit_in_bytes", "7000\n")
      .Put(memory + "/memory.usage_in_bytes", "3000\n")
      .Put(memory + "/memory.stat",
           "inactive_file 1\ntotal_inactive_file 900\n"
           "total_active_file 100\n")
      .Put(memory + "/step_0/memory.limit_in_bytes", kNoLimitV1)
      .Put(memory + "/step_0/task_0/memory.limit_in_bytes", kNoLimitV1)
      .Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", kNoLimitV1)
      .Put("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.cfs_quota_us", "250000\n")
      .Put("/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.cfs_period_us", "100000\n")
      .Put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .Put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  ExpectMemory(machine, 7000, 5000, memory + "/memory.limit_in_bytes");
  ExpectCpus(machine, 2.5, "/sys/fs/cgroup/cpu,cpuacct/user.slice/cpu.cfs_quota_us");
}

// Memory by version 1, and a mount of version 2 beside it.
TEST(ControlGroupsTest, BothVersionsAtOnce) {
  Machine machine(
      "4:memory:/a\n0::/u\n",
      std::string(kV1Mounts) + "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  machine.Put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "5000\n")
      .Put("/sys/fs/cgroup/unified/u/cpu.max", "50000 100000\n");
  ExpectMemory(machine, 5000, 5000, "/sys/fs/cgroup/memory/a/memory.limit_in_bytes");
  ExpectCpus(machine, 0.5, "/sys/fs/cgroup/unified/u/cpu.max");
}

// With a namespace of groups a container takes its own for the root.
TEST(ControlGroupsTest, AContainerWithANamespace) {
  Machine machine("0::/\n", kV2Mount);
  machine.Put("/sys/fs/cgroup/memory.max", "4000\n")
      .Put("/sys/fs/cgroup/memory.current", "1000\n")
      .Put("/sys/fs/cgroup/cpu.max", "300000 100000\n");
  ExpectMemory(machine, 4000, 3000, "/sys/fs/cgroup/memory.max");
  ExpectCpus(machine, 3, "/sys/fs/cgroup/cpu.max");
}

// Without one, its group is mounted alone and named as the host does.
TEST(ControlGroupsTest, AContainerWithoutANamespace) {
  Machine machine(
      "5:memory:/docker/0123abc/inner\n",
      "35 31 0:32 /docker/0123abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n");
  machine.Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "4000\n")
      .Put("/sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "3000\n");
  ExpectMemory(machine, 3000, 3000, "/sys/fs/cgroup/memory/inner/memory.limit_in_bytes");
}

// Its group has a name that nothing mounted here has.
TEST(ControlGroupsTest, AGroupThatIsNamedFromOutside) {
  for (const char* const group : {"0::/docker/0123abc\n", "0::/../other\n"}) {
    Machine machine(group, "31 23 0:27 /kubepods/pod7 /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    machine.Put("/sys/fs/cgroup/memory.max", "4000\n");
    ExpectMemory(machine, 4000, 4000, "/sys/fs/cgroup/memory.max");
  }
}

// A limit above the container's own, which version 1 tells.
TEST(ControlGroupsTest, ALimitThatOnlyMemoryStatTells) {
  Machine machine("4:memory:/\n", kV1Mounts);
  machine.Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", kNoLimitV1)
      .Put("/sys/fs/cgroup/memory/memory.usage_in_bytes", "500\n")
      .Put("/sys/fs/cgroup/memory/memory.stat", "hierarchical_memory_limit 6000\n");
  ExpectMemory(machine, 6000, 5500, "/sys/fs/cgroup/memory/memory.stat");
}

TEST(ControlGroupsTest, MountsAndGroupsWithOddNames) {
  Machine machine("0::/a b:c\n", "31 23 0:27 / /my\\040groups rw - cgroup2 cgroup2 rw\n");
  machine.Put("/my groups/a b:c/memory.max", "4000\n");
  ExpectMemory(machine, 4000, 4000, "/my groups/a b:c/memory.max");
}

TEST(ControlGroupsTest, NoLimits) {
  ExpectNothing(Machine("", ""));
  ExpectNothing(Machine("0::/a\n", ""));
  ExpectNothing(Machine("", kV2Mount));
  ExpectNothing(Machine("0::/a\n", kV2Mount));
  const test::TempFolder empty;
  EXPECT_FALSE(ReadGroupLimits(empty.path()).memory.has_value());
  Machine machine("4:memory:/\n2:cpu,cpuacct:/\n", kV1Mounts);
  machine.Put("/sys/fs/cgroup/memory/memory.limit_in_bytes", kNoLimitV1)
      .Put("/sys/fs/cgroup/memory/memory.stat", "hierarchical_memory_limit 9223372036854771712\n")
      .Put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n")
      .Put("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  ExpectNothing(machine);
}

TEST(ControlGroupsTest, Garbage) {
  const std::string zeros(100, '\0');
  for (const std::string& text :
       {std::string("\n"), std::string("-5\n"), std::string("12x\n"), std::string("0x10\n"),
        std::string("99999999999999999999999\n"), std::string("maximum 0\n"), zeros}) {
    Machine machine("0::/a\nx\n::::\n:\n0:\n", std::string(kV2Mount) + "- - -\n1 2 -\n\\\n");
    machine.Put("/sys/fs/cgroup/a/memory.max", text)
        .Put("/sys/fs/cgroup/a/cpu.max", text)
        .Put("/sys/fs/cgroup/cpu.max", "100000 0\n");
    ExpectNothing(machine);
  }
}

TEST(ControlGroupsTest, AQuotaBoundsThreads) {
  EXPECT_EQ(ThreadsWithin(0.1, 8), 1);
  EXPECT_EQ(ThreadsWithin(1.0, 8), 1);
  EXPECT_EQ(ThreadsWithin(1.5, 8), 2);
  EXPECT_EQ(ThreadsWithin(64, 8), 8);
}

TEST(ControlGroupsTest, ThisMachineHasSomeRoom) {
  const MemoryRoom room = RoomOfMemory();
  EXPECT_GT(room.bytes, 0u);
  EXPECT_FALSE(room.source.empty());
  EXPECT_EQ(AvailableMemory() > 0, true);
}

}  // namespace
}  // namespace cedar::simd
