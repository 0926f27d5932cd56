// Lets one call of the C library fail, as it would where the machine is short: a library that is
// preloaded into the program. It counts the calls of a kind, and the one whose number (from 0) is
// asked for fails. The environment says so:
//
//   ATTN_FAULT_KIND   alloc, read, write, open, stat, thread; library: what is asked of a library that
//                     is loaded; sync: a file system that cannot; interrupt: a read or write that a
//                     signal interrupts; cut: a read that is behind the end; or kill: the program is
//                     killed at that write
//   ATTN_FAULT_AT     the number of the call; without it none fails
//   ATTN_FAULT_COUNT  a file to which the number of calls is written at the end
//   ATTN_FAULT_EACH   instead, of alloc: each call fails, in a copy of the program that is made there.
//                     A copy that does not say this text, take unfinished files away and end with 3
//                     is to be looked at: its number is written to the file, too, one a line.
//
// What the C library calls in itself is not seen: so reading by stdio is caught where stdio is called.

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
#include <string_view>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
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
  const char* each = std::getenv("ATTN_FAULT_EACH");
  const char* report = std::getenv("ATTN_FAULT_COUNT");
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

// The C library's own dlsym(): the one below fails, too.
void* looked_up(void* library, const char* name) {
  using Lookup = void*(void*, const char*);
  static const auto lookup = reinterpret_cast<Lookup*>(::dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  return lookup(library, name);
}

// The function of that name that is called where nothing fails.
template <class Function>
Function* usual(Function*, const char* name) {
  return reinterpret_cast<Function*>(looked_up(RTLD_NEXT, name));
}

// Files that are on their way, and whether this is a copy, which takes none away: they are the program's.
std::atomic<int> unfinished = 0;
bool is_copy = false;

// What a copy has said and done, for the program to read.
struct Told {
  int messages = -1;  // an open file
  int report = -1;    // another
  std::atomic<int>* taken_away = nullptr;
};

Told& told() {
  static Told made;
  return made;
}

bool has_said(std::string_view text) {
  char said[1024];
  const ssize_t length = ::syscall(SYS_pread64, told().messages, said, sizeof said, 0);
  return length >= 0 && std::string_view(said, static_cast<std::size_t>(length)) == text;
}

void look_at(long call) {
  char line[24];
  const int length = std::snprintf(line, sizeof line, "%ld\n", call);
  if (::syscall(SYS_write, told().report, line, length) < 0) std::abort();
}

// A copy that goes on for long enough to change what is on the disk ends there: it is to be looked at.
void end_copy() {
  if (is_copy) ::_exit(99);
}

// How far the program's open files were read. A copy that reads on moves that, for both.
class Offsets {
 public:
  Offsets() {
    for (int file = 0; file < most; ++file) at_[file] = ::lseek(file, 0, SEEK_CUR);
  }
  void restore() const {
    for (int file = 0; file < most; ++file) {
      if (at_[file] >= 0) ::lseek(file, at_[file], SEEK_SET);
    }
  }

 private:
  static constexpr int most = 16;
  off_t at_[most];
};

// A copy in which this call fails; in the program itself none does. It waits for the copy, so that
// of all that they share, files and the terminal, one has it at a time.
bool is_in_copy(long call) {
  if (is_copy) return false;
  if (told().messages < 0) {
    told().messages = static_cast<int>(::syscall(SYS_memfd_create, "messages", 0));
    told().report = static_cast<int>(::syscall(SYS_open, wanted().report, O_WRONLY | O_CREAT | O_APPEND, 0600));
    void* const shared = ::mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    told().taken_away = static_cast<std::atomic<int>*>(shared);
  }
  *told().taken_away = 0;
  if (::ftruncate(told().messages, 0) != 0) std::abort();
  const Offsets offsets;
  const pid_t copy = ::fork();
  if (copy == 0) {
    is_copy = true;
    const int nowhere = static_cast<int>(::syscall(SYS_open, "/dev/null", O_RDWR));
    ::dup2(nowhere, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);
    ::lseek(told().messages, 0, SEEK_SET);
    ::dup2(told().messages, STDERR_FILENO);
    ::alarm(20);
    return true;
  }
  int status = 0;
  while (::waitpid(copy, &status, 0) < 0 && errno == EINTR) {
  }
  offsets.restore();
  const bool is_right =
      WIFEXITED(status) && WEXITSTATUS(status) == 3 && has_said(wanted().each) && *told().taken_away == unfinished;
  if (!is_right) look_at(call);
  return false;
}

bool lacks_memory() {
  if (!wanted().each) return fails("alloc", ENOMEM);
  if (!is_in_copy(calls++)) return false;
  errno = ENOMEM;
  return true;
}
bool cannot_open() { return fails("open", EMFILE); }
bool cannot_read() { return fails("read", EIO); }
bool cannot_look() { return fails("stat", EIO); }
bool lacks_library() { return fails("library", ENOSYS); }
bool cannot_sync() { return fails("sync", EINVAL); }
bool is_interrupted() { return fails("interrupt", EINTR); }
bool is_cut() { return fails("cut", 0); }

bool cannot_write() {
  if (fails("kill", 0)) ::kill(::getpid(), SIGKILL);
  return fails("write", ENOSPC);
}

// A file that this made is on its way, until it has another name, or none.
int begun(int descriptor, int flags) {
  if (descriptor >= 0 && (flags & O_EXCL) != 0) ++unfinished;
  return descriptor;
}

// The permissions behind the flags of open(), where there are any.
mode_t mode_behind(int flags, std::va_list more) {
  return (flags & (O_CREAT | O_TMPFILE)) != 0 ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

__attribute__((destructor)) void tell_calls() {
  if (!wanted().report || is_copy) return;
  char text[24];
  const int length = std::snprintf(text, sizeof text, "%ld\n", calls.load());
  const int report = static_cast<int>(::syscall(SYS_open, wanted().report, O_WRONLY | O_CREAT | O_APPEND, 0600));
  if (::syscall(SYS_write, report, text, length) < 0) std::perror(wanted().report);
  ::close(report);
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
  if ((flags & O_CREAT) != 0) end_copy();
  static const auto usual_one = usual(::open, "open");
  return begun(usual_one(path, flags, mode), flags);
}

int open64(const char* path, int flags, ...) {
  if (cannot_open()) return -1;
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_behind(flags, more);
  va_end(more);
  if ((flags & O_CREAT) != 0) end_copy();
  static const auto usual_one = usual(::open64, "open64");
  return begun(usual_one(path, flags, mode), flags);
}

int openat(int folder, const char* path, int flags, ...) {
  if (cannot_open()) return -1;
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_behind(flags, more);
  va_end(more);
  if ((flags & O_CREAT) != 0) end_copy();
  static const auto usual_one = usual(::openat, "openat");
  return begun(usual_one(folder, path, flags, mode), flags);
}

int openat64(int folder, const char* path, int flags, ...) {
  if (cannot_open()) return -1;
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = mode_behind(flags, more);
  va_end(more);
  if ((flags & O_CREAT) != 0) end_copy();
  static const auto usual_one = usual(::openat64, "openat64");
  return begun(usual_one(folder, path, flags, mode), flags);
}

int mkstemp(char* name) {
  end_copy();
  if (cannot_open()) return -1;
  static const auto usual_one = usual(::mkstemp, "mkstemp");
  const int made = usual_one(name);
  if (made >= 0) ++unfinished;
  return made;
}

int mkstemp64(char* name) { return mkstemp(name); }

int memfd_create(const char* name, unsigned flags) noexcept {
  if (cannot_open()) return -1;
  ATTN_USUAL(memfd_create, name, flags);
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
  if (cannot_read() || is_interrupted()) return -1;
  ATTN_USUAL(read, descriptor, into, bytes);
}

ssize_t pread(int descriptor, void* into, std::size_t bytes, off_t offset) {
  if (cannot_read() || is_interrupted()) return -1;
  if (is_cut()) return 0;
  ATTN_USUAL(pread, descriptor, into, bytes, offset);
}

ssize_t pread64(int descriptor, void* into, std::size_t bytes, off64_t offset) {
  if (cannot_read() || is_interrupted()) return -1;
  if (is_cut()) return 0;
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

// What they are is asked.

int stat(const char* path, struct stat* status) noexcept {
  if (cannot_look()) return -1;
  ATTN_USUAL(stat, path, status);
}

int lstat(const char* path, struct stat* status) noexcept {
  if (cannot_look()) return -1;
  ATTN_USUAL(lstat, path, status);
}

int fstat(int descriptor, struct stat* status) noexcept {
  if (cannot_look()) return -1;
  ATTN_USUAL(fstat, descriptor, status);
}

// They are written, and all that it takes until they stand under their name.

ssize_t write(int descriptor, const void* from, std::size_t bytes) {
  if (descriptor > STDERR_FILENO) end_copy();
  if (cannot_write() || is_interrupted()) return -1;
  ATTN_USUAL(write, descriptor, from, bytes);
}

int fsync(int descriptor) {
  if (cannot_write() || cannot_sync()) return -1;
  ATTN_USUAL(fsync, descriptor);
}

int syncfs(int descriptor) noexcept {
  if (cannot_write() || cannot_sync()) return -1;
  ATTN_USUAL(syncfs, descriptor);
}

int fchmod(int descriptor, mode_t mode) noexcept {
  if (cannot_write()) return -1;
  ATTN_USUAL(fchmod, descriptor, mode);
}

int rename(const char* from, const char* to) noexcept {
  end_copy();
  if (cannot_write()) return -1;
  static const auto usual_one = usual(::rename, "rename");
  const int renamed = usual_one(from, to);
  if (renamed == 0) --unfinished;
  return renamed;
}

int unlink(const char* path) noexcept {
  if (is_copy) return ++*told().taken_away, 0;
  static const auto usual_one = usual(::unlink, "unlink");
  const int unlinked = usual_one(path);
  if (unlinked == 0) --unfinished;
  return unlinked;
}

int mkdir(const char* path, mode_t mode) noexcept {
  end_copy();
  if (cannot_write()) return -1;
  ATTN_USUAL(mkdir, path, mode);
}

// A library is loaded, asked where its functions are, and what its tables hold is replaced.

void* dlopen(const char* path, int flags) noexcept {
  if (lacks_library()) return nullptr;
  ATTN_USUAL(dlopen, path, flags);
}

void* dlsym(void* library, const char* name) noexcept { return lacks_library() ? nullptr : looked_up(library, name); }

int dlinfo(void* library, int request, void* into) noexcept {
  if (lacks_library()) return -1;
  ATTN_USUAL(dlinfo, library, request, into);
}

int dladdr1(const void* address, Dl_info* info, void** more, int flags) noexcept {
  if (lacks_library()) return 0;
  ATTN_USUAL(dladdr1, address, info, more, flags);
}

int mprotect(void* start, std::size_t bytes, int protection) noexcept {
  if (lacks_library()) return -1;
  ATTN_USUAL(mprotect, start, bytes, protection);
}

// Threads.

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* with) noexcept {
  if (fails("thread", EAGAIN)) return EAGAIN;
  ATTN_USUAL(pthread_create, thread, attributes, run, with);
}

}  // extern "C"
