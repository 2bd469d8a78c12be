// Loads models on a thread of its own, through a file system of the program's, and hands finished buffers to the main thread.
//
//   loader FOLDER models/a.md3 models/b.md3 ...
//
// The first mesh of each model is loaded in its first frame, the models that come first with the highest priority. The loader
// makes the requests and looks after them; the streamer reads and decodes on threads of its own.
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "meshlens.h"

// A file system with one folder. An engine puts its own archives here.
typedef struct {
  const char* folder;
} file_system;

static FILE* open_below(const file_system* files, const char* path) {
  char full[4096];
  snprintf(full, sizeof full, "%s/%s", files->folder, path);
  return fopen(full, "rb");
}

static ml_result file_size(void* user, const char* path, uint64_t* size, uint64_t* version) {
  FILE* file = open_below(user, path);
  if (file == NULL) return ML_ERROR_NOT_FOUND;
  long end = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  fclose(file);
  if (end < 0) return ML_ERROR_IO;
  *size = (uint64_t)end;
  *version = 0;  // Files do not change while the program runs.
  return ML_OK;
}

static ml_result read_file(void* user, const char* path, uint64_t offset, void* out, size_t size) {
  FILE* file = open_below(user, path);
  if (file == NULL) return ML_ERROR_NOT_FOUND;
  int ok = fseek(file, (long)offset, SEEK_SET) == 0 && fread(out, 1, size, file) == size;
  fclose(file);
  return ok ? ML_OK : ML_ERROR_IO;
}

// A vertex of 20 bytes: position and texture coordinates.
static const ml_vertex_attribute attributes[] = {
    {ML_ATTRIBUTE_POSITION, 0, 0, ML_VERTEX_FORMAT_FLOAT32X3},
    {ML_ATTRIBUTE_TEXCOORD, 0, 12, ML_VERTEX_FORMAT_FLOAT32X2},
};

// A model on its way to the screen. The streamer asks for memory once it knows how much.
typedef struct {
  const char* path;
  ml_stream* stream;
  ml_request* request;
  void *vertices, *indices;
  ml_loaded loaded;
  ml_error error;
  int is_done;
} model;

static void* place_vertices(void* user, size_t size) { return ((model*)user)->vertices = malloc(size); }

static void* place_indices(void* user, size_t size) { return ((model*)user)->indices = malloc(size); }

// What both threads share.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  const ml_streamer* streamer;
  model* models;
  size_t count, done;
} loading;

static int request_mesh(const ml_streamer* streamer, model* model, int32_t priority) {
  ml_vertex_layout layout = {0};
  layout.stride = 20;
  layout.attributes = attributes;
  layout.attribute_count = 2;
  ml_convert_opts space = {0};
  space.space = ML_SPACE_GLTF;
  ml_request_opts opts = {0};
  opts.part.kind = ML_PART_MESH;
  opts.priority = priority;
  opts.layout = &layout;
  opts.vertices.place = place_vertices;
  opts.vertices.user = model;
  opts.indices.place = place_indices;
  opts.indices.user = model;
  opts.space = &space;
  return ml_open_stream(streamer, model->path, NULL, &model->stream, &model->error) == ML_OK &&
         ml_request_part(model->stream, &opts, &model->request, &model->error) == ML_OK;
}

static void finish(loading* all, model* model) {
  if (model->request != NULL) ml_get_loaded(model->request, &model->loaded, &model->error);
  ml_close_request(model->request);
  ml_close_stream(model->stream);
  pthread_mutex_lock(&all->lock);
  model->is_done = 1;
  all->done++;
  pthread_cond_signal(&all->changed);
  pthread_mutex_unlock(&all->lock);
}

// The thread: requests everything, then polls until everything has ended.
static void* load(void* user) {
  loading* all = user;
  size_t left = 0;
  for (size_t i = 0; i < all->count; i++) {
    if (request_mesh(all->streamer, &all->models[i], -(int32_t)i)) {
      left++;
    } else {
      finish(all, &all->models[i]);
    }
  }
  while (left > 0) {
    for (size_t i = 0; i < all->count; i++) {
      model* model = &all->models[i];
      ml_request_info info = {0};
      if (model->is_done || ml_poll_request(model->request, &info, NULL) != ML_OK) continue;
      if (info.state < ML_REQUEST_READY) continue;
      finish(all, model);
      left--;
    }
    struct timespec pause = {0, 500000};
    nanosleep(&pause, NULL);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    fputs("usage: loader FOLDER MODEL...\n", stderr);
    return 2;
  }
  file_system files = {argv[1]};
  ml_file_system system = {0};
  system.user = &files;
  system.file_size = file_size;
  system.read = read_file;
  ml_streamer_opts opts = {0};
  opts.files = &system;
  ml_streamer* streamer = NULL;
  ml_error error = {0};
  if (ml_new_streamer(&opts, &streamer, &error) != ML_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 2;
  }
  loading all = {.streamer = streamer, .count = (size_t)argc - 2};
  pthread_mutex_init(&all.lock, NULL);
  pthread_cond_init(&all.changed, NULL);
  all.models = calloc(all.count, sizeof *all.models);
  for (size_t i = 0; i < all.count; i++) all.models[i].path = argv[i + 2];
  pthread_t thread;
  if (pthread_create(&thread, NULL, load, &all) != 0) return 2;

  // The main thread would draw meanwhile. Here it waits for the models in their order, and prints what it would upload.
  int status = 0;
  for (size_t i = 0; i < all.count; i++) {
    model* model = &all.models[i];
    pthread_mutex_lock(&all.lock);
    while (!model->is_done) pthread_cond_wait(&all.changed, &all.lock);
    pthread_mutex_unlock(&all.lock);
    if (model->error.code == ML_OK) {
      printf("%s: %zu vertices, %zu indices\n", model->path, model->loaded.vertex_count, model->loaded.index_count);
    } else {
      fprintf(stderr, "%s\n", model->error.text);
      status = 1;
    }
    free(model->vertices);
    free(model->indices);
  }
  pthread_join(thread, NULL);
  ml_free_streamer(streamer);
  free(all.models);
  pthread_cond_destroy(&all.changed);
  pthread_mutex_destroy(&all.lock);
  return status;
}
