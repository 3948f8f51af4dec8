// SPDX-License-Identifier: GPL-3.0-or-later
// The body of fmt, compiled once. Debian has no static libfmt, a shared one would have to travel with ridge-worker,
// and fmt's header-only form costs every file that formats two seconds of build.
#include <fmt/format-inl.h>

template fmt::detail::thousands_sep_result<char> fmt::detail::thousands_sep_impl<char>(fmt::detail::locale_ref);
template char fmt::detail::decimal_point_impl<char>(fmt::detail::locale_ref);
