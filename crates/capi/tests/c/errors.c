// Every way in which a call can fail.
#include <stdbool.h>

#include "check.h"

static ml_asset* ring;   // md3/animated.md3
static ml_asset* tagged; // md3/tagged.md3

// A pointer that is aligned to 1 and to nothing more.
static char room[4096];
#define CROOKED(type) ((type*)(void*)(room + 1))

static void opening(void) {
  ml_asset* file = (ml_asset*)room;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(ONE(NULL), NULL, &file, &error));
  CHECK(file == NULL);
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_files(ONE("no/such/file.md3"), NULL, &file, &error));
  EXPECT(ML_ERROR_IO, ml_open_files(ONE(corpus), NULL, &file, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(ONE(path_of("md3/static.md3")), NULL, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(ONE(path_of("md3/static.md3")), NULL, CROOKED(ml_asset*), &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_memory(NULL, 4, NULL, &file, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_memory("IDP3", SIZE_MAX, NULL, &file, &error));
  EXPECT(ML_ERROR_MAGIC, ml_open_memory("nothing", 7, NULL, &file, &error));
  EXPECT(ML_ERROR_MAGIC, ml_open_memory(NULL, 0, NULL, &file, &error));
  static const char pointer[] = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
  EXPECT(ML_ERROR_GIT_LFS_POINTER, ml_open_memory(pointer, sizeof pointer - 1, NULL, &file, &error));
  EXPECT(ML_ERROR_OUT_OF_BOUNDS, ml_open_memory("IDP3\17\0\0\0", 8, NULL, &file, &error));
  CHECK(file == NULL);
  // NULL for everything that may be NULL, also when it fails.
  RETURNS(ML_ERROR_MAGIC, ml_open_memory("nothing", 7, NULL, &file, NULL));

  static const char header[108] = "IDP3\20";
  ml_error error = {0};
  ml_open_memory(header, sizeof header, NULL, &file, &error);
  CHECK(error.code == ML_ERROR_VERSION && error.offset == 4 && strcmp(error.format, "md3") == 0);
  CHECK(strstr(error.text, "found 16") != NULL);
  // An error of a size that cannot be is left alone, and the call says the same.
  memset(&error, 0x7f, sizeof error);
  RETURNS(ML_ERROR_VERSION, ml_open_memory(header, sizeof header, NULL, &file, &error));
  CHECK(error.text[0] == 0x7f);
  // Of a shorter struct, the members that it has are written.
  memset(&error, 0x7f, sizeof error);
  error.size = offsetof(ml_error, offset);
  RETURNS(ML_ERROR_VERSION, ml_open_memory(header, sizeof header, NULL, &file, &error));
  CHECK(error.code == ML_ERROR_VERSION && error.text[0] == 0x7f && error.size == offsetof(ml_error, offset));
  // A text that has less room is cut and terminated.
  for (size_t room = 1; room <= sizeof error.text; room++) {
    memset(&error, 0x7f, sizeof error);
    error.size = offsetof(ml_error, text) + room;
    RETURNS(ML_ERROR_VERSION, ml_open_memory(header, sizeof header, NULL, &file, &error));
    CHECK(memchr(error.text, 0, room) != NULL && (room == sizeof error.text || error.text[room] == 0x7f));
  }
}

static int stop_at_once(void* user, uint64_t done, uint64_t total) {
  (void)done;
  (void)total;
  ++*(int*)user;
  return 1;
}

static void* no_memory(void* user, size_t size, size_t align) {
  (void)user;
  (void)size;
  (void)align;
  return NULL;
}

static void forget(void* user, void* memory, size_t size, size_t align) {
  (void)user;
  (void)memory;
  (void)size;
  (void)align;
}

static void* crooked_memory(void* user, size_t size, size_t align) {
  (void)user;
  (void)size;
  (void)align;
  return room + 1;
}

static int take(void* user, const void* data, size_t size) {
  (void)user;
  (void)data;
  (void)size;
  return 0;
}

static void options(void) {
  ml_asset* file;
  const char* path = path_of("md3/animated.md3");
  ml_open_opts opts = {0};
#define REFUSED(member, value)                                               \
  do {                                                                       \
    memset(&opts, 0, sizeof opts);                                           \
    opts.member = value;                                                     \
    EXPECT(ML_ERROR_ARGUMENT, ml_open_files(ONE(path), &opts, &file, &error));     \
  } while (0)
  REFUSED(size, 3);
  REFUSED(size, SIZE_MAX);
  REFUSED(format, (ml_format)9);
  REFUSED(access, (ml_access)2);
  REFUSED(ownership, (ml_ownership)-1);
  REFUSED(password, "\xff\xfe");
  REFUSED(allocator, CROOKED(ml_allocator));
#undef REFUSED
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(ONE(path), CROOKED(ml_open_opts), &file, &error));
  // Options of a later version: what is set and not known is an error, what is not set is none.
  struct {
    ml_open_opts known;
    size_t unknown;
  } later = {0};
  later.known.size = sizeof later;
  OK(ml_open_files(ONE(path), &later.known, &file, &error));
  ml_close(file);
  later.unknown = 1;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(ONE(path), &later.known, &file, &error));

  memset(&opts, 0, sizeof opts);
  opts.format = ML_FORMAT_U3D;
  EXPECT(ML_ERROR_MAGIC, ml_open_files(ONE(path), &opts, &file, &error));
  opts.format = ML_FORMAT_UNREAL;
  EXPECT(ML_ERROR_UNSUPPORTED, ml_open_files(ONE(path), &opts, &file, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_open_memory("", 0, &opts, &file, &error));

  // Memory: a limit, an allocator that has none, and one that cannot be.
  memset(&opts, 0, sizeof opts);
  opts.memory_limit = 100;
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_open_files(ONE(path), &opts, &file, &error));
  size_t size;
  unsigned char* bytes = read_corpus("md3/animated.md3", &size);
  opts.ownership = ML_OWNERSHIP_COPY;
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_open_memory(bytes, size, &opts, &file, &error));
  opts.memory_limit = 0;
  ml_allocator allocator = {0};
  opts.allocator = &allocator;
  allocator.allocate = no_memory;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_memory(bytes, size, &opts, &file, &error));
  allocator.release = forget;
  EXPECT(ML_ERROR_MEMORY, ml_open_memory(bytes, size, &opts, &file, &error));
  EXPECT(ML_ERROR_MEMORY, ml_open_files(ONE(path), &opts, &file, &error));
  opts.ownership = ML_OWNERSHIP_BORROW;
  EXPECT(ML_ERROR_MEMORY, ml_open_memory(bytes, size, &opts, &file, &error));
  allocator.allocate = crooked_memory;
  EXPECT(ML_ERROR_CALLBACK, ml_open_memory(bytes, size, &opts, &file, &error));

  int calls = 0;
  memset(&opts, 0, sizeof opts);
  opts.progress = stop_at_once;
  opts.progress_user = &calls;
  EXPECT(ML_ERROR_CANCELLED, ml_open_files(ONE(path), &opts, &file, &error));
  CHECK(calls == 1 && file == NULL);

  // What is made of a file later counts, too.
  memset(&opts, 0, sizeof opts);
  opts.memory_limit = 100;
  OK(ml_open_memory(bytes, size, &opts, &file, &error));
  size_t count;
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_get_array_count(file, &count, &error));
  ml_model model = {0};
  OK(ml_get_model(file, &model, &error));
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_write_glb(file, NULL, take, NULL, NULL, &error));
  ml_close(file);
  free(bytes);
}

static void passwords(void) {
  ml_asset* file;
  const char* path = path_of("u3d/v2_static_aes.u3d");
  ml_open_opts opts = {0};
  EXPECT(ML_ERROR_ENCRYPTED, ml_open_files(ONE(path), NULL, &file, &error));
  opts.password = "wrong";
  EXPECT(ML_ERROR_PASSWORD_WRONG, ml_open_files(ONE(path), &opts, &file, &error));
  opts.password = "a password that is longer than any key of the format can be";
  EXPECT(ML_ERROR_PASSWORD_TOO_LONG, ml_open_files(ONE(path), &opts, &file, &error));
  size_t size;
  unsigned char* bytes = read_corpus("u3d/v2_static_aes.u3d", &size);
  EXPECT(ML_ERROR_PASSWORD_TOO_LONG, ml_open_memory(bytes, size, &opts, &file, &error));
  opts.password = "wrong";
  EXPECT(ML_ERROR_PASSWORD_WRONG, ml_open_memory(bytes, size, &opts, &file, &error));
  EXPECT(ML_ERROR_ENCRYPTED, ml_open_memory(bytes, size, NULL, &file, &error));
  free(bytes);
}

static void inputs(void) {
  ml_asset* file;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(NULL, 0, NULL, &file, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(NULL, 1, NULL, &file, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(CROOKED(ml_input_file), 1, NULL, &file, &error));
  const ml_input_file broken[] = {
      {NULL, NULL, 0, ML_ROLE_BY_NAME},     {"x", NULL, 1, ML_ROLE_BY_NAME}, {"\xff", "", 0, ML_ROLE_BY_NAME},
      {"x", "", 0, (ml_role)77},            {"x", "", SIZE_MAX, ML_ROLE_BY_NAME},
      {"animation.cfg", "", 0, ML_ROLE_BY_NAME},
  };
  for (size_t i = 0; i < COUNT(broken); i++) EXPECT(ML_ERROR_ARGUMENT, ml_open_files(&broken[i], 1, NULL, &file, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_files(ONE(path_of("nothing.md3")), NULL, &file, &error));

  // Two models, and a model of one file with a half of a mesh of two.
  ml_input_file pair[3] = {{path_of("md3/static.md3"), NULL, 0, ML_ROLE_BY_NAME}, {path_of("md3/animated.md3"), NULL, 0, ML_ROLE_BY_NAME}};
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(pair, 2, NULL, &file, &error));
  pair[1].path = path_of("unreal/Models/ring_d.3d");
  EXPECT(ML_ERROR_ARGUMENT, ml_open_files(pair, 2, NULL, &file, &error));

  // Companions that do not belong to the model, and those that are no such thing.
  struct {
    ml_role role;
    const char *model, *text;
    ml_result wanted;
  } cases[] = {
      {ML_ROLE_SCRIPT, "md3/static.md3", "", ML_ERROR_UNSUPPORTED},
      {ML_ROLE_SKIN, "u3d/v2_static.u3d", "", ML_ERROR_UNSUPPORTED},
      {ML_ROLE_NAMED_CLIPS, "u3d/v2_static.u3d", "", ML_ERROR_UNSUPPORTED},
      {ML_ROLE_ANIMATION_CONFIG_LEGS, "u3d/v2_static.u3d", "", ML_ERROR_UNSUPPORTED},
      {ML_ROLE_ANIMATION, "unigine/skinned_ms11.mesh", "nothing", ML_ERROR_MAGIC},
      {ML_ROLE_ANIMATION_CONFIG_TORSO, "md3/animated.md3", "1 2", ML_ERROR_SYNTAX},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    pair[0] = (ml_input_file){path_of(cases[i].model), NULL, 0, ML_ROLE_MODEL};
    pair[1] = (ml_input_file){NULL, cases[i].text, strlen(cases[i].text), cases[i].role};
    EXPECT(cases[i].wanted, ml_open_files(pair, 2, NULL, &file, &error));
    CHECK(file == NULL);
  }
  pair[0] = (ml_input_file){path_of("unigine/skinned_ms11.mesh"), NULL, 0, ML_ROLE_MODEL};
  pair[1] = (ml_input_file){path_of("unigine/box_ms11.mesh"), NULL, 0, ML_ROLE_ANIMATION};
  EXPECT(ML_ERROR_UNSUPPORTED, ml_open_files(pair, 2, NULL, &file, &error));
  // Two companions of one role, of which the second would replace the first. Animations add up.
  const ml_role roles[] = {ML_ROLE_SKIN, ML_ROLE_NAMED_CLIPS, ML_ROLE_ANIMATION_CONFIG_LEGS, ML_ROLE_ANIMATION_CONFIG_TORSO,
                           ML_ROLE_SCRIPT};
  for (size_t i = 0; i < COUNT(roles); i++) {
    ml_input_file twice[3] = {{path_of("md3/static.md3"), NULL, 0, ML_ROLE_MODEL}};
    twice[1] = twice[2] = (ml_input_file){NULL, "", 0, roles[i]};
    twice[1].data = twice[2].data = "";
    EXPECT(ML_ERROR_ARGUMENT, ml_open_files(twice, 3, NULL, &file, &error));
  }
  pair[0] = (ml_input_file){path_of("unigine/skinned_ms11.mesh"), NULL, 0, ML_ROLE_MODEL};
  pair[1] = (ml_input_file){path_of("unigine/wave_an11.anim"), NULL, 0, ML_ROLE_ANIMATION};
  pair[2] = (ml_input_file){path_of("unigine/long_an10.anim"), NULL, 0, ML_ROLE_ANIMATION};
  OK(ml_open_files(pair, 3, NULL, &file, &error));
  ml_model animated = {0};
  OK(ml_get_model(file, &animated, &error));
  CHECK(animated.clip_count == 4);
  ml_close(file);
  // A script that does not import the mesh.
  pair[0] = (ml_input_file){path_of("unreal/Models/ring_d.3d"), NULL, 0, ML_ROLE_BY_NAME};
  pair[1] = (ml_input_file){path_of("unreal/Models/ring_a.3d"), NULL, 0, ML_ROLE_BY_NAME};
  pair[2] = (ml_input_file){"Classes/x.uc", "class x;", 8, ML_ROLE_BY_NAME};
  EXPECT(ML_ERROR_MISSING, ml_open_files(pair, 3, NULL, &file, &error));
  // One file of two is a document, and no model.
  OK(ml_open_files(pair, 1, NULL, &file, &error));
  ml_model model = {0};
  EXPECT(ML_ERROR_UNSUPPORTED, ml_get_model(file, &model, &error));
  ml_mesh mesh = {0};
  EXPECT(ML_ERROR_UNSUPPORTED, ml_get_mesh(file, 0, &mesh, &error));
  size_t count = 0;
  OK(ml_get_array_count(file, &count, &error));
  CHECK(count > 0);
  ml_close(file);
}

static void infos(void) {
  ml_file_info info = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_get_file_info(NULL, &info, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_file_info(ring, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_file_info(ring, CROOKED(ml_file_info), &error));
  info.size = 5;
  EXPECT(ML_ERROR_ARGUMENT, ml_get_file_info(ring, &info, &error));
  ml_format format;
  EXPECT(ML_ERROR_ARGUMENT, ml_detect("x", 1, NULL, NULL, 0, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_detect(NULL, 1, &format, NULL, 0, &error));

  // Every struct that is filled: no file, no struct, no such index.
#define GETTER(type, missing, call)                  \
  do {                                               \
    type out = {0};                                  \
    type* to = &out;                                 \
    const ml_asset* file = NULL;                      \
    size_t index = 0;                                \
    EXPECT(ML_ERROR_ARGUMENT, call);                 \
    file = tagged;                                   \
    if (missing) {                                   \
      index = 77;                                    \
      EXPECT(ML_ERROR_INDEX, call);                  \
      index = SIZE_MAX;                              \
      EXPECT(ML_ERROR_INDEX, call);                  \
      index = 0;                                     \
    }                                                \
    to = NULL;                                       \
    EXPECT(ML_ERROR_ARGUMENT, call);                 \
    to = CROOKED(type);                              \
    EXPECT(ML_ERROR_ARGUMENT, call);                 \
    to = &out;                                       \
    OK(call);                                        \
    (void)index;                                     \
  } while (0)
  GETTER(ml_array, true, ml_get_array(file, index, to, &error));
  GETTER(ml_model, false, ml_get_model(file, to, &error));
  GETTER(ml_mesh, true, ml_get_mesh(file, index, to, &error));
  GETTER(ml_material, true, ml_get_material(file, index, to, &error));
  GETTER(ml_clip, true, ml_get_clip(file, index, to, &error));
  GETTER(ml_blend, true, ml_sample_clip(file, index, 0.5f, to, &error));
  const ml_blend still = {0, 0, 0};
  GETTER(ml_tag_pose, true, ml_get_tag_pose(file, index, still, to, &error));
  GETTER(ml_bounds, false, ml_get_bounds(file, 0, 0, to, &error));
  typedef const char* text;
  GETTER(text, true, ml_get_tag_name(file, index, to, &error));
  GETTER(size_t, false, ml_find_tag(file, "tag_hand", to, &error));
  GETTER(size_t, false, ml_find_clip(file, "all", to, &error));
  GETTER(size_t, false, ml_get_array_count(file, to, &error));
  GETTER(uint32_t, false, ml_has_attribute(file, 0, ML_ATTRIBUTE_POSITION, 0, to, &error));
#undef GETTER

  ml_joint joint = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_joint(tagged, 0, &joint, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_joint(NULL, 0, &joint, &error));
  ml_animation animation = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_animation(tagged, 0, &animation, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_animation(NULL, 0, &animation, &error));
  size_t found;
  EXPECT(ML_ERROR_ARGUMENT, ml_find_tag(tagged, NULL, &found, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_find_clip(tagged, "\xff", &found, &error));
  ml_tag_pose pose;
  const ml_blend late = {0, 3, 0.5f};
  EXPECT(ML_ERROR_INDEX, ml_get_tag_pose(tagged, 0, late, &pose, &error));
  ml_bounds bounds;
  EXPECT(ML_ERROR_INDEX, ml_get_bounds(tagged, 0, 3, &bounds, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_bounds(tagged, ML_NONE, 3, &bounds, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_bounds(tagged, 1, 0, &bounds, &error));
  ml_asset* empty = open_corpus("md3/tags_only.md3");
  EXPECT(ML_ERROR_MISSING, ml_get_bounds(empty, ML_NONE, 0, &bounds, &error));
  ml_close(empty);
  char name[8];
  EXPECT(ML_ERROR_INDEX, ml_get_frame_name(tagged, ML_NONE, 3, name, sizeof name, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_frame_name(tagged, 0, 3, name, sizeof name, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_frame_name(tagged, 9, 0, name, sizeof name, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_frame_name(tagged, 0, 0, NULL, 8, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_frame_name(tagged, 0, 0, name, 0, &error));
  uint32_t has;
  EXPECT(ML_ERROR_ARGUMENT, ml_has_attribute(tagged, 0, (ml_attribute)8, 0, &has, &error));
  EXPECT(ML_ERROR_INDEX, ml_has_attribute(tagged, 5, ML_ATTRIBUTE_COLOR, 0, &has, &error));
}

static void decoding(void) {
  float out[35 * 3 + 1];
  size_t positions = 0, triangles = 0, count;
  OK(ml_get_array_count(ring, &count, &error));
  for (size_t i = 0; i < count; i++) {
    ml_array array = {0};
    OK(ml_get_array(ring, i, &array, &error));
    if (array.semantic == ML_SEMANTIC_POSITION) positions = i;
    if (array.semantic == ML_SEMANTIC_TRIANGLES) triangles = i;
  }
  const size_t size = 35 * 12;
  EXPECT(ML_ERROR_ARGUMENT, ml_decode(NULL, positions, NULL, out, size, &error));
  EXPECT(ML_ERROR_INDEX, ml_decode(ring, count, NULL, out, size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode(ring, positions, NULL, NULL, size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode(ring, positions, NULL, out, SIZE_MAX, &error));
  EXPECT(ML_ERROR_VALUE, ml_decode(ring, positions, NULL, out, size - 1, &error));
  EXPECT(ML_ERROR_VALUE, ml_decode(ring, positions, NULL, NULL, 0, &error));
  ml_decode_opts opts = {0};
  opts.first = 35;
  EXPECT(ML_ERROR_VALUE, (opts.stride = 11, opts.first = 0, ml_decode(ring, positions, &opts, out, size, &error)));
  opts.stride = 0;
  opts.first = 36;
  EXPECT(ML_ERROR_INDEX, ml_decode(ring, positions, &opts, out, size, &error));
  opts.first = 0;
  opts.count = 36;
  EXPECT(ML_ERROR_INDEX, ml_decode(ring, positions, &opts, out, size, &error));
  opts.count = SIZE_MAX;
  EXPECT(ML_ERROR_INDEX, ml_decode(ring, positions, &opts, out, size, &error));
  opts.count = 2;
  opts.stride = SIZE_MAX;
  EXPECT(ML_ERROR_VALUE, ml_decode(ring, positions, &opts, out, size, &error));
  opts.stride = 0;
  opts.offset = SIZE_MAX - 3;
  EXPECT(ML_ERROR_VALUE, ml_decode(ring, positions, &opts, out, size, &error));
  opts.size = 2;
  EXPECT(ML_ERROR_ARGUMENT, ml_decode(ring, positions, &opts, out, size, &error));

  uint32_t indices[145], largest;
  EXPECT(ML_ERROR_LENGTH, ml_decode_indices(ring, triangles, indices, 145, &largest, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_decode_indices(ring, positions, indices, 105, &largest, &error));
  EXPECT(ML_ERROR_INDEX, ml_decode_indices(ring, SIZE_MAX, indices, 144, &largest, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode_indices(ring, triangles, NULL, 144, &largest, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode_indices(ring, triangles, CROOKED(uint32_t), 144, &largest, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode_indices(ring, triangles, indices, SIZE_MAX / 2, &largest, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode_indices(ring, triangles, indices, 144, CROOKED(uint32_t), &error));

  // An output that lies over the file would be read while it is written.
  size_t bytes;
  unsigned char* data = read_corpus("md3/animated.md3", &bytes);
  ml_asset* file;
  OK(ml_open_memory(data, bytes, NULL, &file, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode(file, positions, NULL, data + bytes - 1, size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_decode(file, positions, NULL, data, size, &error));
  ml_close(file);
  free(data);
}

static void skeletons(void) {
  ml_asset* file = open_corpus("unigine/skinned_ms11.mesh");
  ml_model model = {0};
  OK(ml_get_model(file, &model, &error));
  const size_t joints = model.joint_count;
  CHECK(joints > 0 && joints <= 16);
  ml_transform pose[16];
  ml_matrix world[16];
  EXPECT(ML_ERROR_ARGUMENT, ml_get_pose(NULL, ML_NONE, 0, pose, joints, &error));
  EXPECT(ML_ERROR_LENGTH, ml_get_pose(file, ML_NONE, 0, pose, joints + 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_pose(file, ML_NONE, 0, NULL, joints, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_pose(file, ML_NONE, 0, CROOKED(ml_transform), joints, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_pose(file, ML_NONE, 0, pose, SIZE_MAX / 8, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_pose(file, 99, 0, pose, joints, &error));
  OK(ml_get_pose(file, ML_NONE, 0, pose, joints, &error));
  EXPECT(ML_ERROR_LENGTH, ml_get_world_matrices(file, pose, world, joints - 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_world_matrices(file, NULL, world, joints, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_world_matrices(file, pose, NULL, joints, &error));
  OK(ml_get_world_matrices(file, pose, world, joints, &error));
  ml_close(file);
}

static int refuse(void* user, const void* data, size_t size) {
  (void)data;
  (void)size;
  ++*(int*)user;
  return 1;
}

static int no_picture(void* user, const char* path, ml_texture* texture) {
  (void)path;
  texture->data = user;
  texture->data_size = 4;
  return 0;
}

static void reports(void) {
  ml_report* report;
  EXPECT(ML_ERROR_ARGUMENT, ml_validate(NULL, 0, &report, &error));
  CHECK(report == NULL);
  EXPECT(ML_ERROR_ARGUMENT, ml_validate(ring, 0, NULL, &error));
  OK(ml_validate(ring, 0, &report, &error));
  ml_report_info info = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_get_report_info(NULL, &info, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_report_info(report, NULL, &error));
  ml_finding finding = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_finding(report, SIZE_MAX, &finding, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_finding(NULL, 0, &finding, &error));
  ml_finding_group group = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_finding_group(report, SIZE_MAX, &group, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_finding_group(NULL, 0, &group, &error));
  ml_explanation explanation = {0};
  EXPECT(ML_ERROR_MISSING, ml_explain("NO_SUCH_CODE", &explanation, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_explain(NULL, &explanation, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_explain("VALUE", NULL, &error));
  CHECK(ml_close_report(report) == ML_OK && ml_close_report(NULL) == ML_OK);

  int calls = 0;
  ml_glb_opts opts = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_write_glb(NULL, NULL, take, NULL, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_write_glb(ring, NULL, NULL, NULL, NULL, &error));
  EXPECT(ML_ERROR_CALLBACK, ml_write_glb(ring, NULL, refuse, &calls, &report, &error));
  CHECK(calls == 1 && report == NULL);
  opts.progress = stop_at_once;
  opts.progress_user = &calls;
  EXPECT(ML_ERROR_CANCELLED, ml_write_glb(ring, &opts, refuse, &calls, NULL, &error));
  CHECK(calls == 2);
#define GLB(wanted, member, value)                                             \
  do {                                                                         \
    memset(&opts, 0, sizeof opts);                                             \
    opts.first_frame = 9;                                                      \
    opts.clip = "no such clip";                                                \
    opts.find_texture_user = room;                                             \
    opts.member = value;                                                       \
    EXPECT(wanted, ml_write_glb(ring, &opts, take, NULL, NULL, &error));       \
  } while (0)
  GLB(ML_ERROR_ARGUMENT, frames, (ml_glb_frames)4);
  GLB(ML_ERROR_INDEX, frames, ML_GLB_FRAMES_ONE);
  GLB(ML_ERROR_INDEX, frames, ML_GLB_FRAMES_RANGE);
  GLB(ML_ERROR_MISSING, frames, ML_GLB_FRAMES_CLIP);
  GLB(ML_ERROR_ARGUMENT, flags, 2 * ML_GLB_SKELETON);
  GLB(ML_ERROR_ARGUMENT, name, "\xff");
  GLB(ML_ERROR_ARGUMENT, node_count, 1);
  GLB(ML_ERROR_CALLBACK, find_texture, no_picture);
#undef GLB
  memset(&opts, 0, sizeof opts);
  ml_glb_node nodes[65] = {{ring, "ring", 0, 0, 0}};
  opts.nodes = nodes;
  opts.node_count = 1;
  EXPECT(ML_ERROR_INDEX, ml_write_glb(ring, &opts, take, NULL, NULL, &error));
  nodes[0].parent = 1;
  EXPECT(ML_ERROR_ARGUMENT, ml_write_glb(tagged, &opts, take, NULL, NULL, &error));
  nodes[0].parent = 0;
  nodes[0].asset = NULL;
  EXPECT(ML_ERROR_ARGUMENT, ml_write_glb(tagged, &opts, take, NULL, NULL, &error));
  nodes[0].asset = ring;
  nodes[0].name = NULL;
  EXPECT(ML_ERROR_ARGUMENT, ml_write_glb(tagged, &opts, take, NULL, NULL, &error));
  opts.node_count = 65;
  EXPECT(ML_ERROR_ARGUMENT, ml_write_glb(tagged, &opts, take, NULL, NULL, &error));
}

// Only builds with debug assertions can tell; the library of the tests is one.
static void handles(void) {
  ml_asset* file = open_corpus("md3/static.md3");
  CHECK(ml_close(file) == ML_OK && ml_close(NULL) == ML_OK);
  const char* debug = getenv("MESHLENS_TEST_CLOSED");
  if (debug != NULL && debug[0] == '0') return;
  ml_model model = {0};
  EXPECT(ML_ERROR_HANDLE, ml_get_model(file, &model, &error));
  RETURNS(ML_ERROR_HANDLE, ml_close(file));
  ml_report* report;
  OK(ml_validate(ring, 0, &report, &error));
  EXPECT(ML_ERROR_HANDLE, ml_get_model((ml_asset*)(void*)report, &model, &error));
  CHECK(ml_close_report(report) == ML_OK);
  RETURNS(ML_ERROR_HANDLE, ml_close_report(report));
  ml_report_info info = {0};
  EXPECT(ML_ERROR_HANDLE, ml_get_report_info(report, &info, &error));
}

int main(int argc, char** argv) {
  corpus = argc > 1 ? argv[1] : "corpus";
  ring = open_corpus("md3/animated.md3");
  tagged = open_corpus("md3/tagged.md3");
  opening();
  options();
  passwords();
  inputs();
  infos();
  decoding();
  skeletons();
  reports();
  handles();
  ml_close(tagged);
  ml_close(ring);
  return finish("errors");
}
