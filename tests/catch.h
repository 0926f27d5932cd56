#pragma once

// Debian 12 has Catch2 v2, newer systems v3.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using namespace Catch::Generators;  // NOLINT(google-build-using-namespace)
#else
#include <catch2/catch.hpp>
#endif
