// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/json.h"
#include "gpu/program.h"

#include <QTemporaryDir>
#include <QtTest>

namespace ridge::gpu::test {

/// Sets an environment variable and puts the old value back at the end.
class ScopedEnv {
public:
    ScopedEnv(const char* name, const QByteArray& value) : m_name(name), m_had(qEnvironmentVariableIsSet(name))
    {
        m_old = qgetenv(name);
        qputenv(name, value);
    }
    ScopedEnv(const ScopedEnv&) = delete;
    ScopedEnv& operator=(const ScopedEnv&) = delete;
    ~ScopedEnv()
    {
        if (m_had)
            qputenv(m_name, m_old);
        else
            qunsetenv(m_name);
    }

private:
    const char* m_name;
    bool m_had;
    QByteArray m_old;
};

/// A machine with no compiler at all, whatever is installed on this one.
struct NoCompilers {
    ScopedEnv path{"PATH", ""};
    ScopedEnv nvrtc{"RIDGE_NVRTC", "/nowhere/libnvrtc.so"};
    ScopedEnv nvcc{"RIDGE_NVCC", "/nowhere/nvcc"};
    ScopedEnv clang{"RIDGE_CLANG", "/nowhere/clang"};
    ScopedEnv wish{"RIDGE_COMPILER", "auto"};
};

/// Compiled kernels go into a folder of this test alone.
struct OwnCache {
    QTemporaryDir folder;
    ScopedEnv cache{"RIDGE_CACHE", folder.path().toUtf8()};

    std::vector<std::filesystem::path> entries() const
    {
        std::vector<std::filesystem::path> found;
        std::error_code none;
        const std::filesystem::path root = folder.path().toStdString();
        for (const auto& entry : std::filesystem::recursive_directory_iterator(root, none))
            if (entry.is_regular_file())
                found.push_back(entry.path());
        return found;
    }
};

/// An executable shell script; its own folder keeps it until the end of the test.
inline std::filesystem::path makeScript(const QTemporaryDir& folder, const char* name, const std::string& body)
{
    const std::filesystem::path file = std::filesystem::path(folder.path().toStdString()) / name;
    if (!writeFile(file, "#!/bin/sh\n" + body))
        qFatal("no script");
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return file;
}

/// A clang that counts how often it is started. It answers --version and writes a PTX of its own.
struct CountingClang {
    QTemporaryDir folder;
    std::filesystem::path count = std::filesystem::path(folder.path().toStdString()) / "count";
    std::filesystem::path file =
        makeScript(folder, "clang",
                   "echo x >> '" + count.string() +
                       "'\n"
                       "if [ \"$1\" = --version ]; then echo 'clang version 14.9.9'; exit; fi\n"
                       "while [ \"$1\" != -o ]; do shift; done\n"
                       "printf '.version 7.5\\n.target sm_70\\n' > \"$2\"\n");
    ScopedEnv clang{"RIDGE_CLANG", QByteArray::fromStdString(file.string())};

    std::size_t starts() const
    {
        const auto text = readFile(count);
        return text ? text->size() / 2 : 0;
    }
};

inline QString text(const std::string& s)
{
    return QString::fromStdString(s);
}

} // namespace ridge::gpu::test
