// Materials and their textures.
#include "check.h"

#include <sys/stat.h>

static const char* scratch;

// Writes a file below the folder for temporary files.
static void write_scratch(const char* name, const void* data, size_t size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", scratch, name);
  FILE* file = fopen(path, "wb");
  if (file == NULL || fwrite(data, 1, size, file) != size || fclose(file) != 0) exit(2);
}

static void make_folder(const char* name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", scratch, name);
  if (mkdir(path, 0777) != 0) exit(2);
}

// A material of a model in the folder for temporary files.
static ml_material material_of(const char* name, ml_asset** file) {
  ml_assets* assets = NULL;
  ml_asset* asset = NULL;
  ml_material material = {0};
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, scratch, &error));
  OK(ml_open_asset(assets, name, NULL, &asset, &error));
  OK(ml_get_node_asset(asset, 0, 0, file, &error));
  material.size = sizeof material;
  OK(ml_get_material(*file, 0, &material, &error));
  ml_close(asset);
  ml_free_assets(assets);
  return material;
}

typedef struct {
  unsigned char bytes[8];
  size_t size;
} pixels;

static int keep(void* user, const void* data, size_t size) {
  pixels* to = user;
  to->size = size;
  if (size <= sizeof to->bytes) memcpy(to->bytes, data, size);
  return 0;
}

static int refuse(void* user, const void* data, size_t size) {
  (void)user;
  (void)data;
  return size > 0;
}

// Two pixels, blue and green, with the alpha of the file.
static void read_pixels(ml_asset* file) {
  ml_image image = {0};
  pixels found = {{0}, 0};
  OK(ml_read_texture_pixels(file, 0, &image, keep, &found, &error));
  const unsigned char expected[8] = {0, 0, 255, 128, 0, 255, 0, 255};
  CHECK(image.width == 2 && image.height == 1 && found.size == 8 && memcmp(found.bytes, expected, 8) == 0);
  EXPECT(ML_ERROR_CALLBACK, ml_read_texture_pixels(file, 0, &image, refuse, NULL, &error));
  EXPECT(ML_ERROR_INDEX, ml_read_texture_pixels(file, 1, &image, keep, &found, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_read_texture_pixels(file, 0, NULL, keep, &found, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_read_texture_pixels(file, 0, &image, NULL, NULL, &error));
  write_scratch("env.tga", "no image", 8);
  EXPECT(ML_ERROR_VALUE, ml_read_texture_pixels(file, 0, &image, keep, &found, &error));
  // A file that was opened alone has no search path.
  ml_asset* alone = open_corpus("md3/animated.md3");
  EXPECT(ML_ERROR_MISSING, ml_read_texture_pixels(alone, 0, &image, keep, &found, &error));
  ml_close(alone);
}

typedef struct {
  size_t sizes[4];
  unsigned char first[4];
  int count;
} levels;

static int keep_level(void* user, const void* data, size_t size) {
  levels* to = user;
  if (to->count == 4) return 1;
  to->sizes[to->count] = size;
  to->first[to->count++] = *(const unsigned char*)data;
  return 0;
}

// The three levels of a texture of 8 by 4 pixels in BC1: 2, 1 and 1 blocks of 8 bytes.
static void read_blocks(ml_asset* file) {
  unsigned char dds[128 + 32] = {[12] = 4, [16] = 8, [28] = 3, [80] = 4, [128] = 1, [144] = 2, [152] = 3};
  memcpy(dds, "DDS ", 4);
  memcpy(&dds[84], "DXT1", 4);
  write_scratch("env.tga", dds, sizeof dds);
  ml_image image = {0};
  levels found = {0};
  OK(ml_read_texture_blocks(file, 0, &image, keep_level, &found, &error));
  CHECK(image.width == 8 && image.height == 4 && image.format == ML_TEXTURE_FORMAT_BC1_RGBA_UNORM);
  CHECK(image.level_count == 3 && found.count == 3 && memcmp(found.first, "\1\2\3", 3) == 0);
  CHECK(found.sizes[0] == 16 && found.sizes[1] == 8 && found.sizes[2] == 8);
  EXPECT(ML_ERROR_CALLBACK, ml_read_texture_blocks(file, 0, &image, refuse, NULL, &error));
  EXPECT(ML_ERROR_INDEX, ml_read_texture_blocks(file, 1, &image, keep_level, &found, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_read_texture_blocks(file, 0, NULL, keep_level, &found, &error));
  EXPECT(ML_ERROR_ARGUMENT, ml_read_texture_blocks(file, 0, &image, NULL, NULL, &error));
  write_scratch("env.tga", dds, 128 + 15);
  EXPECT(ML_ERROR_VALUE, ml_read_texture_blocks(file, 0, &image, keep_level, &found, &error));
  write_scratch("env.tga", "no image", 8);
  EXPECT(ML_ERROR_MISSING, ml_read_texture_blocks(file, 0, &image, keep_level, &found, &error));
}

// An error names the file of an asset that is invalid.
static void invalid_file(void) {
  write_scratch("broken.md3", "IDP3", 4);
  write_scratch("half_d.3d", "short", 5);
  ml_assets* assets = NULL;
  ml_asset* asset = NULL;
  OK(ml_new_assets(NULL, &assets, &error));
  OK(ml_mount_folder(assets, scratch, &error));
  ml_error error = {0};
  CHECK(ml_open_asset(assets, "broken.md3", NULL, &asset, &error) == ML_ERROR_OUT_OF_BOUNDS);
  CHECK(strstr(error.text, "broken.md3: md3: ") != NULL && strcmp(error.format, "md3") == 0);
  CHECK(ml_open_asset(assets, "half_d.3d", NULL, &asset, &error) == ML_ERROR_OUT_OF_BOUNDS);
  CHECK(strstr(error.text, "half_d.3d: unreal geometry: ") != NULL);
  ml_free_assets(assets);
}

// The shader of a model, with and without an environment map and sprites.
static void shaders(void) {
  ml_asset* file = NULL;
  ml_material material = material_of("ring.md3", &file);
  CHECK(material.texture_coordinates == ML_TEXTURE_COORDINATES_ENVIRONMENT && !material.is_sprites);
  CHECK(strcmp(material.texture, "env.tga") == 0);
  CHECK(material.texture_alpha == ML_TEXTURE_ALPHA_ADD && material.alpha == ML_ALPHA_BLEND);
  read_pixels(file);
  read_blocks(file);
  ml_close(file);
  material = material_of("flag.md3", &file);
  CHECK(material.texture_coordinates == ML_TEXTURE_COORDINATES_STORED && material.is_sprites);
  ml_close(file);
}

// A height map, which becomes a normal map.
static void height_map(void) {
  size_t size = 0;
  unsigned char* model = read_corpus("u3d/v2_static.u3d", &size);
  write_scratch("sky.u3d", model, size);
  free(model);
  ml_asset* file = NULL;
  material_of("sky.u3d", &file);
  ml_material material = {.size = sizeof material};
  OK(ml_get_material(file, 1, &material, &error));
  CHECK(strcmp(material.name, "sky") == 0 && strcmp(material.height_map, "bumps.tga") == 0);
  CHECK(strcmp(material.texture, "clouds.dds") == 0 && material.height_scale > 0);
  char type[16];
  pixels found = {{0}, 0};
  EXPECT(ML_ERROR_MISSING, ml_read_normal_map(file, 0, keep, &found, type, &error));
  EXPECT(ML_ERROR_CALLBACK, ml_read_normal_map(file, 1, refuse, NULL, type, &error));
  EXPECT(ML_ERROR_INDEX, ml_read_normal_map(file, 9, keep, &found, type, &error));
  OK(ml_read_normal_map(file, 1, keep, &found, type, &error));
  CHECK(strcmp(type, "image/png") == 0 && found.size > 8);
  ml_close(file);
}

// A normal map beside the texture of an MD3, and a material without lighting, which has none.
static void normal_map(void) {
  ml_asset* file = NULL;
  char type[16];
  pixels found = {{0}, 0};
  material_of("flag.md3", &file);
  EXPECT(ML_ERROR_MISSING, ml_read_normal_map(file, 0, keep, &found, type, &error));
  ml_close(file);
  material_of("bare.md3", &file);
  OK(ml_read_normal_map(file, 0, keep, &found, type, &error));
  CHECK(strcmp(type, "image/png") == 0 && found.size > 8);
  ml_close(file);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  corpus = argv[1];
  scratch = argv[2];
  size_t size = 0;
  unsigned char* model = read_corpus("md3/animated.md3", &size);
  // The model of the corpus has the shader textures/ring.tga. Copies have others of the same length; textures/bare.tga is an image.
  write_scratch("ring.md3", model, size);
  for (size_t at = 0; at + 17 < size; at++) {
    if (memcmp(&model[at], "textures/ring.tga", 17) == 0) memcpy(&model[at], "textures/flag.tga", 17);
  }
  write_scratch("flag.md3", model, size);
  for (size_t at = 0; at + 17 < size; at++) {
    if (memcmp(&model[at], "textures/flag.tga", 17) == 0) memcpy(&model[at], "textures/bare.tga", 17);
  }
  write_scratch("bare.md3", model, size);
  free(model);
  make_folder("scripts");
  const char* script =
      "textures/ring\n{\n  {\n    map env.tga\n    tcGen environment\n    blendFunc add\n  }\n}\n"
      "textures/flag\n{\n  deformVertexes autosprite\n  {\n    map flag.tga\n  }\n}\n";
  write_scratch("scripts/test.shader", script, strlen(script));
  // A picture of two pixels, blue and green, with an alpha of 0x80 and 0xff.
  const unsigned char tga[18 + 8] = {0, 0, 2, [12] = 2, [14] = 1, [16] = 32, [17] = 0x28,
                                     [18] = 0xff, [21] = 0x80, [23] = 0xff, [25] = 0xff};
  write_scratch("env.tga", tga, sizeof tga);
  write_scratch("flag.tga", tga, sizeof tga);
  write_scratch("bumps.tga", tga, sizeof tga);
  write_scratch("flag_n.tga", tga, sizeof tga);
  make_folder("textures");
  write_scratch("textures/bare.tga", tga, sizeof tga);
  write_scratch("textures/bare_n.tga", tga, sizeof tga);
  shaders();
  height_map();
  normal_map();
  invalid_file();
  return finish("materials");
}
