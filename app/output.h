#ifndef CEDAR_APP_OUTPUT_H_
#define CEDAR_APP_OUTPUT_H_

// Where machine output goes: standard output or a file, written at once and never in silence lost.

#include <string>
#include <string_view>

namespace cedar {

class Output {
 public:
  // Standard output. It stays open when the Output ends.
  static Output Standard();
  // A new or emptied file. Throws Error (kInput) that names it.
  static Output File(const std::string& path);
  // The same, called by another name in messages.
  static Output FileNamed(const std::string& path, const std::string& name);
  // A file that must not be there yet.
  static Output NewNamed(const std::string& path, const std::string& name);

  // A file to add to; made if there is none.
  static Output Append(const std::string& path);

  // Keeps other processes that claim the same file from it until this one closes it or ends. Throws
  // Error (kInput) if one has it.
  void Claim() const;

  Output(Output&& other) noexcept;
  Output& operator=(Output&& other) noexcept;
  ~Output();

  // Takes out what stands in a regular file.
  void Empty();

  // Everything or an Error (kInput): a closed pipe and a full disk are errors. Not buffered.
  void Write(std::string_view bytes);

  // Waits until a regular file is on the disk.
  void Sync() const;

  // Whether the path still leads to the file that is open here.
  bool IsAt(const std::string& path) const;

  // Closes a file; a write that fails as late as here is an Error too. Without it the destructor
  // closes in silence.
  void Close();

  const std::string& name() const { return name_; }

 private:
  static Output Open(const std::string& path, int flags, const std::string& name);
  Output(int descriptor, std::string name, bool owned);
  [[noreturn]] void Fail() const;

  int descriptor_;
  std::string name_;
  bool owned_;
};

}  // namespace cedar

#endif  // CEDAR_APP_OUTPUT_H_
