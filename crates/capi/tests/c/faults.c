// Damaged files, files and folders that cannot be read, and every call without memory.
#include <sys/stat.h>

#include "check.h"

static const char* scratch;

// Damages of files of the corpus, and the error that each causes.
static void damages(void) {
  static const struct {
    const char* name;
    size_t offset, size;
    const char* bytes;
    ml_result wanted;
    const char* format;
  } cases[] = {
      // 8372224 surfaces.
      {"md3/animated.md3", 84, 4, "\x00\xc0\x7f\x00", ML_ERROR_LIMIT, "md3"},
      // A chunk of 1 byte that should hold a header of 20.
      {"u3d/v2_animated.u3d", 17, 1, "\x01", ML_ERROR_OUT_OF_CHUNK, "u3d"},
      {"u3d/v2_animated.u3d", 33, 4, "AAAA", ML_ERROR_ENCRYPTION_UNKNOWN, "u3d"},
      // A path without an end.
      {"u3d/v1_shadow.u3d", 1106, 32, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", ML_ERROR_UNTERMINATED, "u3d"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    size_t size;
    unsigned char* bytes = read_corpus(cases[i].name, &size);
    ml_asset* file = NULL;
    OK(ml_open_memory(bytes, size, NULL, &file, &error));
    ml_close(file);
    memcpy(bytes + cases[i].offset, cases[i].bytes, cases[i].size);
    ml_error error = {0};
    RETURNS(cases[i].wanted, ml_open_memory(bytes, size, NULL, &file, &error));
    CHECK(file == NULL && error.code == cases[i].wanted && strcmp(error.format, cases[i].format) == 0 && error.text[0] != 0);
    free(bytes);
  }
  // A frame of 141 bytes for 35 vertices of 4 bytes.
  size_t size;
  unsigned char* bytes = read_corpus("unreal/Models/ring_a.3d", &size);
  bytes[2] = 141;
  ml_asset* file = NULL;
  const ml_input_file pair[] = {{path_of("unreal/Models/ring_d.3d"), NULL, 0, ML_ROLE_BY_NAME}, {NULL, bytes, size, ML_ROLE_FRAMES}};
  EXPECT(ML_ERROR_MISMATCH, ml_open_files(pair, 2, NULL, &file, &error));
  CHECK(file == NULL);
  free(bytes);
}

static void put(unsigned char* at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (unsigned char)(value >> 8 * i);
}

// A mesh whose only triangle has a vertex that does not exist: it has 3 points, and no vertices to draw.
static void no_triangle_left(void) {
  static const unsigned char geometry[64] = {1, 0, 3, [48] = 0, 0, 1, 0, 7, 0};
  static const unsigned char frames[16] = {1, 0, 12};
  ml_asset* file = NULL;
  const ml_input_file pair[] = {{NULL, geometry, sizeof geometry, ML_ROLE_GEOMETRY}, {NULL, frames, sizeof frames, ML_ROLE_FRAMES}};
  OK(ml_open_files(pair, 2, NULL, &file, &error));
  ml_mesh mesh = {0};
  OK(ml_get_mesh(file, 0, &mesh, &error));
  ml_scene* scene = NULL;
  OK(ml_open_scene(file, NULL, 0, &scene, &error));
  ml_scene_mesh drawn = {0};
  OK(ml_get_scene_mesh(scene, 0, &drawn, &error));
  CHECK(mesh.point_count == 3 && drawn.vertex_count == 0 && drawn.dropped_triangle_count == 1);
  ml_close_scene(scene);
  ml_close(file);
}

// A mesh of 65,536 vertices has an index that 16 bits cannot hold, because 65535 is reserved.
static void many_vertices(void) {
  enum { VERTICES = 65536, SURFACE = 108 + 56, TEXCOORDS = 108 + 12, END = TEXCOORDS + 16 * VERTICES };
  unsigned char* bytes = calloc(SURFACE + END, 1);
  memcpy(bytes, "IDP3\17", 5);
  // One frame, no tags, one surface.
  const uint32_t header[9] = {1, 0, 1, 0, 108, SURFACE, SURFACE, SURFACE + END, 0};
  for (size_t i = 0; i < 8; i++) put(bytes + 76 + 4 * i, header[i]);
  unsigned char* surface = bytes + SURFACE;
  memcpy(surface, "IDP3", 4);
  // One frame, no shaders, the vertices, one triangle, and the tables.
  const uint32_t counts[9] = {1, 0, VERTICES, 1, 108, 108, TEXCOORDS, TEXCOORDS + 8 * VERTICES, END};
  for (size_t i = 0; i < 9; i++) put(surface + 72 + 4 * i, counts[i]);
  put(surface + 108, VERTICES - 1);
  ml_asset* file = NULL;
  OK(ml_open_memory(bytes, SURFACE + END, NULL, &file, &error));
  ml_scene* scene = NULL;
  OK(ml_open_scene(file, NULL, 0, &scene, &error));
  ml_scene_mesh mesh = {0};
  OK(ml_get_scene_mesh(scene, 0, &mesh, &error));
  CHECK(mesh.index_format == ML_INDEX_UINT32 && mesh.vertex_count == VERTICES);
  uint16_t narrow[3];
  uint32_t wide[3] = {7, 7, 7};
  EXPECT(ML_ERROR_LIMIT, ml_indices(scene, 0, ML_INDEX_UINT16, narrow, sizeof narrow, &error));
  OK(ml_indices(scene, 0, ML_INDEX_UINT32, wide, sizeof wide, &error));
  CHECK(wide[0] == VERTICES - 1 && wide[1] == 0 && wide[2] == 0);
  ml_close_scene(scene);
  ml_close(file);
  free(bytes);
}

static int take(void* user, const void* data, size_t size) {
  (void)data;
  *(size_t*)user += size;
  return 0;
}

static int stop(void* user, uint64_t done, uint64_t total) {
  (void)user, (void)done, (void)total;
  return 1;
}

// Writes a file in the folder of the test, and returns its path, which the next call overwrites.
static const char* write_scratch(const char* name, const void* bytes, size_t size) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", scratch, name);
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fwrite(bytes, 1, size, file) == size);
  if (file != NULL) fclose(file);
  return path;
}

// Copies a file of the corpus to the folder of the test.
static void copy(const char* from, const char* to) {
  size_t size;
  unsigned char* bytes = read_corpus(from, &size);
  write_scratch(to, bytes, size);
  free(bytes);
}

static void files_and_folders(void) {
  ml_open_opts opts = {0};
  opts.progress = stop;
  ml_asset* none = NULL;
  EXPECT(ML_ERROR_CANCELLED, ml_open_files(ONE(path_of("md3/static.md3")), &opts, &none, &error));
  EXPECT(ML_ERROR_IO, ml_open_files(ONE(corpus), &opts, &none, &error));

  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  EXPECT(ML_ERROR_IO, ml_mount_folder(assets, path_of("md3/static.md3"), &error));
  EXPECT(ML_ERROR_IO, ml_mount_archive(assets, corpus, &error));

  // Names that differ only in case.
  copy("md3/static.md3", "twin.md3");
  copy("md3/static.md3", "Twin.md3");
  OK(ml_mount_folder(assets, scratch, &error));
  size_t size = 0;
  EXPECT(ML_ERROR_AMBIGUOUS, ml_read_asset_file(assets, "TWIN.md3", take, &size, &error));
  CHECK(size == 0);
  OK(ml_read_asset_file(assets, "twin.md3", take, &size, &error));
  CHECK(size > 108);
  ml_free_assets(assets);

  ml_assets_opts little = {0};
  little.memory_limit = 64;
  OK(ml_new_assets(&little, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_read_asset_file(assets, "md3/static.md3", take, &size, &error));
  ml_asset* asset = NULL;
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_open_asset(assets, "md3/static.md3", NULL, &asset, &error));
  CHECK(asset == NULL);
  ml_free_assets(assets);
}

static void make_folder(const char* name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", scratch, name);
  CHECK(mkdir(path, 0777) == 0);
}

static int refuse(void* user, const void* data, size_t size) {
  (void)data, (void)size;
  ++*(size_t*)user;
  return 1;
}

// The texture of a material: an image, a callback that fails, and a file that is no image.
static void textures(void) {
  static const unsigned char tga[21] = {0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0x20, 3, 2, 1};
  make_folder("models");
  make_folder("models/one_armed");
  copy("md3/static.md3", "models/static.md3");
  for (int is_whole = 0; is_whole < 2; is_whole++) {
    write_scratch("models/one_armed/body.tga", tga, is_whole ? sizeof tga : 10);
    ml_assets* assets = NULL;
    OK(ml_new_assets(NULL, &assets, &error));
    OK(ml_mount_folder(assets, scratch, &error));
    ml_asset* asset = NULL;
    OK(ml_open_asset(assets, "models/static.md3", NULL, &asset, &error));
    ml_asset* file = NULL;
    OK(ml_get_node_asset(asset, 0, 0, &file, &error));
    size_t written = 0, calls = 0;
    char type[16] = "";
    if (is_whole) {
      OK(ml_read_texture(file, 0, take, &written, type, &error));
      CHECK(written > 60 && strcmp(type, "image/png") == 0);
      EXPECT(ML_ERROR_CALLBACK, ml_read_texture(file, 0, refuse, &calls, NULL, &error));
      CHECK(calls == 1);
    } else {
      EXPECT(ML_ERROR_VALUE, ml_read_texture(file, 0, take, &written, type, &error));
      CHECK(written == 0);
    }
    ml_close(file);
    ml_close(asset);
    ml_free_assets(assets);
  }
}

// An archive that the test writes: an entry whose bytes do not have the checksum of the directory.
static void broken_entry(void) {
  static const unsigned char zip[] =
      "PK\3\4\24\0\0\0\0\0\0\0\41\0\1\2\3\4\4\0\0\0\4\0\0\0\5\0\0\0a.md3IDP3"
      "PK\1\2\24\0\24\0\0\0\0\0\0\0\41\0\1\2\3\4\4\0\0\0\4\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a.md3"
      "PK\5\6\0\0\0\0\1\0\1\0\63\0\0\0\47\0\0\0\0";
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_archive(assets, write_scratch("broken.pk3", zip, sizeof zip), &error));
  size_t size = 0;
  EXPECT(ML_ERROR_ARCHIVE, ml_read_asset_file(assets, "a.md3", take, &size, &error));
  ml_asset* asset = NULL;
  EXPECT(ML_ERROR_ARCHIVE, ml_open_asset(assets, "a.md3", NULL, &asset, &error));
  CHECK(size == 0 && asset == NULL);
  ml_free_assets(assets);
}

// An allocator that makes a number of allocations.
typedef struct {
  size_t left;
} supply;

static void* take_from(void* user, size_t size, size_t align) {
  supply* memory = user;
  void* made = NULL;
  if (memory->left == 0) return NULL;
  memory->left--;
  if (align < sizeof made) align = sizeof made;
  return posix_memalign(&made, align, size == 0 ? 1 : size) == 0 ? made : NULL;
}

static void give_back(void* user, void* memory, size_t size, size_t align) {
  (void)user, (void)size, (void)align;
  free(memory);
}

static supply memory = {SIZE_MAX};

// Makes a call with every number of allocations, until they are enough: before that it fails, and says so.
#define STARVE(call)                                                                          \
  do {                                                                                        \
    ml_error error = {0};                                                                     \
    size_t allowed = 0;                                                                       \
    ml_result result;                                                                         \
    while (memory.left = allowed, (result = (call)) != ML_OK && allowed < 1000) {             \
      CHECK(result == ML_ERROR_MEMORY && error.code == result && error.text[0] != 0);         \
      allowed++;                                                                              \
    }                                                                                         \
    memory.left = SIZE_MAX;                                                                   \
    if (allowed > 0) reached(#call, ML_ERROR_MEMORY);                                         \
    if (result != ML_OK || allowed == 0) {                                                    \
      fprintf(stderr, "%s:%d: %s: %s with %zu allocations\n", __FILE__, __LINE__, #call,      \
              ml_result_name(result), allowed);                                               \
      failures++;                                                                             \
    }                                                                                         \
  } while (0)

static void no_memory(void) {
  ml_allocator allocator = {0};
  allocator.user = &memory;
  allocator.allocate = take_from;
  allocator.release = give_back;
  ml_open_opts opts = {0};
  opts.allocator = &allocator;
  ml_asset* file = NULL;
  STARVE(ml_open_files(ONE(path_of("md3/tagged.md3")), &opts, &file, &error));
  ml_report* report = NULL;
  STARVE(ml_validate(file, 0, &report, &error));
  ml_close_report(report);
  ml_close(file);

  opts.ownership = ML_OWNERSHIP_COPY;
  size_t size;
  unsigned char* bytes = read_corpus("md3/static.md3", &size);
  const ml_input_file copied = {"static.md3", bytes, size, ML_ROLE_BY_NAME};
  STARVE(ml_open_files(&copied, 1, &opts, &file, &error));
  ml_close(file);
  opts.allocator = NULL;
  opts.memory_limit = size - 1;
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_open_files(&copied, 1, &opts, &file, &error));
  free(bytes);

  ml_assets_opts search = {0};
  search.allocator = &allocator;
  ml_assets* assets = NULL;
  STARVE(ml_new_assets(&search, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  ml_models* models = NULL;
  STARVE(ml_find_models(assets, "md3", 0, &models, &error));
  ml_close_models(models);
  ml_asset* asset = NULL;
  STARVE(ml_open_asset(assets, "md3/static.md3", NULL, &asset, &error));
  STARVE(ml_get_asset_report(asset, &report, &error));
  ml_close_report(report);
  STARVE(ml_get_node_asset(asset, 0, 0, &file, &error));
  ml_scene* scene = NULL;
  STARVE(ml_open_scene(file, NULL, 0, &scene, &error));
  ml_close_scene(scene);
  STARVE(ml_open_scene(asset, NULL, 0, &scene, &error));
  ml_pose* pose = NULL;
  STARVE(ml_new_pose(scene, &pose, &error));
  ml_close_pose(pose);
  ml_close_scene(scene);
  ml_close(file);
  ml_close(asset);
  ml_free_assets(assets);

  ml_streamer_opts streaming = {0};
  streaming.allocator = &allocator;
  ml_streamer* streamer = NULL;
  STARVE(ml_new_streamer(&streaming, &streamer, &error));
  ml_stream* stream = NULL;
  STARVE(ml_open_stream(streamer, path_of("md3/static.md3"), NULL, &stream, &error));
  ml_request_opts wanted = {0};
  wanted.part.kind = ML_PART_BOUNDS;
  ml_request* request = NULL;
  STARVE(ml_request_part(stream, &wanted, &request, &error));
  ml_close_request(request);
  CHECK(ml_free_streamer(streamer) == ML_OK);
  ml_close_stream(stream);
}

// Whether a call was not refused by the memory limit. Any other error ends the test.
static int allowed(const char* call, ml_result result, const ml_error* error) {
  if (result != ML_OK && (result != ML_ERROR_MEMORY_LIMIT || error->code != result || error->text[0] == 0)) {
    fprintf(stderr, "%s: %s: %s\n", call, ml_result_name(result), error->text);
    exit(1);
  }
  reached(call, result);
  return result == ML_OK;
}

#define ALLOWED(call) allowed(#call, call, &error)

// Calls a chain of `steps` calls with limits from a few bytes up to enough for all of them. Each step from the index
// `first` must be refused by some limit, after the earlier steps were allowed.
static void limit_each(size_t (*chain)(size_t limit), size_t first, size_t steps) {
  size_t refused[8] = {0}, done = 0;
  for (size_t limit = 16; limit < 1 << 20 && done < steps; limit += 16) {
    done = chain(limit);
    if (done < steps) refused[done]++;
  }
  CHECK(done == steps);
  for (size_t i = first; i < steps; i++) {
    if (refused[i] == 0) fprintf(stderr, "step %zu of %zu was never refused\n", i, steps);
    CHECK(refused[i] > 0);
  }
}

static unsigned char* damaged;
static size_t damaged_size;

static size_t report_within(size_t limit) {
  ml_error error = {0};
  ml_open_opts opts = {0};
  opts.memory_limit = limit;
  ml_asset* file = NULL;
  ml_report* report = NULL;
  size_t done = 0;
  if (ALLOWED(ml_open_memory(damaged, damaged_size, &opts, &file, &error))) done++;
  if (done == 1 && ALLOWED(ml_validate(file, 0, &report, &error))) done++;
  CHECK((done == 2) == (report != NULL));
  ml_close_report(report);
  ml_close(file);
  return done;
}

// Packed geometry is unpacked for the model.
static size_t model_within(size_t limit) {
  ml_error error = {0};
  ml_open_opts opts = {0};
  opts.memory_limit = limit;
  ml_asset* file = NULL;
  ml_model model = {0};
  size_t done = 0;
  if (ALLOWED(ml_open_memory(damaged, damaged_size, &opts, &file, &error))) done++;
  if (done == 1 && ALLOWED(ml_get_model(file, &model, &error))) done++;
  CHECK((done == 2) == (model.mesh_count > 0));
  ml_close(file);
  return done;
}

static size_t asset_within(size_t limit) {
  ml_error error = {0};
  ml_assets_opts opts = {0};
  opts.memory_limit = limit;
  ml_assets* assets = NULL;
  OK(ml_new_assets(&opts, &assets, &error));
  OK(ml_mount_folder(assets, scratch, &error));
  ml_models* models = NULL;
  ml_asset* asset = NULL;
  ml_report* report = NULL;
  ml_asset* file = NULL;
  size_t done = 0;
  // A search ends at the limit with the models that it found, and a fault says where.
  ml_models_info found = {.size = sizeof found};
  if (ALLOWED(ml_find_models(assets, "player", 0, &models, &error))) {
    OK(ml_get_models_info(models, &found, &error));
    if (found.fault_count == 0) done++;
  }
  if (done == 1 && ALLOWED(ml_open_asset(assets, "player", NULL, &asset, &error))) done++;
  if (done == 2 && ALLOWED(ml_get_asset_report(asset, &report, &error))) done++;
  if (done == 3 && ALLOWED(ml_get_node_asset(asset, 0, 0, &file, &error))) done++;
  ml_scene* scene = NULL;
  if (done == 4 && ALLOWED(ml_open_scene(asset, NULL, 0, &scene, &error))) done++;
  ml_close_scene(scene);
  ml_close(file);
  ml_close_report(report);
  ml_close(asset);
  ml_close_models(models);
  ml_free_assets(assets);
  return done;
}

static void memory_limits(void) {
  damaged = read_corpus("md3/tagged.md3", &damaged_size);
  // A NaN in the bounds of the first frame, so that the report has a finding.
  memcpy(damaged + 108, "\x00\x00\xc0\x7f", 4);
  limit_each(report_within, 1, 2);
  free(damaged);
  damaged = read_corpus("unigine/blocks_packed.mesh", &damaged_size);
  limit_each(model_within, 1, 2);
  free(damaged);
  // A player whose report has a finding: a word that is not known.
  make_folder("player");
  copy("md3/player/lower.md3", "player/lower.md3");
  copy("md3/player/upper.md3", "player/upper.md3");
  copy("md3/player/head.md3", "player/head.md3");
  size_t size;
  unsigned char* config = read_corpus("md3/player/animation.cfg", &size);
  static const char unknown[] = "a_word_that_no_program_knows\n";
  const size_t words = sizeof unknown - 1;
  config = realloc(config, size + words);
  memmove(config + words, config, size);
  memcpy(config, unknown, words);
  write_scratch("player/animation.cfg", config, size + words);
  free(config);
  limit_each(asset_within, 0, 5);
}

static ml_result endless_size(void* user, const char* path, uint64_t* size, uint64_t* version) {
  (void)user, (void)path, *size = 0, *version = 0;
  return ML_OK;
}
static ml_result endless_read(void* user, const char* path, uint64_t offset, void* out, size_t size) {
  (void)user, (void)path, (void)offset, (void)out, (void)size;
  return ML_ERROR_IO;
}
// A folder of a million names.
static ml_result endless_list(void* user, const char* folder, ml_add_entry_fn add, void* entries) {
  (void)user, (void)folder;
  char name[16];
  for (int i = 0; i < 1000000; i++) {
    snprintf(name, sizeof name, "%d.md3", i);
    add(entries, name, 0);
  }
  return ML_OK;
}

static int count_name(void* user, const char* name, uint32_t is_folder) {
  (void)name, (void)is_folder;
  ++*(size_t*)user;
  return 0;
}

// The names are charged while the folder is listed, and the fault says where.
static void endless_folders(void) {
  ml_assets_opts opts = {0};
  opts.memory_limit = 1 << 20;
  ml_assets* assets = NULL;
  OK(ml_new_assets(&opts, &assets, &error));
  ml_file_system files = {0};
  files.file_size = endless_size, files.read = endless_read, files.list = endless_list;
  OK(ml_mount_files(assets, "game", &files, &error));
  ml_models* models = NULL;
  OK(ml_find_models(assets, "", 0, &models, &error));
  ml_models_info info = {0};
  OK(ml_get_models_info(models, &info, &error));
  CHECK(info.model_count == 0 && info.fault_count > 0);
  ml_error fault = {0};
  OK(ml_get_find_fault(models, info.fault_count - 1, &fault, &error));
  CHECK(fault.code == ML_ERROR_MEMORY_LIMIT && strncmp(fault.text, "game", 4) == 0);
  CHECK(ml_close_models(models) == ML_OK);
  size_t count = 0;
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_list_folder(assets, "", count_name, &count, &error));
  CHECK(count == 0);
  ml_free_assets(assets);
}

// A file without a length cannot be mapped. It is read up to the limit, and not to its end.
static void unmappable(void) {
  ml_open_opts opts = {0};
  opts.access = ML_ACCESS_MAP;
  opts.memory_limit = 16;
  ml_asset* asset = NULL;
  ml_error error = {0};
  CHECK(ml_open_files(ONE("/proc/self/maps"), &opts, &asset, &error) == ML_ERROR_MEMORY_LIMIT);
  CHECK(strstr(error.text, "/proc/self/maps: larger than the limit of 16 bytes") != NULL);
}

// A file that cannot be read: a pipe.
static void pipes(void) {
  char path[1024];
  snprintf(path, sizeof path, "%s/pipe.md3", scratch);
  CHECK(mkfifo(path, 0600) == 0);
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, scratch, &error));
  size_t size = 0;
  EXPECT(ML_ERROR_IO, ml_read_asset_file(assets, "pipe.md3", take, &size, &error));
  ml_asset* asset = NULL;
  EXPECT(ML_ERROR_IO, ml_open_asset(assets, "pipe.md3", NULL, &asset, &error));
  CHECK(size == 0 && asset == NULL);
  ml_free_assets(assets);
  CHECK(remove(path) == 0);
}

int main(int argc, char** argv) {
  corpus = argc > 1 ? argv[1] : "corpus";
  scratch = argc > 2 ? argv[2] : ".";
  damages();
  no_triangle_left();
  many_vertices();
  files_and_folders();
  textures();
  broken_entry();
  endless_folders();
  unmappable();
  pipes();
  no_memory();
  memory_limits();
  return finish("faults");
}
