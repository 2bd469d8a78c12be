// assimp's importers of MD3 and Unreal meshes as a target of libFuzzer. -DUNREAL: a pair of files in one buffer, the geometry,
// up to its last triangle, and then the frames.
#include <assimp/DefaultLogger.hpp>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <assimp/config.h>
#include <assimp/scene.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

namespace {

struct Bytes {
  const uint8_t *data;
  size_t size;
};

class Stream : public Assimp::IOStream {
 public:
  explicit Stream(Bytes bytes) : bytes(bytes) {}
  size_t Read(void *out, size_t size, size_t count) override {
    size_t whole = size == 0 ? 0 : std::min(count, (bytes.size - at) / size);
    if (whole > 0) memcpy(out, bytes.data + at, whole * size);
    at += whole * size;
    return whole;
  }
  size_t Write(const void *, size_t, size_t) override { return 0; }
  aiReturn Seek(size_t offset, aiOrigin origin) override {
    size_t to = origin == aiOrigin_SET ? offset : origin == aiOrigin_CUR ? at + offset : bytes.size - offset;
    if (to > bytes.size) return aiReturn_FAILURE;
    at = to;
    return aiReturn_SUCCESS;
  }
  size_t Tell() const override { return at; }
  size_t FileSize() const override { return bytes.size; }
  void Flush() override {}

 private:
  Bytes bytes;
  size_t at = 0;
};

// The files of the input, and no others.
class Files : public Assimp::IOSystem {
 public:
  explicit Files(Bytes input) : all(input), second{nullptr, 0} {
#ifdef UNREAL
    size_t triangles = all.size < 2 ? 0 : all.data[0] | all.data[1] << 8;
    size_t end = std::min(all.size, 48 + 16 * triangles);
    second = {all.data + end, all.size - end};
    all.size = end;
#endif
  }
  bool Exists(const char *path) const override { return find(path).data != nullptr; }
  char getOsSeparator() const override { return '/'; }
  Assimp::IOStream *Open(const char *path, const char *) override {
    Bytes found = find(path);
    return found.data == nullptr ? nullptr : new Stream(found);
  }
  void Close(Assimp::IOStream *stream) override { delete stream; }

 private:
  Bytes all, second;
  Bytes find(const char *path) const {
    std::string name(path);
    if (name == "m.md3" || name == "m_d.3d") return all;
    return name == "m_a.3d" ? second : Bytes{nullptr, 0};
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  Assimp::Importer importer;
  importer.SetIOHandler(new Files({data, size}));
  importer.SetPropertyInteger(AI_CONFIG_IMPORT_MD3_HANDLE_MULTIPART, 0);
  importer.SetPropertyInteger(AI_CONFIG_IMPORT_MD3_LOAD_SHADERS, 0);
#ifdef UNREAL
  importer.ReadFile("m_d.3d", 0);
#else
  importer.ReadFile("m.md3", 0);
#endif
  return 0;
}
