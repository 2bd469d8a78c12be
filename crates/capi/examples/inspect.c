// Prints a line of JSON for each model that the paths name: files, folders, archives, scripts.
//
//   inspect corpus pak0.pk3
//
// The lines are those of `meshlens inspect --format jsonl`.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "meshlens.h"

// Text as a JSON string, or null.
static void print_text(const char* text) {
  if (text == NULL) {
    fputs("null", stdout);
    return;
  }
  putchar('"');
  for (const unsigned char* at = (const unsigned char*)text; *at != 0; at++) {
    if (*at == '"' || *at == '\\') {
      printf("\\%c", *at);
    } else if (*at < 0x20) {
      printf("\\u%04x", *at);
    } else {
      putchar(*at);
    }
  }
  putchar('"');
}

// What can be said of a file that cannot be opened: what its first bytes say, and its length.
static void print_closed(const char* path) {
  unsigned char head[64];
  char version[64] = "";
  long size = -1;
  ml_format format = ML_FORMAT_DETECT;
  FILE* file = fopen(path, "rb");
  if (file != NULL) {
    size_t read = fread(head, 1, sizeof head, file);
    ml_detect(head, read, &format, version, sizeof version, NULL);
    if (fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    fclose(file);
  }
  fputs(",\"format\":", stdout);
  print_text(format == ML_FORMAT_DETECT ? NULL : ml_format_name(format));
  fputs(",\"version\":", stdout);
  print_text(version[0] == 0 ? NULL : version);
  fputs(",\"frames\":null,\"surfaces\":null,\"vertices\":null,\"triangles\":null,\"tags\":null,\"bytes\":", stdout);
  if (size >= 0) {
    printf("%ld", size);
  } else {
    fputs("null", stdout);
  }
  fputs(",\"errors\":null,\"warnings\":null,\"infos\":null,\"hints\":null", stdout);
}

static void print_open(const ml_file_info* info, const ml_report_info* report) {
  fputs(",\"format\":", stdout);
  // Only files of glTF are imported.
  print_text(info->format == ML_FORMAT_DETECT ? "gltf" : ml_format_name(info->format));
  fputs(",\"version\":", stdout);
  print_text(info->version);
  printf(",\"frames\":%" PRIu64 ",\"surfaces\":%" PRIu64 ",\"vertices\":%" PRIu64 ",\"triangles\":%" PRIu64
         ",\"tags\":%" PRIu64 ",\"bytes\":%" PRIu64,
         info->frame_count, info->surface_count, info->vertex_count, info->triangle_count, info->tag_count,
         info->byte_count);
  printf(",\"errors\":%" PRIu64 ",\"warnings\":%" PRIu64 ",\"infos\":%" PRIu64 ",\"hints\":%" PRIu64, report->errors,
         report->warnings, report->infos, report->hints);
}

// Opens one of the models that were found and prints its line.
static void print_model(const ml_models* models, size_t index) {
  ml_found_model found = {0};
  ml_get_found_model(models, index, &found, NULL);
  fputs("{\"uri\":", stdout);
  print_text(found.name);

  ml_error error = {0};
  ml_file_info info = {0};
  ml_report_info counts = {0};
  ml_report* report = NULL;
  ml_asset* asset = NULL;
  ml_asset_opts opts = {0};
  opts.flags = ML_ASSET_NO_LODS | ML_ASSET_NO_MATERIALS;
  int ok = ml_open_found(models, index, &opts, &asset, &error) == ML_OK &&
           ml_get_file_info(asset, &info, &error) == ML_OK && ml_validate(asset, 0, &report, &error) == ML_OK &&
           ml_get_report_info(report, &counts, &error) == ML_OK;
  if (ok) {
    print_open(&info, &counts);
  } else {
    print_closed(found.name);
  }
  fputs(",\"error\":", stdout);
  print_text(ok ? NULL : error.text);
  puts("}");
  ml_close_report(report);
  ml_close(asset);
}

int main(int argc, char** argv) {
  int status = 0;
  for (int i = 1; i < argc; i++) {
    ml_error error = {0};
    ml_models* models = NULL;
    if (ml_find_models_at(NULL, argv[i], ML_FIND_CONTENT | ML_FIND_ARCHIVES, &models, &error) != ML_OK) {
      fprintf(stderr, "%s\n", error.text);
      status = 2;
      continue;
    }
    ml_models_info info = {0};
    ml_get_models_info(models, &info, NULL);
    for (size_t model = 0; model < info.model_count; model++) print_model(models, model);
    for (size_t fault = 0; fault < info.fault_count; fault++) {
      ml_get_find_fault(models, fault, &error, NULL);
      fprintf(stderr, "%s\n", error.text);
      status = 2;
    }
    ml_close_models(models);
  }
  return status;
}
