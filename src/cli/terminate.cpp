#include <cstdlib>

// What a program says that ends by an exception nobody caught. main() catches all of them; so
// the one that the library brings, which spells out the names of types by a demangler of 50 KB,
// is not linked.
namespace __gnu_cxx {

void __verbose_terminate_handler();

void __verbose_terminate_handler() { std::abort(); }

}  // namespace __gnu_cxx
