// Values that can be checked by hand, of files whose content the corpus describes.
#include "check.h"

// A torus around Z: radius 8, thickness 3, 6 rings of 4 sides, that turns once and rises by 0.25 with each of 5 frames.
static void arrays(void) {
  ml_asset* file = open_corpus("md3/animated.md3");
  ml_file_info info = {0};
  OK(ml_get_file_info(file, &info, &error));
  CHECK(info.format == ML_FORMAT_MD3 && strcmp(info.version, "15") == 0);
  CHECK(info.frame_count == 5 && info.surface_count == 1 && info.vertex_count == 35 && info.triangle_count == 48);
  CHECK(info.tag_count == 0 && info.byte_count > 1000);

  size_t count = 0, positions = ML_NONE, triangles = ML_NONE, texcoords = ML_NONE;
  OK(ml_get_array_count(file, &count, &error));
  for (size_t i = 0; i < count; i++) {
    ml_array array = {0};
    OK(ml_get_array(file, i, &array, &error));
    if (array.semantic == ML_SEMANTIC_POSITION && array.frame == 1) positions = i;
    if (array.semantic == ML_SEMANTIC_TRIANGLES) triangles = i;
    if (array.semantic == ML_SEMANTIC_TEXCOORD) texcoords = i;
    CHECK(array.format != NULL && array.format->size == sizeof(ml_array_format));
    CHECK(array.file_offset + array.data_size <= info.byte_count && array.mesh == 0 && array.lod == 0);
  }
  ml_array array = {0};
  OK(ml_get_array(file, positions, &array, &error));
  CHECK(array.count == 35 && array.stride == 8 && array.data_size == 34 * 8 + 6);
  const ml_array_format* format = array.format;
  CHECK(format->component == ML_COMPONENT_I16 && format->component_count == 3 && format->element_size == 6);
  CHECK(format->numbers == ML_NUMBERS_SCALED && format->scale == 1.0f / 64.0f);
  CHECK(format->value_component == ML_COMPONENT_F32 && format->value_component_count == 3 && format->value_size == 12);
  CHECK(format->gpu_format == ML_VERTEX_FORMAT_SINT16X4 && format->gpu_scale == 1.0f / 64.0f);
  CHECK(format->gltf_component_type == 5122 && format->gltf_scale == 1.0f / 64.0f && !format->is_indices);

  // The bytes themselves: vertex 0 is (11, 0, 0), turned by 72 degrees, in steps of 1/64.
  const unsigned char* raw = array.data;
  int x = (short)(raw[0] | raw[1] << 8), z = (short)(raw[4] | raw[5] << 8);
  CHECK(abs(x - 218) <= 1 && z == 16);

  float decoded[35][3];
  OK(ml_decode(file, positions, NULL, decoded, sizeof decoded, &error));
  CHECK(decoded[0][0] == (float)x / 64.0f && near(decoded[0][1], 10.4616f, 1.0f / 64) && decoded[0][2] == 0.25f);

  // The last two into every second slot of three floats, at an address that no float is aligned to.
  unsigned char memory[4 + 1 + 2 * 24];
  memset(memory, 0xee, sizeof memory);
  ml_decode_opts opts = {0};
  opts.first = 33;
  opts.offset = 4;
  opts.stride = 24;
  OK(ml_decode(file, positions, &opts, memory + 1, sizeof memory - 1, &error));
  float last[3];
  memcpy(last, memory + 1 + 4 + 24, sizeof last);
  CHECK(memcmp(last, decoded[34], sizeof last) == 0);
  CHECK(memory[4] == 0xee && memory[5 + 12] == 0xee && memory[5 + 23] == 0xee);

  uint32_t indices[144], largest = 0;
  OK(ml_decode_indices(file, triangles, indices, 144, &largest, &error));
  CHECK(largest == 34 && indices[0] == 0 && indices[1] == 6 && indices[2] == 5);
  OK(ml_decode_indices(file, triangles, indices, 144, NULL, &error));

  float uv[35][2];
  OK(ml_decode(file, texcoords, NULL, uv, sizeof uv, &error));
  CHECK(uv[0][0] == 0.0f && uv[0][1] == 1.0f && uv[34][0] == 1.0f && uv[34][1] == 0.0f);
  ml_close(file);
}

static void buffers(void) {
  ml_asset* file = open_corpus("md3/animated.md3");
  ml_model model = {0};
  OK(ml_get_model(file, &model, &error));
  CHECK(strcmp(model.name, "models/animated.md3") == 0 && model.mesh_count == 1 && model.material_count == 1);
  CHECK(model.space.up == ML_AXIS_Z && model.space.winding == ML_WINDING_CLOCKWISE);
  CHECK(model.handedness == ML_HANDEDNESS_RIGHT && model.meters == 0.0f && near(model.usual_meters, 0.0254f, 1e-6f));
  CHECK(model.placement.m[0] == 1.0f && model.placement.m[15] == 1.0f && model.placement.m[1] == 0.0f);
  ml_mesh mesh = {0};
  OK(ml_get_mesh(file, 0, &mesh, &error));
  CHECK(strcmp(mesh.name, "ring") == 0 && mesh.point_count == 35 && mesh.triangle_count == 48 && mesh.is_welded);
  CHECK(mesh.frame_count == 5 && mesh.material == 0 && mesh.texcoord_set_count == 1 && !mesh.has_skin);
  ml_material material = {0};
  OK(ml_get_material(file, 0, &material, &error));
  CHECK(strcmp(material.texture, "textures/ring.tga") == 0 && material.color[3] == 1.0f && !material.is_hidden);
  uint32_t has = 7;
  OK(ml_has_attribute(file, 0, ML_ATTRIBUTE_NORMAL, 0, &has, &error));
  CHECK(has == 1);
  OK(ml_has_attribute(file, 0, ML_ATTRIBUTE_TEXCOORD, 1, &has, &error));
  CHECK(has == 0);
  OK(ml_has_attribute(file, 0, ML_ATTRIBUTE_JOINTS, 0, &has, &error));
  CHECK(has == 0);

  ml_bounds bounds;
  OK(ml_get_bounds(file, 0, 0, &bounds, &error));
  CHECK(bounds.min[0] == -11.0f && bounds.max[0] == 11.0f && bounds.min[2] == -3.0f && bounds.max[2] == 3.0f);
  OK(ml_get_bounds(file, ML_NONE, 4, &bounds, &error));
  CHECK(bounds.min[2] == -2.0f && bounds.max[2] == 4.0f);

  char name[16];
  OK(ml_get_frame_name(file, ML_NONE, 3, name, sizeof name, &error));
  CHECK(strcmp(name, "frame_3") == 0);
  OK(ml_get_frame_name(file, ML_NONE, 3, name, 4, &error));
  CHECK(strcmp(name, "fra") == 0);
  ml_close(file);
}

// Tags that turn by a third with each of 3 frames, and rise by 0.25.
static void tags(void) {
  ml_asset* file = open_corpus("md3/tagged.md3");
  size_t tag = 7;
  OK(ml_find_tag(file, "TAG_hand", &tag, &error));
  CHECK(tag == 0);
  OK(ml_find_tag(file, "tag_foot", &tag, &error));
  CHECK(tag == ML_NONE);
  const char* name = NULL;
  OK(ml_get_tag_name(file, 1, &name, &error));
  CHECK(strcmp(name, "tag_head") == 0);
  ml_tag_pose pose;
  ml_blend blend = {0, 0, 0.0f};
  OK(ml_get_tag_pose(file, 0, blend, &pose, &error));
  CHECK(pose.origin[0] == 0.0f && pose.origin[1] == 10.0f && pose.origin[2] == 14.0f);
  CHECK(pose.axes[0][0] == 1.0f && pose.axes[1][1] == 1.0f && pose.rotation[3] == 1.0f);
  blend.b = 1;
  blend.weight = 1.0f;
  OK(ml_get_tag_pose(file, 0, blend, &pose, &error));
  CHECK(near(pose.origin[0], -8.66025f, 1e-4f) && near(pose.origin[1], -5.0f, 1e-4f) && pose.origin[2] == 14.25f);
  // A turn of 120 degrees around Z.
  CHECK(near(pose.rotation[2], 0.866025f, 1e-5f) && near(pose.rotation[3], 0.5f, 1e-5f));

  ml_close(file);
}

static void reports(void) {
  ml_asset* file = open_corpus("md3/empty_surface.md3");
  ml_report* report = NULL;
  OK(ml_validate(file, 0, &report, &error));
  // A report stays when its file is closed.
  ml_close(file);
  ml_report_info info = {0};
  OK(ml_get_report_info(report, &info, &error));
  CHECK(info.total == info.errors + info.warnings + info.infos + info.hints && info.infos >= 1);
  int found = 0;
  for (size_t i = 0; i < info.finding_count; i++) {
    ml_finding finding = {0};
    OK(ml_get_finding(report, i, &finding, &error));
    if (strcmp(finding.code, "SURFACE_EMPTY") != 0) continue;
    found++;
    CHECK(finding.severity == ML_SEVERITY_INFO && strcmp(finding.pointer, "/surfaces/0") == 0);
    CHECK(finding.message[0] != 0 && finding.count == 1 && finding.offset != ML_NO_OFFSET);
  }
  CHECK(found == 1);
  size_t grouped = 0;
  for (size_t i = 0; i < info.group_count; i++) {
    ml_finding_group group = {0};
    OK(ml_get_finding_group(report, i, &group, &error));
    grouped += group.finding_count;
  }
  CHECK(grouped == info.total);
  OK(ml_close_report(report));
  ml_explanation explanation = {0};
  OK(ml_explain("SURFACE_EMPTY", &explanation, &error));
  CHECK(explanation.severity == ML_SEVERITY_INFO && strcmp(explanation.remedy, "Remove the surface.") == 0);
  // The codes of the report of an asset.
  OK(ml_explain("TEXTURE_NOT_FOUND", &explanation, &error));
  CHECK(strcmp(explanation.remedy, "Mount the archive or the folder that contains it.") == 0);
  OK(ml_explain("NAME_REFUSED", &explanation, &error));
  // A struct of another size, as of another version, has terminated texts.
  memset(&explanation, 0x7f, sizeof explanation);
  explanation.size = offsetof(ml_explanation, meaning) + 4;
  OK(ml_explain("SURFACE_EMPTY", &explanation, &error));
  CHECK(strlen(explanation.meaning) == 3 && explanation.meaning[4] == 0x7f);
}

// A GLB collected in memory.
typedef struct {
  unsigned char* bytes;
  size_t size;
  uint64_t done, total;
} glb;

static int collect(void* user, const void* data, size_t size) {
  glb* out = user;
  out->bytes = realloc(out->bytes, out->size + size);
  memcpy(out->bytes + out->size, data, size);
  out->size += size;
  return 0;
}

static int progress(void* user, uint64_t done, uint64_t total) {
  glb* out = user;
  CHECK(done >= out->done && done <= total);
  out->done = done;
  out->total = total;
  return 0;
}

static int texture(void* user, const char* path, ml_texture* found) {
  CHECK(strcmp(path, "textures/ring.tga") == 0);
  found->uri = user;
  return 0;
}

static void exports(void) {
  ml_asset* file = open_corpus("md3/animated.md3");
  glb out = {0};
  ml_glb_opts opts = {0};
  opts.progress = progress;
  opts.progress_user = &out;
  opts.find_texture = texture;
  opts.find_texture_user = (void*)"ring.png";
  ml_report* losses = NULL;
  OK(ml_write_glb(file, &opts, collect, &out, &losses, &error));
  CHECK(out.size > 100 && memcmp(out.bytes, "glTF\2\0\0\0", 8) == 0);
  uint32_t size = (uint32_t)out.bytes[8] | (uint32_t)out.bytes[9] << 8 | (uint32_t)out.bytes[10] << 16;
  CHECK(size == out.size && out.done == out.size && out.total == out.size);
  out.bytes[out.size - 1] = 0;
  const char* json = (const char*)out.bytes + 20;
  CHECK(strstr(json, "ring.png") != NULL && strstr(json, "\"targets\"") != NULL);
  CHECK(ml_close_report(losses) == ML_OK);

  // One frame has no morph targets. A second model hangs on a tag of the first.
  ml_asset* tagged = open_corpus("md3/tagged.md3");
  ml_glb_node node = {file, "ring", 0, 0, 0};
  opts.frames = ML_GLB_FRAMES_ONE;
  opts.nodes = &node;
  opts.node_count = 1;
  free(out.bytes);
  memset(&out, 0, sizeof out);
  opts.find_texture = NULL;
  OK(ml_write_glb(tagged, &opts, collect, &out, NULL, &error));
  out.bytes[out.size - 1] = 0;
  json = (const char*)out.bytes + 20;
  CHECK(strstr(json, "\"ring\"") != NULL && strstr(json, "\"targets\"") == NULL);
  free(out.bytes);
  ml_close(tagged);
  ml_close(file);
}

// A skeleton in place of morph targets.
static void skeletons(void) {
  ml_asset* file = open_corpus("gallery/walker.md3");
  glb out = {0};
  ml_glb_opts opts = {0};
  opts.flags = ML_GLB_SKELETON | ML_GLB_QUANTIZE;
  opts.skeleton_error = 0.2;
  OK(ml_write_glb(file, &opts, collect, &out, NULL, &error));
  out.bytes[out.size - 1] = 0;
  const char* json = (const char*)out.bytes + 20;
  CHECK(strstr(json, "\"skins\"") != NULL && strstr(json, "\"targets\"") == NULL);
  CHECK(strstr(json, "\"animations\"") != NULL);
  free(out.bytes);
  memset(&out, 0, sizeof out);
  // No skeleton is as close as this.
  opts.skeleton_error = 1e-9;
  EXPECT(ML_ERROR_UNSUPPORTED, ml_write_glb(file, &opts, collect, &out, NULL, &error));
  opts.skeleton_error = -1;
  EXPECT(ML_ERROR_ARGUMENT, ml_write_glb(file, &opts, collect, &out, NULL, &error));
  CHECK(out.size == 0);
  ml_close(file);
}

// A tangent frame is a quaternion x, y, z, w that rotates Z to the normal.
static void tangent_frames(void) {
  ml_asset* file = open_corpus("unigine/box_ms13.mesh");
  size_t count = 0, found = 0;
  OK(ml_get_array_count(file, &count, &error));
  for (size_t i = 0; i < count; i++) {
    ml_array array = {0};
    OK(ml_get_array(file, i, &array, &error));
    if (array.semantic != ML_SEMANTIC_TANGENT_FRAME) continue;
    CHECK(array.format->value_component_count == 4 && array.format->value_size == 16);
    float(*frames)[4] = malloc(array.count * sizeof *frames);
    OK(ml_decode(file, i, NULL, frames, array.count * sizeof *frames, &error));
    for (size_t k = 0; k < array.count; k++, found++) {
      const float x = frames[k][0], y = frames[k][1], z = frames[k][2], w = frames[k][3];
      const float normal[3] = {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)};
      // The normals of a box lie along the axes.
      float largest = 0;
      for (int axis = 0; axis < 3; axis++) largest = fmaxf(largest, fabsf(normal[axis]));
      CHECK(near(x * x + y * y + z * z + w * w, 1, 1e-3f) && near(largest, 1, 1e-3f));
    }
    free(frames);
  }
  CHECK(found == 24);
  ml_close(file);
}

static void names(void) {
  CHECK(ml_abi_version() == ML_ABI_VERSION && ml_version()[0] != 0);
  CHECK(strcmp(ml_result_name(ML_ERROR_INDEX), "INDEX_OUT_OF_RANGE") == 0);
  CHECK(strcmp(ml_result_name(12345), "UNKNOWN") == 0);
  CHECK(strcmp(ml_format_name(ML_FORMAT_UNIGINE), "unigine") == 0 && ml_format_name(77)[0] == 0);
  CHECK(strcmp(ml_semantic_name(ML_SEMANTIC_POSITION), "positions") == 0);
  CHECK(ml_vertex_format_size(ML_VERTEX_FORMAT_UNORM16X4) == 8 && ml_vertex_format_size(-1) == 0);
  ml_format format = ML_FORMAT_UNREAL;
  char version[8];
  size_t size;
  unsigned char* bytes = read_corpus("u3d/v2_static_aes.u3d", &size);
  OK(ml_detect(bytes, size < 64 ? size : 64, &format, version, sizeof version, &error));
  CHECK(format == ML_FORMAT_U3D && version[0] == '2');
  OK(ml_detect("nothing", 7, &format, NULL, 0, &error));
  CHECK(format == ML_FORMAT_DETECT);
  free(bytes);
}

int main(int argc, char** argv) {
  corpus = argc > 1 ? argv[1] : "corpus";
  arrays();
  buffers();
  tags();
  reports();
  exports();
  skeletons();
  tangent_frames();
  names();
  return finish("values");
}
