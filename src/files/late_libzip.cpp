#include <dlfcn.h>
#include <string>
#include <zip.h>

#include "files/missing_library.h"

// libzip brings OpenSSL's libcrypto along, and to load both takes longer than
// all else a small problem needs. So they are loaded when a .npz file is read or
// written: each function of libzip that is called stands here under its own name
// and hands the call on.

namespace {

void* library() {
  static void* const opened = dlopen(ATTN_LIBZIP, RTLD_NOW | RTLD_LOCAL);
  static const std::string why = opened ? "" : dlerror();
  if (!opened) throw attn::MissingLibrary("files of the kind .npz need " ATTN_LIBZIP ": " + why);
  return opened;
}

template <class Function>
Function* found(const char* name) {
  void* const function = dlsym(library(), name);
  if (!function) throw attn::MissingLibrary(std::string(ATTN_LIBZIP " has no ") + name);
  return reinterpret_cast<Function*>(function);
}

}  // namespace

#define ATTN_HAND_ON(result, name, parameters, arguments)         \
  result name parameters {                                        \
    static const auto function = found<result parameters>(#name); \
    return function arguments;                                    \
  }

extern "C" {

ATTN_HAND_ON(int, zip_close, (zip_t * a), (a))
ATTN_HAND_ON(void, zip_discard, (zip_t * a), (a))
ATTN_HAND_ON(void, zip_error_fini, (zip_error_t * a), (a))
ATTN_HAND_ON(void, zip_error_init_with_code, (zip_error_t * a, int b), (a, b))
ATTN_HAND_ON(const char*, zip_error_strerror, (zip_error_t * a), (a))
ATTN_HAND_ON(int, zip_fclose, (zip_file_t * a), (a))
ATTN_HAND_ON(zip_t*, zip_fdopen, (int a, int b, int* c), (a, b, c))
ATTN_HAND_ON(zip_int64_t, zip_file_add, (zip_t * a, const char* b, zip_source_t* c, zip_flags_t d), (a, b, c, d))
ATTN_HAND_ON(zip_error_t*, zip_file_get_error, (zip_file_t * a), (a))
ATTN_HAND_ON(int, zip_file_set_dostime, (zip_t * a, zip_uint64_t b, zip_uint16_t c, zip_uint16_t d, zip_flags_t e),
             (a, b, c, d, e))
ATTN_HAND_ON(zip_file_t*, zip_fopen_index, (zip_t * a, zip_uint64_t b, zip_flags_t c), (a, b, c))
ATTN_HAND_ON(zip_int64_t, zip_fread, (zip_file_t * a, void* b, zip_uint64_t c), (a, b, c))
ATTN_HAND_ON(zip_error_t*, zip_get_error, (zip_t * a), (a))
ATTN_HAND_ON(const char*, zip_get_name, (zip_t * a, zip_uint64_t b, zip_flags_t c), (a, b, c))
ATTN_HAND_ON(zip_int64_t, zip_get_num_entries, (zip_t * a, zip_flags_t b), (a, b))
ATTN_HAND_ON(zip_t*, zip_open_from_source, (zip_source_t * a, int b, zip_error_t* c), (a, b, c))
ATTN_HAND_ON(int, zip_set_file_compression, (zip_t * a, zip_uint64_t b, zip_int32_t c, zip_uint32_t d), (a, b, c, d))
ATTN_HAND_ON(zip_source_t*, zip_source_buffer_create, (const void* a, zip_uint64_t b, int c, zip_error_t* d),
             (a, b, c, d))
ATTN_HAND_ON(int, zip_source_close, (zip_source_t * a), (a))
ATTN_HAND_ON(void, zip_source_free, (zip_source_t * a), (a))
ATTN_HAND_ON(zip_source_t*, zip_source_function, (zip_t * a, zip_source_callback b, void* c), (a, b, c))
ATTN_HAND_ON(void, zip_source_keep, (zip_source_t * a), (a))
ATTN_HAND_ON(int, zip_source_open, (zip_source_t * a), (a))
ATTN_HAND_ON(zip_int64_t, zip_source_read, (zip_source_t * a, void* b, zip_uint64_t c), (a, b, c))
ATTN_HAND_ON(int, zip_stat_index, (zip_t * a, zip_uint64_t b, zip_flags_t c, zip_stat_t* d), (a, b, c, d))
ATTN_HAND_ON(void, zip_stat_init, (zip_stat_t * a), (a))

}  // extern "C"
