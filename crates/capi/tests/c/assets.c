// Models by name: folders, archives, file systems of the caller's, and what belongs to a model.
#include <sys/stat.h>

#include "check.h"

static const char* scratch;

static ml_assets* corpus_assets(void) {
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  return assets;
}

typedef struct {
  char* bytes;
  size_t size;
} text;

static int append(void* user, const void* bytes, size_t size) {
  text* out = user;
  out->bytes = realloc(out->bytes, out->size + size);
  // A GLB has NULs after its document.
  memcpy(out->bytes + out->size, bytes, size);
  out->size += size;
  return 0;
}

static int has(const text* out, const char* word) {
  const size_t len = strlen(word);
  for (size_t i = 0; i + len <= out->size; i++)
    if (memcmp(out->bytes + i, word, len) == 0) return 1;
  return 0;
}

// The files of a model travel in the glTF file, unless they are left out.
static void carried(void) {
  ml_assets* assets = corpus_assets();
  ml_asset* asset = NULL;
  ml_asset *lower = NULL, *upper = NULL;
  OK(ml_open_asset(assets, "md3/player", NULL, &asset, &error));
  OK(ml_get_node_asset(asset, 0, 0, &lower, &error));
  OK(ml_get_node_asset(asset, 1, 0, &upper, &error));
  const ml_glb_node node = {upper, "upper", 0, 0, 0};
  ml_glb_opts opts = {0};
  opts.name = "lower";
  opts.nodes = &node;
  opts.node_count = 1;
  for (int left_out = 0; left_out < 2; left_out++) {
    text out = {0};
    opts.flags = left_out ? ML_GLB_NO_FILES : 0;
    OK(ml_write_glb(lower, &opts, append, &out, NULL, &error));
    CHECK(has(&out, "animation.cfg") == !left_out && has(&out, "lower_red.skin") == !left_out);
    CHECK(has(&out, "upper_red.skin") == !left_out && has(&out, "head_red.skin") == 0);
    CHECK(has(&out, "headoffset 0 0 2.5") == !left_out);
    free(out.bytes);
  }
  ml_close(lower);
  ml_close(upper);

  // They travel on when the glTF file is written again.
  text whole = {0};
  OK(ml_write_glb(asset, NULL, append, &whole, NULL, &error));
  ml_close(asset);
  CHECK(has(&whole, "animation.cfg") && has(&whole, "head_red.skin"));
  save(scratch, "carried.glb", whole.bytes, whole.size);
  free(whole.bytes);
  OK(ml_mount_folder(assets, scratch, &error));
  OK(ml_open_asset(assets, "carried.glb", NULL, &asset, &error));
  for (int left_out = 0; left_out < 2; left_out++) {
    text out = {0};
    opts = (ml_glb_opts){0};
    opts.flags = left_out ? ML_GLB_NO_FILES : 0;
    OK(ml_write_glb(asset, &opts, append, &out, NULL, &error));
    CHECK(has(&out, "animation.cfg") == !left_out && has(&out, "head_red.skin") == !left_out);
    free(out.bytes);
  }
  ml_close(asset);
  ml_free_assets(assets);
}

// The skins of a model are variants of its materials, if that is asked for, and files as well, unless these are left out.
static void variants(void) {
  size_t size = 0;
  unsigned char* lower = read_corpus("md3/player/lower.md3", &size);
  const char red[] = "l_legs,models/red.tga\n", blue[] = "l_legs,models/blue.tga\n";
  save(scratch, "legs.md3", lower, size);
  save(scratch, "legs_red.skin", red, sizeof red - 1);
  save(scratch, "legs_blue.skin", blue, sizeof blue - 1);
  free(lower);
  ml_assets* assets = NULL;
  ml_asset* asset = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, scratch, &error));
  OK(ml_open_asset(assets, "legs.md3", NULL, &asset, &error));
  const unsigned int flags[3] = {0, ML_GLB_VARIANTS, ML_GLB_VARIANTS | ML_GLB_NO_FILES};
  for (int i = 0; i < 3; i++) {
    text out = {0};
    ml_glb_opts opts = {0};
    opts.flags = flags[i];
    OK(ml_write_glb(asset, &opts, append, &out, NULL, &error));
    CHECK(has(&out, "\"variants\":[{\"name\":\"blue\"},{\"name\":\"red\"}]") == (i > 0));
    CHECK(has(&out, "\"name\":\"models/blue.tga\"") == (i > 0));
    CHECK(has(&out, "\"variants\":[1]") == (i > 0) && has(&out, "legs_red.skin") == (i < 2));
    free(out.bytes);
  }
  ml_close(asset);
  ml_free_assets(assets);
}

// A player: legs, torso and head, with the clips of animation.cfg.
static void player(void) {
  ml_assets* assets = corpus_assets();
  ml_asset_opts opts = {0};
  opts.skin = "red";
  ml_asset* asset = NULL;
  OK(ml_open_asset(assets, "MD3/Player", &opts, &asset, &error));
  CHECK(ml_free_assets(assets) == ML_OK);
  ml_asset_info info = {0};
  OK(ml_get_asset_info(asset, &info, &error));
  // Three models, three skins, and animation.cfg, which the legs and the torso share.
  CHECK(info.node_count == 3 && info.file_count == 7 && info.lookup_count >= info.file_count);
  const char* names[3] = {"lower", "upper", "head"};
  const size_t clips[3] = {18, 13, 0}, rests[3] = {2, 3, 0};
  ml_asset* parts[3];
  for (size_t i = 0; i < 3; i++) {
    ml_asset_node node = {0};
    OK(ml_get_asset_node(asset, i, &node, &error));
    CHECK(strcmp(node.name, names[i]) == 0 && node.rest_frame == rests[i] && node.lod_count == 0);
    CHECK(node.parent == (i == 0 ? ML_NONE : i - 1) && (i == 0) == (node.tag == ML_NONE));
    OK(ml_get_node_asset(asset, i, 0, &parts[i], &error));
    ml_model model = {0};
    OK(ml_get_model(parts[i], &model, &error));
    CHECK(model.clip_count == clips[i] && model.mesh_count == 1);
    ml_material material = {0};
    OK(ml_get_material(parts[i], 0, &material, &error));
    CHECK(strcmp(material.name, "models/players/block/red.tga") == 0);
    ml_file_info file = {0};
    OK(ml_get_file_info(parts[i], &file, &error));
    CHECK(file.format == ML_FORMAT_MD3 && file.surface_count == 1);
    size_t count = 0;
    OK(ml_get_array_count(parts[i], &count, &error));
    CHECK(count > 0);
  }
  ml_asset_file used = {0};
  OK(ml_get_asset_file(asset, 0, &used, &error));
  CHECK(strcmp(used.rule, "PlayerPart") == 0 && strstr(used.path, "lower.md3") != NULL && used.byte_count > 108);
  ml_asset_lookup lookup = {0};
  int found = 0;
  for (size_t i = 0; i < info.lookup_count; i++) {
    OK(ml_get_asset_lookup(asset, i, &lookup, &error));
    found += lookup.found != NULL && strcmp(lookup.rule, "AnimationConfig") == 0;
  }
  CHECK(found == 2);
  ml_report* report = NULL;
  OK(ml_get_asset_report(asset, &report, &error));
  CHECK(ml_close_report(report) == ML_OK);
  // Parts stay when the asset is closed.
  CHECK(ml_close(asset) == ML_OK);

  // Legs walk in the frames 2 and 3 of their file: animation.cfg counts on from those of the torso.
  size_t walk = ML_NONE;
  OK(ml_find_clip(parts[0], "legs_walkcr", &walk, &error));
  ml_clip clip = {0};
  OK(ml_get_clip(parts[0], walk, &clip, &error));
  CHECK(clip.first_frame == 2 && clip.frame_count == 2 && clip.loop_frame_count == 2 && clip.rate == 15.0f);
  ml_blend blend;
  OK(ml_sample_clip(parts[0], walk, 0.1f, &blend, &error));
  CHECK(blend.a == 3 && blend.b == 2 && near(blend.weight, 0.5f, 1e-4f));
  for (size_t i = 0; i < 3; i++) CHECK(ml_close(parts[i]) == ML_OK);
}

static void scripts(void) {
  ml_asset* asset = NULL;
  OK(ml_open_path(NULL, path_of("unreal/Classes/Figure.uc"), NULL, &asset, &error));
  ml_asset* file = NULL;
  OK(ml_get_node_asset(asset, 0, 0, &file, &error));
  ml_model model = {0};
  OK(ml_get_model(file, &model, &error));
  CHECK(strcmp(model.name, "figure") == 0 && model.clip_count == 2 && model.frame_count == 3);
  // The scale of the script, and a quarter of a turn.
  CHECK(near(fabsf(model.placement.m[10]), 0.2f, 1e-6f) && near(fabsf(model.placement.m[1]), 0.1f, 1e-6f));
  ml_clip clip = {0};
  OK(ml_get_clip(file, 1, &clip, &error));
  CHECK(strcmp(clip.name, "Turn") == 0 && clip.first_frame == 1 && clip.frame_count == 2 && clip.rate == 7.5f);
  // Points and corners are indexed apart, so that vertices have to be welded.
  ml_mesh mesh = {0};
  OK(ml_get_mesh(file, 0, &mesh, &error));
  ml_scene* scene = NULL;
  OK(ml_open_scene(asset, NULL, 0, &scene, &error));
  ml_scene_mesh drawn = {0};
  OK(ml_get_scene_mesh(scene, 0, &drawn, &error));
  CHECK(!mesh.is_welded && mesh.point_count == 72 && mesh.corner_count == 111 && drawn.vertex_count == 72);
  ml_close_scene(scene);
  ml_close(file);
  ml_close(asset);

  // The same by hand.
  const ml_input_file files[] = {
      {path_of("unreal/Models/figure_d.3d"), NULL, 0, ML_ROLE_BY_NAME},
      {path_of("unreal/Models/figure_a.3d"), NULL, 0, ML_ROLE_BY_NAME},
      {path_of("unreal/Classes/Figure.uc"), NULL, 0, ML_ROLE_BY_NAME},
  };
  OK(ml_open_files(files, COUNT(files), NULL, &file, &error));
  ml_model same = {0};
  OK(ml_get_model(file, &same, &error));
  CHECK(same.clip_count == 2 && memcmp(&same.placement, &model.placement, sizeof model.placement) == 0);
  ml_close(file);

  // Both files of a mesh in one: a torus of 6 by 4 squares.
  file = open_corpus("unreal/Models/ring.umsh");
  OK(ml_get_mesh(file, 0, &mesh, &error));
  CHECK(mesh.triangle_count == 48 && mesh.frame_count == 2);
  ml_close(file);
}

static void levels_and_archives(void) {
  ml_asset* asset = NULL;
  OK(ml_open_path(NULL, path_of("md3/static.md3"), NULL, &asset, &error));
  ml_asset_node node = {0};
  OK(ml_get_asset_node(asset, 0, &node, &error));
  CHECK(node.lod_count == 1);
  ml_asset* coarse = NULL;
  OK(ml_get_node_asset(asset, 0, 1, &coarse, &error));
  ml_mesh mesh = {0};
  OK(ml_get_mesh(coarse, 0, &mesh, &error));
  ml_file_info info = {0};
  OK(ml_get_file_info(coarse, &info, &error));
  CHECK(strcmp(mesh.name, "figure_1") == 0 && info.vertex_count == 24);
  ml_close(coarse);
  EXPECT(ML_ERROR_INDEX, ml_get_node_asset(asset, 0, 2, &coarse, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_node_asset(asset, 1, 0, &coarse, &error));
  ml_close(asset);

  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_archive(assets, path_of("md3/models.pk3"), &error));
  ml_asset_opts opts = {0};
  opts.flags = ML_ASSET_NO_LODS | ML_ASSET_NO_MATERIALS;
  OK(ml_open_asset(assets, "models/Deflated.md3", &opts, &asset, &error));
  ml_asset* file = NULL;
  OK(ml_get_node_asset(asset, 0, 0, &file, &error));
  OK(ml_get_file_info(file, &info, &error));
  CHECK(info.byte_count == 2820);
  ml_close(file);
  ml_close(asset);
  ml_free_assets(assets);
}

static int count_entry(void* user, const char* name, uint32_t is_folder) {
  CHECK(name[0] != 0);
  ((int*)user)[is_folder ? 1 : 0]++;
  return 0;
}

static int take(void* user, const void* data, size_t size) {
  (void)data;
  *(size_t*)user = size;
  return 0;
}

static int refuse(void* user, const void* data, size_t size) {
  (void)user;
  (void)data;
  (void)size;
  return 1;
}

static int refuse_entry(void* user, const char* name, uint32_t is_folder) {
  (void)user;
  (void)name;
  (void)is_folder;
  return 1;
}

static void copy_to(const char* name, const char* to) {
  size_t size = 0;
  unsigned char* bytes = read_corpus(name, &size);
  save(scratch, to, bytes, size);
  free(bytes);
}

// The findings, the counts and the scene of an asset are those of all its nodes.
static void all_nodes(void) {
  char folder[1024];
  snprintf(folder, sizeof folder, "%s/odd", scratch);
  CHECK(mkdir(folder, 0777) == 0);
  copy_to("md3/player/lower.md3", "odd/lower.md3");
  copy_to("md3/player/upper.md3", "odd/upper.md3");
  size_t size = 0;
  unsigned char* head = read_corpus("md3/player/head.md3", &size);
  // The flags of the head are set, which a file has no use for.
  head[72] = 1;
  save(scratch, "odd/head.md3", head, size);
  free(head);
  ml_asset *asset = NULL, *part = NULL;
  OK(ml_open_path(NULL, folder, NULL, &asset, &error));
  ml_file_info all = {0}, one = {0};
  OK(ml_get_file_info(asset, &all, &error));
  CHECK(all.format == ML_FORMAT_MD3 && strcmp(all.version, "15") == 0);
  ml_file_info sum = {0};
  uint64_t findings = 0;
  for (size_t node = 0; node < 4; node++) {
    ml_report* report = NULL;
    ml_report_info info = {0};
    // The fourth is the player.
    if (node < 3) OK(ml_get_node_asset(asset, node, 0, &part, &error));
    OK(ml_validate(node < 3 ? part : asset, 0, &report, &error));
    OK(ml_get_report_info(report, &info, &error));
    ml_close_report(report);
    if (node == 3) {
      CHECK(info.total == findings && findings == 1);
      continue;
    }
    CHECK(info.total == (node == 2));
    findings += info.total;
    OK(ml_get_file_info(part, &one, &error));
    sum.frame_count = one.frame_count > sum.frame_count ? one.frame_count : sum.frame_count;
    sum.surface_count += one.surface_count;
    sum.vertex_count += one.vertex_count;
    sum.triangle_count += one.triangle_count;
    sum.tag_count += one.tag_count;
    sum.byte_count += one.byte_count;
    ml_close(part);
  }
  CHECK(all.surface_count == 3 && all.surface_count == sum.surface_count && all.byte_count == sum.byte_count);
  CHECK(all.frame_count == sum.frame_count && all.vertex_count == sum.vertex_count);
  CHECK(all.triangle_count == sum.triangle_count && all.tag_count == sum.tag_count);

  text out = {0};
  OK(ml_write_glb(asset, NULL, append, &out, NULL, &error));
  CHECK(has(&out, "\"name\":\"lower\"") && has(&out, "\"name\":\"upper\"") && has(&out, "\"name\":\"head\""));
  save(scratch, "odd.glb", out.bytes, out.size);
  free(out.bytes);
  ml_asset* written = NULL;
  snprintf(folder, sizeof folder, "%s/odd.glb", scratch);
  OK(ml_open_path(NULL, folder, NULL, &written, &error));
  ml_scene* scenes[2] = {NULL, NULL};
  ml_bounds boxes[2];
  const ml_convert_opts gltf = {0, ML_SPACE_GLTF, 1, {0, 0, 0, 0}};
  for (int i = 0; i < 2; i++) {
    OK(ml_open_scene(i == 0 ? asset : written, &gltf, 0, &scenes[i], &error));
    OK(ml_get_scene_bounds(scenes[i], NULL, &boxes[i], &error));
    ml_close_scene(scenes[i]);
  }
  for (int axis = 0; axis < 3; axis++) {
    CHECK(near(boxes[0].min[axis], boxes[1].min[axis], 1e-3f) && near(boxes[0].max[axis], boxes[1].max[axis], 1e-3f));
  }
  ml_close(written);

  // Another player in the hand of the first one: its nodes come after those, and hang on one another.
  const ml_glb_node held = {asset, "held", 1, 0, 1};
  ml_glb_opts opts = {0};
  opts.name = "feet";
  opts.rest_frame = 1;
  opts.nodes = &held;
  opts.node_count = 1;
  memset(&out, 0, sizeof out);
  OK(ml_write_glb(asset, &opts, append, &out, NULL, &error));
  CHECK(has(&out, "\"name\":\"feet\"") && has(&out, "\"name\":\"held\"") && !has(&out, "\"name\":\"lower\""));
  save(scratch, "odd.glb", out.bytes, out.size);
  free(out.bytes);
  OK(ml_open_path(NULL, folder, NULL, &written, &error));
  ml_asset_info info = {0};
  OK(ml_get_asset_info(written, &info, &error));
  CHECK(info.node_count == 6);
  ml_asset_node node = {0};
  const size_t parents[6] = {ML_NONE, 0, 1, 1, 3, 4};
  for (size_t i = 0; i < 6; i++) {
    OK(ml_get_asset_node(written, i, &node, &error));
    CHECK(node.parent == parents[i]);
  }
  ml_close(written);
  ml_close(asset);
}

static int picture(void* user, const char* path, ml_texture* texture) {
  const text* png = user;
  (void)path;
  texture->data = png->bytes;
  texture->data_size = png->size;
  return 0;
}

// A model of glTF has everything that a model of a game has, except the arrays of a file.
static void imported(void) {
  ml_asset *asset = NULL, *upper = NULL;
  size_t length = 0;
  unsigned char* bytes = read_corpus("../crates/testkit/doors/player.glb", &length);
  ml_asset_info whole = {0};
  OK(ml_open_memory(bytes, length, NULL, &asset, &error));
  OK(ml_get_asset_info(asset, &whole, &error));
  CHECK(whole.node_count == 3);
  ml_close(asset);
  free(bytes);
  OK(ml_open_path(NULL, path_of("../crates/testkit/doors/player.glb"), NULL, &asset, &error));
  ml_file_info info = {0};
  OK(ml_get_file_info(asset, &info, &error));
  CHECK(info.format == ML_FORMAT_DETECT && strcmp(info.version, "2.0") == 0 && info.surface_count == 3);
  CHECK(info.byte_count > 1000 && info.triangle_count == 48);
  ml_report *report = NULL, *opened = NULL;
  ml_report_info counts[2] = {{0}, {0}};
  OK(ml_validate(asset, 0, &report, &error));
  OK(ml_get_asset_report(asset, &opened, &error));
  OK(ml_get_report_info(report, &counts[0], &error));
  OK(ml_get_report_info(opened, &counts[1], &error));
  CHECK(counts[0].total == counts[1].total);
  ml_close_report(report);
  ml_close_report(opened);
  EXPECT(ML_ERROR_INDEX, ml_get_node_asset(asset, 3, 0, &upper, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_node_asset(asset, 0, 1, &upper, &error));
  OK(ml_get_node_asset(asset, 1, 0, &upper, &error));
  ml_model model = {0};
  OK(ml_get_model(upper, &model, &error));
  CHECK(model.mesh_count == 1 && model.material_count == 1 && model.clip_count > 0 && model.tag_count > 0);
  ml_mesh mesh = {0};
  OK(ml_get_mesh(upper, 0, &mesh, &error));
  ml_material material = {0};
  OK(ml_get_material(upper, 0, &material, &error));
  CHECK(mesh.triangle_count > 0 && mesh.material == 0 && strstr(material.name, "models/players") == material.name);
  size_t tag = ML_NONE;
  OK(ml_find_tag(upper, "tag_head", &tag, &error));
  CHECK(tag != ML_NONE);
  ml_clip clip = {0};
  OK(ml_get_clip(upper, 0, &clip, &error));
  ml_bounds box;
  OK(ml_get_bounds(upper, ML_NONE, 0, &box, &error));
  CHECK(clip.frame_count > 0 && box.max[0] > box.min[0]);
  size_t size = 0;
  EXPECT(ML_ERROR_MISSING, ml_read_texture(upper, 0, take, &size, NULL, &error));
  OK(ml_validate(upper, 0, &report, &error));
  ml_close_report(report);
  text out = {0};
  OK(ml_write_glb(asset, NULL, append, &out, &report, &error));
  CHECK(has(&out, "\"name\":\"lower\"") && has(&out, "\"name\":\"upper\"") && has(&out, "\"name\":\"head\""));
  ml_close_report(report);
  free(out.bytes);
  memset(&out, 0, sizeof out);
  OK(ml_write_glb(upper, NULL, append, &out, NULL, &error));
  CHECK(has(&out, "\"name\":\"model\"") && !has(&out, "\"name\":\"head\""));
  free(out.bytes);

  // What needs a file of one of the formats.
  ml_array array = {0};
  uint32_t index = 0;
  EXPECT(ML_ERROR_UNSUPPORTED, ml_get_file_info(upper, &info, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_get_array_count(upper, &size, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_get_array(asset, 0, &array, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_decode(upper, 0, NULL, &index, sizeof index, &error));
  EXPECT(ML_ERROR_UNSUPPORTED, ml_decode_indices(upper, 0, &index, 1, NULL, &error));
  ml_close(asset);
  ml_close(upper);

  // Joints, and a file of two.
  OK(ml_open_path(NULL, path_of("../crates/testkit/doors/walk.gltf"), NULL, &asset, &error));
  OK(ml_get_model(asset, &model, &error));
  CHECK(model.joint_count > 0 && model.animation_count > 0);
  ml_joint joint = {0};
  OK(ml_get_joint(asset, 0, &joint, &error));
  ml_animation animation = {0};
  OK(ml_get_animation(asset, 0, &animation, &error));
  ml_transform* pose = calloc(model.joint_count, sizeof *pose);
  OK(ml_get_pose(asset, 0, 0.1f, pose, model.joint_count, &error));
  free(pose);
  ml_close(asset);

  // An image that the file contains.
  ml_assets* assets = corpus_assets();
  text png = {0};
  char type[16] = "";
  OK(ml_open_asset(assets, "gallery/crate.md3", NULL, &asset, &error));
  OK(ml_read_texture(asset, 0, append, &png, type, &error));
  ml_glb_opts opts = {0};
  opts.find_texture = picture;
  opts.find_texture_user = &png;
  memset(&out, 0, sizeof out);
  OK(ml_write_glb(asset, &opts, append, &out, NULL, &error));
  save(scratch, "crate.glb", out.bytes, out.size);
  free(out.bytes);
  ml_close(asset);
  OK(ml_mount_folder(assets, scratch, &error));
  OK(ml_open_asset(assets, "crate.glb", NULL, &asset, &error));
  memset(&out, 0, sizeof out);
  OK(ml_read_texture(asset, 0, append, &out, type, &error));
  CHECK(strcmp(type, "image/png") == 0 && out.size == png.size && memcmp(out.bytes, png.bytes, png.size) == 0);
  free(out.bytes);
  ml_close(asset);

  // Images beside the file: a color, and normals.
  static const char tile[] =
      "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
      "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0,\"TEXCOORD_0\":1},\"material\":0}]}],"
      "\"materials\":[{\"name\":\"stone\",\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}},"
      "\"normalTexture\":{\"index\":0}}],\"textures\":[{\"source\":0}],\"images\":[{\"uri\":\"stone.png\"}],"
      "\"buffers\":[{\"uri\":\"tile.bin\",\"byteLength\":60}],"
      "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36},{\"buffer\":0,\"byteOffset\":36,\"byteLength\":24}],"
      "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],"
      "\"max\":[1,1,0]},{\"bufferView\":1,\"componentType\":5126,\"count\":3,\"type\":\"VEC2\"}]}";
  const float corners[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1};
  save(scratch, "tile.gltf", tile, sizeof tile - 1);
  save(scratch, "tile.bin", corners, sizeof corners);
  save(scratch, "stone.png", png.bytes, png.size);
  free(png.bytes);
  OK(ml_refresh_assets(assets, &error));
  OK(ml_open_asset(assets, "tile.gltf", NULL, &asset, &error));
  ml_scene* scene = NULL;
  ml_submesh range = {0};
  OK(ml_open_scene(asset, NULL, 0, &scene, &error));
  OK(ml_get_submesh(scene, 0, 0, &range, &error));
  ml_close_scene(scene);
  OK(ml_get_material(asset, range.material, &material, &error));
  CHECK(strcmp(material.name, "stone") == 0);
  OK(ml_read_texture(asset, range.material, take, &size, type, &error));
  OK(ml_read_normal_map(asset, range.material, take, &size, type, &error));
  CHECK(strcmp(type, "image/png") == 0 && size > 100);
  ml_close(asset);
  save(scratch, "broken.glb", "glTF", 4);
  OK(ml_refresh_assets(assets, &error));
  EXPECT(ML_ERROR_VALUE, ml_open_asset(assets, "broken.glb", NULL, &asset, &error));
  copy_to("../crates/testkit/doors/walk.gltf", "alone.gltf");
  OK(ml_refresh_assets(assets, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_asset(assets, "alone.gltf", NULL, &asset, &error));
  ml_free_assets(assets);
}

static void finding(void) {
  ml_models* models = NULL;
  OK(ml_find_models_at(NULL, path_of("md3/models.pk3"), 0, &models, &error));
  ml_models_info info = {0};
  OK(ml_get_models_info(models, &info, &error));
  CHECK(info.model_count == 3 && info.fault_count == 0);
  ml_found_model found = {0};
  OK(ml_get_found_model(models, 0, &found, &error));
  CHECK(strstr(found.name, "models.pk3!models/deflated.md3") != NULL && strstr(found.path, "/deflated.md3") != NULL);
  CHECK(found.file_count == 1 && !found.is_unpaired);
  ml_asset* asset = NULL;
  OK(ml_open_found(models, 1, NULL, &asset, &error));
  ml_close(asset);
  EXPECT(ML_ERROR_INDEX, ml_open_found(models, 3, NULL, &asset, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_found_model(models, 3, &found, &error));
  ml_error fault = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_find_fault(models, 0, &fault, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_find_fault(NULL, 0, &fault, &error));
  ml_close_models(models);

  ml_assets* assets = corpus_assets();
  OK(ml_find_models(assets, "unreal", ML_FIND_CONTENT | ML_FIND_ARCHIVES, &models, &error));
  OK(ml_get_models_info(models, &info, &error));
  CHECK(info.model_count > 5 && info.fault_count == 0);
  ml_close_models(models);
  // What is not there is a fault, and no model.
  OK(ml_find_models_at(NULL, path_of("nothing.md3"), 0, &models, &error));
  OK(ml_get_models_info(models, &info, &error));
  if (info.fault_count == 1) {
    OK(ml_get_find_fault(models, 0, &fault, &error));
    CHECK(fault.code == ML_ERROR_NOT_FOUND && strstr(fault.text, "nothing.md3") != NULL);
  } else if (info.model_count == 1) {
    EXPECT(ML_ERROR_NOT_FOUND, ml_open_found(models, 0, NULL, &asset, &error));
  } else {
    CHECK(info.fault_count == 1);
  }
  ml_close_models(models);

  int counts[2] = {0, 0};
  OK(ml_list_folder(assets, "md3", count_entry, counts, &error));
  CHECK(counts[0] == 9 && counts[1] == 2);
  OK(ml_list_folder(assets, "", count_entry, counts, &error));
  CHECK(counts[0] == 9 && counts[1] == 2 + 5);
  size_t size = 0;
  OK(ml_read_asset_file(assets, "md3/player/animation.cfg", take, &size, &error));
  CHECK(size > 500);
  OK(ml_refresh_assets(assets, &error));

  EXPECT(ML_ERROR_NOT_FOUND, ml_list_folder(assets, "nothing", count_entry, counts, &error));
  EXPECT(ML_ERROR_REFUSED, ml_list_folder(assets, "../md3", count_entry, counts, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_list_folder(assets, NULL, count_entry, counts, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_list_folder(assets, "", NULL, counts, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_list_folder(NULL, "", count_entry, counts, &error));
  EXPECT(ML_ERROR_CALLBACK, ml_list_folder(assets, "md3", refuse_entry, counts, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_read_asset_file(assets, "md3/x.md3", take, &size, &error));
  EXPECT(ML_ERROR_REFUSED, ml_read_asset_file(assets, "/etc/passwd", take, &size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_read_asset_file(assets, "md3/static.md3", NULL, &size, &error));
  EXPECT(ML_ERROR_CALLBACK, ml_read_asset_file(assets, "md3/static.md3", refuse, &size, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_find_models(assets, "md3", 8, &models, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_find_models(NULL, "md3", 0, &models, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_find_models(assets, NULL, 0, &models, &error));
  EXPECT(ML_ERROR_REFUSED, ml_find_models(assets, "/etc", 0, &models, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_find_models_at(NULL, NULL, 0, &models, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_models_info(NULL, &info, &error));
  ml_free_assets(assets);
}

static void errors(void) {
  ml_assets* assets = corpus_assets();
  ml_asset* asset = NULL;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_asset(NULL, "x", NULL, &asset, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_asset(assets, NULL, NULL, &asset, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_asset(assets, "md3/static.md3", NULL, NULL, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_asset(assets, "md3/nothing.md3", NULL, &asset, &error));
  EXPECT(ML_ERROR_REFUSED, ml_open_asset(assets, "../../etc/passwd", NULL, &asset, &error));
  EXPECT(ML_ERROR_AMBIGUOUS, ml_open_asset(assets, "unreal/Classes/Crates.uc", NULL, &asset, &error));
  EXPECT(ML_ERROR_ENCRYPTED, ml_open_asset(assets, "u3d/v2_static_aes.u3d", NULL, &asset, &error));
  EXPECT(ML_ERROR_MAGIC, ml_open_asset(assets, "md3/player/head_red.skin", NULL, &asset, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_path(NULL, path_of("nothing.md3"), NULL, &asset, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_open_path(NULL, NULL, NULL, &asset, &error));
  CHECK(asset == NULL);
  ml_asset_opts opts = {0};
  opts.skin = "green";
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_asset(assets, "md3/player", &opts, &asset, &error));
  opts.skin = NULL;
  opts.flags = 4;
  EXPECT(ML_ERROR_ARGUMENT, ml_open_asset(assets, "md3/player", &opts, &asset, &error));

  EXPECT(ML_ERROR_NOT_FOUND, ml_mount_folder(assets, path_of("nothing"), &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_folder(assets, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_folder(NULL, corpus, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_mount_archive(assets, path_of("nothing.pk3"), &error));
  EXPECT(ML_ERROR_ARCHIVE, ml_mount_archive(assets, path_of("md3/static.md3"), &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_refresh_assets(NULL, &error));

  OK(ml_open_asset(assets, "md3/static.md3", NULL, &asset, &error));
  ml_asset_info info = {0};
  EXPECT(ML_ERROR_ARGUMENT, ml_get_asset_info(NULL, &info, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_get_asset_info(asset, NULL, &error));
  ml_asset_node node = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_asset_node(asset, 1, &node, &error));
  ml_asset_file used = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_asset_file(asset, SIZE_MAX, &used, &error));
  ml_asset_lookup lookup = {0};
  EXPECT(ML_ERROR_INDEX, ml_get_asset_lookup(asset, SIZE_MAX, &lookup, &error));
  ml_report* report;
  EXPECT(ML_ERROR_ARGUMENT, ml_get_asset_report(NULL, &report, &error));
  ml_asset* file;
  EXPECT(ML_ERROR_ARGUMENT, ml_get_node_asset(NULL, 0, 0, &file, &error));
  OK(ml_get_node_asset(asset, 0, 0, &file, &error));
  size_t size;
  EXPECT(ML_ERROR_MISSING, ml_read_texture(file, 0, take, &size, NULL, &error));
  EXPECT(ML_ERROR_INDEX, ml_read_texture(file, 1, take, &size, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_read_texture(file, 0, NULL, &size, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_read_texture(NULL, 0, take, &size, NULL, &error));
  ml_close(file);
  ml_close(asset);

  // One file of two has no model, and its arrays can be read.
  OK(ml_mount_folder(assets, scratch, &error));
  size_t bytes;
  unsigned char* half = read_corpus("unreal/Models/ring_d.3d", &bytes);
  save(scratch, "lone_d.3d", half, bytes);
  free(half);
  OK(ml_open_asset(assets, "lone_d.3d", NULL, &asset, &error));
  EXPECT(ML_ERROR_INDEX, ml_get_node_asset(asset, 0, 1, &file, &error));
  OK(ml_get_node_asset(asset, 0, 0, &file, &error));
  ml_model model = {0};
  EXPECT(ML_ERROR_UNSUPPORTED, ml_get_model(file, &model, &error));
  ml_scene* scene = NULL;
  EXPECT(ML_ERROR_UNSUPPORTED, ml_open_scene(asset, NULL, 0, &scene, &error));
  size_t count;
  OK(ml_get_array_count(file, &count, &error));
  ml_close(file);
  ml_close(asset);
  CHECK(ml_close(NULL) == ML_OK && ml_close_models(NULL) == ML_OK && ml_free_assets(NULL) == ML_OK);
  ml_free_assets(assets);

  ml_assets_opts limits = {0};
  limits.memory_limit = 1000;
  OK(ml_new_assets(&limits, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_open_asset(assets, "md3/animated.md3", NULL, &asset, &error));
  ml_free_assets(assets);
  limits.memory_limit = 0;
  limits.max_file_size = 1000;
  OK(ml_new_assets(&limits, &assets, &error));
  OK(ml_mount_folder(assets, corpus, &error));
  OK(ml_open_asset(assets, "md3/animated.md3", NULL, &asset, &error));
  ml_close(asset);
  ml_free_assets(assets);
  EXPECT(ML_ERROR_ARGUMENT, ml_new_assets(NULL, NULL, &error));
}

// Files of the caller's: one model, in one folder.
typedef struct {
  unsigned char* bytes;
  size_t size;
  ml_result answer;
  int released;
  const char* name;
  uint64_t version;
  ml_result list_answer;
} disk;

static int is_file(const disk* files, const char* path) {
  return strncmp(path, "Props/", 6) == 0 && strcmp(path + 6, files->name) == 0;
}

static ml_result disk_size(void* user, const char* path, uint64_t* size, uint64_t* version) {
  disk* files = user;
  if (!is_file(files, path)) return ML_ERROR_NOT_FOUND;
  *size = files->size;
  *version = files->version;
  return ML_OK;
}

static ml_result disk_read(void* user, const char* path, uint64_t offset, void* out, size_t size) {
  disk* files = user;
  CHECK(is_file(files, path) && offset + size <= files->size);
  if (files->answer != ML_OK) return files->answer;
  memcpy(out, files->bytes + offset, size);
  return ML_OK;
}

static ml_result disk_list(void* user, const char* folder, ml_add_entry_fn add, void* entries) {
  const disk* files = user;
  if (files->list_answer != ML_OK) return files->list_answer;
  if (folder[0] == 0) {
    add(entries, "Props", 1);
    return ML_OK;
  }
  if (strcmp(folder, "Props") != 0) return ML_ERROR_NOT_FOUND;
  add(entries, files->name, 0);
  add(entries, "\xff", 0);
  add(entries, NULL, 0);
  return ML_OK;
}

static void disk_release(void* user) { ((disk*)user)->released++; }

static void file_systems(void) {
  disk files = {0};
  files.bytes = read_corpus("md3/animated.md3", &files.size);
  files.name = "Ring.MD3";
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  ml_file_system system = {0};
  system.user = &files;
  system.file_size = disk_size;
  system.read = disk_read;
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_files(assets, "disk", &system, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_files(assets, "disk", NULL, &error));
  system.list = disk_list;
  system.release = disk_release;
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_files(assets, NULL, &system, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_files(NULL, "disk", &system, &error));
  CHECK(files.released == 0);
  OK(ml_mount_files(assets, "disk", &system, &error));
  ml_asset* asset = NULL;
  files.answer = ML_ERROR_IO;
  EXPECT(ML_ERROR_CALLBACK, ml_open_asset(assets, "props/ring.md3", NULL, &asset, &error));
  files.answer = ML_OK;
  OK(ml_open_asset(assets, "props/ring.md3", NULL, &asset, &error));
  ml_asset_info info = {0};
  OK(ml_get_asset_info(asset, &info, &error));
  CHECK(strcmp(info.name, "disk/Props/Ring.MD3") == 0);
  ml_asset* file = NULL;
  OK(ml_get_node_asset(asset, 0, 0, &file, &error));
  ml_bounds bounds;
  OK(ml_get_bounds(file, 0, 0, &bounds, &error));
  CHECK(bounds.max[0] == 11.0f);
  ml_free_assets(assets);
  ml_close(asset);
  CHECK(files.released == 0);
  ml_close(file);
  CHECK(files.released == 1);
  free(files.bytes);
}

// An archive in a file system of the caller is mounted, rewritten and removed.
static void inner_archives(void) {
  disk files = {0};
  unsigned char* pack = read_corpus("md3/models.pk3", &files.size);
  const size_t size = files.size;
  // An archive without entries.
  unsigned char empty[22] = "PK\5\6";
  files.bytes = pack;
  files.name = "Pack.pk3";
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  ml_file_system system = {0};
  system.user = &files;
  system.file_size = disk_size;
  system.read = disk_read;
  system.list = disk_list;
  system.release = disk_release;
  OK(ml_mount_files(assets, "disk", &system, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_inner_archive(assets, NULL, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_mount_inner_archive(NULL, "props/pack.pk3", &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_mount_inner_archive(assets, "props/other.pk3", &error));
  OK(ml_mount_inner_archive(assets, "props/pack.pk3", &error));
  ml_asset* asset = NULL;
  OK(ml_open_asset(assets, "models/deflated.md3", NULL, &asset, &error));
  ml_close(asset);

  files.bytes = empty;
  files.size = sizeof empty;
  CHECK(ml_open_asset(assets, "models/deflated.md3", NULL, &asset, NULL) != ML_OK);
  OK(ml_refresh_assets(assets, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_asset(assets, "models/deflated.md3", NULL, &asset, &error));
  files.bytes = pack;
  files.size = size;
  files.version = 1;
  OK(ml_refresh_assets(assets, &error));
  OK(ml_open_asset(assets, "models/deflated.md3", NULL, &asset, &error));

  EXPECT(ML_ERROR_ARGUMENT, ml_unmount(assets, NULL, &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_unmount(assets, "disk/Props", &error));
  OK(ml_unmount(assets, "disk/Props/Pack.pk3", &error));
  ml_asset* gone = NULL;
  EXPECT(ML_ERROR_NOT_FOUND, ml_open_asset(assets, "models/deflated.md3", NULL, &gone, &error));
  OK(ml_unmount(assets, "disk", &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_unmount(assets, "disk", &error));
  // The asset can still read its textures.
  CHECK(files.released == 0);
  ml_close(asset);
  CHECK(files.released == 1);
  // What is no archive.
  OK(ml_mount_folder(assets, corpus, &error));
  EXPECT(ML_ERROR_ARCHIVE, ml_mount_inner_archive(assets, "md3/static.md3", &error));
  OK(ml_unmount(assets, corpus, &error));
  ml_free_assets(assets);
  free(pack);
}

// What a file system cannot list is an error of each call that looks there, and not a folder without names.
static void unlisted_folders(void) {
  disk files = {0};
  files.bytes = read_corpus("md3/animated.md3", &files.size);
  files.name = "Ring.MD3";
  files.list_answer = ML_ERROR_IO;
  ml_assets* assets = corpus_assets();
  ml_file_system system = {0};
  system.user = &files;
  system.file_size = disk_size;
  system.read = disk_read;
  system.list = disk_list;
  OK(ml_mount_files(assets, "disk", &system, &error));
  int counts[2] = {0, 0};
  size_t size = 0;
  ml_asset* asset = NULL;
  EXPECT(ML_ERROR_CALLBACK, ml_list_folder(assets, "props", count_entry, counts, &error));
  CHECK(counts[0] == 0 && counts[1] == 0);
  // The names of the other mounts are passed first.
  EXPECT(ML_ERROR_CALLBACK, ml_list_folder(assets, "md3", count_entry, counts, &error));
  CHECK(counts[0] == 9 && counts[1] == 2);
  EXPECT(ML_ERROR_CALLBACK, ml_read_asset_file(assets, "props/ring.md3", take, &size, &error));
  EXPECT(ML_ERROR_CALLBACK, ml_mount_inner_archive(assets, "props/ring.md3", &error));
  EXPECT(ML_ERROR_CALLBACK, ml_open_asset(assets, "props/ring.md3", NULL, &asset, &error));
  // Another mount has the file.
  OK(ml_read_asset_file(assets, "md3/animated.md3", take, &size, &error));
  CHECK(size == files.size);
  files.list_answer = ML_OK;
  OK(ml_refresh_assets(assets, &error));
  counts[0] = counts[1] = 0;
  OK(ml_list_folder(assets, "props", count_entry, counts, &error));
  CHECK(counts[0] == 1 && counts[1] == 0);
  EXPECT(ML_ERROR_NOT_FOUND, ml_read_asset_file(assets, "props/other.md3", take, &size, &error));
  ml_free_assets(assets);
  free(files.bytes);
}

static ml_result huge_size(void* user, const char* path, uint64_t* size, uint64_t* version) {
  (void)user, (void)path, *size = (uint64_t)1 << 60, *version = 0;
  return ML_OK;
}

// A file for which there is no memory.
static void no_memory(void) {
  disk files = {0};
  files.name = "huge.md3";
  ml_assets_opts opts = {0};
  opts.memory_limit = SIZE_MAX;
  opts.max_file_size = UINT64_MAX;
  ml_assets* assets = NULL;
  OK(ml_new_assets(&opts, &assets, &error));
  ml_file_system system = {0};
  system.user = &files;
  system.file_size = huge_size;
  system.read = disk_read;
  system.list = disk_list;
  OK(ml_mount_files(assets, "disk", &system, &error));
  size_t size = 0;
  ml_asset* asset = NULL;
  EXPECT(ML_ERROR_MEMORY, ml_read_asset_file(assets, "props/huge.md3", take, &size, &error));
  EXPECT(ML_ERROR_MEMORY, ml_open_asset(assets, "props/huge.md3", NULL, &asset, &error));
  ml_free_assets(assets);
}

// The findings about companions stay with the asset of a node.
static void findings_of_nodes(void) {
  static const char script[] =
      "#exec MESH IMPORT MESH=figure ANIVFILE=figure_a.3d DATAFILE=figure_d.3d\n"
      "#exec MESH SEQUENCE MESH=figure SEQ=Late STARTFRAME=1 NUMFRAMES=9\n";
  const ml_input_file files[] = {
      {path_of("unreal/Models/figure_d.3d"), NULL, 0, ML_ROLE_BY_NAME},
      {path_of("unreal/Models/figure_a.3d"), NULL, 0, ML_ROLE_BY_NAME},
      {"figure.uc", script, sizeof script - 1, ML_ROLE_BY_NAME},
  };
  ml_asset *asset = NULL, *node = NULL;
  uint64_t totals[3] = {0}, losses[2] = {0};
  for (size_t i = 0; i < 3; i++) {
    // The last one has no script.
    if (i != 1) OK(ml_open_files(files, i == 0 ? 3 : 2, NULL, &asset, &error));
    if (i == 1) OK(ml_get_node_asset(asset, 0, 0, &node, &error));
    ml_report* report = NULL;
    ml_report_info info = {0};
    OK(ml_validate(i == 1 ? node : asset, 0, &report, &error));
    OK(ml_get_report_info(report, &info, &error));
    totals[i] = info.total;
    ml_close_report(report);
    if (i < 2) {
      text out = {0};
      OK(ml_write_glb(i == 1 ? node : asset, NULL, append, &out, &report, &error));
      OK(ml_get_report_info(report, &info, &error));
      losses[i] = info.total;
      ml_close_report(report);
      free(out.bytes);
    }
    if (i != 0) ml_close(asset);
  }
  CHECK(totals[0] > totals[2] && totals[1] == totals[0]);
  CHECK(losses[0] > 0 && losses[1] == losses[0]);
  ml_close(node);
}

// The bytes of one file of two count as long as something of them is open.
static void memory_of_halves(void) {
  size_t size = 0;
  unsigned char* half = read_corpus("unreal/Models/ring_d.3d", &size);
  save(scratch, "alone_d.3d", half, size);
  free(half);
  ml_assets_opts opts = {0};
  opts.memory_limit = 2 * size - 1;
  ml_assets* assets = NULL;
  OK(ml_new_assets(&opts, &assets, &error));
  OK(ml_mount_folder(assets, scratch, &error));
  ml_asset *first = NULL, *second = NULL, *node = NULL;
  OK(ml_open_asset(assets, "alone_d.3d", NULL, &first, &error));
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_open_asset(assets, "alone_d.3d", NULL, &second, &error));
  OK(ml_get_node_asset(first, 0, 0, &node, &error));
  ml_close(first);
  EXPECT(ML_ERROR_MEMORY_LIMIT, ml_open_asset(assets, "alone_d.3d", NULL, &second, &error));
  ml_close(node);
  OK(ml_open_asset(assets, "alone_d.3d", NULL, &second, &error));
  ml_close(second);
  ml_free_assets(assets);
}

// Folders whose names are not UTF-8 are unmounted by the bytes with which they were mounted.
static void names_of_bytes(void) {
  char paths[2][1024];
  ml_assets* assets = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  for (size_t i = 0; i < 2; i++) {
    snprintf(paths[i], sizeof paths[i], "%s/folder\xff%c", scratch, i == 0 ? '\xfe' : '\xfd');
    CHECK(mkdir(paths[i], 0777) == 0);
    OK(ml_mount_folder(assets, paths[i], &error));
  }
  OK(ml_unmount(assets, paths[0], &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_unmount(assets, paths[0], &error));
  OK(ml_unmount(assets, paths[1], &error));
  EXPECT(ML_ERROR_NOT_FOUND, ml_unmount(assets, paths[1], &error));
  ml_free_assets(assets);
}

int main(int argc, char** argv) {
  corpus = argc > 1 ? argv[1] : "corpus";
  scratch = argc > 2 ? argv[2] : ".";
  player();
  carried();
  variants();
  all_nodes();
  imported();
  scripts();
  levels_and_archives();
  finding();
  errors();
  file_systems();
  inner_archives();
  unlisted_folders();
  no_memory();
  findings_of_nodes();
  memory_of_halves();
  names_of_bytes();
  return finish("assets");
}
