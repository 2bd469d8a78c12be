// A small reader of UNIGINE meshes, of the versions ms10 to ms13.
#include "my_reader.h"

typedef struct file {
  const uint8_t *data;
  size_t size, at;
  int is_valid;
} file;

// Skips `count` elements of `stride` bytes. Returns the offset of the first.
static size_t skip(file *file, size_t count, size_t stride) {
  // A count has 31 bits, and no element more than 40 bytes.
  size_t at = file->at, length = count * stride;
  if (file->is_valid && my_has(file->size, at, length, 1)) {
    file->at += length;
  } else {
    file->is_valid = 0;
  }
  return at;
}

// A compact integer that is a count; 0 if there is none.
static size_t count(file *file) {
  uint64_t value = 0;
  int is_negative = 0;
  for (unsigned shift = 0; shift < 34; shift += shift ? 7 : 6) {
    size_t at = skip(file, 1, 1);
    if (!file->is_valid) return 0;
    uint8_t byte = file->data[at];
    if (shift == 0) is_negative = byte & 0x40;
    value |= (uint64_t)(byte & (shift ? 0x7f : 0x3f)) << shift;
    if (byte & 0x80) continue;
    if (value == 0 || (value <= INT32_MAX && !is_negative)) return (size_t)value;
    break;
  }
  file->is_valid = 0;
  return 0;
}

static void text(file *file) { skip(file, count(file), 1); }

// The records of an animation: flags, and the components that they name.
static void animation(file *file) {
  size_t bones = count(file);
  skip(file, bones, 2);
  skip(file, 1, 1);
  size_t frames = count(file);
  // A frame without bones has no bytes.
  if (bones == 0) frames = 0;
  for (size_t record = 0; record < frames * bones && file->is_valid; record++) {
    size_t at = skip(file, 1, 1);
    if (!file->is_valid) return;
    uint8_t flags = file->data[at];
    for (unsigned bit = 0; bit < 7; bit++) {
      if (flags >> bit & 1) skip(file, 1, bit == 3 ? 8 : 4);
    }
  }
}

// The size of an index into `count` elements.
static size_t width_of(size_t count) { return count < 256 ? 1 : count < 65536 ? 2 : 4; }

static uint32_t index_at(const uint8_t *at, size_t width) {
  return width == 1 ? at[0] : width == 2 ? my_u16(at) : my_u32(at);
}

static void surface(file *file, size_t mesh, size_t targets, int version, my_buffer buffers[2], my_use *use,
                    void *context) {
  // The first morph target is given with the triangles, which come last.
  size_t vertices = 0, spaces = 0, first = 0;
  for (size_t target = 0; target < targets; target++) {
    size_t found = count(file), at = skip(file, found, 12), tangents = count(file);
    skip(file, tangents, version == 10 ? 7 : 8);
    if (!file->is_valid || !my_grow(&buffers[0], found)) return;
    if (target == 0) {
      vertices = found;
      spaces = tangents;
      first = at;
      continue;
    }
    for (size_t value = 0; value < 3 * found; value++) buffers[0].values[value] = my_f32(file->data + at + 4 * value);
    my_frame frame = {mesh, target, buffers[0].values, found, NULL, 0};
    use(context, &frame);
  }
  size_t weights = count(file);
  for (size_t vertex = 0; vertex < weights && file->is_valid; vertex++) {
    size_t at = skip(file, 1, 1);
    if (file->is_valid) skip(file, file->data[at], 4);
  }
  for (size_t set = 0; set < 2; set++) skip(file, count(file), 8);
  skip(file, count(file), 4);
  size_t corners = count(file), width = width_of(vertices), indices = skip(file, corners, width);
  skip(file, count(file), width_of(spaces));
  if (!file->is_valid || !my_grow(&buffers[0], vertices) || !my_grow(&buffers[1], corners)) return;
  for (size_t value = 0; value < 3 * vertices; value++) buffers[0].values[value] = my_f32(file->data + first + 4 * value);
  int is_inside = 1;
  for (size_t corner = 0; corner < corners; corner++) {
    uint32_t index = index_at(file->data + indices + width * corner, width);
    is_inside &= my_corner(buffers[1].values + 3 * corner, &buffers[0], vertices, index);
  }
  my_frame frame = {mesh, 0, buffers[0].values, vertices, is_inside ? buffers[1].values : NULL, corners};
  if (vertices > 0) use(context, &frame);
}

int my_read(const uint8_t *data, size_t size, my_use *use, void *context) {
  if (size < 4 || memcmp(data, "ms1", 3) != 0 || data[3] < '0' || data[3] > '3') return -1;
  int version = 10 + data[3] - '0';
  file file = {data, size, 44, size >= 44};
  size_t bones = count(&file);
  for (size_t bone = 0; bone < bones && file.is_valid; bone++) {
    text(&file);
    skip(&file, 1, 2);
  }
  size_t animations = version < 13 ? count(&file) : 0;
  for (size_t name = 0; name < animations && file.is_valid; name++) text(&file);
  size_t surfaces = count(&file), headers = file.at, number = 0;
  // Headers of surfaces take 42 bytes and more, which bounds their number. `targets` are the morph targets of each.
  size_t *targets = file.is_valid && surfaces <= size / 42 ? calloc(surfaces + 1, sizeof *targets) : NULL;
  if (targets == NULL) return 0;
  file.at = headers;
  for (size_t header = 0; header < surfaces && file.is_valid; header++) {
    text(&file);
    skip(&file, version < 12 ? 0 : 2, 1);
    skip(&file, 40, 1);
    targets[header] = count(&file);
    for (size_t target = 0; target < targets[header] && file.is_valid; target++) text(&file);
  }
  skip(&file, 4, 1);
  skip(&file, bones, 40);
  for (size_t at = 0; at < animations && file.is_valid; at++) animation(&file);
  my_buffer buffers[2] = {{NULL, 0}, {NULL, 0}};
  while (file.is_valid && number < surfaces) {
    surface(&file, number, targets[number], version, buffers, use, context);
    number++;
  }
  free(targets);
  free(buffers[0].values);
  free(buffers[1].values);
  return file.is_valid;
}
