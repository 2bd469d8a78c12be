// The loader of MD3 of ioquake3's first renderer as a target of libFuzzer: loads a model, then asks for its bounds and for a tag between
// two frames, as a game does. Functions of the renderer that it calls stand below.
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tr_local.h"

// The most that one model may take, and the most blocks: a game has one hunk of this size.
enum { HUNK = 64 << 20, BLOCKS = 64 };

trGlobals_t tr;
refimport_t ri;
static const uint8_t *input;
static size_t input_size;
static void *blocks[BLOCKS], *file;
static size_t block_count, hunk_used;
static jmp_buf dropped;

static void print(int level, const char *format, ...) {
  (void)level, (void)format;
}

// A game goes back to its menu.
Q_NO_RETURN void QDECL Com_Error(int level, const char *format, ...) {
  (void)level, (void)format;
  longjmp(dropped, 1);
}

static void *hunk_alloc(int size, ha_pref preference) {
  (void)preference;
  if (size < 0 || (size_t)size > HUNK - hunk_used || block_count == BLOCKS) Com_Error(ERR_DROP, "the hunk is full");
  hunk_used += size;
  return blocks[block_count++] = calloc(1, size > 0 ? size : 1);
}

static long read_file(const char *name, void **buffer) {
  *buffer = NULL;
  if (strcmp(name, "m.md3") != 0) return -1;
  *buffer = file = calloc(1, input_size + 1);
  memcpy(file, input, input_size);
  return input_size;
}

static void free_file(void *buffer) {
  free(buffer);
  file = NULL;
}

shader_t *R_FindShader(const char *name, int lightmap, qboolean has_mipmaps) {
  static shader_t shader;
  (void)lightmap, (void)has_mipmaps;
  // Reads the name, as the lookup of a shader does.
  shader.index = strlen(name);
  return &shader;
}

void R_IssuePendingRenderCommands(void) {}
void QDECL Com_Printf(const char *format, ...) {
  (void)format;
}

// The loader of MD3 calls none of these.
glconfig_t glConfig;
void R_Init(void) {
  abort();
}
void R_ClearFlares(void) {
  abort();
}
void RE_ClearScene(void) {
  abort();
}
void MC_UnCompress(float matrix[3][4], const unsigned char *compressed) {
  (void)matrix, (void)compressed;
  abort();
}
qboolean R_LoadIQM(model_t *model, void *buffer, int size, const char *name) {
  (void)model, (void)buffer, (void)size, (void)name;
  abort();
}
int R_IQMLerpTag(orientation_t *tag, iqmData_t *data, int start, int end, float fraction, const char *name) {
  (void)tag, (void)data, (void)start, (void)end, (void)fraction, (void)name;
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The loader copies as many bytes as the header says. Inputs with fewer are left out: nearly all damaged files would crash
  // there, and nothing after the copy would be found.
  int32_t end;
  if (size < sizeof(md3Header_t)) return 0;
  memcpy(&end, data + offsetof(md3Header_t, ofsEnd), sizeof end);
  if (end > (int64_t)size) return 0;
  input = data;
  input_size = size;
  memset(&tr, 0, sizeof tr);
  ri.Printf = print;
  ri.Error = Com_Error;
  ri.Hunk_Alloc = hunk_alloc;
  ri.FS_ReadFile = read_file;
  ri.FS_FreeFile = free_file;
  if (setjmp(dropped) == 0) {
    R_ModelInit();
    qhandle_t model = RE_RegisterModel("m.md3");
    vec3_t least, most;
    orientation_t tag;
    R_ModelBounds(model, least, most);
    R_LerpTag(&tag, model, 0, 1, 0.5f, "tag_head");
  }
  free_file(file);
  while (block_count > 0) free(blocks[--block_count]);
  hunk_used = 0;
  return 0;
}
