// meshlens.hpp: meshlens for C++17 and later. Header-only, over meshlens.h.
//
//   ml::asset file = ml::asset::open("lower.md3");
//   for (const ml_array& array : file.arrays()) { ... }          // location and format; nothing is decoded or copied
//   std::vector<float> positions = file.decode<float>(0);        // or into your memory: file.decode(0, span)
//
// Objects own their handles: they close them in their destructors, and can be moved, but not copied. Each call has the cost,
// the thread safety and the errors of the C function that it is named after; see the comments in meshlens.h. Every function of
// the C interface has a counterpart here.
//
// Errors. A call that fails throws ml::error. If MESHLENS_NO_EXCEPTIONS is defined, calls return ml::result<T> instead: a value
// or an error.
//
//   ml::result<ml::asset> file = ml::asset::open("lower.md3");
//   if (!file) return report(file.error().what());
//   use(*file);
//
// ml::expected<T> is the return type of these calls: T with exceptions, ml::result<T> without.
#ifndef MESHLENS_HPP
#define MESHLENS_HPP

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif

#include "meshlens.h"

#ifndef MESHLENS_NO_EXCEPTIONS
#include <exception>
#endif

namespace ml {

#if defined(__cpp_lib_span)
/// A view of contiguous elements: std::span if the standard library has it.
template <class T>
using span = std::span<T>;
#else
/// A view of contiguous elements, like std::span of C++20.
template <class T>
class span {
 public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;

  constexpr span() noexcept = default;
  constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}
  template <std::size_t N>
  constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
  /// A view of a container with contiguous elements.
  template <class C, class = std::enable_if_t<std::is_convertible_v<
                         std::remove_pointer_t<decltype(std::declval<C&>().data())> (*)[], T (*)[]>>>
  constexpr span(C&& container) noexcept : data_(container.data()), size_(container.size()) {}

  constexpr T* data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_; }
  constexpr std::size_t size_bytes() const noexcept { return size_ * sizeof(T); }
  constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }
  constexpr T* begin() const noexcept { return data_; }
  constexpr T* end() const noexcept { return data_ + size_; }
  constexpr span first(std::size_t count) const noexcept { return span(data_, count); }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
#endif

/// The reason why a call failed.
class error
#ifndef MESHLENS_NO_EXCEPTIONS
    : public std::exception
#endif
{
 public:
  error() noexcept : raw_() {}
  explicit error(const ml_error& raw) noexcept : raw_(raw) {}

  /// The error as a UTF-8 sentence.
  const char* what() const noexcept
#ifndef MESHLENS_NO_EXCEPTIONS
      override
#endif
  {
    return raw_.text;
  }
  /// The kind of error.
  ml_result code() const noexcept { return static_cast<ml_result>(raw_.code); }
  /// The absolute byte offset in the file; ML_NO_OFFSET if the error has no location in a file.
  std::uint64_t offset() const noexcept { return raw_.offset; }
  /// The format that was read, such as "md3"; may be empty.
  const char* format() const noexcept { return raw_.format; }
  /// The error of the C interface.
  const ml_error& raw() const noexcept { return raw_; }

 private:
  ml_error raw_;
};

/// A value, or the error of the call that failed.
template <class T>
class [[nodiscard]] result {
 public:
  result(T value) noexcept(std::is_nothrow_move_constructible_v<T>) : value_(std::move(value)), ok_(true) {}
  result(const ml::error& why) : error_(why) {}

  explicit operator bool() const noexcept { return ok_; }
  bool has_value() const noexcept { return ok_; }
  /// The value. Calls std::abort if there is none.
  T& operator*() & noexcept { return check(), value_; }
  const T& operator*() const& noexcept { return check(), value_; }
  T&& operator*() && noexcept { return check(), std::move(value_); }
  T* operator->() noexcept { return check(), &value_; }
  const T* operator->() const noexcept { return check(), &value_; }
  /// The error; its code is ML_OK if there is a value.
  const ml::error& error() const noexcept { return error_; }

 private:
  void check() const noexcept {
    if (!ok_) std::abort();
  }

  T value_{};
  ml::error error_;
  bool ok_ = false;
};

/// The result of a call that returns no value.
template <>
class [[nodiscard]] result<void> {
 public:
  result() noexcept = default;
  result(const ml::error& why) : error_(why) {}

  explicit operator bool() const noexcept { return has_value(); }
  bool has_value() const noexcept { return error_.code() == ML_OK; }
  const ml::error& error() const noexcept { return error_; }

 private:
  ml::error error_;
};

#ifdef MESHLENS_NO_EXCEPTIONS
/// The return type of calls that can fail: here, a result.
template <class T>
using expected = result<T>;
#else
/// The return type of calls that can fail: here, the value. Errors are thrown.
template <class T>
using expected = T;
#endif

namespace detail {

#ifdef MESHLENS_NO_EXCEPTIONS
template <class T>
expected<T> finish(ml_result code, const ml_error& error, T&& value) {
  if (code != ML_OK) return expected<T>(ml::error(error));
  return expected<T>(std::forward<T>(value));
}
inline expected<void> finish(ml_result code, const ml_error& error) {
  return code == ML_OK ? expected<void>() : expected<void>(ml::error(error));
}
#else
template <class T>
expected<T> finish(ml_result code, const ml_error& error, T&& value) {
  if (code != ML_OK) throw ml::error(error);
  return std::forward<T>(value);
}
inline void finish(ml_result code, const ml_error& error) {
  if (code != ML_OK) throw ml::error(error);
}
#endif

/// A struct of the C interface with its size set.
template <class T>
T sized() noexcept {
  T made = T();
  made.size = sizeof(T);
  return made;
}

inline ml_error no_error() noexcept { return sized<ml_error>(); }

/// Collects the bytes that a call writes.
class writer {
 public:
  /// The callback that appends to the bytes of a writer.
  static int append(void* user, const void* data, std::size_t size) {
    return guarded([&] {
      std::vector<unsigned char>& bytes = static_cast<writer*>(user)->bytes;
      const unsigned char* from = static_cast<const unsigned char*>(data);
      bytes.insert(bytes.end(), from, from + size);
    });
  }

  /// The callback that adds a vector to a vector of them.
  static int append_one(void* user, const void* data, std::size_t size) {
    return guarded([&] {
      const unsigned char* from = static_cast<const unsigned char*>(data);
      static_cast<std::vector<std::vector<unsigned char>>*>(user)->emplace_back(from, from + size);
    });
  }

  std::vector<unsigned char> bytes;

 private:
  /// No exception may pass through C: if a vector cannot grow, the call fails.
  template <class Append>
  static int guarded(Append append) {
#ifdef MESHLENS_NO_EXCEPTIONS
    append();
    return 0;
#else
    try {
      append();
      return 0;
    } catch (...) {
      return 1;
    }
#endif
  }
};

/// A handle that its destructor closes.
template <class T, ml_result (*Close)(T*)>
class handle {
 public:
  handle() noexcept = default;
  explicit handle(T* raw) noexcept : raw_(raw) {}
  handle(handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  handle& operator=(handle&& other) noexcept {
    if (this != &other) reset(std::exchange(other.raw_, nullptr));
    return *this;
  }
  handle(const handle&) = delete;
  handle& operator=(const handle&) = delete;
  ~handle() { reset(); }

  /// The handle of the C interface. NULL if this object was moved from, closed or never opened.
  T* get() const noexcept { return raw_; }
  explicit operator bool() const noexcept { return raw_ != nullptr; }
  /// Closes the handle.
  void reset(T* raw = nullptr) noexcept {
    if (raw_ != nullptr) Close(raw_);
    raw_ = raw;
  }
  /// Returns the handle and no longer owns it.
  T* release() noexcept { return std::exchange(raw_, nullptr); }

 protected:
  T* raw_ = nullptr;
};

/// Calls a function that fills a struct.
template <class T, class F>
expected<T> get(F&& call) {
  ml_error error = no_error();
  T out = sized<T>();
  const ml_result code = call(&out, &error);
  return finish(code, error, std::move(out));
}

/// Calls a function that writes a value which is no struct with a size.
template <class T, class F>
expected<T> put(F&& call) {
  ml_error error = no_error();
  T out = T();
  const ml_result code = call(&out, &error);
  return finish(code, error, std::move(out));
}

/// Calls a function that makes a handle.
template <class T, class Raw, class F>
expected<T> make(F&& call) {
  ml_error error = no_error();
  Raw* raw = nullptr;
  const ml_result code = call(&raw, &error);
  return finish(code, error, T(raw));
}

/// Calls a function that returns nothing.
template <class F>
expected<void> run(F&& call) {
  ml_error error = no_error();
  const ml_result code = call(&error);
  return finish(code, error);
}

/// A list whose elements a call returns one by one. These calls do not fail, because the owner of the list is immutable.
template <class T, class Owner, ml_result (*Get)(const Owner*, std::size_t, T*, ml_error*)>
class list {
 public:
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    iterator(const Owner* owner, std::size_t index) noexcept : owner_(owner), index_(index) {}
    T operator*() const noexcept {
      T out = sized<T>();
      Get(owner_, index_, &out, nullptr);
      return out;
    }
    iterator& operator++() noexcept { return ++index_, *this; }
    bool operator==(const iterator& other) const noexcept { return index_ == other.index_; }
    bool operator!=(const iterator& other) const noexcept { return index_ != other.index_; }

   private:
    const Owner* owner_;
    std::size_t index_;
  };

  list() noexcept = default;
  list(const Owner* owner, std::size_t size) noexcept : owner_(owner), size_(size) {}
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  T operator[](std::size_t index) const noexcept { return *iterator(owner_, index); }
  iterator begin() const noexcept { return iterator(owner_, 0); }
  iterator end() const noexcept { return iterator(owner_, size_); }

 private:
  const Owner* owner_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace detail

/// The version of the library, such as "0.1.0".
inline const char* version() noexcept { return ml_version(); }
/// The version of the binary interface of the library; ML_ABI_VERSION is that of the header.
inline std::uint32_t abi_version() noexcept { return ml_abi_version(); }
/// The name of a result, of a format or of a semantic; the text is static.
inline const char* name(ml_result result) noexcept { return ml_result_name(result); }
inline const char* name(ml_format format) noexcept { return ml_format_name(format); }
inline const char* name(ml_semantic semantic) noexcept { return ml_semantic_name(semantic); }
/// The size in bytes of an attribute with this format; 0 for an unknown number.
inline std::size_t size_of(ml_vertex_format format) noexcept { return ml_vertex_format_size(format); }
/// The priority of a request for something at this distance.
inline std::int32_t priority_by_distance(float distance) noexcept { return ml_priority_by_distance(distance); }

/// A space and a factor of lengths.
inline ml_convert_opts space(ml_space_id id, float scale = 1.0f) noexcept {
  ml_convert_opts opts = detail::sized<ml_convert_opts>();
  opts.space = id;
  opts.scale = scale;
  return opts;
}

/// The stored bytes of an array. Valid until the file is closed.
inline span<const unsigned char> bytes(const ml_array& array) noexcept {
  return span<const unsigned char>(static_cast<const unsigned char*>(array.data), array.data_size);
}

/// A list of findings.
class report : public detail::handle<ml_report, ml_close_report> {
 public:
  using handle::handle;
  using findings_list = detail::list<ml_finding, ml_report, ml_get_finding>;
  using groups_list = detail::list<ml_finding_group, ml_report, ml_get_finding_group>;

  expected<ml_report_info> info() const {
    return detail::get<ml_report_info>([&](auto* out, auto* error) { return ml_get_report_info(raw_, out, error); });
  }
  /// The kept findings. Empty if this object was moved from.
  findings_list findings() const noexcept {
    ml_report_info info = detail::sized<ml_report_info>();
    ml_get_report_info(raw_, &info, nullptr);
    return findings_list(raw_, info.finding_count);
  }
  /// The number of findings with each code. Empty if this object was moved from.
  groups_list groups() const noexcept {
    ml_report_info info = detail::sized<ml_report_info>();
    ml_get_report_info(raw_, &info, nullptr);
    return groups_list(raw_, info.group_count);
  }
};

/// The meaning of a code of a finding or an error, and what to do about it.
inline expected<ml_explanation> explain(const char* code) {
  return detail::get<ml_explanation>([&](auto* out, auto* error) { return ml_explain(code, out, error); });
}

/// The layout of a vertex buffer. Attributes are added one by one.
class vertex_layout {
 public:
  explicit vertex_layout(std::size_t stride) : layout_(detail::sized<ml_vertex_layout>()) { layout_.stride = stride; }

  vertex_layout& with(ml_attribute attribute, std::uint32_t offset, ml_vertex_format format, std::uint32_t set = 0) {
    attributes_.push_back({attribute, set, offset, format});
    return *this;
  }
  vertex_layout& flags(std::uint32_t flags) noexcept {
    layout_.flags = flags;
    return *this;
  }
  std::size_t stride() const noexcept { return layout_.stride; }
  /// The layout of the C interface. Valid until this object changes.
  ml_vertex_layout raw() const noexcept {
    ml_vertex_layout made = layout_;
    made.attributes = attributes_.data();
    made.attribute_count = attributes_.size();
    return made;
  }

 private:
  ml_vertex_layout layout_;
  std::vector<ml_vertex_attribute> attributes_;
};

/// What the nodes of a scene show at one time.
class pose : public detail::handle<ml_pose, ml_close_pose> {
 public:
  using handle::handle;

  /// Shows two vertex frames on a node, and a weight of the second.
  expected<void> set_frames(std::size_t node, const ml_blend& frames) const {
    return detail::run([&](auto* error) { return ml_set_frames(raw_, node, frames, error); });
  }
  /// Sets the matrices of the joints of a node, in the space of its model.
  expected<void> set_joints(std::size_t node, span<const ml_matrix> joints) const {
    return detail::run([&](auto* error) { return ml_set_joints(raw_, node, joints.data(), joints.size(), error); });
  }
};

/// The nodes of an asset, or the one model of a file, in the space of the caller.
class scene : public detail::handle<ml_scene, ml_close_scene> {
 public:
  using handle::handle;
  using clips_list = detail::list<ml_scene_clip, ml_scene, ml_get_scene_clip>;

  expected<ml_scene_info> info() const {
    return detail::get<ml_scene_info>([&](auto* out, auto* error) { return ml_get_scene_info(raw_, out, error); });
  }
  /// The clips, each name once. Empty if this object was moved from.
  clips_list clips() const noexcept {
    ml_scene_info info = detail::sized<ml_scene_info>();
    ml_get_scene_info(raw_, &info, nullptr);
    return clips_list(raw_, info.clip_count);
  }
  expected<ml_scene_mesh> mesh(std::size_t index) const {
    return detail::get<ml_scene_mesh>([&](auto* out, auto* error) { return ml_get_scene_mesh(raw_, index, out, error); });
  }
  expected<ml_submesh> submesh(std::size_t mesh, std::size_t index) const {
    return detail::get<ml_submesh>([&](auto* out, auto* error) { return ml_get_submesh(raw_, mesh, index, out, error); });
  }
  /// A pose at rest.
  expected<ml::pose> rest_pose() const {
    return detail::make<ml::pose, ml_pose>([&](auto** out, auto* error) { return ml_new_pose(raw_, out, error); });
  }
  /// Sets a pose to what the scene shows while clips play.
  expected<void> set_pose(const ml::pose& pose, span<const ml_play> clips) const {
    return detail::run(
        [&](auto* error) { return ml_set_pose(raw_, pose.get(), clips.data(), clips.size(), error); });
  }
  /// The matrix from the model of a node to the space of the scene. A pose that is NULL is at rest.
  expected<ml_matrix> node_matrix(std::size_t node, const ml_pose* pose = nullptr) const {
    return detail::put<ml_matrix>(
        [&](auto* out, auto* error) { return ml_get_node_matrix(raw_, node, pose, out, error); });
  }
  /// The matrix of a tag in the space of the scene.
  expected<ml_matrix> tag_matrix(std::size_t node, std::size_t tag, const ml_pose* pose = nullptr) const {
    return detail::put<ml_matrix>(
        [&](auto* out, auto* error) { return ml_get_tag_matrix(raw_, node, tag, pose, out, error); });
  }
  /// The matrix of a joint in the space of the scene.
  expected<ml_matrix> joint_matrix(std::size_t node, std::size_t joint, const ml_pose* pose = nullptr) const {
    return detail::put<ml_matrix>(
        [&](auto* out, auto* error) { return ml_get_joint_matrix(raw_, node, joint, pose, out, error); });
  }
  /// The first node that has a tag with a name, and the index of the tag; ML_NONE twice if there is none.
  expected<std::pair<std::size_t, std::size_t>> find_tag(const char* name) const {
    using found = std::pair<std::size_t, std::size_t>;
    return detail::put<found>(
        [&](found* out, auto* error) { return ml_find_scene_tag(raw_, name, &out->first, &out->second, error); });
  }
  expected<ml_bounds> bounds(const ml_pose* pose = nullptr) const {
    return detail::put<ml_bounds>([&](auto* out, auto* error) { return ml_get_scene_bounds(raw_, pose, out, error); });
  }
  /// Fills a vertex buffer of the caller with a mesh in a pose.
  template <class T>
  expected<void> fill(std::size_t mesh, const vertex_layout& layout, span<T> out, const ml_pose* pose = nullptr) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "T must be trivially copyable and not const");
    const ml_vertex_layout raw = layout.raw();
    return detail::run([&](auto* error) {
      return ml_fill_vertex_buffer(raw_, mesh, pose, &raw, out.data(), out.size() * sizeof(T), error);
    });
  }
  /// The index buffer of a mesh: three 32-bit indices for each triangle.
  expected<std::vector<std::uint32_t>> indices(std::size_t mesh) const {
    return detail::put<std::vector<std::uint32_t>>([&](auto* out, auto* error) {
      ml_scene_mesh found = detail::sized<ml_scene_mesh>();
      const ml_result code = ml_get_scene_mesh(raw_, mesh, &found, error);
      if (code != ML_OK) return code;
      out->resize(found.index_count);
      return ml_indices(raw_, mesh, ML_INDEX_UINT32, out->data(), out->size() * 4, error);
    });
  }
  /// Writes the index buffer of a mesh to memory of the caller, as 16-bit or 32-bit indices.
  template <class T>
  expected<void> indices(std::size_t mesh, span<T> out) const {
    static_assert(std::is_same_v<T, std::uint16_t> || std::is_same_v<T, std::uint32_t>, "indices have 16 or 32 bits");
    const ml_index_format format = sizeof(T) == 2 ? ML_INDEX_UINT16 : ML_INDEX_UINT32;
    return detail::run(
        [&](auto* error) { return ml_indices(raw_, mesh, format, out.data(), out.size() * sizeof(T), error); });
  }
  /// Writes the matrices with which a vertex shader moves the vertices of a mesh, one for each joint of its model.
  expected<void> skin_matrices(std::size_t mesh, span<ml_matrix> out, const ml_pose* pose = nullptr) const {
    return detail::run(
        [&](auto* error) { return ml_get_skin_matrices(raw_, mesh, pose, out.data(), out.size(), error); });
  }
};

/// An open model, with what was found beside it.
class asset : public detail::handle<ml_asset, ml_close> {
 public:
  using handle::handle;
  using arrays_list = detail::list<ml_array, ml_asset, ml_get_array>;
  using clips_list = detail::list<ml_clip, ml_asset, ml_get_clip>;
  using meshes_list = detail::list<ml_mesh, ml_asset, ml_get_mesh>;
  using materials_list = detail::list<ml_material, ml_asset, ml_get_material>;
  using joints_list = detail::list<ml_joint, ml_asset, ml_get_joint>;
  using animations_list = detail::list<ml_animation, ml_asset, ml_get_animation>;

  /// Opens a model of several files, or of one.
  static expected<asset> open(span<const ml_input_file> files, const ml_open_opts* opts = nullptr) {
    return detail::make<asset, ml_asset>(
        [&](auto** out, auto* error) { return ml_open_files(files.data(), files.size(), opts, out, error); });
  }
  static expected<asset> open(const char* path, const ml_open_opts* opts = nullptr) {
    const ml_input_file file = {path, nullptr, 0, ML_ROLE_BY_NAME};
    return open(span<const ml_input_file>(&file, 1), opts);
  }
  static expected<asset> open(const std::string& path, const ml_open_opts* opts = nullptr) {
    return open(path.c_str(), opts);
  }
  /// Opens a model in memory. The data must stay in place until the file is closed, unless the options copy it.
  static expected<asset> open(span<const unsigned char> data, const ml_open_opts* opts = nullptr) {
    return detail::make<asset, ml_asset>(
        [&](auto** out, auto* error) { return ml_open_memory(data.data(), data.size(), opts, out, error); });
  }

  expected<ml_file_info> info() const {
    return detail::get<ml_file_info>([&](auto* out, auto* error) { return ml_get_file_info(raw_, out, error); });
  }
  expected<ml_model> model() const {
    return detail::get<ml_model>([&](auto* out, auto* error) { return ml_get_model(raw_, out, error); });
  }
  expected<ml_mesh> mesh(std::size_t index) const {
    return detail::get<ml_mesh>([&](auto* out, auto* error) { return ml_get_mesh(raw_, index, out, error); });
  }
  expected<ml_bounds> bounds(std::size_t frame = 0, std::size_t mesh = ML_NONE) const {
    return detail::put<ml_bounds>([&](auto* out, auto* error) { return ml_get_bounds(raw_, mesh, frame, out, error); });
  }
  expected<arrays_list> arrays() const {
    std::size_t count = 0;
    ml_error error = detail::no_error();
    const ml_result code = ml_get_array_count(raw_, &count, &error);
    return detail::finish(code, error, arrays_list(raw_, count));
  }
  expected<meshes_list> meshes() const { return listed<meshes_list>(&ml_model::mesh_count); }
  expected<clips_list> clips() const { return listed<clips_list>(&ml_model::clip_count); }
  expected<materials_list> materials() const { return listed<materials_list>(&ml_model::material_count); }
  expected<joints_list> joints() const { return listed<joints_list>(&ml_model::joint_count); }
  expected<animations_list> animations() const { return listed<animations_list>(&ml_model::animation_count); }

  /// Decodes an array into memory of the caller.
  template <class T>
  expected<void> decode(std::size_t array, span<T> out, const ml_decode_opts* opts = nullptr) const {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_const_v<T>, "T must be trivially copyable and not const");
    return detail::run(
        [&](auto* error) { return ml_decode(raw_, array, opts, out.data(), out.size() * sizeof(T), error); });
  }
  /// Decodes a whole array. T is the type of its decoded numbers.
  template <class T>
  expected<std::vector<T>> decode(std::size_t array) const {
    static_assert(std::is_arithmetic_v<T>, "T must be the type of the decoded numbers");
    ml_error error = detail::no_error();
    ml_array found = detail::sized<ml_array>();
    ml_result code = ml_get_array(raw_, array, &found, &error);
    std::vector<T> out;
    if (code == ML_OK) {
      out.resize((found.count * found.format->value_size + sizeof(T) - 1) / sizeof(T));
      code = ml_decode(raw_, array, nullptr, out.data(), out.size() * sizeof(T), &error);
    }
    return detail::finish(code, error, std::move(out));
  }
  /// Decodes an array of indices, and returns the largest of them.
  expected<std::uint32_t> decode_indices(std::size_t array, span<std::uint32_t> out) const {
    return detail::put<std::uint32_t>([&](auto* largest, auto* error) {
      return ml_decode_indices(raw_, array, out.data(), out.size(), largest, error);
    });
  }
  /// The files of the model, and the number of its nodes.
  expected<ml_asset_info> found() const {
    return detail::get<ml_asset_info>([&](auto* out, auto* error) { return ml_get_asset_info(raw_, out, error); });
  }
  expected<ml_asset_node> node(std::size_t index) const {
    return detail::get<ml_asset_node>([&](auto* out, auto* error) { return ml_get_asset_node(raw_, index, out, error); });
  }
  /// A file that the asset was made from.
  expected<ml_asset_file> used(std::size_t index) const {
    return detail::get<ml_asset_file>([&](auto* out, auto* error) { return ml_get_asset_file(raw_, index, out, error); });
  }
  /// A file that was looked up.
  expected<ml_asset_lookup> lookup(std::size_t index) const {
    return detail::get<ml_asset_lookup>(
        [&](auto* out, auto* error) { return ml_get_asset_lookup(raw_, index, out, error); });
  }
  /// Findings about the files of the asset and how they fit together.
  expected<ml::report> report() const {
    return detail::make<ml::report, ml_report>(
        [&](auto** out, auto* error) { return ml_get_asset_report(raw_, out, error); });
  }
  /// A node as an asset of its own.
  expected<asset> node_asset(std::size_t node, std::size_t lod = 0) const {
    return detail::make<asset, ml_asset>(
        [&](auto** out, auto* error) { return ml_get_node_asset(raw_, node, lod, out, error); });
  }
  /// A scene of the nodes. `space` may be nullptr, which means the space of the first node's model.
  expected<ml::scene> scene(const ml_convert_opts* space = nullptr, std::size_t lod = 0) const {
    return detail::make<ml::scene, ml_scene>(
        [&](auto** out, auto* error) { return ml_open_scene(raw_, space, lod, out, error); });
  }
  /// The name of a frame, cut to 255 bytes: of the model if `mesh` is ML_NONE, else of a mesh.
  expected<std::string> frame_name(std::size_t frame, std::size_t mesh = ML_NONE) const {
    return detail::put<std::string>([&](auto* out, auto* error) {
      char room[256];
      const ml_result code = ml_get_frame_name(raw_, mesh, frame, room, sizeof room, error);
      if (code == ML_OK) *out = room;
      return code;
    });
  }
  /// Whether a scene's fill can write an attribute of a mesh.
  expected<bool> has_attribute(std::size_t mesh, ml_attribute attribute, std::uint32_t set = 0) const {
    std::uint32_t out = 0;
    ml_error error = detail::no_error();
    const ml_result code = ml_has_attribute(raw_, mesh, attribute, set, &out, &error);
    return detail::finish(code, error, out != 0);
  }
  /// The two frames that a clip shows at a time in seconds, and the weight of the second.
  expected<ml_blend> sample(std::size_t clip, float time) const {
    return detail::put<ml_blend>([&](auto* out, auto* error) { return ml_sample_clip(raw_, clip, time, out, error); });
  }
  /// The index of the first clip with a name; ML_NONE if there is none.
  expected<std::size_t> find_clip(const char* name) const {
    return detail::put<std::size_t>([&](auto* out, auto* error) { return ml_find_clip(raw_, name, out, error); });
  }
  /// The pose of all joints in a clip at a time in seconds, or at rest if `clip` is ML_NONE.
  expected<std::vector<ml_transform>> pose(std::size_t clip, float time) const {
    ml_error error = detail::no_error();
    ml_model found = detail::sized<ml_model>();
    ml_result code = ml_get_model(raw_, &found, &error);
    std::vector<ml_transform> out;
    if (code == ML_OK) {
      out.resize(found.joint_count);
      code = ml_get_pose(raw_, clip, time, out.data(), out.size(), &error);
    }
    return detail::finish(code, error, std::move(out));
  }
  /// The matrix of each joint in the space of the model.
  expected<std::vector<ml_matrix>> world_matrices(span<const ml_transform> pose) const {
    std::vector<ml_matrix> out(pose.size());
    ml_error error = detail::no_error();
    const ml_result code = ml_get_world_matrices(raw_, pose.data(), out.data(), out.size(), &error);
    return detail::finish(code, error, std::move(out));
  }
  /// The name of a tag. Valid until the file is closed.
  expected<const char*> tag_name(std::size_t tag) const {
    return detail::put<const char*>([&](auto* out, auto* error) { return ml_get_tag_name(raw_, tag, out, error); });
  }
  /// The index of the first tag with a name; ML_NONE if there is none.
  expected<std::size_t> find_tag(const char* name) const {
    return detail::put<std::size_t>([&](auto* out, auto* error) { return ml_find_tag(raw_, name, out, error); });
  }
  expected<ml_tag_pose> tag_pose(std::size_t tag, const ml_blend& blend = {}) const {
    return detail::put<ml_tag_pose>(
        [&](auto* out, auto* error) { return ml_get_tag_pose(raw_, tag, blend, out, error); });
  }
  expected<ml::report> validate(std::size_t max_findings = 0) const {
    return detail::make<ml::report, ml_report>(
        [&](auto** out, auto* error) { return ml_validate(raw_, max_findings, out, error); });
  }
  /// The texture of a material as a PNG or JPEG file, for assets that were opened by their name or path, and their nodes.
  /// `mime_type` receives "image/png" or "image/jpeg", if it is not nullptr.
  expected<std::vector<unsigned char>> read_texture(std::size_t material, std::string* mime_type = nullptr) const {
    return read_image<ml_read_texture>(material, mime_type);
  }
  /// The normal map of a material, like read_texture: the image that the model has, or one that is made from its height map.
  expected<std::vector<unsigned char>> read_normal_map(std::size_t material, std::string* mime_type = nullptr) const {
    return read_image<ml_read_normal_map>(material, mime_type);
  }
  /// The blocks of the texture of a material, as its DDS file stores them: one vector for each level of detail, from the largest
  /// on. `image` receives the size of the largest, and the format.
  expected<std::vector<std::vector<unsigned char>>> read_texture_blocks(std::size_t material, ml_image& image) const {
    return detail::put<std::vector<std::vector<unsigned char>>>([&](auto* out, auto* error) {
      return ml_read_texture_blocks(raw_, material, &image, detail::writer::append_one, out, error);
    });
  }
  /// The pixels of the texture of a material: red, green, blue and alpha, 8 bits each. `image` receives the size.
  expected<std::vector<unsigned char>> read_texture_pixels(std::size_t material, ml_image& image) const {
    return detail::put<std::vector<unsigned char>>([&](auto* out, auto* error) {
      detail::writer to;
      const ml_result code = ml_read_texture_pixels(raw_, material, &image, detail::writer::append, &to, error);
      *out = std::move(to.bytes);
      return code;
    });
  }
  /// The scene of all nodes as a GLB file. `losses` receives what the file does not contain, if it is not nullptr.
  expected<std::vector<unsigned char>> to_glb(const ml_glb_opts* opts = nullptr, ml::report* losses = nullptr) const {
    detail::writer to;
    ml_error error = detail::no_error();
    ml_report* lost = nullptr;
    const ml_result code =
        ml_write_glb(raw_, opts, detail::writer::append, &to, losses == nullptr ? nullptr : &lost, &error);
    if (losses != nullptr) losses->reset(lost);
    return detail::finish(code, error, std::move(to.bytes));
  }

 private:
  template <ml_result (*Read)(const ml_asset*, std::size_t, ml_write_fn, void*, char*, ml_error*)>
  expected<std::vector<unsigned char>> read_image(std::size_t material, std::string* mime_type) const {
    detail::writer to;
    char type[16] = "";
    ml_error error = detail::no_error();
    const ml_result code = Read(raw_, material, detail::writer::append, &to, type, &error);
    if (code == ML_OK && mime_type != nullptr) *mime_type = type;
    return detail::finish(code, error, std::move(to.bytes));
  }
  template <class List>
  expected<List> listed(std::size_t ml_model::*count) const {
    ml_model found = detail::sized<ml_model>();
    ml_error error = detail::no_error();
    const ml_result code = ml_get_model(raw_, &found, &error);
    return detail::finish(code, error, List(raw_, found.*count));
  }
};

/// The format of a file with these bytes, which may be its first part.
inline expected<ml_format> detect(span<const unsigned char> data) {
  return detail::put<ml_format>(
      [&](auto* out, auto* error) { return ml_detect(data.data(), data.size(), out, nullptr, 0, error); });
}

/// A list of models that were found.
class models : public detail::handle<ml_models, ml_close_models> {
 public:
  using handle::handle;
  using found_list = detail::list<ml_found_model, ml_models, ml_get_found_model>;

  expected<ml_models_info> info() const {
    return detail::get<ml_models_info>([&](auto* out, auto* error) { return ml_get_models_info(raw_, out, error); });
  }
  /// The models. Empty if this object was moved from.
  found_list found() const noexcept {
    ml_models_info info = detail::sized<ml_models_info>();
    ml_get_models_info(raw_, &info, nullptr);
    return found_list(raw_, info.model_count);
  }
  /// The reason why a file or a folder was left out.
  expected<ml_error> fault(std::size_t index) const {
    return detail::get<ml_error>([&](auto* out, auto* error) { return ml_get_find_fault(raw_, index, out, error); });
  }
  expected<asset> open(std::size_t index, const ml_asset_opts* opts = nullptr) const {
    return detail::make<asset, ml_asset>(
        [&](auto** out, auto* error) { return ml_open_found(raw_, index, opts, out, error); });
  }
};

/// A search path of folders, archives and file systems of the caller.
class assets : public detail::handle<ml_assets, ml_free_assets> {
 public:
  using handle::handle;

  static expected<assets> make(const ml_assets_opts* opts = nullptr) {
    return detail::make<assets, ml_assets>([&](auto** out, auto* error) { return ml_new_assets(opts, out, error); });
  }
  expected<void> mount_folder(const char* path) {
    return detail::run([&](auto* error) { return ml_mount_folder(raw_, path, error); });
  }
  expected<void> mount_archive(const char* path) {
    return detail::run([&](auto* error) { return ml_mount_archive(raw_, path, error); });
  }
  expected<void> mount(const char* name, const ml_file_system& files) {
    return detail::run([&](auto* error) { return ml_mount_files(raw_, name, &files, error); });
  }
  /// Mounts an archive that is a file of the mounts.
  expected<void> mount_inner_archive(const char* name) {
    return detail::run([&](auto* error) { return ml_mount_inner_archive(raw_, name, error); });
  }
  expected<void> unmount(const char* name) {
    return detail::run([&](auto* error) { return ml_unmount(raw_, name, error); });
  }
  /// Forgets what is known about folders, whose files may have changed, and opens archives again that have changed.
  expected<void> refresh() {
    return detail::run([&](auto* error) { return ml_refresh_assets(raw_, error); });
  }
  /// Calls `entry` for each name in a folder of the mounts.
  expected<void> list(const char* folder, ml_entry_fn entry, void* user) const {
    return detail::run([&](auto* error) { return ml_list_folder(raw_, folder, entry, user, error); });
  }
  /// Finds every model at a path of the operating system.
  expected<models> find_at(const char* path, std::uint32_t flags = 0) const {
    return detail::make<models, ml_models>(
        [&](auto** out, auto* error) { return ml_find_models_at(raw_, path, flags, out, error); });
  }
  /// Opens a model by a path of the operating system.
  expected<asset> open_path(const char* path, const ml_asset_opts* opts = nullptr) const {
    return detail::make<asset, ml_asset>(
        [&](auto** out, auto* error) { return ml_open_path(raw_, path, opts, out, error); });
  }
  /// Finds every model below a folder of the mounts.
  expected<models> find(const char* folder, std::uint32_t flags = 0) const {
    return detail::make<models, ml_models>(
        [&](auto** out, auto* error) { return ml_find_models(raw_, folder, flags, out, error); });
  }
  /// The content of a file of the mounts.
  expected<std::vector<unsigned char>> read(const char* path) const {
    detail::writer to;
    ml_error error = detail::no_error();
    const ml_result code = ml_read_asset_file(raw_, path, detail::writer::append, &to, &error);
    return detail::finish(code, error, std::move(to.bytes));
  }
  expected<asset> open(const char* name, const ml_asset_opts* opts = nullptr) const {
    return detail::make<asset, ml_asset>(
        [&](auto** out, auto* error) { return ml_open_asset(raw_, name, opts, out, error); });
  }
};

/// A request for a part of a model. The destructor cancels it if it has not ended.
class request : public detail::handle<ml_request, ml_close_request> {
 public:
  using handle::handle;

  expected<ml_request_info> poll() const {
    return detail::get<ml_request_info>([&](auto* out, auto* error) { return ml_poll_request(raw_, out, error); });
  }
  expected<ml_loaded> loaded() const {
    return detail::get<ml_loaded>([&](auto* out, auto* error) { return ml_get_loaded(raw_, out, error); });
  }
  /// The loaded part as an asset.
  expected<ml::asset> asset() const {
    return detail::make<ml::asset, ml_asset>(
        [&](auto** out, auto* error) { return ml_get_loaded_asset(raw_, out, error); });
  }
  expected<void> set_priority(std::int32_t priority) const {
    return detail::run([&](auto* error) { return ml_set_priority(raw_, priority, error); });
  }
  /// Changes the priorities of `count` requests at once.
  static expected<void> set_priorities(const ml_request* const* requests, const std::int32_t* priorities, std::size_t count) {
    return detail::run([&](auto* error) { return ml_set_priorities(requests, priorities, count, error); });
  }
  /// Requests the same part of `count` models of a streamer at once. Each of `requests` is closed with ml_close_request.
  static expected<void> make_all(const ml_stream* const* streams, std::size_t count, const ml_request_opts& opts,
                                 ml_request** requests) {
    return detail::run([&](auto* error) { return ml_request_parts(streams, count, &opts, requests, error); });
  }
  expected<void> cancel() const {
    return detail::run([&](auto* error) { return ml_cancel_request(raw_, error); });
  }
  /// Whether the request has ended: it is ready, has failed or was cancelled.
  bool has_ended() const noexcept {
    ml_request_info info = detail::sized<ml_request_info>();
    return ml_poll_request(raw_, &info, nullptr) == ML_OK && info.state >= ML_REQUEST_READY;
  }
};

/// A model that is loaded part by part.
class stream : public detail::handle<ml_stream, ml_close_stream> {
 public:
  using handle::handle;

  expected<ml_stream_info> info() const {
    return detail::get<ml_stream_info>([&](auto* out, auto* error) { return ml_get_stream_info(raw_, out, error); });
  }
  expected<std::vector<ml_stream_part>> parts() const {
    std::vector<ml_stream_part> out;
    std::size_t count = 0;
    ml_error error = detail::no_error();
    ml_result code = ml_list_stream_parts(raw_, nullptr, 0, &count, &error);
    if (code == ML_OK) {
      out.resize(count);
      code = ml_list_stream_parts(raw_, out.data(), out.size(), &count, &error);
    }
    return detail::finish(code, error, std::move(out));
  }
  /// The sizes of a part.
  expected<ml_stream_part_info> part(const ml_stream_part& part) const {
    return detail::get<ml_stream_part_info>(
        [&](auto* out, auto* error) { return ml_get_stream_part(raw_, part, out, error); });
  }
  expected<ml::request> request(const ml_request_opts& opts) const {
    return detail::make<ml::request, ml_request>(
        [&](auto** out, auto* error) { return ml_request_part(raw_, &opts, out, error); });
  }
};

/// Loads parts of models in the order in which they are needed.
class streamer : public detail::handle<ml_streamer, ml_free_streamer> {
 public:
  using handle::handle;

  static expected<streamer> make(const ml_streamer_opts* opts = nullptr) {
    return detail::make<streamer, ml_streamer>(
        [&](auto** out, auto* error) { return ml_new_streamer(opts, out, error); });
  }
  expected<stream> open(const char* name, const ml_stream_opts* opts = nullptr) const {
    return detail::make<stream, ml_stream>(
        [&](auto** out, auto* error) { return ml_open_stream(raw_, name, opts, out, error); });
  }
  /// The numbers of at most `capacity` requests that have ended. The options must have ML_STREAMER_LIST.
  expected<std::vector<std::uint64_t>> poll(std::size_t capacity) const {
    std::vector<std::uint64_t> out(capacity);
    std::size_t count = 0;
    ml_error error = detail::no_error();
    const ml_result code = ml_poll_streamer(raw_, out.data(), capacity, &count, &error);
    out.resize(count);
    return detail::finish(code, error, std::move(out));
  }
  expected<ml_streamer_info> info() const {
    return detail::get<ml_streamer_info>([&](auto* out, auto* error) { return ml_get_streamer_info(raw_, out, error); });
  }
};

}  // namespace ml

#endif  // MESHLENS_HPP
