// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lesson_support.h"

#include <QTemporaryDir>

namespace ridge::lessons::test {

inline const char* const kLesson = "2-cuda-programming/01-small.md";

inline const char* const kClaims = "t4.read_stride1:\n"
                                   "  value: 206\n"
                                   "  unit: GB/s\n"
                                   "  source: GPU Glossary\n"
                                   "  url: https://modal.com/gpu-glossary\n"
                                   "  date: 2026-05\n"
                                   "  provenance: published\n"
                                   "  experiment: coalescing\n"
                                   "  at: {stride: 1}\n"
                                   "t4.unused:\n"
                                   "  value: 1\n"
                                   "  unit: GB/s\n"
                                   "  source: GPU Glossary\n"
                                   "  date: 2026-05-01\n"
                                   "  provenance: published\n";

inline const char* const kGlossary = "- name: sector\n"
                                     "  also: [sectors]\n"
                                     "  lesson: \"2.1\"\n"
                                     "  text: An aligned block of 32 bytes.\n"
                                     "- name: warp\n"
                                     "  lesson: \"1.2\"\n"
                                     "  text: Thirty-two threads.\n";

inline const char* const kFigure = "2-cuda-programming/figures/small-lanes.svg";

inline const char* const kSvg =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 200\">\n"
    "  <title>Lanes</title>\n"
    "  <rect x=\"10\" y=\"10\" width=\"80\" height=\"40\" fill=\"{surface2}\" "
    "stroke=\"{borderStrong}\"/>\n"
    "  <g fill=\"{text}\" font-family=\"Inter\" font-size=\"14\">\n"
    "    <text x=\"20\" y=\"30\">32 lanes, <tspan fill=\"{accent}\">4 sectors</tspan></text>\n"
    "  </g>\n"
    "  <line x1=\"0\" y1=\"90\" x2=\"720\" y2=\"90\" stroke=\"{series1}\"/>\n"
    "</svg>\n";

/// The small lesson with enough plain words to pass for a whole one; they stand on one line, so that lines stay put.
inline std::string fullLesson()
{
    std::string words;
    for (int i = 0; i < 1600; ++i)
        words += " word";
    return replaced(read(sourceRoot() / "tests" / "lessons" / "small.md"), "Before the run.",
                    "Before the run." + words);
}

/// A curriculum with one lesson and its data root, on disk.
class Desk {
public:
    Desk()
    {
        std::filesystem::create_directories(root() / "2-cuda-programming");
        std::filesystem::create_directories(data() / "kernels" / "coalescing");
        std::filesystem::create_directories(data() / "assets" / "formulas");
        std::filesystem::create_directories(data() / "assets" / "chips");
        std::filesystem::copy(sourceRoot() / "assets" / "chips" / "gpus.json",
                              data() / "assets" / "chips" / "gpus.json");
        std::filesystem::copy(sourceRoot() / "curriculum" / "curriculum.yaml", root() / "curriculum.yaml");
        std::filesystem::copy(sourceRoot() / "kernels" / "coalescing" / "01_strided_read.cu",
                              data() / "kernels" / "coalescing" / "01_strided_read.cu");
        write(root() / kLesson, fullLesson());
        std::filesystem::create_directories(data() / "assets" / "themes");
        std::filesystem::copy(sourceRoot() / "assets" / "themes" / "light.json",
                              data() / "assets" / "themes" / "light.json");
        std::filesystem::create_directories(root() / "2-cuda-programming" / "figures");
        write(root() / kFigure, kSvg);
        write(root() / "claims.yaml", kClaims);
        write(root() / "glossary.yaml", kGlossary);
    }
    std::filesystem::path root() const { return std::filesystem::path(m_home.path().toStdString()) / "curriculum"; }
    std::filesystem::path data() const { return std::filesystem::path(m_home.path().toStdString()) / "data"; }

    static void write(const std::filesystem::path& path, const std::string& text)
    {
        if (!writeFile(path, text).ok())
            qFatal("cannot write %s", path.c_str());
    }
    std::vector<Problem> check() const { return lint(loadCurriculum(root()).curriculum, catalogue(), data()); }

private:
    QTemporaryDir m_home;
};

} // namespace ridge::lessons::test
