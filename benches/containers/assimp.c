// MD3 to buffers by assimp. It gives corners, three vertices for each triangle, of the first frame: its option for another
// frame (AI_CONFIG_IMPORT_MD3_KEYFRAME) changes nothing.
#include "readers.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/scene.h>
#include <string.h>

static int write_mesh(const struct aiMesh *from, struct buffers *out) {
  if (!from || !from->mNormals || !from->mTextureCoords[0]) return 1;
  struct mesh *mesh = add_mesh(out, from->mNumVertices, 1, 3 * (size_t)from->mNumFaces);
  if (!mesh) return 1;
  float *vertex = out->vertices + 8 * mesh->first_vertex;
  for (unsigned i = 0; i < from->mNumVertices; i++, vertex += 8) {
    // From the axes of MD3 to those of glTF.
    struct aiVector3D p = from->mVertices[i], n = from->mNormals[i], t = from->mTextureCoords[0][i];
    float values[8] = {p.y, p.z, p.x, n.y, n.z, n.x, t.x, 1 - t.y};
    memcpy(vertex, values, sizeof values);
  }
  for (unsigned f = 0; f < from->mNumFaces; f++) memcpy(out->indices + mesh->first_index + 3 * f, from->mFaces[f].mIndices, 12);
  return 0;
}

int assimp_read(const uint8_t *bytes, size_t len, int task, struct buffers *out) {
  static struct aiPropertyStore *properties;
  int32_t frames;
  if (len < 108) return 1;
  memcpy(&frames, bytes + 76, sizeof frames);
  if (task != FIRST && frames > 1) return 1;
  if (!properties) {
    properties = aiCreatePropertyStore();
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_MD3_HANDLE_MULTIPART, 0);
    aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_MD3_LOAD_SHADERS, 0);
  }
  const struct aiScene *scene = aiImportFileFromMemoryWithProperties((const char *)bytes, (unsigned)len, 0, "md3", properties);
  int refused = !scene;
  // The last surface comes first.
  for (unsigned m = refused ? 0 : scene->mNumMeshes; !refused && m-- > 0;) refused = write_mesh(scene->mMeshes[m], out);
  aiReleaseImport(scene);
  return refused;
}
