#ifndef CEDAR_APP_INPUT_BYTES_H_
#define CEDAR_APP_INPUT_BYTES_H_

// The bytes of a file of requests, or of standard input, as they come; those of a gzip file
// unpacked. All functions throw Error (kInput) that names the file.

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cedar {

class Gunzip;

class InputBytes {
 public:
  // Owns the descriptor, but for that of standard input.
  InputBytes(int descriptor, std::string name);
  ~InputBytes();

  // Appends a chunk to the buffer; false at the end of the file. Waits for input; Interrupted
  // after a signal. A file of a kind that holds no lines of JSON (UTF-16, zstd, ...) is an Error.
  bool Read(std::string& buffer);
  // Whether there is something to read without waiting.
  bool IsReadable() const;
  // Begins a regular file anew.
  void Rewind();
  bool IsRegular() const;

 private:
  // Appends what comes next as it is; false at the end.
  bool ReadRaw(std::string& buffer);
  // Reads as many bytes as it takes to know the kind of the file.
  void Begin();

  int descriptor_;
  std::string name_;
  bool begun_ = false;
  std::string first_;               // bytes that were read to know the kind
  std::unique_ptr<Gunzip> gunzip_;  // null: nothing is packed
};

// Of what has been read first: text without any line of JSON in it, if it holds several lines, is
// an Error (kInput) that says what it looks like.
void CheckForJson(std::string_view begin, const std::string& name);

}  // namespace cedar

#endif  // CEDAR_APP_INPUT_BYTES_H_
