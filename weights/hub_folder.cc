#include "weights/hub_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "weights/model_error.h"
#include "weights/model_files.h"

namespace cedar {
namespace {

namespace fs = std::filesystem;

// The first word of refs/main, or "" without such a file.
std::string MainRevision(const fs::path& folder) {
  std::ifstream file(folder / "refs" / "main");
  std::string revision;
  file >> revision;
  return revision;
}

std::vector<std::string> Snapshots(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder / "snapshots", error)) {
    if (entry.is_directory(error)) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

bool IsHubFolder(const std::string& directory) {
  std::error_code error;
  return fs::is_directory(fs::path(directory) / "snapshots", error) &&
         !fs::exists(fs::path(directory) / kConfigFile, error);
}

std::string SnapshotOf(const std::string& hub_folder) {
  const fs::path folder = hub_folder;
  const std::vector<std::string> names = Snapshots(folder);
  const std::string revision = MainRevision(folder);
  if (!revision.empty()) {
    // Only a name that is there: the text of a file must not lead anywhere else.
    if (std::ranges::find(names, revision) == names.end()) {
      RefuseModel((folder / "refs" / "main").string(),
                  "revision " + Quoted(revision) + ", of which there is no snapshot",
                  "a download that is complete");
    }
    return (folder / "snapshots" / revision).string();
  }
  if (names.size() != 1) {
    RefuseModel(
        (folder / "snapshots").string(), std::to_string(names.size()) + " snapshots",
        names.empty() ? "one" : "one, or refs/main to choose by: name the snapshot's folder");
  }
  return (folder / "snapshots" / names[0]).string();
}

}  // namespace cedar
