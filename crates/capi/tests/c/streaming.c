// Loading part by part: what is loaded, in which order, and every way in which it can fail.
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "check.h"

static const char* scratch;

// A file system of the test: the corpus, with faults, a gate that reads wait at, and a list of what was read.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  int closed;            // reads wait
  int waiting;           // reads that wait
  ml_result size_answer, read_answer;
  uint64_t version;
  int changes;           // the version changes with each call
  char order[16][64];    // the names in the order in which they were first read
  size_t names, reads;
  int released;
} disk;

static disk* new_disk(void) {
  disk* files = calloc(1, sizeof *files);
  pthread_mutex_init(&files->lock, NULL);
  pthread_cond_init(&files->changed, NULL);
  return files;
}

static void free_disk(disk* files) {
  pthread_cond_destroy(&files->changed);
  pthread_mutex_destroy(&files->lock);
  free(files);
}

// A model whose vertices are 1 GiB after its headers, so that they are never a part of the same read.
#define LARGE "large.md3"
enum { FAR = 1 << 30, OFS_SURFACES = 100, OFS_XYZNORMAL = 100 };

static ml_result disk_size(void* user, const char* path, uint64_t* size, uint64_t* version) {
  disk* files = user;
  FILE* file = fopen(path_of(path), "rb");
  pthread_mutex_lock(&files->lock);
  ml_result answer = files->size_answer;
  *version = files->changes ? ++files->version : files->version;
  pthread_mutex_unlock(&files->lock);
  if (strcmp(path, LARGE) == 0) {
    *size = FAR + (1u << 20);
    return answer;
  }
  if (file == NULL) return ML_ERROR_NOT_FOUND;
  fseek(file, 0, SEEK_END);
  *size = (uint64_t)ftell(file);
  fclose(file);
  return answer;
}

static ml_result read_large(uint64_t offset, unsigned char* out, size_t size) {
  memset(out, 0, size);
  FILE* file = fopen(path_of("md3/animated.md3"), "rb");
  if (file == NULL) return ML_ERROR_NOT_FOUND;
  unsigned char bytes[1 << 16];
  size_t len = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  const int32_t distance = FAR;
  int32_t surface;
  memcpy(&surface, bytes + OFS_SURFACES, sizeof surface);
  memcpy(bytes + surface + OFS_XYZNORMAL, &distance, sizeof distance);
  if (offset < len) memcpy(out, bytes + offset, size < len - offset ? size : len - offset);
  return ML_OK;
}

static ml_result disk_read(void* user, const char* path, uint64_t offset, void* out, size_t size) {
  disk* files = user;
  pthread_mutex_lock(&files->lock);
  files->reads++;
  size_t known = 0;
  while (known < files->names && strcmp(files->order[known], path) != 0) known++;
  if (known == files->names && known < 16) strcpy(files->order[files->names++], path);
  files->waiting++;
  pthread_cond_broadcast(&files->changed);
  while (files->closed) pthread_cond_wait(&files->changed, &files->lock);
  files->waiting--;
  pthread_cond_broadcast(&files->changed);
  ml_result answer = files->read_answer;
  pthread_mutex_unlock(&files->lock);
  if (answer != ML_OK) return answer;
  if (strcmp(path, LARGE) == 0) return read_large(offset, out, size);
  char full[1024];
  snprintf(full, sizeof full, "%s/%s", corpus, path);
  FILE* file = fopen(full, "rb");
  if (file == NULL) return ML_ERROR_NOT_FOUND;
  fseek(file, (long)offset, SEEK_SET);
  size_t read = fread(out, 1, size, file);
  fclose(file);
  return read == size ? ML_OK : ML_ERROR_IO;
}

static void disk_release(void* user) { ((disk*)user)->released++; }

// Closes the gate, or opens it and waits until those that waited have gone on.
static void set_gate(disk* files, int closed) {
  pthread_mutex_lock(&files->lock);
  files->closed = closed;
  pthread_cond_broadcast(&files->changed);
  while (!closed && files->waiting > 0) pthread_cond_wait(&files->changed, &files->lock);
  pthread_mutex_unlock(&files->lock);
}

static void wait_for_reader(disk* files) {
  pthread_mutex_lock(&files->lock);
  while (files->waiting == 0) pthread_cond_wait(&files->changed, &files->lock);
  pthread_mutex_unlock(&files->lock);
}

static ml_streamer* limited_streamer(disk* files, uint32_t flags, uint64_t free_limit_ms) {
  ml_file_system system = {0};
  system.user = files;
  system.file_size = disk_size;
  system.read = disk_read;
  system.release = disk_release;
  ml_streamer_opts opts = {0};
  opts.size = sizeof opts;
  opts.free_limit_ms = free_limit_ms;
  opts.decode_threads = 1;
  opts.read_threads = 1;
  opts.flags = flags;
  opts.files = files == NULL ? NULL : &system;
  ml_streamer* streamer = NULL;
  OK(ml_new_streamer(&opts, &streamer, &error));
  if (streamer == NULL) exit(2);
  return streamer;
}

static ml_streamer* new_streamer(disk* files, uint32_t flags) { return limited_streamer(files, flags, 0); }

static ml_stream* open_stream(const ml_streamer* streamer, const char* path) {
  ml_stream* stream = NULL;
  OK(ml_open_stream(streamer, path, NULL, &stream, &error));
  if (stream == NULL) exit(2);
  return stream;
}

static ml_stream_part part(ml_part_kind kind, uint32_t index, uint32_t frame) {
  ml_stream_part made = {kind, index, frame};
  return made;
}

static ml_request* ask(const ml_stream* stream, ml_stream_part wanted, int32_t priority) {
  ml_request_opts opts = {0};
  opts.part = wanted;
  opts.priority = priority;
  ml_request* request = NULL;
  OK(ml_request_part(stream, &opts, &request, &error));
  if (request == NULL) exit(2);
  return request;
}

// Between two polls. What comes of them does not depend on it.
static void pause_briefly(void) {
  struct timespec time = {0, 200000};
  nanosleep(&time, NULL);
}

// Polls until the request has ended.
static ml_request_state wait_for(const ml_request* request) {
  ml_request_info info = {0};
  do {
    pause_briefly();
    OK(ml_poll_request(request, &info, &error));
  } while (info.state < ML_REQUEST_READY);
  return info.state;
}

// Loads a part that has to be there, and closes the request.
static void load(const ml_stream* stream, ml_stream_part wanted) {
  ml_request* request = ask(stream, wanted, 0);
  CHECK(wait_for(request) == ML_REQUEST_READY);
  CHECK(ml_close_request(request) == ML_OK);
}

static const ml_vertex_attribute attributes[2] = {
    {ML_ATTRIBUTE_POSITION, 0, 0, ML_VERTEX_FORMAT_FLOAT32X3},
    {ML_ATTRIBUTE_TEXCOORD, 0, 12, ML_VERTEX_FORMAT_FLOAT32X2},
};

static ml_vertex_layout layout_of(void) {
  ml_vertex_layout layout = {0};
  layout.stride = 20;
  layout.attributes = attributes;
  layout.attribute_count = 2;
  return layout;
}

// Everything that can be asked of a stream before anything was loaded.
static void before_the_plan(const ml_stream* stream) {
  ml_stream_info info = {0};
  OK(ml_get_stream_info(stream, &info, &error));
  CHECK(info.has_plan == 0 && info.has_bounds == 0 && info.mesh_count == 0 && info.format == ML_FORMAT_DETECT);
  size_t count = 7;
  EXPECT(ML_ERROR_NOT_READY, ml_list_stream_parts(stream, NULL, 0, &count, &error));
  CHECK(count == 7);
  ml_stream_part_info size = {0};
  EXPECT(ML_ERROR_NOT_READY, ml_get_stream_part(stream, part(ML_PART_BOUNDS, 0, 0), &size, &error));
}

// What is streamed is what lies in the file.
static void values(disk* files) {
  ml_asset* whole = open_corpus("md3/animated.md3");
  ml_file_info file = {0};
  OK(ml_get_file_info(whole, &file, &error));
  ml_streamer* streamer = new_streamer(files, 0);
  ml_stream* stream = open_stream(streamer, files == NULL ? path_of("md3/animated.md3") : "md3/animated.md3");
  before_the_plan(stream);
  load(stream, part(ML_PART_HEADER, 0, 0));

  ml_stream_info info = {0};
  OK(ml_get_stream_info(stream, &info, &error));
  CHECK(info.has_plan == 1 && info.format == ML_FORMAT_MD3 && strcmp(info.version, file.version) == 0);
  CHECK(info.mesh_count == 1 && info.lod_count == 1 && info.byte_count == file.byte_count);
  ml_stream_part parts[64];
  size_t count = 0;
  OK(ml_list_stream_parts(stream, parts, 64, &count, &error));
  CHECK(count == info.part_count && count > 4 && count < 64);
  size_t frames = 0, two = 0;
  for (size_t i = 0; i < count; i++) frames += parts[i].kind == ML_PART_FRAME;
  CHECK(frames == file.frame_count);
  parts[1] = part(ML_PART_WHOLE, 7, 7);
  OK(ml_list_stream_parts(stream, parts, 1, &two, &error));
  CHECK(two == count && parts[1].index == 7);
  // A vertex has 8 bytes in a frame, and becomes a position and a normal.
  ml_stream_part_info size = {0};
  OK(ml_get_stream_part(stream, part(ML_PART_FRAME, 0, 2), &size, &error));
  CHECK(size.stored_size == 35 * 8 && size.decoded_size == 35 * 24 && size.range_count == 1);
  OK(ml_get_stream_part(stream, part(ML_PART_WHOLE, 0, 0), &size, &error));
  CHECK(size.stored_size == file.byte_count);
  EXPECT(ML_ERROR_MISSING, ml_get_stream_part(stream, part(ML_PART_FRAME, 0, 99), &size, &error));
  EXPECT(ML_ERROR_MISSING, ml_get_stream_part(stream, part(ML_PART_SKELETON, 0, 0), &size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_stream_part(stream, part((ml_part_kind)16, 0, 0), &size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_stream_part(stream, part(ML_PART_BOUNDS, 0, 0), NULL, &error));

  // Buffers, in another space than the file's.
  unsigned char vertices[35 * 20 + 1], expected[35 * 20];
  uint16_t indices[144], expected_indices[144];
  memset(vertices, 0xee, sizeof vertices);
  const ml_vertex_layout layout = layout_of();
  ml_convert_opts gltf = {0};
  gltf.space = ML_SPACE_GLTF;
  ml_request_opts opts = {0};
  opts.part = part(ML_PART_MESH, 0, 2);
  opts.layout = &layout;
  opts.vertices.data = vertices;
  opts.vertices.size = sizeof vertices;
  opts.indices.data = indices;
  opts.indices.size = sizeof indices;
  opts.space = &gltf;
  ml_request* request = NULL;
  OK(ml_request_part(stream, &opts, &request, &error));
  CHECK(wait_for(request) == ML_REQUEST_READY);
  ml_loaded loaded = {0};
  OK(ml_get_loaded(request, &loaded, &error));
  CHECK(loaded.vertex_count == 35 && loaded.vertex_size == 35 * 20 && loaded.has_bounds == 0);
  CHECK(loaded.index_count == 144 && loaded.index_size == 288 && loaded.index_format == ML_INDEX_UINT16);
  const ml_blend frame = {2, 2, 0};
  ml_scene* scene = NULL;
  ml_pose* pose = NULL;
  OK(ml_open_scene(whole, &gltf, 0, &scene, &error));
  OK(ml_new_pose(scene, &pose, &error));
  OK(ml_set_frames(pose, 0, frame, &error));
  OK(ml_fill_vertex_buffer(scene, 0, pose, &layout, expected, sizeof expected, &error));
  OK(ml_indices(scene, 0, ML_INDEX_UINT16, expected_indices, sizeof expected_indices, &error));
  ml_close_pose(pose);
  ml_close_scene(scene);
  CHECK(memcmp(vertices, expected, sizeof expected) == 0 && vertices[35 * 20] == 0xee);
  CHECK(memcmp(indices, expected_indices, sizeof indices) == 0);

  // The arrays that were loaded lie where they lie in the file, with the same content.
  ml_asset* loaded_file = NULL;
  OK(ml_get_loaded_asset(request, &loaded_file, &error));
  CHECK(ml_close_request(request) == ML_OK);
  size_t there = 0, all = 0, same = 0;
  OK(ml_get_array_count(loaded_file, &there, &error));
  OK(ml_get_array_count(whole, &all, &error));
  CHECK(there > 0 && there < all);
  for (size_t i = 0; i < there; i++) {
    ml_array a = {0}, b = {0};
    OK(ml_get_array(loaded_file, i, &a, &error));
    for (size_t j = 0; j < all; j++) {
      OK(ml_get_array(whole, j, &b, &error));
      same += a.file_offset == b.file_offset && a.semantic == b.semantic && a.data_size == b.data_size &&
              memcmp(a.data, b.data, a.data_size) == 0;
    }
  }
  CHECK(same == there);
  // An output that lies over the bytes would be read while it is written.
  ml_array array = {0};
  OK(ml_get_array(loaded_file, 0, &array, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode(loaded_file, 0, NULL, (void*)array.data, array.data_size, &error));
  ml_close(loaded_file);

  // The whole file is a model.
  request = ask(stream, part(ML_PART_WHOLE, 0, 0), 0);
  CHECK(wait_for(request) == ML_REQUEST_READY);
  OK(ml_get_loaded_asset(request, &loaded_file, &error));
  ml_model model = {0};
  OK(ml_get_model(loaded_file, &model, &error));
  CHECK(model.mesh_count == 1 && model.frame_count == file.frame_count);
  ml_close_request(request);

  request = ask(stream, part(ML_PART_BOUNDS, 0, 0), 0);
  CHECK(wait_for(request) == ML_REQUEST_READY);
  OK(ml_get_loaded(request, &loaded, &error));
  CHECK(loaded.has_bounds == 1 && loaded.bounds.max[0] > loaded.bounds.min[0] && loaded.vertex_size == 0);
  OK(ml_get_stream_info(stream, &info, &error));
  CHECK(info.has_bounds == 1 && memcmp(&info.bounds, &loaded.bounds, sizeof info.bounds) == 0);
  ml_close_request(request);

  ml_streamer_info done = {0};
  OK(ml_get_streamer_info(streamer, &done, &error));
  CHECK(done.read_count > 0 && done.bytes_read > 0 && done.memory_peak > 0);
  // A file that was loaded outlives everything else.
  CHECK(ml_close_stream(stream) == ML_OK && ml_free_streamer(streamer) == ML_OK);
  OK(ml_get_model(loaded_file, &model, &error));
  ml_close(loaded_file);
  ml_close(whole);
}

// Memory that is asked for once its size is known.
typedef struct {
  void* memory;
  size_t size;
  int refuses;
} staging;

static void* place(void* user, size_t size) {
  staging* made = user;
  if (made->refuses) return NULL;
  made->size = size;
  return made->memory = malloc(size);
}

// An Unreal mesh: two files, and vertices that are welded. Its buffers are as large as they come out.
static void pairs(void) {
  disk* files = new_disk();
  ml_streamer* streamer = new_streamer(files, 0);
  ml_stream* stream = NULL;
  ml_stream_opts of_pair = {0};
  of_pair.frames_path = "unreal/Models/figure_a.3d";
  OK(ml_open_stream(streamer, "unreal/Models/figure_d.3d", &of_pair, &stream, &error));
  const ml_vertex_layout layout = layout_of();
  staging vertices = {0}, indices = {0};
  ml_request_opts opts = {0};
  opts.part = part(ML_PART_MESH, 0, 1);
  opts.layout = &layout;
  opts.vertices.place = place;
  opts.vertices.user = &vertices;
  opts.indices.place = place;
  opts.indices.user = &indices;
  ml_request* request = NULL;
  OK(ml_request_part(stream, &opts, &request, &error));
  CHECK(wait_for(request) == ML_REQUEST_READY);
  ml_loaded loaded = {0};
  OK(ml_get_loaded(request, &loaded, &error));
  CHECK(loaded.vertex_count == 72 && vertices.size == 72 * 20 && indices.size == loaded.index_size);
  free(vertices.memory);
  free(indices.memory);
  ml_close_request(request);
  vertices.refuses = 1;
  OK(ml_request_part(stream, &opts, &request, &error));
  CHECK(wait_for(request) == ML_REQUEST_FAILED);
  EXPECT(ML_ERROR_CALLBACK, ml_get_loaded(request, &loaded, &error));
  ml_close_request(request);
  ml_close_stream(stream);
  CHECK(files->released == 0);
  ml_free_streamer(streamer);
  CHECK(files->released == 1);
  free_disk(files);
}

// The box of all vertices of a scene, and a box of a streamer.
static int is_same_box(const ml_bounds* a, const ml_bounds* b) {
  int same = 1;
  for (int axis = 0; axis < 3; axis++) {
    same = same && near(a->min[axis], b->min[axis], 1e-3f) && near(a->max[axis], b->max[axis], 1e-3f);
  }
  return same;
}

// A mesh of a script is streamed as a scene draws it, in a space.
static void placed_in(const ml_streamer* streamer, const ml_asset* whole, const char* name, const ml_convert_opts* space) {
  ml_scene* scene = NULL;
  ml_pose* pose = NULL;
  ml_scene_mesh drawn = {0};
  OK(ml_open_scene(whole, space, 0, &scene, &error));
  OK(ml_get_scene_mesh(scene, 0, &drawn, &error));
  const size_t vertex_size = drawn.vertex_count * 20, index_size = drawn.index_count * 2;
  unsigned char *expected = malloc(vertex_size), *expected_indices = malloc(index_size);
  const ml_vertex_layout layout = layout_of();
  const ml_blend second = {1, 1, 0};
  OK(ml_new_pose(scene, &pose, &error));
  OK(ml_set_frames(pose, 0, second, &error));
  OK(ml_fill_vertex_buffer(scene, 0, pose, &layout, expected, vertex_size, &error));
  OK(ml_indices(scene, 0, ML_INDEX_UINT16, expected_indices, index_size, &error));

  ml_stream* stream = open_stream(streamer, name);
  staging vertices = {0}, indices = {0};
  ml_request_opts opts = {0};
  opts.part = part(ML_PART_MESH, 0, 1);
  opts.layout = &layout;
  opts.vertices.place = place;
  opts.vertices.user = &vertices;
  opts.indices.place = place;
  opts.indices.user = &indices;
  opts.space = space;
  ml_request* request = NULL;
  OK(ml_request_part(stream, &opts, &request, &error));
  CHECK(wait_for(request) == ML_REQUEST_READY);
  CHECK(vertices.size == vertex_size && indices.size == index_size && vertex_size > 0 && index_size > 0);
  CHECK(memcmp(vertices.memory, expected, vertex_size) == 0);
  CHECK(memcmp(indices.memory, expected_indices, index_size) == 0);
  ml_close_request(request);

  ml_request_opts box = {0};
  box.part = part(ML_PART_BOUNDS, 0, 0);
  box.space = space;
  ml_loaded loaded = {0};
  ml_bounds bounds;
  ml_stream_info info = {0};
  OK(ml_request_part(stream, &box, &request, &error));
  CHECK(wait_for(request) == ML_REQUEST_READY);
  OK(ml_get_loaded(request, &loaded, &error));
  OK(ml_get_scene_bounds(scene, NULL, &bounds, &error));
  CHECK(loaded.has_bounds && is_same_box(&loaded.bounds, &bounds));
  OK(ml_get_stream_info(stream, &info, &error));
  if (space == NULL) CHECK(info.has_bounds && is_same_box(&info.bounds, &bounds));
  ml_close_request(request);

  // The asset of the whole model is placed, too. That of a part has no model.
  ml_asset* placed = NULL;
  ml_scene* again = NULL;
  ml_bounds same;
  ml_model model = {0}, opened = {0};
  request = ask(stream, part(ML_PART_WHOLE, 0, 0), 0);
  CHECK(wait_for(request) == ML_REQUEST_READY);
  OK(ml_get_loaded_asset(request, &placed, &error));
  OK(ml_get_model(placed, &model, &error));
  OK(ml_get_model(whole, &opened, &error));
  CHECK(memcmp(&model.placement, &opened.placement, sizeof model.placement) == 0);
  CHECK(model.clip_count == opened.clip_count && model.frame_count == opened.frame_count);
  OK(ml_open_scene(placed, space, 0, &again, &error));
  OK(ml_get_scene_bounds(again, NULL, &same, &error));
  CHECK(is_same_box(&same, &bounds));
  ml_close_scene(again);
  ml_close(placed);
  ml_close_request(request);
  request = ask(stream, part(ML_PART_FRAME, 0, 1), 0);
  CHECK(wait_for(request) == ML_REQUEST_READY);
  OK(ml_get_loaded_asset(request, &placed, &error));
  EXPECT(ML_ERROR_INCOMPLETE, ml_get_model(placed, &model, &error));
  ml_report* report = NULL;
  EXPECT(ML_ERROR_INCOMPLETE, ml_validate(placed, 0, &report, &error));
  ml_close(placed);
  ml_close_request(request);
  ml_close_stream(stream);
  free(vertices.memory);
  free(indices.memory);
  free(expected);
  free(expected_indices);
  ml_close_pose(pose);
  ml_close_scene(scene);
}

// Scripts turn, move and scale their meshes. The second one mirrors its mesh, so that its triangles are wound the other way.
static void placed(void) {
  static const char mirrored[] =
      "#exec MESH IMPORT MESH=mirrored ANIVFILE=mirrored_a.3d DATAFILE=mirrored_d.3d\n"
      "#exec MESH ORIGIN MESH=mirrored X=5 Y=-3 Z=64 YAW=64\n"
      "#exec MESHMAP SCALE MESHMAP=mirrored X=-0.1 Y=0.3 Z=0.2\n";
  size_t size = 0;
  unsigned char* bytes = read_corpus("unreal/Models/figure_a.3d", &size);
  save(scratch, "mirrored_a.3d", bytes, size);
  free(bytes);
  bytes = read_corpus("unreal/Models/figure_d.3d", &size);
  save(scratch, "mirrored_d.3d", bytes, size);
  free(bytes);
  save(scratch, "mirrored.uc", mirrored, sizeof mirrored - 1);
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  OK(ml_mount_folder(assets, scratch, &error));
  ml_streamer_opts opts = {0};
  opts.assets = assets;
  ml_streamer* streamer = NULL;
  OK(ml_new_streamer(&opts, &streamer, &error));
  ml_convert_opts gltf = {0};
  gltf.space = ML_SPACE_GLTF;
  gltf.scale = 2;
  const char* const names[] = {"unreal/Classes/Figure.uc", "mirrored.uc"};
  for (size_t i = 0; i < COUNT(names); i++) {
    ml_asset* whole = NULL;
    OK(ml_open_asset(assets, names[i], NULL, &whole, &error));
    placed_in(streamer, whole, names[i], NULL);
    placed_in(streamer, whole, names[i], &gltf);
    ml_close(whole);
  }
  ml_free_streamer(streamer);
  ml_free_assets(assets);
}

// The whole model of a stream.
static ml_asset* whole_of(const ml_stream* stream) {
  ml_asset* asset = NULL;
  ml_request* request = ask(stream, part(ML_PART_WHOLE, 0, 0), 0);
  CHECK(wait_for(request) == ML_REQUEST_READY);
  OK(ml_get_loaded_asset(request, &asset, &error));
  ml_close_request(request);
  return asset;
}

static int take(void* user, const void* data, size_t size) {
  (void)data;
  *(size_t*)user = size;
  return 0;
}

// Two assets have the same clips and materials, and the same frame at rest.
static void same_model(const ml_asset* a, const ml_asset* b) {
  const ml_asset* assets[2] = {a, b};
  ml_model models[2] = {{0}, {0}};
  ml_material materials[2] = {{0}, {0}};
  ml_bounds boxes[2];
  for (int i = 0; i < 2; i++) {
    ml_scene* scene = NULL;
    OK(ml_get_model(assets[i], &models[i], &error));
    OK(ml_get_material(assets[i], 0, &materials[i], &error));
    OK(ml_open_scene(assets[i], NULL, 0, &scene, &error));
    OK(ml_get_scene_bounds(scene, NULL, &boxes[i], &error));
    ml_close_scene(scene);
  }
  CHECK(models[0].clip_count == models[1].clip_count && models[0].material_count == models[1].material_count);
  CHECK(strcmp(materials[0].name, materials[1].name) == 0 && materials[0].alpha == materials[1].alpha);
  CHECK(memcmp(&boxes[0], &boxes[1], sizeof boxes[0]) == 0);
  for (size_t i = 0; i < models[0].clip_count; i++) {
    ml_clip clips[2] = {{0}, {0}};
    OK(ml_get_clip(a, i, &clips[0], &error));
    OK(ml_get_clip(b, i, &clips[1], &error));
    CHECK(strcmp(clips[0].name, clips[1].name) == 0 && clips[0].first_frame == clips[1].first_frame);
  }
}

// Names of a search path: the nodes of a player and a mesh of a script.
static void names(void) {
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  OK(ml_mount_folder(assets, path_of("../crates/testkit/doors"), &error));
  ml_streamer_opts opts = {0};
  opts.assets = assets;
  ml_streamer* streamer = NULL;
  OK(ml_new_streamer(&opts, &streamer, &error));
  ml_asset* player = NULL;
  OK(ml_open_asset(assets, "md3/player", NULL, &player, &error));
  ml_stream* stream = NULL;
  for (size_t node = 0; node < 3; node++) {
    ml_stream_opts of_node = {0};
    of_node.node = node;
    OK(ml_open_stream(streamer, "md3/player", &of_node, &stream, &error));
    ml_request* request = ask(stream, part(ML_PART_WHOLE, 0, 0), 0);
    CHECK(wait_for(request) == ML_REQUEST_READY);
    ml_asset *loaded = NULL, *whole = NULL;
    OK(ml_get_loaded_asset(request, &loaded, &error));
    OK(ml_get_node_asset(player, node, 0, &whole, &error));
    ml_file_info found = {0}, expected = {0};
    OK(ml_get_file_info(loaded, &found, &error));
    OK(ml_get_file_info(whole, &expected, &error));
    CHECK(found.vertex_count == expected.vertex_count && found.byte_count == expected.byte_count);
    CHECK(found.vertex_count > 0);
    same_model(loaded, whole);
    ml_close(whole);
    ml_close(loaded);
    ml_close_request(request);
    ml_close_stream(stream);
  }
  ml_close(player);
  // A skin that is asked for, and one that does not exist.
  ml_asset_opts skin = {0};
  ml_stream_opts dressed = {0};
  ml_asset* asset = NULL;
  ml_material material = {0};
  dressed.asset = &skin;
  const char* const skins[] = {"red", "green"};
  for (int i = 0; i < 2; i++) {
    skin.skin = skins[i];
    OK(ml_open_stream(streamer, "md3/player", &dressed, &stream, &error));
    asset = whole_of(stream);
    if (i == 0) {
      OK(ml_get_material(asset, 0, &material, &error));
      CHECK(strcmp(material.name, "models/players/block/red.tga") == 0);
    } else {
      EXPECT(ML_ERROR_NOT_FOUND, ml_get_material(asset, 0, &material, &error));
    }
    ml_close(asset);
    ml_close_stream(stream);
  }
  skin.flags = 4;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_stream(streamer, "md3/player", &dressed, &stream, &error));
  // A texture of the search path, and the report of a model whose texture does not exist.
  char type[16] = "";
  size_t size = 0;
  OK(ml_open_stream(streamer, "gallery/crate.md3", NULL, &stream, &error));
  asset = whole_of(stream);
  OK(ml_read_texture(asset, 0, take, &size, type, &error));
  CHECK(size > 100 && strcmp(type, "image/png") == 0);
  ml_close(asset);
  ml_close_stream(stream);
  ml_report *report = NULL, *opened = NULL;
  ml_report_info counts[2] = {{0}, {0}};
  OK(ml_open_stream(streamer, "md3/tagged.md3", NULL, &stream, &error));
  asset = whole_of(stream);
  OK(ml_get_asset_report(asset, &report, &error));
  OK(ml_get_report_info(report, &counts[0], &error));
  ml_close_report(report);
  ml_close(asset);
  ml_close_stream(stream);
  OK(ml_open_asset(assets, "md3/tagged.md3", NULL, &asset, &error));
  OK(ml_get_asset_report(asset, &opened, &error));
  OK(ml_get_report_info(opened, &counts[1], &error));
  CHECK(counts[0].total == counts[1].total && counts[0].total > 0);
  ml_close_report(opened);
  ml_close(asset);
  OK(ml_open_stream(streamer, "unreal/Classes/Figure.uc", NULL, &stream, &error));
  load(stream, part(ML_PART_WHOLE, 0, 0));
  ml_close_stream(stream);
  ml_stream_opts fourth = {0}, coarser = {0}, pair = {0};
  fourth.node = 3;
  coarser.lod = 1;
  pair.frames_path = "unreal/Models/figure_a.3d";
  EXPECT(ML_ERROR_INDEX, ml_open_stream(streamer, "md3/player", &fourth, &stream, &error));
  EXPECT(ML_ERROR_INDEX, ml_open_stream(streamer, "md3/tagged.md3", &coarser, &stream, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_stream(streamer, "nothing.md3", NULL, &stream, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_open_stream(streamer, "player.glb", NULL, &stream, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_open_stream(streamer, "walk.gltf", NULL, &stream, &error));
  OK(ml_open_asset(assets, "walk.gltf", NULL, &asset, &error));
  ml_close(asset);
  // A search path finds the frames.
  EXPECT(ML_ERROR_ARGUMENT, ml_open_stream(streamer, "unreal/Models/figure_d.3d", &pair, &stream, &error));
  ml_free_streamer(streamer);
  ml_file_system files = {0};
  opts.files = &files;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  ml_free_assets(assets);
  // A path names one node.
  streamer = new_streamer(NULL, 0);
  EXPECT(ML_ERROR_INDEX, ml_open_stream(streamer, path_of("md3/player/lower.md3"), &fourth, &stream, &error));
  EXPECT(ML_ERROR_INDEX, ml_open_stream(streamer, path_of("md3/player/lower.md3"), &coarser, &stream, &error));
  ml_free_streamer(streamer);
}

// Bounds that are known are given without a model.
static void known_bounds(void) {
  ml_streamer* streamer = new_streamer(NULL, 0);
  ml_stream* stream = open_stream(streamer, path_of("md3/animated.md3"));
  load(stream, part(ML_PART_BOUNDS, 0, 0));
  ml_request* request = ask(stream, part(ML_PART_BOUNDS, 0, 0), 0);
  CHECK(wait_for(request) == ML_REQUEST_READY);
  ml_loaded loaded = {0};
  OK(ml_get_loaded(request, &loaded, &error));
  CHECK(loaded.has_bounds == 1);
  ml_asset* file = NULL;
  EXPECT(ML_ERROR_MISSING, ml_get_loaded_asset(request, &file, &error));
  CHECK(file == NULL);
  ml_close_request(request);
  ml_close_stream(stream);
  ml_free_streamer(streamer);
}

// The box is in the space of the request, and the small file has a plan after its only read.
static void bounds_in_space(void) {
  ml_streamer* streamer = new_streamer(NULL, 0);
  const char* const names[] = {"md3/animated.md3", "unreal/Models/figure_d.3d", "u3d/v1_animated.u3d"};
  for (size_t i = 0; i < 3; i++) {
    ml_stream* stream = NULL;
    ml_stream_opts opts = {0};
    opts.frames_path = i == 1 ? path_of("unreal/Models/figure_a.3d") : NULL;
    OK(ml_open_stream(streamer, path_of(names[i]), &opts, &stream, &error));
    ml_convert_opts space = {0};
    space.space = ML_SPACE_GLTF;
    space.scale = 2;
    ml_loaded loaded[2] = {{0}, {0}};
    for (size_t turned = 0; turned < 2; turned++) {
      ml_request_opts opts = {0};
      opts.part = part(ML_PART_BOUNDS, 0, 0);
      opts.space = turned ? &space : NULL;
      ml_request* request = NULL;
      OK(ml_request_part(stream, &opts, &request, &error));
      CHECK(wait_for(request) == ML_REQUEST_READY);
      OK(ml_get_loaded(request, &loaded[turned], &error));
      ml_close_request(request);
    }
    ml_stream_info info = {0};
    OK(ml_get_stream_info(stream, &info, &error));
    CHECK(info.has_plan && info.format != ML_FORMAT_DETECT && info.part_count > 0);
    // The box of the stream is that of the file.
    CHECK(memcmp(&info.bounds, &loaded[0].bounds, sizeof info.bounds) == 0);
    const float *from = loaded[0].bounds.min, *min = loaded[1].bounds.min;
    const float *to = loaded[0].bounds.max, *max = loaded[1].bounds.max;
    // Z is up in MD3 and Unreal, Y in glTF and Ultimate 3D.
    const int up = i == 2 ? 1 : 2;
    CHECK(near(min[1], 2 * from[up], 1e-4f) && near(max[1], 2 * to[up], 1e-4f));
    for (int axis = 0; axis < 3; axis++) CHECK(min[axis] <= max[axis]);
    ml_close_stream(stream);
  }
  ml_free_streamer(streamer);
}

// One reader that waits at a gate, so that everything else waits for its turn.
static void order(void) {
  disk* files = new_disk();
  ml_streamer* streamer = new_streamer(files, ML_STREAMER_LIST);
  const char* names[4] = {"md3/static.md3", "md3/wide_frames.md3", "u3d/v2_static.u3d", "md3/tagged.md3"};
  ml_stream* streams[4];
  const int32_t priorities[4] = {0, 100, 0, 5};
  ml_request* requests[4];
  uint64_t ids[4];
  set_gate(files, 1);
  for (size_t i = 0; i < 4; i++) {
    streams[i] = open_stream(streamer, names[i]);
    requests[i] = ask(streams[i], part(ML_PART_WHOLE, 0, 0), priorities[i]);
    ml_request_info info = {0};
    OK(ml_poll_request(requests[i], &info, &error));
    CHECK(info.part.kind == ML_PART_WHOLE && info.state < ML_REQUEST_READY);
    ids[i] = info.id;
    // Two reads are begun, this one and the one of the highest priority; the others wait in the queue of the streamer.
    if (i == 0) wait_for_reader(files);
  }
  ml_loaded loaded = {0};
  EXPECT(ML_ERROR_NOT_READY, ml_get_loaded(requests[0], &loaded, &error));
  ml_asset* file = NULL;
  EXPECT(ML_ERROR_NOT_READY, ml_get_loaded_asset(requests[0], &file, &error));
  CHECK(file == NULL);
  const int32_t changed[] = {10, 4};
  OK(ml_set_priorities((const ml_request* const[]){requests[2], requests[3]}, changed, 2, &error));
  OK(ml_set_priorities(NULL, NULL, 0, &error));
  // Nothing is changed if one of them is missing.
  const int32_t unchanged[] = {4, 10, 0};
  EXPECT(ML_ERROR_ARGUMENT,
         ml_set_priorities((const ml_request* const[]){requests[2], requests[3], NULL}, unchanged, 3, &error));
  set_gate(files, 0);
  for (size_t i = 0; i < 4; i++) CHECK(wait_for(requests[i]) == ML_REQUEST_READY);
  CHECK(files->names == 4 && strcmp(files->order[2], names[2]) == 0 && strcmp(files->order[3], names[3]) == 0);
  // Each is listed once.
  uint64_t ended[8];
  size_t count = 0, total = 0;
  OK(ml_poll_streamer(streamer, ended, 1, &count, &error));
  CHECK(count == 1);
  total = count;
  while (total < 4) {
    OK(ml_poll_streamer(streamer, ended + total, 8 - total, &count, &error));
    total += count;
    pause_briefly();
  }
  for (size_t i = 0; i < 4; i++) {
    size_t times = 0;
    for (size_t j = 0; j < total; j++) times += ended[j] == ids[i];
    CHECK(times == 1);
  }
  OK(ml_poll_streamer(streamer, ended, 8, &count, &error));
  CHECK(count == 0);
  for (size_t i = 0; i < 4; i++) ml_close_request(requests[i]);
  // All at once.
  ml_request_opts opts = {0};
  opts.part = part(ML_PART_HEADER, 0, 0);
  const ml_stream* all[4] = {streams[0], streams[1], streams[2], streams[3]};
  OK(ml_request_parts(all, 4, &opts, requests, &error));
  for (size_t i = 0; i < 4; i++) {
    CHECK(wait_for(requests[i]) == ML_REQUEST_READY);
    ml_loaded loaded = {0};
    OK(ml_get_loaded(requests[i], &loaded, &error));
    ml_close_request(requests[i]);
  }
  OK(ml_request_parts(NULL, 0, &opts, NULL, &error));
  all[2] = NULL;
  EXPECT(ML_ERROR_ARGUMENT, ml_request_parts(all, 4, &opts, requests, &error));
  for (size_t i = 0; i < 4; i++) CHECK(requests[i] == NULL);
  EXPECT(ML_ERROR_ARGUMENT, ml_request_parts(NULL, 1, &opts, requests, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_request_parts(all, 1, &opts, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_request_parts(all, 1, NULL, requests, &error));
  disk* other_files = new_disk();
  ml_streamer* other = new_streamer(other_files, 0);
  ml_stream* foreign = open_stream(other, names[0]);
  all[1] = foreign;
  EXPECT(ML_ERROR_ARGUMENT, ml_request_parts(all, 2, &opts, requests, &error));
  ml_close_stream(foreign);
  ml_free_streamer(other);
  free_disk(other_files);
  for (size_t i = 0; i < 4; i++) ml_close_stream(streams[i]);
  ml_free_streamer(streamer);
  free_disk(files);
  CHECK(ml_priority_by_distance(1.0f) > ml_priority_by_distance(2.0f) && ml_priority_by_distance(0.0f) == 0);
}

static void cancelling(void) {
  disk* files = new_disk();
  ml_streamer* streamer = new_streamer(files, 0);
  ml_stream* stream = open_stream(streamer, "md3/animated.md3");
  set_gate(files, 1);
  ml_request* request = ask(stream, part(ML_PART_WHOLE, 0, 0), 0);
  ml_request* dropped = ask(stream, part(ML_PART_BOUNDS, 0, 0), 0);
  wait_for_reader(files);
  OK(ml_cancel_request(request, &error));
  ml_request_info info = {0};
  OK(ml_poll_request(request, &info, &error));
  CHECK(info.state == ML_REQUEST_CANCELLING || info.state == ML_REQUEST_CANCELLED);
  CHECK(ml_close_request(dropped) == ML_OK);
  set_gate(files, 0);
  CHECK(wait_for(request) == ML_REQUEST_CANCELLED);
  ml_loaded loaded = {0};
  EXPECT(ML_ERROR_CANCELLED, ml_get_loaded(request, &loaded, &error));
  // Nothing happens to a request that has ended.
  OK(ml_cancel_request(request, &error));
  OK(ml_set_priority(request, 1, &error));
  CHECK(wait_for(request) == ML_REQUEST_CANCELLED);
  ml_close_request(request);

  // A streamer that is freed ends its requests; what was made of it stays to be closed.
  set_gate(files, 1);
  request = ask(stream, part(ML_PART_WHOLE, 0, 0), 0);
  wait_for_reader(files);
  set_gate(files, 0);
  ml_request* late = ask(stream, part(ML_PART_MESH, 0, 1), 0);
  CHECK(ml_free_streamer(streamer) == ML_OK && files->released == 1);
  ml_request_state state = wait_for(request);
  CHECK(state == ML_REQUEST_READY || state == ML_REQUEST_FAILED);
  wait_for(late);
  ml_request_opts opts = {0};
  opts.part = part(ML_PART_WHOLE, 0, 0);
  ml_request* refused = request;
  EXPECT(ML_ERROR_CANCELLED, ml_request_part(stream, &opts, &refused, &error));
  CHECK(refused == NULL);
  ml_close_request(late);
  ml_close_request(request);
  ml_close_stream(stream);
  free_disk(files);
}

// A read that hangs is left behind when its streamer is freed, and the file system is released after it.
static void hung(void) {
  disk* files = new_disk();
  ml_streamer* streamer = limited_streamer(files, 0, 1);
  ml_stream* stream = open_stream(streamer, "md3/animated.md3");
  set_gate(files, 1);
  ml_request* request = ask(stream, part(ML_PART_WHOLE, 0, 0), 0);
  wait_for_reader(files);
  CHECK(ml_free_streamer(streamer) == ML_OK && __atomic_load_n(&files->released, __ATOMIC_ACQUIRE) == 0);
  CHECK(wait_for(request) == ML_REQUEST_FAILED);
  CHECK(ml_close_request(request) == ML_OK && ml_close_stream(stream) == ML_OK);
  set_gate(files, 0);
  while (__atomic_load_n(&files->released, __ATOMIC_ACQUIRE) == 0) pause_briefly();
  free_disk(files);
}

// A request that fails with a result.
static void fails(const ml_stream* stream, ml_stream_part wanted, ml_result result) {
  ml_request* request = ask(stream, wanted, 0);
  CHECK(wait_for(request) == ML_REQUEST_FAILED);
  ml_loaded loaded = {0};
  EXPECT(result, ml_get_loaded(request, &loaded, &error));
  ml_asset* file = NULL;
  EXPECT(result, ml_get_loaded_asset(request, &file, &error));
  CHECK(file == NULL && ml_close_request(request) == ML_OK);
}

// A file system of the caller in a search path: the corpus, of which it lists one file.
static ml_result disk_list(void* user, const char* folder, ml_add_entry_fn add, void* entries) {
  (void)user;
  if (folder[0] == 0) return add(entries, "md3", 1), ML_OK;
  if (strcmp(folder, "md3") != 0) return ML_ERROR_NOT_FOUND;
  return add(entries, "animated.md3", 0), ML_OK;
}

static ml_assets* disk_assets(disk* files, const ml_assets_opts* opts) {
  ml_file_system system = {0};
  system.user = files;
  system.file_size = disk_size;
  system.read = disk_read;
  system.list = disk_list;
  system.release = disk_release;
  ml_assets* assets = NULL;
  OK(ml_new_assets(opts, &assets, &error));
  OK(ml_mount_files(assets, "disk", &system, &error));
  return assets;
}

// An allocator that counts its memory, and the calls after its owner was closed.
typedef struct {
  size_t bytes, late;
  int closed;
} guard;

static void* guarded(void* user, size_t size, size_t align) {
  guard* memory = user;
  void* made = NULL;
  __atomic_add_fetch(__atomic_load_n(&memory->closed, __ATOMIC_SEQ_CST) ? &memory->late : &memory->bytes, size,
                     __ATOMIC_SEQ_CST);
  return posix_memalign(&made, align < sizeof made ? sizeof made : align, size) == 0 ? made : NULL;
}

static void released(void* user, void* memory, size_t size, size_t align) {
  guard* owner = user;
  (void)align;
  if (__atomic_load_n(&owner->closed, __ATOMIC_SEQ_CST)) __atomic_add_fetch(&owner->late, size, __ATOMIC_SEQ_CST);
  else __atomic_sub_fetch(&owner->bytes, size, __ATOMIC_SEQ_CST);
  free(memory);
}

// A streamer uses the mounts of a search path that was freed, and not its allocator, which may be gone.
static void freed_assets(void) {
  guard memory = {0};
  ml_allocator allocator = {0};
  allocator.user = &memory;
  allocator.allocate = guarded;
  allocator.release = released;
  ml_assets_opts search = {0};
  search.allocator = &allocator;
  disk* files = new_disk();
  ml_assets* assets = disk_assets(files, &search);
  ml_streamer_opts opts = {0};
  opts.assets = assets;
  ml_streamer* streamer = NULL;
  OK(ml_new_streamer(&opts, &streamer, &error));
  CHECK(ml_free_assets(assets) == ML_OK);
  CHECK(memory.bytes == 0);
  memory.closed = 1;
  ml_stream* stream = open_stream(streamer, "md3/animated.md3");
  load(stream, part(ML_PART_WHOLE, 0, 0));
  CHECK(files->reads > 0);
  ml_close_stream(stream);
  CHECK(ml_free_streamer(streamer) == ML_OK && files->released == 1);
  CHECK(memory.late == 0);
  free_disk(files);
}

static void faults(void) {
  disk* files = new_disk();
  ml_streamer* streamer = new_streamer(files, 0);
  const ml_stream_part bounds = part(ML_PART_BOUNDS, 0, 0), whole = part(ML_PART_WHOLE, 0, 0);
  ml_stream* stream = open_stream(streamer, "no/such/file.md3");
  fails(stream, bounds, ML_ERROR_NOT_FOUND);
  ml_close_stream(stream);
  stream = open_stream(streamer, "unreal/Classes/Figure.uc");
  fails(stream, bounds, ML_ERROR_MAGIC);
  ml_close_stream(stream);
  stream = open_stream(streamer, "md3/animated.md3");
  files->size_answer = ML_ERROR_IO;
  fails(stream, bounds, ML_ERROR_CALLBACK);
  files->size_answer = ML_OK;
  files->read_answer = ML_ERROR_INTERNAL;
  fails(stream, bounds, ML_ERROR_CALLBACK);
  files->read_answer = ML_OK;
  fails(stream, part(ML_PART_FRAME, 0, 99), ML_ERROR_MISSING);
  fails(stream, part(ML_PART_MESH, 1, 0), ML_ERROR_MISSING);
  fails(stream, part(ML_PART_SKELETON, 0, 0), ML_ERROR_MISSING);
  ml_close_stream(stream);
  // A file that changes between two reads: of the headers, and of the vertices.
  stream = open_stream(streamer, LARGE);
  files->changes = 1;
  fails(stream, part(ML_PART_FRAME, 0, 0), ML_ERROR_IO);
  files->changes = 0;
  ml_close_stream(stream);

  // Buffers that are too small, and attributes that the mesh does not have.
  stream = open_stream(streamer, "md3/animated.md3");
  unsigned char vertices[35 * 20], indices[288];
  ml_vertex_layout layout = layout_of();
  ml_request_opts opts = {0};
  ml_request* request = NULL;
  ml_loaded loaded = {0};
  opts.part = part(ML_PART_MESH, 0, 0);
  opts.layout = &layout;
  opts.vertices.data = vertices;
  opts.vertices.size = sizeof vertices - 1;
#define FILL(wanted)                                                    \
  do {                                                                  \
    OK(ml_request_part(stream, &opts, &request, &error));               \
    CHECK(wait_for(request) == ML_REQUEST_FAILED);                      \
    EXPECT(wanted, ml_get_loaded(request, &loaded, &error));            \
    ml_close_request(request);                                          \
  } while (0)
  FILL(ML_ERROR_LENGTH);
  opts.vertices.data = NULL;
  opts.vertices.size = 0;
  FILL(ML_ERROR_LENGTH);
  opts.vertices.data = vertices;
  opts.vertices.size = sizeof vertices;
  opts.indices.data = indices;
  opts.indices.size = sizeof indices - 1;
  FILL(ML_ERROR_LENGTH);
  opts.indices.size = sizeof indices;
  const ml_vertex_attribute color = {ML_ATTRIBUTE_COLOR, 0, 0, ML_VERTEX_FORMAT_UNORM8X4};
  layout.attributes = &color;
  layout.attribute_count = 1;
  FILL(ML_ERROR_MISSING);
  // A frame alone has no texture coordinates.
  layout = layout_of();
  opts.part = part(ML_PART_FRAME, 0, 1);
  opts.indices.data = NULL;
  opts.indices.size = 0;
  FILL(ML_ERROR_INCOMPLETE);
#undef FILL
  layout.attribute_count = 1;
  OK(ml_request_part(stream, &opts, &request, &error));
  CHECK(wait_for(request) == ML_REQUEST_READY);
  ml_close_request(request);
  ml_close_stream(stream);
  ml_free_streamer(streamer);

  // A memory limit that is below what has to be in memory at once.
  ml_streamer_opts little = {0};
  little.memory_limit = 64;
  OK(ml_new_streamer(&little, &streamer, &error));
  stream = open_stream(streamer, path_of("md3/animated.md3"));
  fails(stream, whole, ML_ERROR_MEMORY_LIMIT);
  ml_close_stream(stream);
  ml_free_streamer(streamer);

  // Files of the operating system.
  streamer = new_streamer(NULL, 0);
  stream = open_stream(streamer, path_of("no/such/file.md3"));
  fails(stream, whole, ML_ERROR_NOT_FOUND);
  ml_close_stream(stream);
  stream = open_stream(streamer, corpus);
  fails(stream, whole, ML_ERROR_IO);
  ml_close_stream(stream);
  ml_free_streamer(streamer);
  CHECK(files->released == 1);
  free_disk(files);
}

// Files of a search path that cannot be read: by a callback, and from an archive.
static void faults_of_assets(void) {
  // An entry whose bytes do not have the checksum of the directory.
  static const unsigned char zip[] =
      "PK\3\4\24\0\0\0\0\0\0\0\41\0\1\2\3\4\4\0\0\0\4\0\0\0\5\0\0\0a.md3IDP3"
      "PK\1\2\24\0\24\0\0\0\0\0\0\0\41\0\1\2\3\4\4\0\0\0\4\0\0\0\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0a.md3"
      "PK\5\6\0\0\0\0\1\0\1\0\63\0\0\0\47\0\0\0\0";
  save(scratch, "broken.pk3", zip, sizeof zip);
  char archive[1024];
  snprintf(archive, sizeof archive, "%s/broken.pk3", scratch);
  disk* files = new_disk();
  ml_assets* assets = disk_assets(files, NULL);
  OK(ml_mount_archive(assets, archive, &error));
  ml_streamer_opts opts = {0};
  opts.assets = assets;
  ml_streamer* streamer = NULL;
  OK(ml_new_streamer(&opts, &streamer, &error));
  ml_stream* stream = open_stream(streamer, "md3/animated.md3");
  files->read_answer = ML_ERROR_INTERNAL;
  fails(stream, part(ML_PART_WHOLE, 0, 0), ML_ERROR_CALLBACK);
  files->read_answer = ML_ERROR_NOT_FOUND;
  fails(stream, part(ML_PART_WHOLE, 0, 0), ML_ERROR_NOT_FOUND);
  files->read_answer = ML_OK;
  files->size_answer = ML_ERROR_IO;
  fails(stream, part(ML_PART_WHOLE, 0, 0), ML_ERROR_CALLBACK);
  files->size_answer = ML_OK;
  load(stream, part(ML_PART_WHOLE, 0, 0));
  ml_close_stream(stream);
  stream = open_stream(streamer, "a.md3");
  fails(stream, part(ML_PART_WHOLE, 0, 0), ML_ERROR_ARCHIVE);
  ml_close_stream(stream);
  ml_free_streamer(streamer);
  ml_free_assets(assets);
  CHECK(files->released == 1);
  free_disk(files);
}

static void* no_memory(void* user, size_t size, size_t align) {
  (void)user, (void)size, (void)align;
  return NULL;
}

static void forget(void* user, void* memory, size_t size, size_t align) {
  (void)user, (void)memory, (void)size, (void)align;
}

// A pointer that is aligned to 1 and to nothing more.
static char room[4096];
#define CROOKED(type) ((type*)(void*)(room + 1))

static void arguments(void) {
  disk* files = new_disk();
  ml_streamer* streamer = (ml_streamer*)room;
  ml_streamer_opts opts = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(NULL, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(CROOKED(ml_streamer_opts), &streamer, &error));
  CHECK(streamer == NULL);
  opts.flags = 2;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  opts.flags = 0;
  opts.decode_threads = 257;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  opts.decode_threads = 0;
  opts.read_threads = UINT32_MAX;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  opts.read_threads = 1;
  opts.size = 3;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  opts.size = 0;
  ml_file_system system = {0};
  system.user = files;
  system.release = disk_release;
  opts.files = &system;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  system.read = disk_read;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  system.file_size = disk_size;
  ml_allocator allocator = {0};
  opts.allocator = &allocator;
  allocator.allocate = no_memory;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_streamer(&opts, &streamer, &error));
  allocator.release = forget;
  EXPECT(ML_ERROR_MEMORY, ml_new_streamer(&opts, &streamer, &error));
  CHECK(streamer == NULL && files->released == 0);
  CHECK(ml_free_streamer(NULL) == ML_OK && ml_close_stream(NULL) == ML_OK && ml_close_request(NULL) == ML_OK);

  streamer = new_streamer(files, 0);
  ml_stream* stream = (ml_stream*)room;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_stream(NULL, "x", NULL, &stream, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_stream(streamer, NULL, NULL, &stream, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_stream(streamer, "\xff", NULL, &stream, &error));
  ml_stream_opts crooked = {0};
  crooked.frames_path = "\xff";
  EXPECT(ML_ERROR_ARGUMENT, ml_open_stream(streamer, "x", &crooked, &stream, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_stream(streamer, "x", NULL, NULL, &error));
  CHECK(stream == NULL);
  ml_streamer_info done = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_get_streamer_info(NULL, &done, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_streamer_info(streamer, NULL, &error));
  uint64_t ids[2];
  size_t count;
  EXPECT(ML_ERROR_ARGUMENT, ml_poll_streamer(streamer, ids, 2, &count, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_poll_streamer(NULL, ids, 2, &count, &error));
  ml_streamer* lists = new_streamer(NULL, ML_STREAMER_LIST);
  EXPECT(ML_ERROR_ARGUMENT, ml_poll_streamer(lists, NULL, 2, &count, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_poll_streamer(lists, CROOKED(uint64_t), 2, &count, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_poll_streamer(lists, ids, 2, NULL, &error));
  OK(ml_poll_streamer(lists, NULL, 0, &count, &error));
  ml_free_streamer(lists);

  stream = open_stream(streamer, "md3/animated.md3");
  ml_stream_info info = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_get_stream_info(NULL, &info, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_stream_info(stream, NULL, &error));
  load(stream, part(ML_PART_HEADER, 0, 0));
  ml_stream_part parts[2];
  EXPECT(ML_ERROR_ARGUMENT, ml_list_stream_parts(NULL, parts, 2, &count, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_list_stream_parts(stream, NULL, 2, &count, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_list_stream_parts(stream, parts, 2, NULL, &error));

  // What is asked for.
  ml_request* request = NULL;
  ml_request_opts ask_for = {0};
  ml_vertex_layout layout = layout_of();
  unsigned char out[8];
#define REFUSED() EXPECT(ML_ERROR_ARGUMENT, ml_request_part(stream, &ask_for, &request, &error))
  REFUSED();  // No part is all zeros.
  ask_for.part = part(ML_PART_MESH, 0, 0);
  EXPECT(ML_ERROR_ARGUMENT, ml_request_part(NULL, &ask_for, &request, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_request_part(stream, NULL, &request, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_request_part(stream, &ask_for, NULL, &error));
  ask_for.part.kind = (ml_part_kind)99;
  REFUSED();
  ask_for.part.kind = ML_PART_MESH;
  ask_for.vertices.data = out;
  REFUSED();  // A buffer without a layout.
  ask_for.vertices.data = NULL;
  ask_for.vertices.size = 5;
  REFUSED();
  ask_for.layout = &layout;
  ask_for.vertices.data = out;
  ask_for.vertices.place = place;
  REFUSED();
  ask_for.vertices.place = NULL;
  layout.attribute_count = 65;
  REFUSED();
  layout.attribute_count = 2;
  ml_convert_opts convert = {0};
  convert.scale = INFINITY;
  ask_for.space = &convert;
  REFUSED();
  convert.scale = 1;
  convert.space = (ml_space_id)77;
  REFUSED();
  ask_for.space = NULL;
  ask_for.part.kind = ML_PART_TEXCOORDS;
  REFUSED();
  ask_for.part.kind = ML_PART_FRAME;
  ask_for.indices.data = out;
  REFUSED();
#undef REFUSED
  CHECK(request == NULL);

  request = ask(stream, part(ML_PART_BOUNDS, 0, 0), 0);
  ml_request_info state = {0};
  ml_loaded loaded = {0};
  ml_asset* file = NULL;
  EXPECT(ML_ERROR_ARGUMENT, ml_poll_request(NULL, &state, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_poll_request(request, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_set_priority(NULL, 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_set_priorities(NULL, (const int32_t[]){1}, 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_set_priorities((const ml_request* const[]){NULL}, (const int32_t[]){1}, 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_cancel_request(NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_loaded(NULL, &loaded, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_loaded_asset(NULL, &file, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_loaded_asset(request, NULL, &error));
  CHECK(wait_for(request) == ML_REQUEST_READY);
  EXPECT(ML_ERROR_ARGUMENT, ml_get_loaded(request, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_loaded(request, CROOKED(ml_loaded), &error));
  CHECK(ml_close_request(request) == ML_OK && ml_close_stream(stream) == ML_OK);
  CHECK(ml_free_streamer(streamer) == ML_OK && files->released == 1);
  const char* debug = getenv("MESHLENS_TEST_CLOSED");
  if (debug == NULL || debug[0] != '0') {
    EXPECT(ML_ERROR_HANDLE, ml_poll_request(request, &state, &error));
    EXPECT(ML_ERROR_HANDLE, ml_get_stream_info(stream, &info, &error));
    RETURNS(ML_ERROR_HANDLE, ml_free_streamer(streamer));
  }
  free_disk(files);
}

int main(int argc, char** argv) {
  corpus = argc > 1 ? argv[1] : "corpus";
  scratch = argc > 2 ? argv[2] : ".";
  // What waits for ever fails by this signal.
  alarm(600);
  disk* files = new_disk();
  values(files);
  CHECK(files->released == 1);
  free_disk(files);
  values(NULL);
  pairs();
  placed();
  names();
  known_bounds();
  bounds_in_space();
  order();
  cancelling();
  hung();
  freed_assets();
  faults();
  faults_of_assets();
  arguments();
  return finish("streaming");
}
