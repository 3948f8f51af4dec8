// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace ridge {

/// What went wrong, written for the person who has to mend it.
/// `code` is stable and machine-readable ("unknown-parameter"); `message` names the thing, `place` says where
/// (file:line, parameter, target …, may be empty) and `fix` what to do next (may be empty).
struct Error {
    std::string code;
    std::string message;
    std::string place;
    std::string fix;

    bool operator==(const Error&) const = default;
};

/// One line for a terminal or a status bar: "place: message. fix".
std::string toText(const Error& error);

/// A value or an Error. Reading the absent side is a programming mistake and throws std::logic_error.
template<class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_value(std::move(value)) {}
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return m_value.has_value(); }
    explicit operator bool() const { return ok(); }

    T& value() &
    {
        require(ok());
        return *m_value;
    }
    const T& value() const&
    {
        require(ok());
        return *m_value;
    }
    T&& value() &&
    {
        require(ok());
        return std::move(*m_value);
    }
    const Error& error() const
    {
        require(!ok());
        return *m_error;
    }

    T& operator*() { return value(); }
    const T& operator*() const { return value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

private:
    static void require(bool condition)
    {
        if (!condition)
            throw std::logic_error("Result: the side that was read is absent");
    }
    std::optional<T> m_value;
    std::optional<Error> m_error;
};

template<>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : m_error(std::move(error)) {}

    bool ok() const { return !m_error.has_value(); }
    explicit operator bool() const { return ok(); }
    const Error& error() const
    {
        if (!m_error)
            throw std::logic_error("Result: the side that was read is absent");
        return *m_error;
    }

private:
    std::optional<Error> m_error;
};

} // namespace ridge
