/* The interfaces of NVIDIA's driver and run-time compiler, as far as Highwater calls them, over the host's memory and a C++
   compiler: what the program does with a device is seen without one. The environment says what is wrong with it. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long number(const char *name, long usual) {
  const char *text = getenv(name);
  return text ? atol(text) : usual;
}

static const char *in_folder(char *path, const char *name) {
  snprintf(path, 400, "%s/%s", getenv("FAKE_FOLDER"), name);
  return path;
}

/* Commands until the device is lost, and for good. */
static int command(void) {
  static long left = -1;
  if (left < 0) left = number("FAKE_COMMANDS", 1L << 40);
  return left > 0 && left-- ? 0 : 719;
}

/* --- The driver -------------------------------------------------------------------------------------------------- */

int cuInit(unsigned flags) { return (int)number("FAKE_START", 0); }
int cuDeviceGetCount(int *count) { *count = (int)number("FAKE_COUNT", 1); return 0; }
int cuDeviceGet(int *device, int number) { *device = number; return 0; }
int cuDeviceGetName(char *name, int size, int device) { snprintf(name, size, "a device that is none"); return 0; }
int cuDeviceGetAttribute(int *value, int which, int device) {
  *value = which == 75 ? (int)number("FAKE_CAPABILITY", 9) : which == 76 ? 0 : 1;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = &command; return (int)number("FAKE_CONTEXT", 0); }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
static size_t taken;
int cuMemGetInfo_v2(size_t *left, size_t *all) { *left = *all = (size_t)number("FAKE_SAID", 1L << 32); return 0; }
int cuMemFree_v2(uint64_t address) {
  uint64_t *start = (uint64_t *)address - 2;
  taken -= *start;
  memset(start, 0xa5, *start);
  free(start);
  return 0;
}
#ifndef OLD_DRIVER
int cuMemAlloc_v2(uint64_t *address, size_t bytes) {
  if (taken + bytes > (size_t)number("FAKE_MEMORY", 1L << 32)) return 2;
  uint64_t *start = malloc(bytes + 16);
  memset(start, 0x5a, bytes + 16);
  taken += *start = bytes;
  *address = (uint64_t)(start + 2);
  return command();
}
#endif
int cuMemsetD8_v2(uint64_t address, unsigned char value, size_t bytes) { memset((void *)address, value, bytes); return command(); }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { memcpy((void *)to, from, bytes); return command(); }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { memcpy(to, (void *)from, bytes); return command(); }
int cuModuleLoadData(void **module, const void *code) {
  char path[400];
  uint64_t size = *(const uint64_t *)code;
  FILE *file = fopen(in_folder(path, "loaded.so"), "w");
  fwrite((const char *)code + 8, 1, size, file);
  fclose(file);
  *module = dlopen(path, RTLD_NOW);
  remove(path);
  return *module ? command() : 200;
}
int cuModuleUnload(void *module) { return dlclose(module); }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  *function = dlsym(module, name);
  return *function ? 0 : 500;
}
struct Words { uint64_t words[12]; };
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                   void *stream, void **parameters, void **extra) {
  int status = command();
  if (status == 0) ((void (*)(struct Words))function)(*(struct Words *)parameters[0]);
  return status;
}
int cuGetErrorString(int status, const char **text) {
  *text = status == 719 ? "unspecified launch failure" : status == 100 ? "no CUDA-capable device is detected" : "another error";
  return 0;
}

/* --- The compiler ------------------------------------------------------------------------------------------------ */

struct Program { char *text, *code; size_t size; };
int nvrtcVersion(int *major, int *minor) { *major = 13; *minor = 0; return 0; }
int nvrtcCreateProgram(struct Program **program, const char *text, const char *name, int n, void *a, void *b) {
  *program = calloc(1, sizeof **program);
  (*program)->text = strdup(text);
  return 0;
}
int nvrtcCompileProgram(struct Program *program, int count, const char *const *options) {
  char text[400], code[400], line[1000];
  FILE *file = fopen(in_folder(text, "log"), "a");
  fputs("compiled\n", file);
  fclose(file);
  if (number("FAKE_COMPILER", 0)) return 6;
  file = fopen(in_folder(text, "model.cpp"), "w");
  fputs(program->text, file);
  fclose(file);
  snprintf(line, sizeof line, "c++ -O1 -std=c++17 -w -fwrapv -fno-strict-aliasing -shared -fPIC -o %s %s",
           in_folder(code, "compiled.so"), text);
  if (system(line)) return 6;
  file = fopen(code, "r");
  fseek(file, 0, SEEK_END);
  program->size = ftell(file) + 8;
  program->code = malloc(program->size);
  rewind(file);
  *(uint64_t *)program->code = program->size - 8;
  fread(program->code + 8, 1, program->size - 8, file);
  fclose(file);
  return 0;
}
int nvrtcGetProgramLogSize(struct Program *program, size_t *size) { *size = 20; return 0; }
int nvrtcGetProgramLog(struct Program *program, char *log) { strcpy(log, "the text is wrong"); return 0; }
#ifndef OLD_COMPILER
int nvrtcGetCUBINSize(struct Program *program, size_t *size) { *size = program->size; return 0; }
int nvrtcGetCUBIN(struct Program *program, char *code) { memcpy(code, program->code, program->size); return 0; }
#endif
int nvrtcDestroyProgram(struct Program **program) {
  free((*program)->text);
  free((*program)->code);
  free(*program);
  return 0;
}
