#include "exports/xlsx/watched.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <span>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#include "base/memory_shortage.h"

// A library calls functions of others through a table of their addresses, which the loader fills
// when the library is loaded: each relocation says which place gets the address of which symbol.
// Some of these places get the addresses of the functions below.

namespace attn {
namespace {

extern "C" void* watched_malloc(std::size_t bytes) {
  return memory_of([&] { return std::malloc(bytes != 0 ? bytes : 1); });
}

extern "C" void* watched_calloc(std::size_t count, std::size_t bytes) {
  return memory_of([&] { return count != 0 && bytes != 0 ? std::calloc(count, bytes) : std::calloc(1, 1); });
}

extern "C" void* watched_realloc(void* memory, std::size_t bytes) {
  return memory_of([&] { return std::realloc(memory, bytes != 0 ? bytes : 1); });
}

thread_local bool has_lost_some = false;

// Whoever goes back to the beginning of a file forgets what went wrong with it.
extern "C" void watched_rewind(std::FILE* file) {
  has_lost_some = has_lost_some || std::fflush(file) != 0 || std::ferror(file) != 0;
  std::rewind(file);
}

extern "C" int watched_fclose(std::FILE* file) {
  const bool was_whole = std::ferror(file) == 0;
  const int closed = std::fclose(file);
  has_lost_some = has_lost_some || !was_whole || closed != 0;
  return closed;
}

const std::array<std::pair<std::string_view, void*>, 5> replacements = {{
    {"malloc", reinterpret_cast<void*>(watched_malloc)},
    {"calloc", reinterpret_cast<void*>(watched_calloc)},
    {"realloc", reinterpret_cast<void*>(watched_realloc)},
    {"rewind", reinterpret_cast<void*>(watched_rewind)},
    {"fclose", reinterpret_cast<void*>(watched_fclose)},
}};

#if __ELF_NATIVE_CLASS == 64

struct Tables {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const ElfW(Rela)> relocations = {}, relocations_of_calls = {};
};

// What an entry points to: most loaders have put addresses into what were offsets, some have not.
template <class T>
const T* table_at(const ElfW(Dyn) & entry, const link_map& library) {
  const ElfW(Addr) at = entry.d_un.d_ptr;
  return reinterpret_cast<const T*>(at < library.l_addr ? at + library.l_addr : at);
}

Tables tables_of(const link_map& library) {
  Tables found;
  const ElfW(Rela)* relocations = nullptr;
  const ElfW(Rela)* of_calls = nullptr;
  std::size_t bytes = 0, bytes_of_calls = 0;
  for (const ElfW(Dyn)* entry = library.l_ld; entry->d_tag != DT_NULL; ++entry) {
    switch (entry->d_tag) {
      case DT_SYMTAB:
        found.symbols = table_at<ElfW(Sym)>(*entry, library);
        break;
      case DT_STRTAB:
        found.names = table_at<char>(*entry, library);
        break;
      case DT_RELA:
        relocations = table_at<ElfW(Rela)>(*entry, library);
        break;
      case DT_RELASZ:
        bytes = entry->d_un.d_val;
        break;
      case DT_JMPREL:
        of_calls = table_at<ElfW(Rela)>(*entry, library);
        break;
      case DT_PLTRELSZ:
        bytes_of_calls = entry->d_un.d_val;
        break;
      default:
        break;
    }
  }
  if (relocations) found.relocations = {relocations, bytes / sizeof *relocations};
  if (of_calls) found.relocations_of_calls = {of_calls, bytes_of_calls / sizeof *of_calls};
  return found;
}

// The loader may have made the place one that cannot be written.
bool put(void* function, ElfW(Addr) place) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  void* const start = reinterpret_cast<void*>(place / page * page);
  if (::mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return false;
  std::memcpy(reinterpret_cast<void*>(place), &function, sizeof function);
  return true;
}

bool replace_functions(const link_map& library) {
  const Tables tables = tables_of(library);
  if (!tables.symbols || !tables.names) return false;
  for (const auto& relocations : {tables.relocations, tables.relocations_of_calls}) {
    for (const ElfW(Rela) & one : relocations) {
      const std::string_view name = tables.names + tables.symbols[ELF64_R_SYM(one.r_info)].st_name;
      for (const auto& [replaced, function] : replacements) {
        if (name == replaced && !put(function, library.l_addr + one.r_offset)) return false;
      }
    }
  }
  return true;
}

#else

bool replace_functions(const link_map&) { return true; }

#endif

}  // namespace

bool watch(void* library, const char* of_another) {
  void* const function = ::dlsym(library, of_another);
  link_map* own = nullptr;
  link_map* other = nullptr;
  Dl_info unused = {};
  return function && ::dlinfo(library, RTLD_DI_LINKMAP, &own) == 0 &&
         ::dladdr1(function, &unused, reinterpret_cast<void**>(&other), RTLD_DL_LINKMAP) != 0 &&
         replace_functions(*own) && replace_functions(*other);
}

bool lost_some_of_its_files() { return std::exchange(has_lost_some, false); }

}  // namespace attn
