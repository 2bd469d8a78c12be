// Imports models with assimp: a program, and a decoder for `meshlens bench --decoder`.
//
// The program imports each file in a process of its own, because assimp crashes on some.
//
// Reads paths from standard input, one in each line. Writes for each: one byte for the outcome, the number of bytes that follow
// as 32 bits, and these bytes.
//
//   O  imported: the number of meshes as 32 bits. For each mesh the number of triangles as 32 bits, or 0xffffffff for a mesh
//      that is missing; then three corners for each triangle, of five floats: x, y, z, u and v.
//   R  refused: the message.
//   B  imported, but not consistent: a face without three corners, or the index of a vertex that does not exist.
//   C  the process crashed: the number of the signal as 32 bits.
//   T  stopped after five seconds of processor time.
//
// cc -O2 -o assimp benches/c/assimp.c -lassimp
//
// The decoder, which `benches/decoders` compiles, gives the corners of frame 0 of MD3 files: assimp keeps neither indices nor
// other frames. It refuses files of which assimp loses surfaces, as it does if a surface is empty.

#include "../../crates/bench/include/meshlens_decoder.h"

#include <assimp/cimport.h>
#include <assimp/config.h>
#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void number(FILE *out, uint32_t value) { fwrite(&value, 4, 1, out); }

// Whether every face has three corners that exist.
static int is_consistent(const struct aiScene *scene) {
  for (unsigned m = 0; m < scene->mNumMeshes; m++) {
    const struct aiMesh *mesh = scene->mMeshes[m];
    for (unsigned f = 0; mesh && f < mesh->mNumFaces; f++) {
      if (mesh->mFaces[f].mNumIndices != 3) return 0;
      for (unsigned c = 0; c < 3; c++)
        if (mesh->mFaces[f].mIndices[c] >= mesh->mNumVertices) return 0;
    }
  }
  return 1;
}

static void write_mesh(const struct aiMesh *mesh, FILE *out) {
  number(out, mesh ? mesh->mNumFaces : UINT32_MAX);
  for (unsigned f = 0; mesh && f < mesh->mNumFaces; f++) {
    for (unsigned c = 0; c < 3; c++) {
      unsigned index = mesh->mFaces[f].mIndices[c];
      float corner[5] = {mesh->mVertices[index].x, mesh->mVertices[index].y, mesh->mVertices[index].z};
      if (mesh->mTextureCoords[0]) {
        corner[3] = mesh->mTextureCoords[0][index].x;
        corner[4] = mesh->mTextureCoords[0][index].y;
      }
      fwrite(corner, sizeof corner, 1, out);
    }
  }
}

// The file alone: no other parts of a player, no scripts of shaders.
static struct aiPropertyStore *single_file(void) {
  struct aiPropertyStore *properties = aiCreatePropertyStore();
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_MD3_HANDLE_MULTIPART, 0);
  aiSetImportPropertyInteger(properties, AI_CONFIG_IMPORT_MD3_LOAD_SHADERS, 0);
  return properties;
}

// Gives the corners of a mesh in the order of the file: assimp turns the triangles.
static void give_corners(const struct aiMesh *mesh, size_t index, meshlens_give *give, void *to) {
  static float (*corners)[3];
  static size_t room;
  size_t count = 0;
  if (3 * (size_t)mesh->mNumFaces > room) corners = realloc(corners, (room = 3 * (size_t)mesh->mNumFaces) * sizeof *corners);
  for (unsigned f = 0; f < mesh->mNumFaces; f++) {
    const unsigned *face = mesh->mFaces[f].mIndices, turned[] = {face[0], face[2], face[1]};
    for (unsigned c = 0; c < 3; c++) memcpy(corners[count++], &mesh->mVertices[turned[c]], sizeof *corners);
  }
  give(to, &(struct meshlens_array){
      .name = "corner_positions", .mesh = index, .first = corners, .count = count, .stride = sizeof *corners});
}

int meshlens_decode_v1(const struct meshlens_file *files, size_t count, meshlens_give *give, void *to) {
  static struct aiPropertyStore *properties;
  uint32_t surfaces;
  if (count != 1 || files->len < 108 || memcmp(files->bytes, "IDP3", 4) != 0) return 1;
  memcpy(&surfaces, files->bytes + 84, sizeof surfaces);
  if (!properties) properties = single_file();
  const char *bytes = (const char *)files->bytes;
  const struct aiScene *scene = aiImportFileFromMemoryWithProperties(bytes, (unsigned)files->len, 0, "md3", properties);
  int is_whole = scene && scene->mNumMeshes == surfaces && is_consistent(scene);
  // The last surface comes first.
  for (unsigned m = 0; is_whole && m < surfaces; m++) give_corners(scene->mMeshes[m], surfaces - 1 - m, give, to);
  aiReleaseImport(scene);
  return !is_whole;
}

// What the process of one file does.
static void import(const char *path, FILE *out) {
  struct rlimit memory = {4ul << 30, 4ul << 30}, seconds = {5, 5};
  setrlimit(RLIMIT_AS, &memory);
  setrlimit(RLIMIT_CPU, &seconds);
  const struct aiScene *scene = aiImportFileExWithProperties(path, 0, NULL, single_file());
  if (!scene) {
    fputc('R', out);
    fputs(aiGetErrorString(), out);
  } else if (!is_consistent(scene)) {
    fputc('B', out);
  } else {
    fputc('O', out);
    number(out, scene->mNumMeshes);
    for (unsigned m = 0; m < scene->mNumMeshes; m++) write_mesh(scene->mMeshes[m], out);
  }
  fflush(out);
  _exit(0);
}

static void answer(char outcome, const void *bytes, uint32_t len) {
  putchar(outcome);
  number(stdout, len);
  fwrite(bytes, 1, len, stdout);
  fflush(stdout);
}

int main(void) {
  char path[4096];
  while (fgets(path, sizeof path, stdin)) {
    path[strcspn(path, "\n")] = 0;
    int pipes[2];
    if (pipe(pipes)) return 1;
    pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      close(pipes[0]);
      if (!freopen("/dev/null", "w", stderr)) _exit(1);
      import(path, fdopen(pipes[1], "w"));
    }
    close(pipes[1]);
    size_t len = 0, room = 1 << 16;
    char *bytes = malloc(room);
    for (;;) {
      if (len == room) bytes = realloc(bytes, room *= 2);
      ssize_t some = read(pipes[0], bytes + len, room - len);
      if (some <= 0) break;
      len += (size_t)some;
    }
    close(pipes[0]);
    int status;
    waitpid(child, &status, 0);
    uint32_t signal = WIFSIGNALED(status) ? (uint32_t)WTERMSIG(status) : 0;
    if (signal == SIGXCPU || signal == SIGKILL) answer('T', NULL, 0);
    else if (signal || len == 0) answer('C', &signal, 4);
    else answer(bytes[0], bytes + 1, (uint32_t)len - 1);
    free(bytes);
  }
  return 0;
}
