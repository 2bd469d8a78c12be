// Scenes: vertices, indices and matrices of nodes that are attached, placed and posed.
#include "check.h"

#define CROOKED(type) ((type*)(void*)((char*)&crooked + 1))
static double crooked[64];

static ml_scene* scene_of(const ml_asset* file, const ml_convert_opts* space) {
  ml_scene* scene = NULL;
  OK(ml_open_scene(file, space, 0, &scene, &error));
  if (scene == NULL) exit(2);
  return scene;
}

// A torus around Z, of 35 vertices: see values.c.
static void buffers(void) {
  ml_asset* file = open_corpus("md3/animated.md3");
  ml_scene* scene = scene_of(file, NULL);
  ml_convert_opts half = {0};
  half.space = ML_SPACE_GLTF;
  half.scale = 0.5f;
  ml_scene* gltf = scene_of(file, &half);
  // Scenes stay when the file is closed.
  ml_close(file);
  ml_scene_info info = {0};
  OK(ml_get_scene_info(scene, &info, &error));
  CHECK(info.node_count == 1 && info.mesh_count == 1 && info.clip_count == 1);
  ml_scene_mesh mesh = {0};
  OK(ml_get_scene_mesh(scene, 0, &mesh, &error));
  CHECK(mesh.node == 0 && mesh.mesh == 0 && mesh.vertex_count == 35 && mesh.index_count == 144);
  CHECK(mesh.triangle_count == 48 && mesh.submesh_count == 1 && mesh.dropped_triangle_count == 0);
  CHECK(mesh.index_format == ML_INDEX_UINT16);
  ml_submesh submesh = {0};
  OK(ml_get_submesh(scene, 0, 0, &submesh, &error));
  CHECK(submesh.material == 0 && submesh.first_index == 0 && submesh.index_count == 144);

  const ml_vertex_attribute attributes[3] = {
      {ML_ATTRIBUTE_POSITION, 0, 0, ML_VERTEX_FORMAT_FLOAT32X3},
      {ML_ATTRIBUTE_NORMAL, 0, 12, ML_VERTEX_FORMAT_SNORM8X4},
      {ML_ATTRIBUTE_TEXCOORD, 0, 16, ML_VERTEX_FORMAT_UNORM16X2},
  };
  ml_vertex_layout layout = {0};
  layout.stride = 20;
  layout.attributes = attributes;
  layout.attribute_count = 3;
  struct {
    float position[3];
    signed char normal[4];
    unsigned short texcoord[2];
  } vertices[35];
  OK(ml_fill_vertex_buffer(scene, 0, NULL, &layout, vertices, sizeof vertices, &error));
  CHECK(vertices[0].position[0] == 11.0f && vertices[0].position[1] == 0.0f && vertices[0].normal[0] == 127);
  CHECK(vertices[0].texcoord[0] == 0 && vertices[0].texcoord[1] == 65535);

  // Halfway between the frames 0 and 1, at half the size, where Y is up. The clip has 10 frames in a second.
  ml_pose* pose = NULL;
  OK(ml_new_pose(gltf, &pose, &error));
  const ml_play all = {"ALL", 0.05f};
  OK(ml_set_pose(gltf, pose, &all, 1, &error));
  OK(ml_fill_vertex_buffer(gltf, 0, pose, &layout, vertices, sizeof vertices, &error));
  CHECK(near(vertices[0].position[0], 0.25f * 10.4616f, 1.0f / 128) && vertices[0].position[1] == 0.0625f);
  CHECK(near(vertices[0].position[2], 0.25f * (11.0f + 3.3992f), 1.0f / 128));
  layout.flags = ML_LAYOUT_NON_TEMPORAL;
  unsigned char first[20];
  memcpy(first, vertices, sizeof first);
  memset(vertices, 0, sizeof vertices);
  const ml_blend blend = {0, 1, 0.5f};
  OK(ml_set_pose(gltf, pose, NULL, 0, &error));
  OK(ml_set_frames(pose, 0, blend, &error));
  OK(ml_fill_vertex_buffer(gltf, 0, pose, &layout, vertices, sizeof vertices, &error));
  CHECK(memcmp(first, vertices, sizeof first) == 0);

  unsigned short narrow[144];
  uint32_t wide[144];
  OK(ml_indices(scene, 0, ML_INDEX_UINT16, narrow, sizeof narrow, &error));
  OK(ml_indices(gltf, 0, ML_INDEX_UINT32, wide, sizeof wide, &error));
  // The front is clockwise in MD3, counter-clockwise in glTF.
  CHECK(narrow[0] == 0 && narrow[1] == 6 && narrow[2] == 5 && wide[0] == 0 && wide[1] == 5 && wide[2] == 6);
  ml_bounds bounds;
  OK(ml_get_scene_bounds(gltf, NULL, &bounds, &error));
  CHECK(bounds.max[2] == 5.5f && bounds.max[1] == 1.5f);
  ml_close_pose(pose);
  ml_close_scene(scene);
  ml_close_scene(gltf);
}

// Legs, torso and head: the torso stands on a tag of the legs, and both play a clip of their own.
static void players(void) {
  ml_assets* assets = NULL;
  ml_asset* asset = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  OK(ml_open_asset(assets, "md3/player", NULL, &asset, &error));
  ml_free_assets(assets);
  ml_convert_opts space = {0};
  space.space = ML_SPACE_UNREAL_ENGINE;
  space.scale = 2.54f;
  ml_scene* scene = NULL;
  OK(ml_open_scene(asset, &space, 0, &scene, &error));
  ml_close(asset);
  ml_scene_info info = {0};
  OK(ml_get_scene_info(scene, &info, &error));
  CHECK(info.node_count == 3 && info.mesh_count == 3);
  // Clips whose names the legs and the torso share are one.
  ml_scene_clip clip = {0};
  size_t both = 0;
  for (size_t i = 0; i < info.clip_count; i++) {
    OK(ml_get_scene_clip(scene, i, &clip, &error));
    CHECK(clip.node_count == (strncmp(clip.name, "BOTH", 4) == 0 ? 2u : 1u));
    both += clip.node_count == 2;
  }
  CHECK(both > 0 && info.clip_count + both == 18 + 13);

  ml_pose* pose = NULL;
  OK(ml_new_pose(scene, &pose, &error));
  const ml_play clips[2] = {{"LEGS_WALKCR", 0.1f}, {"TORSO_GESTURE", 0.0f}};
  OK(ml_set_pose(scene, pose, clips, 2, &error));
  size_t node = 7, tag = 7;
  OK(ml_find_scene_tag(scene, "TAG_TORSO", &node, &tag, &error));
  CHECK(node == 0);
  // The torso is where the tag is.
  ml_matrix there, torso;
  OK(ml_get_tag_matrix(scene, node, tag, pose, &there, &error));
  OK(ml_get_node_matrix(scene, 1, pose, &torso, &error));
  for (int i = 12; i < 15; i++) CHECK(near(there.m[i], torso.m[i], 1e-3f));
  OK(ml_find_scene_tag(scene, "tag_nothing", &node, &tag, &error));
  CHECK(node == ML_NONE && tag == ML_NONE);
  // A column of the matrix has the length of the scale.
  float length = sqrtf(torso.m[0] * torso.m[0] + torso.m[1] * torso.m[1] + torso.m[2] * torso.m[2]);
  CHECK(near(length, 2.54f, 1e-4f));
  ml_close_pose(pose);
  ml_close_scene(scene);
}

// What a shader makes of bound vertices is what the library makes of posed ones.
static void skins(void) {
  ml_asset* file = open_corpus("unigine/skinned_ms11.mesh");
  ml_convert_opts space = {0};
  space.space = ML_SPACE_GODOT;
  ml_scene* scene = scene_of(file, &space);
  ml_model model = {0};
  OK(ml_get_model(file, &model, &error));
  const size_t joints = model.joint_count;
  ml_transform local[16];
  ml_matrix world[16], skin[16];
  OK(ml_get_pose(file, ML_NONE, 0, local, joints, &error));
  // The second joint is a third of a turn about X further.
  local[1].rotation[0] = 0.866025f;
  local[1].rotation[1] = local[1].rotation[2] = 0;
  local[1].rotation[3] = 0.5f;
  OK(ml_get_world_matrices(file, local, world, joints, &error));
  ml_pose* pose = NULL;
  OK(ml_new_pose(scene, &pose, &error));
  OK(ml_set_joints(pose, 0, world, joints, &error));
  OK(ml_get_skin_matrices(scene, 0, pose, skin, joints, &error));
  ml_scene_mesh mesh = {0};
  OK(ml_get_scene_mesh(scene, 0, &mesh, &error));

  const ml_vertex_attribute attributes[3] = {
      {ML_ATTRIBUTE_POSITION, 0, 0, ML_VERTEX_FORMAT_FLOAT32X3},
      {ML_ATTRIBUTE_JOINTS, 0, 12, ML_VERTEX_FORMAT_UINT8X4},
      {ML_ATTRIBUTE_WEIGHTS, 0, 16, ML_VERTEX_FORMAT_FLOAT32X4},
  };
  ml_vertex_layout layout = {0};
  layout.stride = 32;
  layout.attributes = attributes;
  layout.attribute_count = 3;
  typedef struct {
    float position[3];
    unsigned char joints[4];
    float weights[4];
  } bound_vertex;
  bound_vertex* bound = calloc(mesh.vertex_count, sizeof *bound);
  OK(ml_fill_vertex_buffer(scene, 0, pose, &layout, bound, mesh.vertex_count * sizeof *bound, &error));
  layout.stride = 12;
  layout.attribute_count = 1;
  float* moved = calloc(mesh.vertex_count, 12);
  OK(ml_fill_vertex_buffer(scene, 0, pose, &layout, moved, mesh.vertex_count * 12, &error));
  size_t same = 0, turned = 0;
  for (size_t i = 0; i < mesh.vertex_count; i++) {
    float sum[3] = {0, 0, 0};
    for (int j = 0; j < 4; j++) {
      const float* m = skin[bound[i].joints[j]].m;
      const float* p = bound[i].position;
      for (int row = 0; row < 3; row++) {
        sum[row] += bound[i].weights[j] * (m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row]);
      }
    }
    const float* p = &moved[3 * i];
    same += near(sum[0], p[0], 1e-4f) && near(sum[1], p[1], 1e-4f) && near(sum[2], p[2], 1e-4f);
    turned += !near(bound[i].position[1], p[1], 1e-2f);
  }
  CHECK(same == mesh.vertex_count && turned > 0);
  ml_matrix joint, node;
  OK(ml_get_joint_matrix(scene, 0, 1, pose, &joint, &error));
  OK(ml_get_node_matrix(scene, 0, NULL, &node, &error));
  // Right of UNIGINE is +X, and -X of Godot.
  CHECK(node.m[0] == -1.0f && near(joint.m[12], -world[1].m[12], 1e-5f));

  EXPECT(ML_ERROR_INDEX, ml_get_joint_matrix(scene, 0, joints, pose, &joint, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_skin_matrices(scene, 99, pose, skin, joints, &error));
  EXPECT(ML_ERROR_LENGTH, ml_get_skin_matrices(scene, 0, NULL, skin, joints - 1, &error));
  EXPECT(ML_ERROR_LENGTH, ml_set_joints(pose, 0, world, joints - 1, &error));
  EXPECT(ML_ERROR_INDEX, ml_set_joints(pose, 1, world, joints, &error));
  free(bound);
  free(moved);
  ml_close_pose(pose);
  ml_close_scene(scene);
  ml_close(file);
}

static void errors_of_buffers(void) {
  ml_asset* file = open_corpus("md3/animated.md3");
  ml_scene* scene = scene_of(file, NULL);
  static unsigned char out[35 * 64];
  ml_vertex_attribute attributes[2] = {
      {ML_ATTRIBUTE_POSITION, 0, 0, ML_VERTEX_FORMAT_FLOAT32X3},
      {ML_ATTRIBUTE_TEXCOORD, 0, 12, ML_VERTEX_FORMAT_FLOAT32X2},
  };
  ml_vertex_layout layout = {0};
  layout.stride = 20;
  layout.attributes = attributes;
  layout.attribute_count = 2;
  const size_t size = 35 * 20;
#define FILL(wanted) EXPECT(wanted, ml_fill_vertex_buffer(scene, 0, NULL, &layout, out, size, &error))
  FILL(ML_OK);
  EXPECT(ML_ERROR_ARGUMENT, ml_fill_vertex_buffer(NULL, 0, NULL, &layout, out, size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_fill_vertex_buffer(scene, 0, NULL, NULL, out, size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_fill_vertex_buffer(scene, 0, NULL, &layout, NULL, size, &error));
  EXPECT(ML_ERROR_LENGTH, ml_fill_vertex_buffer(scene, 0, NULL, &layout, out, size - 1, &error));
  EXPECT(ML_ERROR_INDEX, ml_fill_vertex_buffer(scene, 1, NULL, &layout, out, size, &error));
  attributes[1].offset = 10;
  FILL(ML_ERROR_VALUE);
  attributes[1].offset = 13;
  FILL(ML_ERROR_VALUE);
  attributes[1].offset = UINT32_MAX;
  FILL(ML_ERROR_VALUE);
  attributes[1].offset = 12;
  attributes[1].set = 1;
  FILL(ML_ERROR_MISSING);
  attributes[1].set = 0;
  attributes[1].format = (ml_vertex_format)33;
  FILL(ML_ERROR_ARGUMENT);
  attributes[1].format = ML_VERTEX_FORMAT_FLOAT32;
  FILL(ML_ERROR_VALUE);
  attributes[1].format = ML_VERTEX_FORMAT_UINT16X4;
  FILL(ML_ERROR_UNSUPPORTED);
  attributes[1].attribute = ML_ATTRIBUTE_JOINTS;
  FILL(ML_ERROR_MISSING);
  attributes[1].format = ML_VERTEX_FORMAT_FLOAT32X2;
  FILL(ML_ERROR_ARGUMENT);
  attributes[1].format = ML_VERTEX_FORMAT_UINT16X4;
  attributes[0] = attributes[1];
  FILL(ML_ERROR_ARGUMENT);
  attributes[0].attribute = (ml_attribute)0;
  FILL(ML_ERROR_ARGUMENT);
  attributes[0].attribute = ML_ATTRIBUTE_WEIGHTS;
  attributes[0].format = ML_VERTEX_FORMAT_FLOAT32X4;
  layout.attribute_count = 1;
  FILL(ML_ERROR_MISSING);
  attributes[0].attribute = ML_ATTRIBUTE_COLOR;
  FILL(ML_ERROR_MISSING);
  attributes[0].attribute = ML_ATTRIBUTE_TANGENT;
  FILL(ML_ERROR_MISSING);
  layout.attribute_count = 65;
  FILL(ML_ERROR_ARGUMENT);
  layout.attributes = NULL;
  layout.attribute_count = 1;
  FILL(ML_ERROR_ARGUMENT);
  layout.attributes = CROOKED(ml_vertex_attribute);
  FILL(ML_ERROR_ARGUMENT);
  layout.attributes = attributes;
  layout.flags = ML_LAYOUT_NON_TEMPORAL | ML_LAYOUT_MOVING;
  FILL(ML_ERROR_ARGUMENT);
#undef FILL

  unsigned short indices[144];
  EXPECT(ML_ERROR_ARGUMENT, ml_indices(NULL, 0, ML_INDEX_UINT16, indices, sizeof indices, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_indices(scene, 0, (ml_index_format)0, indices, sizeof indices, &error));
  EXPECT(ML_ERROR_INDEX, ml_indices(scene, 3, ML_INDEX_UINT16, indices, sizeof indices, &error));
  EXPECT(ML_ERROR_LENGTH, ml_indices(scene, 0, ML_INDEX_UINT32, indices, sizeof indices, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_indices(scene, 0, ML_INDEX_UINT16, NULL, sizeof indices, &error));
  ml_close_scene(scene);
  ml_close(file);
}

// A pose belongs to an asset or a file: scenes of it in other spaces and levels take it, scenes of others do not.
static void poses(void) {
  ml_asset *tagged = open_corpus("md3/tagged.md3"), *animated = open_corpus("md3/animated.md3");
  ml_convert_opts space = {0};
  space.space = ML_SPACE_GLTF;
  ml_scene *own = scene_of(animated, NULL), *turned = scene_of(animated, &space), *other = scene_of(tagged, NULL);
  ml_pose* pose = NULL;
  OK(ml_new_pose(own, &pose, &error));
  OK(ml_set_frames(pose, 0, (ml_blend){4, 4, 0}, &error));
  ml_matrix matrix;
  ml_bounds bounds;
  OK(ml_get_node_matrix(turned, 0, pose, &matrix, &error));
  OK(ml_get_scene_bounds(turned, pose, &bounds, &error));
  // It stays as it is.
  EXPECT(ML_ERROR_INDEX, ml_set_pose(other, pose, NULL, 0, &error));
  OK(ml_set_pose(turned, pose, NULL, 0, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_node_matrix(other, 0, pose, &matrix, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_tag_matrix(other, 0, 0, pose, &matrix, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_scene_bounds(other, pose, &bounds, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_skin_matrices(other, 0, pose, &matrix, 1, &error));
  const ml_vertex_attribute position = {ML_ATTRIBUTE_POSITION, 0, 0, ML_VERTEX_FORMAT_FLOAT32X3};
  const ml_vertex_layout layout = {sizeof layout, 12, &position, 1, 0};
  ml_scene_mesh mesh = {0};
  OK(ml_get_scene_mesh(other, 0, &mesh, &error));
  float* vertices = malloc(mesh.vertex_count * 12);
  OK(ml_fill_vertex_buffer(other, 0, NULL, &layout, vertices, mesh.vertex_count * 12, &error));
  EXPECT(ML_ERROR_INDEX, ml_fill_vertex_buffer(other, 0, pose, &layout, vertices, mesh.vertex_count * 12, &error));
  free(vertices);
  ml_close_pose(pose);
  ml_close_scene(own);
  ml_close_scene(turned);
  ml_close_scene(other);
  ml_close(tagged);
  ml_close(animated);
}

static void errors(void) {
  ml_asset* file = open_corpus("md3/tagged.md3");
  ml_scene* scene = NULL;
  ml_convert_opts space = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_open_scene(NULL, NULL, 0, &scene, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_scene(file, NULL, 0, NULL, &error));
  space.space = (ml_space_id)11;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_scene(file, &space, 0, &scene, &error));
  space.space = ML_SPACE_CUSTOM;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_scene(file, &space, 0, &scene, &error));
  space.space = ML_SPACE_GLTF;
  space.scale = NAN;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_scene(file, &space, 0, &scene, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_scene(NULL, NULL, 0, &scene, &error));
  scene = scene_of(file, NULL);
  ml_pose* pose = NULL;
  EXPECT(ML_ERROR_ARGUMENT, ml_new_pose(NULL, &pose, &error));
  OK(ml_new_pose(scene, &pose, &error));
  // No clip has the name, and the pose stays as it is.
  const ml_play nothing = {"swim", 0};
  EXPECT(ML_ERROR_MISSING, ml_set_pose(scene, pose, &nothing, 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_set_pose(scene, pose, NULL, 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_set_pose(scene, NULL, NULL, 0, &error));
  EXPECT(ML_ERROR_INDEX, ml_set_frames(pose, 1, (ml_blend){0, 0, 0}, &error));
  ml_matrix matrix;
  EXPECT(ML_ERROR_INDEX, ml_get_node_matrix(scene, 1, pose, &matrix, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_tag_matrix(scene, 0, 9, pose, &matrix, &error));
  EXPECT(ML_ERROR_MISSING, ml_get_skin_matrices(scene, 0, pose, &matrix, 1, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_node_matrix(scene, 0, pose, NULL, &error));
  ml_scene_mesh mesh = {0};
  ml_submesh submesh = {0};
  ml_scene_clip clip = {0};
  ml_scene_info info = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_scene_mesh(scene, 9, &mesh, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_submesh(scene, 9, 0, &submesh, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_submesh(scene, 0, 9, &submesh, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_scene_clip(scene, 9, &clip, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_scene_info(NULL, &info, &error));
  size_t node, tag;
  EXPECT(ML_ERROR_ARGUMENT, ml_find_scene_tag(scene, NULL, &node, &tag, &error));
  ml_close_pose(pose);
  ml_close_scene(scene);
  ml_close(file);

  file = open_corpus("md3/tags_only.md3");
  scene = scene_of(file, NULL);
  ml_bounds bounds;
  EXPECT(ML_ERROR_MISSING, ml_get_scene_bounds(scene, NULL, &bounds, &error));
  ml_close_scene(scene);
  ml_close(file);

  // The names count, and what is made of a mesh later.
  size_t size = 0;
  unsigned char* bytes = read_corpus("md3/animated.md3", &size);
  ml_open_opts opts = {0};
  opts.memory_limit = 100;
  OK(ml_open_memory(bytes, size, &opts, &file, &error));
  scene = scene_of(file, NULL);
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_get_scene_mesh(scene, 0, &mesh, &error));
  ml_close_scene(scene);
  ml_close(file);
  free(bytes);
}

// Fills positions and normals of the first frames with a memory limit. Returns whether the memory was enough.
static int fills(const unsigned char* bytes, size_t size, size_t limit, uint32_t frames) {
  const ml_vertex_attribute attributes[] = {
      {ML_ATTRIBUTE_POSITION, 0, 0, ML_VERTEX_FORMAT_FLOAT32X3},
      {ML_ATTRIBUTE_NORMAL, 0, 12, ML_VERTEX_FORMAT_OCTAHEDRAL16X2},
  };
  ml_vertex_layout layout = {0};
  layout.stride = 16;
  layout.attributes = attributes;
  layout.attribute_count = 2;
  ml_open_opts opts = {0};
  opts.memory_limit = limit;
  ml_error error = {0};
  ml_asset* file = NULL;
  ml_scene* scene = NULL;
  ml_pose* pose = NULL;
  ml_scene_mesh mesh = {0};
  ml_result result = ml_open_memory(bytes, size, &opts, &file, &error);
  if (result == ML_OK) result = ml_open_scene(file, NULL, 0, &scene, &error);
  if (result == ML_OK) result = ml_get_scene_mesh(scene, 0, &mesh, &error);
  if (result == ML_OK) result = ml_new_pose(scene, &pose, &error);
  unsigned char vertices[200 * 16], untouched[sizeof vertices];
  memset(untouched, 0xee, sizeof untouched);
  for (uint32_t frame = 0; result == ML_OK && frame < frames; frame++) {
    OK(ml_set_frames(pose, 0, (ml_blend){frame, frame, 0}, &error));
    memcpy(vertices, untouched, sizeof vertices);
    CHECK(mesh.vertex_count <= 200);
    result = ml_fill_vertex_buffer(scene, 0, pose, &layout, vertices, mesh.vertex_count * 16, &error);
    CHECK((result == ML_OK) == (memcmp(vertices, untouched, sizeof vertices) != 0));
    if (result != ML_OK) {
      // Positions need no memory.
      layout.attribute_count = 1;
      OK(ml_fill_vertex_buffer(scene, 0, pose, &layout, vertices, mesh.vertex_count * 16, &error));
    }
  }
  ml_close_pose(pose);
  ml_close_scene(scene);
  ml_close(file);
  CHECK(result == ML_OK || result == ML_ERROR_MEMORY_LIMIT);
  return result == ML_OK;
}

// The smallest memory limit with which the first frames can be filled.
static size_t needed_for(const unsigned char* bytes, size_t size, uint32_t frames) {
  size_t too_small = 0, enough = 1 << 20;
  CHECK(fills(bytes, size, enough, frames));
  while (enough - too_small > 1) {
    size_t middle = (too_small + enough) / 2;
    *(fills(bytes, size, middle, frames) ? &enough : &too_small) = middle;
  }
  return enough;
}

// Normals that are computed and kept count: in a frame 12 bytes for each of 35 points, for the corners of 12 flat triangles, and
// for one that is not drawn.
static void kept_normals(void) {
  size_t size = 0;
  unsigned char* bytes = read_corpus("unreal/Models/ring.umsh", &size);
  size_t none = needed_for(bytes, size, 0), one = needed_for(bytes, size, 1), two = needed_for(bytes, size, 2);
  // Once for all frames: a list of two frames, and the normal of each of 144 corners.
  CHECK(two - one == 12 * (35 + 3 * 12 + 1) && one - none == two - one + 2 * sizeof(void*) + 4 * 144);
  free(bytes);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  corpus = argv[1];
  kept_normals();
  buffers();
  players();
  skins();
  errors_of_buffers();
  poses();
  errors();
  return finish("scenes");
}
