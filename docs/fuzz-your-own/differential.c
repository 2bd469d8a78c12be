// Your parser against meshlens, through its C interface: both read the same bytes, and the positions of all frames and the
// corners of all triangles are compared, bit by bit. ../fuzz-your-own.md says how to build it.
#include "meshlens.h"
#include "my_reader.h"

#include <stdio.h>

static void check(int is_same, const char *what, const my_frame *frame) {
  if (is_same) return;
  fprintf(stderr, "%s of mesh %zu in frame %zu differ\n", what, frame->mesh, frame->frame);
  abort();
}

// What meshlens reads. Arrays are in the order of the file, so that the next one is searched for after the last one.
typedef struct theirs {
  const ml_asset *file;
  size_t count, next;
} theirs;

static int find(theirs *theirs, const my_frame *frame, int wants_triangles, ml_array *array, size_t *index) {
  for (size_t tried = 0; tried < theirs->count; tried++) {
    *index = (theirs->next + tried) % theirs->count;
    array->size = sizeof *array;
    if (ml_get_array(theirs->file, *index, array, NULL) != ML_OK || array->mesh != frame->mesh) continue;
    int is_triangles = array->semantic == ML_SEMANTIC_TRIANGLES || array->semantic == ML_SEMANTIC_POINT_INDICES;
    int is_position = array->semantic == ML_SEMANTIC_POSITION && array->frame == frame->frame;
    if (wants_triangles ? is_triangles : is_position) {
      if (!wants_triangles) theirs->next = *index + 1;
      return 1;
    }
  }
  return 0;
}

static void compare_corners(theirs *theirs, const my_frame *frame, const float *positions, size_t count) {
  ml_array array;
  size_t index;
  if (frame->corners == NULL || frame->corner_count == 0) return;
  check(find(theirs, frame, 1, &array, &index), "triangles", frame);
  size_t corners = array.count * (array.semantic == ML_SEMANTIC_TRIANGLES ? 3 : 1);
  check(corners == frame->corner_count, "numbers of triangles", frame);
  uint32_t *indices = malloc(corners * sizeof *indices), largest = 0;
  check(indices && ml_decode_indices(theirs->file, index, indices, corners, &largest, NULL) == ML_OK, "indices", frame);
  check(largest < count, "indices", frame);
  for (size_t corner = 0; corner < corners; corner++) {
    check(memcmp(frame->corners + 3 * corner, positions + 3 * indices[corner], 12) == 0, "corners", frame);
  }
  free(indices);
}

static void compare(void *context, const my_frame *frame) {
  theirs *theirs = context;
  ml_array array;
  size_t index;
  if (theirs == NULL || frame->count == 0) return;
  check(find(theirs, frame, 0, &array, &index) && array.count == frame->count, "counts", frame);
  size_t size = frame->count * 3 * sizeof(float);
  float *positions = malloc(size);
  check(positions && ml_decode(theirs->file, index, NULL, positions, size, NULL) == ML_OK, "values", frame);
  check(memcmp(positions, frame->positions, size) == 0, "positions", frame);
  compare_corners(theirs, frame, positions, frame->count);
  free(positions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *file = data;
  size_t file_size = size;
#ifdef UNREAL
  // The form of a mesh of one file, so that it can be opened like the others.
  uint8_t *one = malloc(size + 4);
  if (one == NULL) return 0;
  memcpy(one, "UMSH", 4);
  memcpy(one + 4, data, size);
  file = one;
  file_size = size + 4;
#endif
  theirs theirs = {NULL, 0, 0};
  ml_asset *asset = NULL;
  if (ml_open_memory(file, file_size, NULL, &asset, NULL) == ML_OK) {
    theirs.file = asset;
    ml_get_array_count(asset, &theirs.count, NULL);
    // What meshlens reads, this reader reads too, unless it is of another version.
    if (my_read(data, size, compare, &theirs) == 0) {
      fprintf(stderr, "only meshlens reads the file\n");
      abort();
    }
    ml_close(asset);
  } else {
    // These readers check less than meshlens: tags and shaders, for example, may lie outside the file. For a parser that
    // claims to check everything, abort here if it reads the file.
    my_read(data, size, compare, NULL);
  }
#ifdef UNREAL
  free(one);
#endif
  return 0;
}
