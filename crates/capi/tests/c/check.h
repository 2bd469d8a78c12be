// What the tests in C share: checks that print what failed and where, and the files of the corpus.
#ifndef CHECK_H
#define CHECK_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meshlens.h"

static int failures;
static const char* corpus;

// Continues after a failure, so that one run shows them all.
#define CHECK(condition)                                                    \
  do {                                                                      \
    if (!(condition)) {                                                     \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);       \
      failures++;                                                           \
    }                                                                       \
  } while (0)

// Prints the function of a call and the error that it returned. The tests of the crate compare the list with the errors
// that the header documents.
static inline void reached(const char* call, ml_result result) {
  const char* name = call;
  size_t length = 0;
  while (result != ML_OK && (name = strstr(name, "ml_")) != NULL) {
    length = strspn(name, "abcdefghijklmnopqrstuvwxyz_0123456789");
    if (name[length] == '(') break;
    name += length;
  }
  if (result != ML_OK && name != NULL) printf("%.*s %d\n", (int)length, name, (int)result);
}

// A call without an error that has to return a result.
#define RETURNS(wanted, call)                                                                 \
  do {                                                                                        \
    ml_result expected_ = (wanted), found_ = (call);                                          \
    reached(#call, found_);                                                                   \
    if (found_ != expected_) {                                                                \
      fprintf(stderr, "%s:%d: %s: %s, expected %s\n", __FILE__, __LINE__, #call,              \
              ml_result_name(found_), ml_result_name(expected_));                             \
      failures++;                                                                             \
    }                                                                                         \
  } while (0)

// A call that has to return a result, and write the same to its error.
#define EXPECT(wanted, call)                                                                  \
  do {                                                                                        \
    ml_error error = {0};                                                                     \
    ml_result expected_ = (wanted), found_ = (call);                                          \
    reached(#call, found_);                                                                   \
    if (found_ != expected_ || error.code != found_) {                                        \
      fprintf(stderr, "%s:%d: %s: %s, expected %s: %s\n", __FILE__, __LINE__, #call,          \
              ml_result_name(found_), ml_result_name(expected_), error.text);                 \
      failures++;                                                                             \
    }                                                                                         \
    if (found_ != ML_OK && error.text[0] == 0) {                                              \
      fprintf(stderr, "%s:%d: %s: an error without a text\n", __FILE__, __LINE__, #call);     \
      failures++;                                                                             \
    }                                                                                         \
  } while (0)

#define OK(call) EXPECT(ML_OK, call)

static inline int near(float a, float b, float slack) { return fabsf(a - b) <= slack; }

// The path of a file of the corpus. It is overwritten by the fourth call after it.
static inline const char* path_of(const char* name) {
  static char paths[4][1024];
  static int next;
  char* path = paths[next++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", corpus, name);
  return path;
}

// The bytes of a file of the corpus, to be freed.
static inline unsigned char* read_corpus(const char* name, size_t* size) {
  FILE* file = fopen(path_of(name), "rb");
  unsigned char* bytes = NULL;
  *size = 0;
  if (file == NULL) {
    fprintf(stderr, "%s: cannot open\n", path_of(name));
    exit(2);
  }
  for (;;) {
    bytes = realloc(bytes, *size + 65536);
    size_t read = fread(bytes + *size, 1, 65536, file);
    *size += read;
    if (read == 0) break;
  }
  fclose(file);
  return bytes;
}

// The list and the count of files with one file of the operating system.
#define ONE(path) (const ml_input_file[]){{(path), NULL, 0, ML_ROLE_BY_NAME}}, 1

#define COUNT(list) (sizeof(list) / sizeof(list)[0])

static inline ml_asset* open_corpus(const char* name) {
  ml_asset* file = NULL;
  OK(ml_open_files(ONE(path_of(name)), NULL, &file, &error));
  if (file == NULL) exit(2);
  return file;
}

// The end of every test program.
static inline int finish(const char* name) {
  if (failures > 0) fprintf(stderr, "%s: %d checks failed\n", name, failures);
  return failures > 0;
}

// Writes a file to a folder.
static inline void save(const char* folder, const char* name, const void* bytes, size_t size) {
  char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* out = fopen(path, "wb");
  CHECK(out != NULL && fwrite(bytes, 1, size, out) == size);
  if (out != NULL) fclose(out);
}

#endif
