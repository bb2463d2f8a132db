#ifndef CEDAR_WEIGHTS_HUB_FOLDER_H_
#define CEDAR_WEIGHTS_HUB_FOLDER_H_

// The cache that `hf download` fills. A model's folder there is called models--ORG--NAME and holds
//
//   refs/main             the revision that was asked for last, a line of text
//   snapshots/REVISION/   the files of a revision, as links into blobs/
//   blobs/                their content

#include <string>

namespace cedar {

// Whether the directory is such a folder: it holds snapshots, and no model of its own.
bool IsHubFolder(const std::string& directory);

// The snapshot that refs/main names, or the only one where there is no refs/main. Throws Error
// (kModel) if that one is not there, or if there are none or several to choose from.
std::string SnapshotOf(const std::string& hub_folder);

}  // namespace cedar

#endif  // CEDAR_WEIGHTS_HUB_FOLDER_H_
