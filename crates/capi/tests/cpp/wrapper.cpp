// The C++ wrapper: handles, views and errors, with and without exceptions.
#include "meshlens.hpp"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

namespace {

int failures = 0;
std::string corpus;

#define CHECK(condition)                                               \
  do {                                                                 \
    if (!(condition)) {                                                \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      failures++;                                                      \
    }                                                                  \
  } while (0)

// The value of a call that has to succeed, and the error of one that has to fail, in both modes.
#ifdef MESHLENS_NO_EXCEPTIONS
template <class T>
T value(ml::result<T> result) {
  if (!result) std::fprintf(stderr, "%s\n", result.error().what());
  return *std::move(result);
}
#define DO(call) CHECK((call).has_value())
template <class F>
ml::error failure(F call) {
  auto result = call();
  CHECK(!result);
  return result.error();
}
#else
template <class T>
T value(T result) {
  return result;
}
template <class F>
ml::error failure(F call) {
  try {
    call();
  } catch (const ml::error& error) {
    return error;
  }
  CHECK(!"an error");
  return ml::error();
}
#define DO(call) (call)
#endif

std::string path(const char* name) { return corpus + "/" + name; }

void handles() {
  ml::asset none;
  CHECK(!none && none.get() == nullptr);
  ml::asset first = value(ml::asset::open(path("md3/animated.md3")));
  ml_asset* raw = first.get();
  ml::asset second = std::move(first);
  CHECK(!first && second && second.get() == raw);
  none = std::move(second);
  CHECK(!second && none.get() == raw);
  ml::asset& same = none;
  none = std::move(same);
  CHECK(none.get() == raw);
  ml_close(none.release());
  CHECK(!none);
}

void errors() {
  const ml::error missing = failure([] { return ml::asset::open("no/such/file.md3"); });
  CHECK(missing.code() == ML_ERROR_NOT_FOUND && missing.what()[0] != 0 && missing.offset() == ML_NO_OFFSET);
  const unsigned char header[108] = {'I', 'D', 'P', '3', 16};
  const ml::error version = failure([&] { return ml::asset::open(ml::span<const unsigned char>(header, 108)); });
  CHECK(version.code() == ML_ERROR_VERSION && version.offset() == 4 && std::string_view(version.format()) == "md3");
  const ml::asset closed;
  CHECK(failure([&] { return closed.info(); }).code() == ML_ERROR_ARGUMENT);
  CHECK(failure([&] { return closed.arrays(); }).code() == ML_ERROR_ARGUMENT);
  CHECK(failure([&] { return closed.meshes(); }).code() == ML_ERROR_ARGUMENT);
  CHECK(failure([&] { return closed.decode<float>(0); }).code() == ML_ERROR_ARGUMENT);
  CHECK(failure([&] { return closed.scene(); }).code() == ML_ERROR_ARGUMENT);
  CHECK(failure([&] { return ml::scene().indices(0); }).code() == ML_ERROR_ARGUMENT);
  CHECK(failure([&] { return closed.to_glb(); }).code() == ML_ERROR_ARGUMENT);
  const ml::asset ring = value(ml::asset::open(path("md3/animated.md3")));
  CHECK(failure([&] { return ring.mesh(1); }).code() == ML_ERROR_INDEX);
  CHECK(failure([&] { return ring.sample(9, 0); }).code() == ML_ERROR_INDEX);
  CHECK(value(ring.find_clip("no such clip")) == ML_NONE);
  float few[3];
  CHECK(failure([&] { return ring.decode(0, ml::span<float>(few)); }).code() == ML_ERROR_VALUE);
  const ml::vertex_layout layout(12);
  const ml::scene scene = value(ring.scene());
  CHECK(failure([&] { return scene.fill(0, layout, ml::span<float>(few)); }).code() == ML_ERROR_LENGTH);
}

void values() {
  const ml::asset ring = value(ml::asset::open(path("md3/animated.md3")));
  const ml_file_info info = value(ring.info());
  CHECK(info.format == ML_FORMAT_MD3 && info.vertex_count == 35 && info.triangle_count == 48);
  std::size_t arrays = 0, positions = 0, decoded = 0;
  const auto listed = value(ring.arrays());
  for (const ml_array& array : listed) {
    CHECK(ml::bytes(array).size() == array.data_size && ml::bytes(array).data() == array.data);
    if (array.semantic == ML_SEMANTIC_POSITION && array.frame == 2) {
      positions++;
      const std::vector<float> out = value(ring.decode<float>(arrays));
      decoded = out.size();
      std::vector<float> again(out.size() + 1, 7.0f);
      DO(ring.decode(arrays, ml::span<float>(again.data(), out.size())));
      CHECK(std::memcmp(out.data(), again.data(), out.size() * 4) == 0 && again.back() == 7.0f);
    }
    arrays++;
  }
  CHECK(arrays == listed.size() && positions == 1 && decoded == 35 * 3 && listed[0].count > 0);

  // Positions at rest lie in the box around them.
  const auto layout = ml::vertex_layout(20)
                          .with(ML_ATTRIBUTE_POSITION, 0, ML_VERTEX_FORMAT_FLOAT32X3)
                          .with(ML_ATTRIBUTE_TEXCOORD, 12, ML_VERTEX_FORMAT_FLOAT32X2);
  struct vertex {
    float position[3], texcoord[2];
  };
  const ml::scene scene = value(ring.scene());
  std::vector<vertex> vertices(value(scene.mesh(0)).vertex_count);
  DO(scene.fill(0, layout, ml::span<vertex>(vertices)));
  const ml_bounds box = value(ring.bounds());
  for (const vertex& vertex : vertices) {
    for (int axis = 0; axis < 3; axis++) {
      CHECK(vertex.position[axis] >= box.min[axis] && vertex.position[axis] <= box.max[axis]);
    }
  }
  CHECK(box.max[0] == 11.0f);
  const std::vector<std::uint32_t> indices = value(scene.indices(0));
  CHECK(indices.size() == 144);
  for (const std::uint32_t index : indices) CHECK(index < 35);
  CHECK(value(scene.submesh(0, 0)).index_count == 144);
  std::vector<std::uint16_t> narrow(144);
  DO(scene.indices(0, ml::span<std::uint16_t>(narrow)));
  for (std::size_t i = 0; i < 144; i++) CHECK(narrow[i] == indices[i]);
  CHECK(value(ring.has_attribute(0, ML_ATTRIBUTE_NORMAL)) && !value(ring.has_attribute(0, ML_ATTRIBUTE_COLOR)));
  // X of MD3 is forward, which is Z in glTF.
  const ml_convert_opts space = ml::space(ML_SPACE_GLTF, 2.0f);
  const ml::scene gltf = value(ring.scene(&space));
  CHECK(value(gltf.node_matrix(0)).m[2] == 2.0f && value(gltf.bounds()).max[2] == 22.0f);
  CHECK(value(scene.info()).mesh_count == 1 && scene.clips().size() == 1);
  CHECK(std::string_view(scene.clips()[0].name) == "all");
  const ml::pose pose = value(scene.rest_pose());
  const ml_play all[1] = {{"all", 0.1f}};
  DO(scene.set_pose(pose, ml::span<const ml_play>(all)));
  CHECK(value(scene.bounds(pose.get())).max[2] == 3.25f);
  DO(pose.set_frames(0, ml_blend{}));
  CHECK(value(scene.bounds(pose.get())).max[2] == box.max[2]);
  CHECK(value(scene.find_tag("tag_torso")).first == ML_NONE);
  CHECK(failure([&] { return scene.tag_matrix(0, 0); }).code() == ML_ERROR_INDEX);
  std::vector<std::uint32_t> largest(144);
  for (std::size_t array = 0; array < listed.size(); array++) {
    if (listed[array].semantic != ML_SEMANTIC_TRIANGLES) continue;
    CHECK(value(ring.decode_indices(array, ml::span<std::uint32_t>(largest))) == 34);
  }

  CHECK(value(ring.meshes()).size() == 1 && value(ring.meshes())[0].point_count == 35);
  CHECK(value(ring.materials()).size() == value(ring.model()).material_count);
  const auto clips = value(ring.clips());
  CHECK(clips.size() == 1 && std::string_view(clips[0].name) == "all");
  CHECK(value(ring.find_clip("all")) == 0 && value(ring.sample(0, 0.0f)).a == 0);

  const ml::asset tagged = value(ml::asset::open(path("md3/tagged.md3")));
  CHECK(value(tagged.tag_pose(0)).rotation[3] != 0.0f || value(tagged.model()).tag_count > 0);
  CHECK(value(value(tagged.scene()).tag_matrix(0, 0)).m[15] == 1.0f && !value(tagged.frame_name(0)).empty());
  CHECK(value(tagged.find_tag(value(tagged.tag_name(0)))) == 0 && value(tagged.find_tag("no such tag")) == ML_NONE);
  const ml::report report = value(tagged.validate());
  const ml_report_info counts = value(report.info());
  CHECK(report.findings().size() == counts.finding_count);
  for (const ml_finding& finding : report.findings()) CHECK(finding.code[0] != 0);
  CHECK(report.groups().size() == counts.group_count);
  CHECK(value(ml::explain("TAG_AXIS_NOT_UNIT")).meaning[0] != 0);
  CHECK(failure([] { return ml::explain("NO_SUCH_CODE"); }).code() == ML_ERROR_MISSING);
  const std::vector<unsigned char> glb = value(tagged.to_glb());
  CHECK(glb.size() > 20 && std::memcmp(glb.data(), "glTF", 4) == 0);
  ml::report losses;
  CHECK(value(tagged.to_glb(nullptr, &losses)) == glb && losses);
  CHECK(losses.findings().size() == value(losses.info()).finding_count);
}

// The matrices of a skeleton at rest leave every vertex in its place.
void skeletons() {
  const ml::asset file = value(ml::asset::open(path("unigine/skinned_ms11.mesh")));
  const auto joints = value(file.joints());
  CHECK(joints.size() > 0 && joints.size() == value(file.model()).joint_count && joints[0].name[0] != 0);
  CHECK(value(file.animations()).size() == value(file.model()).animation_count);
  const std::vector<ml_transform> rest = value(file.pose(ML_NONE, 0.0f));
  CHECK(rest.size() == joints.size());
  const std::vector<ml_matrix> world = value(file.world_matrices(rest));
  const ml::scene scene = value(file.scene());
  const ml::pose pose = value(scene.rest_pose());
  DO(pose.set_joints(0, ml::span<const ml_matrix>(world)));
  std::vector<ml_matrix> skin(joints.size());
  DO(scene.skin_matrices(0, ml::span<ml_matrix>(skin), pose.get()));
  for (const ml_matrix& matrix : skin) {
    for (int i = 0; i < 16; i++) CHECK(std::fabs(matrix.m[i] - (i % 5 == 0 ? 1.0f : 0.0f)) < 1e-4f);
  }
  CHECK(value(scene.joint_matrix(0, 0)).m[15] == 1.0f);
  CHECK(failure([&] { return file.pose(99, 0.0f); }).code() == ML_ERROR_INDEX);
  CHECK(failure([&] { return scene.skin_matrices(0, ml::span<ml_matrix>()); }).code() == ML_ERROR_LENGTH);
}

void several_files() {
  const std::string paths[] = {path("unreal/Models/figure_d.3d"), path("unreal/Models/figure_a.3d"),
                               path("unreal/Classes/Figure.uc")};
  const ml_input_file files[] = {{paths[0].c_str(), nullptr, 0, ML_ROLE_BY_NAME},
                                 {paths[1].c_str(), nullptr, 0, ML_ROLE_BY_NAME},
                                 {paths[2].c_str(), nullptr, 0, ML_ROLE_SCRIPT}};
  const ml::asset figure = value(ml::asset::open(ml::span<const ml_input_file>(files, 3)));
  CHECK(value(figure.clips()).size() == 2);
  const unsigned char byte = 0;
  const ml_input_file nothing = {"x.md3", &byte, 1, ML_ROLE_BY_NAME};
  CHECK(failure([&] { return ml::asset::open(ml::span<const ml_input_file>(&nothing, 1)); }).code() == ML_ERROR_MAGIC);

  ml::assets assets = value(ml::assets::make());
  DO(assets.mount_folder(corpus.c_str()));
  const ml::asset player = value(assets.open("md3/player"));
  CHECK(value(player.found()).node_count == 3);
  CHECK(value(value(player.node_asset(1)).clips()).size() == 13);
  CHECK(failure([&] { return assets.open("no/such/model"); }).code() == ML_ERROR_NOT_FOUND);
  CHECK(value(player.node(0)).parent == ML_NONE && value(player.node(1)).parent == 0);
  CHECK(value(value(player.scene()).info()).mesh_count == 3);
  CHECK(value(player.used(0)).byte_count > 108 && value(player.lookup(0)).path[0] != 0);
  const ml::report report = value(player.report());
  CHECK(report.findings().size() == value(report.info()).finding_count);
  const ml::models models = value(assets.find("md3/player"));
  CHECK(models.found().size() == value(models.info()).model_count && models.found().size() > 0);
  CHECK(value(value(models.open(0)).found()).node_count > 0);
  CHECK(failure([&] { return models.fault(0); }).code() == ML_ERROR_INDEX);
  CHECK(value(assets.find_at(path("md3/player").c_str())).found().size() > 0);
  CHECK(value(value(assets.open_path(path("md3/static.md3").c_str())).found()).node_count == 1);
  DO(assets.refresh());
  std::size_t names = 0;
  const auto count = [](void* user, const char*, std::uint32_t) {
    ++*static_cast<std::size_t*>(user);
    return 0;
  };
  DO(assets.list("md3/player", count, &names));
  CHECK(names > 3);
  const std::vector<unsigned char> bytes = value(assets.read("md3/animated.md3"));
  CHECK(bytes.size() > 108 && std::memcmp(bytes.data(), "IDP3", 4) == 0);
  CHECK(value(ml::detect(ml::span<const unsigned char>(bytes))) == ML_FORMAT_MD3);
  CHECK(std::string_view(ml::name(ML_FORMAT_MD3)) == "md3" && std::string_view(ml::name(ML_OK)) == "OK");
  CHECK(std::string_view(ml::name(ML_SEMANTIC_POSITION)) == "positions" && ml::abi_version() == ML_ABI_VERSION);
  CHECK(ml::version()[0] != 0 && ml::size_of(ML_VERTEX_FORMAT_FLOAT32X3) == 12);
  CHECK(ml::priority_by_distance(1.0f) > ml::priority_by_distance(2.0f));
  const ml::asset part = value(player.node_asset(0));
  CHECK(failure([&] { return part.read_texture(99); }).code() == ML_ERROR_INDEX);
  const ml::asset flag = value(assets.open("gallery/flag.md3"));
  std::string type;
  const std::vector<unsigned char> texture = value(flag.read_texture(0, &type));
  CHECK(type == "image/png" && texture.size() > 8 && std::memcmp(texture.data() + 1, "PNG", 3) == 0);
  CHECK(value(flag.read_texture(0)) == texture);
  CHECK(failure([&] { return flag.read_normal_map(0, &type); }).code() == ML_ERROR_MISSING);
  ml_image image = {};
  CHECK(failure([&] { return part.read_texture_pixels(99, image); }).code() == ML_ERROR_INDEX);
  CHECK(failure([&] { return part.read_texture_blocks(99, image); }).code() == ML_ERROR_INDEX);
}

void streaming() {
  ml_streamer_opts listing = {};
  listing.flags = ML_STREAMER_LIST;
  const ml::streamer streamer = value(ml::streamer::make(&listing));
  const ml::stream stream = value(streamer.open(path("md3/animated.md3").c_str()));
  CHECK(failure([&] { return stream.parts(); }).code() == ML_ERROR_NOT_READY);
  ml_request_opts opts = {};
  opts.part = {ML_PART_WHOLE, 0, 0};
  const ml::request request = value(stream.request(opts));
  DO(request.set_priority(3));
  while (!request.has_ended()) std::this_thread::sleep_for(std::chrono::microseconds(200));
  CHECK(value(request.poll()).state == ML_REQUEST_READY && value(request.loaded()).vertex_count == 0);
  CHECK(value(value(request.asset()).model()).mesh_count == 1);
  CHECK(value(stream.info()).part_count == value(stream.parts()).size());
  CHECK(value(stream.part(opts.part)).stored_size > 0);
  CHECK(value(streamer.info()).bytes_read > 0);
  std::vector<std::uint64_t> ended;
  while (ended.empty()) ended = value(streamer.poll(4));
  CHECK(ended.size() == 1 && ended[0] == value(request.poll()).id);
  const ml::request other = value(stream.request(opts));
  DO(other.cancel());
}

}  // namespace

int main(int argc, char** argv) {
  corpus = argc > 1 ? argv[1] : "corpus";
  handles();
  errors();
  values();
  skeletons();
  several_files();
  streaming();
  if (failures > 0) std::fprintf(stderr, "wrapper: %d checks failed\n", failures);
  return failures > 0;
}
