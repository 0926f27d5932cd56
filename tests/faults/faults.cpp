// Lets one call of the C library fail, as it would where the machine is short: a library that is
// preloaded into the program. It counts the calls of a kind, and the one whose number (from 0) is
// asked for fails. The environment says so:
//
//   ATTN_FAULT_KIND   alloc, read, write, open, thread, or kill: the program is killed at that write
//   ATTN_FAULT_AT     the number of the call; without it none fails
//   ATTN_FAULT_COUNT  a file to which the number of calls is written at the end
//
// What the C library calls in itself is not seen. So what it writes for stdio is caught where stdio
// is called, and what a folder holds where it is listed.

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

extern "C" {
// The C library's own, by names that nobody else takes: dlsym() itself asks for memory.
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* memory, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

struct Wanted {
  const char* kind = std::getenv("ATTN_FAULT_KIND");
  long at = std::getenv("ATTN_FAULT_AT") ? std::atol(std::getenv("ATTN_FAULT_AT")) : -1;
};

// Made when it is first asked for: memory is wanted before anything of this library is constructed.
const Wanted& wanted() {
  static const Wanted made;
  return made;
}

std::atomic<long> calls = 0;

// Whether this call, of that kind, is the one that is to fail; errno then says why.
bool fails(const char* kind, int reason) {
  if (!wanted().kind || std::strcmp(wanted().kind, kind) != 0) return false;
  if (calls++ != wanted().at) return false;
  errno = reason;
  return true;
}

bool lacks_memory() { return fails("alloc", ENOMEM); }
bool cannot_open() { return fails("open", EMFILE); }
bool cannot_read() { return fails("read", EIO); }

bool cannot_write() {
  if (fails("kill", 0)) ::kill(::getpid(), SIGKILL);
  return fails("write", ENOSPC);
}

// The function of that name that is called where nothing fails.
template <class Function>
Function* usual(Function*, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// The permissions behind the flags of open(), where there are any.
mode_t mode_behind(int flags, std::va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

__attribute__((destructor)) void tell_calls() {
  const char* const file = std::getenv("ATTN_FAULT_COUNT");
  if (!file) return;
  char text[24];
  const int length = std::snprintf(text, sizeof text, "%ld", calls.load());
  const int descriptor = usual(::open, "open")(file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (usual(::write, "write")(descriptor, text, static_cast<std::size_t>(length)) < 0) std::perror(file);
  ::close(descriptor);
}

}  // namespace

// Calls the usual function of that name, which is looked up once.
#define ATTN_USUAL(name, ...)                         \
  static const auto usual_one = usual(::name, #name); \
  return usual_one(__VA_ARGS__)

extern "C" {

// Memory.

void* malloc(std::size_t bytes) { return lacks_memory() ? nullptr : __libc_malloc(bytes); }

void* calloc(std::size_t count, std::size_t bytes) { return lacks_memory() ? nullptr : __libc_calloc(count, bytes); }

void* realloc(void* memory, std::size_t bytes) { return lacks_memory() ? nullptr : __libc_realloc(memory, bytes); }

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return lacks_memory() ? nullptr : __libc_memalign(alignment, bytes);
}

int posix_memalign(void** memory, std::size_t alignment, std::size_t bytes) {
  if (lacks_memory()) return ENOMEM;
  *memory = __libc_memalign(alignment, bytes);
  return *memory ? 0 : ENOMEM;
}

// Files are opened, folders too.

int open(const char* path, int flags, ...) {
  if (cannot_open()) return -1;
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_behind(flags, more);
  va_end(more);
  ATTN_USUAL(open, path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  if (cannot_open()) return -1;
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_behind(flags, more);
  va_end(more);
  ATTN_USUAL(open64, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  if (cannot_open()) return -1;
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_behind(flags, more);
  va_end(more);
  ATTN_USUAL(openat, folder, path, flags, mode);
}

int openat64(int folder, const char* path, int flags, ...) {
  if (cannot_open()) return -1;
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_behind(flags, more);
  va_end(more);
  ATTN_USUAL(openat64, folder, path, flags, mode);
}

int mkstemp(char* name) {
  if (cannot_open()) return -1;
  ATTN_USUAL(mkstemp, name);
}

int mkstemp64(char* name) {
  if (cannot_open()) return -1;
  ATTN_USUAL(mkstemp64, name);
}

std::FILE* fopen(const char* path, const char* mode) {
  if (cannot_open()) return nullptr;
  ATTN_USUAL(fopen, path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  if (cannot_open()) return nullptr;
  ATTN_USUAL(fopen64, path, mode);
}

std::FILE* fdopen(int descriptor, const char* mode) noexcept {
  if (cannot_open()) return nullptr;
  ATTN_USUAL(fdopen, descriptor, mode);
}

DIR* opendir(const char* path) {
  if (cannot_open()) return nullptr;
  ATTN_USUAL(opendir, path);
}

DIR* fdopendir(int descriptor) {
  if (cannot_open()) return nullptr;
  ATTN_USUAL(fdopendir, descriptor);
}

// They are read.

ssize_t read(int descriptor, void* into, std::size_t bytes) {
  if (cannot_read()) return -1;
  ATTN_USUAL(read, descriptor, into, bytes);
}

ssize_t pread(int descriptor, void* into, std::size_t bytes, off_t offset) {
  if (cannot_read()) return -1;
  ATTN_USUAL(pread, descriptor, into, bytes, offset);
}

ssize_t pread64(int descriptor, void* into, std::size_t bytes, off64_t offset) {
  if (cannot_read()) return -1;
  ATTN_USUAL(pread64, descriptor, into, bytes, offset);
}

std::size_t fread(void* into, std::size_t size, std::size_t count, std::FILE* file) {
  if (cannot_read()) {
    file->_flags |= 0x20;  // what ferror() looks at, _IO_ERR_SEEN
    return 0;
  }
  ATTN_USUAL(fread, into, size, count, file);
}

dirent* readdir(DIR* folder) {
  if (cannot_read()) return nullptr;
  ATTN_USUAL(readdir, folder);
}

dirent64* readdir64(DIR* folder) {
  if (cannot_read()) return nullptr;
  ATTN_USUAL(readdir64, folder);
}

// They are written, and all that it takes until they stand under their name.

ssize_t write(int descriptor, const void* from, std::size_t bytes) {
  if (cannot_write()) return -1;
  ATTN_USUAL(write, descriptor, from, bytes);
}

std::size_t fwrite(const void* from, std::size_t size, std::size_t count, std::FILE* file) {
  if (cannot_write()) {
    file->_flags |= 0x20;
    return 0;
  }
  ATTN_USUAL(fwrite, from, size, count, file);
}

int vfprintf(std::FILE* file, const char* format, std::va_list values) {
  if (cannot_write()) {
    file->_flags |= 0x20;
    return -1;
  }
  ATTN_USUAL(vfprintf, file, format, values);
}

int fprintf(std::FILE* file, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int written = vfprintf(file, format, values);
  va_end(values);
  return written;
}

// What a program that was compiled with _FORTIFY_SOURCE calls in its place.
int __fprintf_chk(std::FILE* file, int /*flag*/, const char* format, ...) {
  std::va_list values;
  va_start(values, format);
  const int written = vfprintf(file, format, values);
  va_end(values);
  return written;
}

int fsync(int descriptor) {
  if (cannot_write()) return -1;
  ATTN_USUAL(fsync, descriptor);
}

int syncfs(int descriptor) noexcept {
  if (cannot_write()) return -1;
  ATTN_USUAL(syncfs, descriptor);
}

int fchmod(int descriptor, mode_t mode) noexcept {
  if (cannot_write()) return -1;
  ATTN_USUAL(fchmod, descriptor, mode);
}

int rename(const char* from, const char* to) noexcept {
  if (cannot_write()) return -1;
  ATTN_USUAL(rename, from, to);
}

int mkdir(const char* path, mode_t mode) noexcept {
  if (cannot_write()) return -1;
  ATTN_USUAL(mkdir, path, mode);
}

// Threads.

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* with) noexcept {
  if (fails("thread", EAGAIN)) return EAGAIN;
  ATTN_USUAL(pthread_create, thread, attributes, run, with);
}

}  // extern "C"
