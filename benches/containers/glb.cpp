// GLB to buffers: cgltf reads the JSON, meshoptimizer and draco decode what is compressed.
#define CGLTF_IMPLEMENTATION
#include "cgltf.h"
#include "readers.h"

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>
#ifdef HAS_DRACO
#include <draco/compression/decode.h>
#endif

// The program links the meshoptimizer of the crate `meshopt`.
extern "C" {
int meshopt_decodeVertexBuffer(void *, size_t, size_t, const unsigned char *, size_t);
int meshopt_decodeIndexBuffer(void *, size_t, size_t, const unsigned char *, size_t);
int meshopt_decodeIndexSequence(void *, size_t, size_t, const unsigned char *, size_t);
void meshopt_decodeFilterOct(void *, size_t, size_t);
void meshopt_decodeFilterQuat(void *, size_t, size_t);
void meshopt_decodeFilterExp(void *, size_t, size_t);
}

namespace {

// Memory that is reused from file to file.
struct Scratch {
  std::vector<float> base;
  std::vector<std::vector<uint8_t>> views;
  std::vector<uint8_t> is_decoded;
} scratch;

struct Stream {
  const uint8_t *bytes;
  size_t stride;
  cgltf_component_type type;
  float scale;
};

bool decode_view(const cgltf_buffer_view *view, uint8_t *out) {
  const cgltf_meshopt_compression &packed = view->meshopt_compression;
  const uint8_t *bytes = (const uint8_t *)packed.buffer->data + packed.offset;
  int error = 1;
  switch (packed.mode) {
    case cgltf_meshopt_compression_mode_attributes: error = meshopt_decodeVertexBuffer(out, packed.count, packed.stride, bytes, packed.size); break;
    case cgltf_meshopt_compression_mode_triangles: error = meshopt_decodeIndexBuffer(out, packed.count, packed.stride, bytes, packed.size); break;
    case cgltf_meshopt_compression_mode_indices: error = meshopt_decodeIndexSequence(out, packed.count, packed.stride, bytes, packed.size); break;
    default: break;
  }
  if (error) return false;
  switch (packed.filter) {
    case cgltf_meshopt_compression_filter_octahedral: meshopt_decodeFilterOct(out, packed.count, packed.stride); break;
    case cgltf_meshopt_compression_filter_quaternion: meshopt_decodeFilterQuat(out, packed.count, packed.stride); break;
    case cgltf_meshopt_compression_filter_exponential: meshopt_decodeFilterExp(out, packed.count, packed.stride); break;
    default: break;
  }
  return true;
}

// The bytes of an accessor; what is compressed is decoded when it is first used. Sparse accessors are refused.
bool stream(const cgltf_data *data, const cgltf_accessor *accessor, Stream &out) {
  const cgltf_buffer_view *view = accessor->buffer_view;
  if (!view || accessor->is_sparse) return false;
  const uint8_t *bytes;
  if (view->has_meshopt_compression) {
    size_t index = (size_t)(view - data->buffer_views);
    std::vector<uint8_t> &decoded = scratch.views[index];
    if (!scratch.is_decoded[index]) {
      if (decoded.size() < view->size) decoded.resize(view->size);
      if (!decode_view(view, decoded.data())) return false;
      scratch.is_decoded[index] = 1;
    }
    bytes = decoded.data();
  } else {
    if (!view->buffer->data) return false;
    bytes = (const uint8_t *)view->buffer->data + view->offset;
  }
  float scale = 1;
  if (accessor->normalized) switch (accessor->component_type) {
    case cgltf_component_type_r_8: scale = 1 / 127.f; break;
    case cgltf_component_type_r_8u: scale = 1 / 255.f; break;
    case cgltf_component_type_r_16: scale = 1 / 32767.f; break;
    case cgltf_component_type_r_16u: scale = 1 / 65535.f; break;
    default: break;
  }
  out = {bytes + accessor->offset, accessor->stride, accessor->component_type, scale};
  return true;
}

// Calls `call` with a value of the component type.
template <class Call> bool with_type(cgltf_component_type type, Call call) {
  switch (type) {
    case cgltf_component_type_r_8: call(int8_t()); return true;
    case cgltf_component_type_r_8u: call(uint8_t()); return true;
    case cgltf_component_type_r_16: call(int16_t()); return true;
    case cgltf_component_type_r_16u: call(uint16_t()); return true;
    case cgltf_component_type_r_32f: call(float()); return true;
    default: return false;
  }
}

template <class T> void load(T *out, const uint8_t *bytes, int count) { memcpy(out, bytes, sizeof(T) * count); }

// Writes an attribute of the base, before the matrix of its node, to every eighth float.
bool write_base(const Stream &from, int components, size_t count, float *out) {
  return with_type(from.type, [&](auto type) {
    decltype(type) values[3];
    for (size_t i = 0; i < count; i++) {
      load(values, from.bytes + i * from.stride, components);
      for (int c = 0; c < components; c++) {
        float value = (float)values[c] * from.scale;
        out[8 * i + c] = from.scale < 1 && value < -1 ? -1 : value;
      }
    }
  });
}

// The matrix of a node, and that of its normals; `is_identity` if there is nothing to do.
struct Placement {
  float matrix[16], normals[9];
  bool is_identity;
};

Placement placement(const cgltf_node *node) {
  Placement out;
  cgltf_node_transform_world(node, out.matrix);
  const float *m = out.matrix;
  float length = std::sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
  for (int i = 0; i < 9; i++) out.normals[i] = m[i / 3 * 4 + i % 3] / length;
  static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  out.is_identity = !memcmp(m, identity, sizeof identity);
  return out;
}

// One frame: the base, and `Targets` morph targets with one weight. Without normals in the targets, those of the base stay.
template <class P, class N, int Targets, bool Placed>
void write_frame(const float *base, const Stream *positions, const Stream *normals, float weight, size_t count,
                 const Placement &place, float *out) {
  const float *m = place.matrix, *r = place.normals;
  for (size_t i = 0; i < count; i++, base += 8, out += 8) {
    float p[3] = {base[0], base[1], base[2]}, n[3] = {base[3], base[4], base[5]};
    for (int t = 0; t < Targets; t++) {
      P dp[3];
      N dn[3];
      load(dp, positions[t].bytes + i * positions[t].stride, 3);
      load(dn, normals[t].bytes + i * normals[t].stride, 3);
      for (int c = 0; c < 3; c++) {
        p[c] += weight * positions[t].scale * (float)dp[c];
        n[c] += weight * normals[t].scale * (float)dn[c];
      }
    }
    if (Targets == 2) {
      float scale = 1 / std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
      for (int c = 0; c < 3; c++) n[c] *= scale;
    }
    for (int c = 0; c < 3; c++) {
      out[c] = Placed ? m[c] * p[0] + m[4 + c] * p[1] + m[8 + c] * p[2] + m[12 + c] : p[c];
      out[3 + c] = Placed ? r[c] * n[0] + r[3 + c] * n[1] + r[6 + c] * n[2] : n[c];
    }
    out[6] = base[6];
    out[7] = base[7];
  }
}

template <int Targets>
bool write_targets(const float *base, const Stream *positions, const Stream *normals, float weight, size_t count,
                   const Placement &place, float *out) {
  bool known = false;
  with_type(positions[0].type, [&](auto p) {
    known = with_type(normals[0].type, [&](auto n) {
      auto write = place.is_identity ? write_frame<decltype(p), decltype(n), Targets, false>
                                     : write_frame<decltype(p), decltype(n), Targets, true>;
      write(base, positions, normals, weight, count, place, out);
    });
  });
  return known;
}

// The streams of a target, or of zeros for the base.
bool target(const cgltf_data *data, const cgltf_primitive &primitive, size_t frame, Stream &position, Stream &normal) {
  static const float zero[3] = {};
  const Stream none = {(const uint8_t *)zero, 0, cgltf_component_type_r_32f, 0};
  position = normal = none;
  if (frame == 0) return true;
  const cgltf_morph_target &from = primitive.targets[frame - 1];
  for (size_t a = 0; a < from.attributes_count; a++) {
    const cgltf_attribute &attribute = from.attributes[a];
    if (attribute.type == cgltf_attribute_type_position && !stream(data, attribute.data, position)) return false;
    if (attribute.type == cgltf_attribute_type_normal && !stream(data, attribute.data, normal)) return false;
  }
  return true;
}

#ifdef HAS_DRACO
bool read_draco(const cgltf_data *data, const cgltf_primitive &primitive, float *base, uint32_t *indices) {
  const cgltf_draco_mesh_compression &packed = primitive.draco_mesh_compression;
  const cgltf_buffer_view *view = packed.buffer_view;
  draco::DecoderBuffer bytes;
  bytes.Init((const char *)view->buffer->data + view->offset, view->size);
  draco::Decoder decoder;
  auto decoded = decoder.DecodeMeshFromBuffer(&bytes);
  if (!decoded.ok()) return false;
  std::unique_ptr<draco::Mesh> mesh = std::move(decoded).value();
  size_t vertices = mesh->num_points();
  if (mesh->num_faces() * 3 != primitive.indices->count || vertices != primitive.attributes[0].data->count) return false;
  memcpy(indices, &mesh->face(draco::FaceIndex(0)), mesh->num_faces() * 3 * sizeof *indices);
  for (size_t a = 0; a < packed.attributes_count; a++) {
    const cgltf_attribute &attribute = packed.attributes[a];
    int at = attribute.type == cgltf_attribute_type_position ? 0 : attribute.type == cgltf_attribute_type_normal ? 3 : 6;
    // cgltf takes the number of draco's attribute for the index of an accessor.
    const draco::PointAttribute *values = mesh->GetAttributeByUniqueId((uint32_t)(attribute.data - data->accessors));
    if (!values || values->data_type() != draco::DT_FLOAT32) return false;
    int components = at == 6 ? 2 : 3;
    for (uint32_t i = 0; i < vertices; i++)
      memcpy(base + 8 * i + at, values->GetAddress(values->mapped_index(draco::PointIndex(i))), components * sizeof(float));
  }
  return true;
}
#endif

bool read_primitive(const cgltf_data *data, const cgltf_node *node, const cgltf_primitive &primitive, int task, buffers *out) {
  if (!primitive.indices || primitive.attributes_count == 0) return false;
  size_t count = primitive.attributes[0].data->count, frames = primitive.targets_count + 1;
  mesh *mesh = add_mesh(out, count, task == ALL ? frames : 1, primitive.indices->count);
  if (!mesh) return false;
  if (scratch.base.size() < 8 * count) scratch.base.resize(8 * count);
  float *base = scratch.base.data(), *vertices = out->vertices + 8 * mesh->first_vertex;
  uint32_t *indices = out->indices + mesh->first_index;
  if (primitive.has_draco_mesh_compression) {
#ifdef HAS_DRACO
    if (!read_draco(data, primitive, base, indices)) return false;
#else
    return false;
#endif
  } else {
    for (size_t a = 0; a < primitive.attributes_count; a++) {
      const cgltf_attribute &attribute = primitive.attributes[a];
      Stream from;
      int at = attribute.type == cgltf_attribute_type_position ? 0 : attribute.type == cgltf_attribute_type_normal ? 3 : attribute.type == cgltf_attribute_type_texcoord ? 6 : -1;
      if (at < 0) continue;
      if (!stream(data, attribute.data, from) || !write_base(from, at == 6 ? 2 : 3, count, base + at)) return false;
    }
    Stream from;
    if (!stream(data, primitive.indices, from)) return false;
    for (size_t i = 0; i < mesh->indices; i++) switch (from.type) {
      case cgltf_component_type_r_8u: indices[i] = from.bytes[i]; break;
      case cgltf_component_type_r_16u: indices[i] = ((const uint16_t *)from.bytes)[i]; break;
      default: indices[i] = ((const uint32_t *)from.bytes)[i]; break;
    }
  }
  const Placement place = placement(node);
  Stream positions[2], normals[2];
  if (task == BLEND && frames > 1) {
    size_t middle = (frames - 1) / 2;
    // The base has no streams: then the second target alone is added.
    int used = middle == 0 ? 1 : 2;
    for (int t = 0; t < 2; t++)
      if (!target(data, primitive, middle + 1 - t, positions[t], normals[t])) return false;
    if (used == 1) positions[1] = positions[0], normals[1] = normals[0], positions[1].scale = normals[1].scale = 0;
    return write_targets<2>(base, positions, normals, 0.5f, count, place, vertices);
  }
  if (!target(data, primitive, 0, positions[0], normals[0]) || !write_targets<0>(base, positions, normals, 0, count, place, vertices)) return false;
  for (size_t frame = 1; frame < mesh->frames; frame++) {
    if (!target(data, primitive, frame, positions[0], normals[0]) ||
        !write_targets<1>(base, positions, normals, 1, count, place, vertices + 8 * count * frame))
      return false;
  }
  return true;
}

}  // namespace

int glb_read(const uint8_t *bytes, size_t len, int task, buffers *out) {
  cgltf_options options = {};
  cgltf_data *data = nullptr;
  if (cgltf_parse(&options, bytes, len, &data) != cgltf_result_success) return 1;
  bool good = cgltf_load_buffers(&options, data, nullptr) == cgltf_result_success;
  if (scratch.views.size() < data->buffer_views_count) scratch.views.resize(data->buffer_views_count);
  scratch.is_decoded.assign(data->buffer_views_count, 0);
  for (size_t n = 0; good && n < data->nodes_count; n++) {
    const cgltf_mesh *mesh = data->nodes[n].mesh;
    for (size_t p = 0; good && mesh && p < mesh->primitives_count; p++)
      good = read_primitive(data, &data->nodes[n], mesh->primitives[p], task, out);
  }
  cgltf_free(data);
  return !good;
}
