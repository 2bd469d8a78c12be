// The interface of the readers in C and C++: from the bytes of a container to buffers that can be drawn.
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

// What is read: the first frame, every frame, or the two frames in the middle, blended by halves.
enum task { FIRST, ALL, BLEND };

// A mesh of the output: its frames, one after the other, and its indices.
struct mesh {
  size_t first_vertex, vertices, frames, first_index, indices;
};

// The output, in memory of the caller. A vertex is eight floats: position, normal and texture coordinate, in the space of glTF.
struct buffers {
  float *vertices;
  uint32_t *indices;
  struct mesh *meshes;
  size_t vertex_room, index_room, mesh_room, vertex_count, index_count, mesh_count;
};

// A new mesh of these sizes; NULL if there is no room for it.
static inline struct mesh *add_mesh(struct buffers *out, size_t vertices, size_t frames, size_t indices) {
  if (out->mesh_count == out->mesh_room || vertices * frames > out->vertex_room - out->vertex_count ||
      indices > out->index_room - out->index_count)
    return NULL;
  struct mesh *mesh = &out->meshes[out->mesh_count++];
  mesh->first_vertex = out->vertex_count;
  mesh->vertices = vertices;
  mesh->frames = frames;
  mesh->first_index = out->index_count;
  mesh->indices = indices;
  out->vertex_count += vertices * frames;
  out->index_count += indices;
  return mesh;
}

// Returns 0, or another number if the reader refuses the file.
int glb_read(const uint8_t *bytes, size_t len, int task, struct buffers *out);
int assimp_read(const uint8_t *bytes, size_t len, int task, struct buffers *out);

#ifdef __cplusplus
}
#endif
