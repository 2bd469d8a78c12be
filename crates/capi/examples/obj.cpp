// Writes two frames of a model as an OBJ, each mesh in each frame as an object of its own.
//
//   obj lower.md3 0 10 lower.obj
//
// The vertex buffers are filled in the space of glTF, which is also that of most programs that read OBJ: right-handed, with
// Y up.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "meshlens.hpp"

namespace {

struct vertex {
  float position[3];
  float normal[3];
  float texcoord[2];
};

struct close_file {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Writes a mesh in one frame, and returns the number of its vertices: OBJ counts those of all objects.
std::size_t write_mesh(std::FILE* out, const ml::asset& file, const ml::scene& scene, std::size_t mesh, std::size_t frame,
                       std::size_t before) {
  const auto layout = ml::vertex_layout(sizeof(vertex))
                          .with(ML_ATTRIBUTE_POSITION, offsetof(vertex, position), ML_VERTEX_FORMAT_FLOAT32X3)
                          .with(ML_ATTRIBUTE_NORMAL, offsetof(vertex, normal), ML_VERTEX_FORMAT_FLOAT32X3)
                          .with(ML_ATTRIBUTE_TEXCOORD, offsetof(vertex, texcoord), ML_VERTEX_FORMAT_FLOAT32X2);
  const ml::pose pose = scene.rest_pose();
  pose.set_frames(0, ml_blend{frame, frame, 0.0f});
  const ml_scene_mesh found = scene.mesh(mesh);
  std::vector<vertex> vertices(found.vertex_count);
  scene.fill(mesh, layout, ml::span<vertex>(vertices), pose.get());
  const std::vector<std::uint32_t> indices = scene.indices(mesh);

  std::fprintf(out, "o %s.%zu\n", file.mesh(found.mesh).name, frame);
  for (const vertex& v : vertices) std::fprintf(out, "v %g %g %g\n", v.position[0], v.position[1], v.position[2]);
  // The origin of textures is at the top in the files, and at the bottom in OBJ.
  for (const vertex& v : vertices) std::fprintf(out, "vt %g %g\n", v.texcoord[0], 1.0f - v.texcoord[1]);
  for (const vertex& v : vertices) std::fprintf(out, "vn %g %g %g\n", v.normal[0], v.normal[1], v.normal[2]);
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    std::fputs("f", out);
    for (std::size_t corner = 0; corner < 3; corner++) {
      const std::size_t at = before + indices[i + corner] + 1;
      std::fprintf(out, " %zu/%zu/%zu", at, at, at);
    }
    std::fputc('\n', out);
  }
  return vertices.size();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("usage: obj MODEL FRAME FRAME OUTPUT\n", stderr);
    return 2;
  }
  try {
    const ml::asset file = ml::asset::open(argv[1]);
    const std::unique_ptr<std::FILE, close_file> out(std::fopen(argv[4], "w"));
    if (!out) {
      std::perror(argv[4]);
      return 2;
    }
    const ml_convert_opts space = ml::space(ML_SPACE_GLTF);
    const ml::scene scene = file.scene(&space);
    const std::size_t meshes = scene.info().mesh_count;
    std::size_t vertices = 0;
    for (int argument = 2; argument < 4; argument++) {
      const std::size_t frame = std::strtoul(argv[argument], nullptr, 10);
      for (std::size_t mesh = 0; mesh < meshes; mesh++) {
        vertices += write_mesh(out.get(), file, scene, mesh, frame, vertices);
      }
    }
    return std::ferror(out.get()) ? 2 : 0;
  } catch (const ml::error& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    return 1;
  }
}
