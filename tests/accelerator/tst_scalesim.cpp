// SPDX-License-Identifier: GPL-3.0-or-later
#include "accelerator/scalesim_files.h"

#include <QtTest>

using namespace ridge;
using namespace ridge::accelerator;

namespace {

/// What SCALE-Sim printed; -1: not noted.
struct Row {
    const char* layer;
    const char* dataflow;
    std::uint32_t rows, cols;
    bool user;
    std::uint32_t bandwidth, kilobytes;
    Conv conv;
    std::int64_t cycles, stalls, dramA, dramB, dramWrites;
};

// Runs of SCALE-Sim at commit 1d62b68; its read and write bandwidths are the same. The arrays of 12 x 14 have the 36 KB
// of its eyeriss.cfg.
constexpr Row kRows[] = {
    {"alexnet Conv1", "ws", 12, 14, false, 10, 36, {224, 224, 11, 11, 3, 96, 4, 4}, 664236, 0, 7595134, 34848, 9002400},
    {"alexnet Conv1", "os", 32, 32, false, 10, 64, {224, 224, 11, 11, 3, 96, 4, 4}, 121124, 0, 519810, 44366, 290431},
    {"alexnet Conv2",
     "ws",
     12,
     14,
     false,
     10,
     36,
     {27, 27, 5, 5, 96, 256, 1, 1},
     2146999,
     0,
     24122400,
     614400,
     27084800},
    {"alexnet Conv2", "os", 32, 32, false, 10, 64, {27, 27, 5, 5, 96, 256, 1, 1}, 334831, 0, 722497, 10444800, 135455},
    {"alexnet Conv2", "ws", 32, 32, false, 10, 64, {27, 27, 5, 5, 96, 256, 1, 1}, 373799, 0, -1, -1, -1},
    {"alexnet Conv3", "ws", 12, 14, false, 10, 36, {13, 13, 3, 3, 256, 384, 1, 1}, 844031, 0, 7805952, 884736, 8921088},
    {"alexnet Conv3", "ws", 32, 32, false, 10, 64, {13, 13, 3, 3, 256, 384, 1, 1}, 185759, 0, 2356808, 884736, 3345439},
    {"alexnet Conv3", "is", 32, 32, false, 10, 64, {13, 13, 3, 3, 256, 384, 1, 1}, 137663, 0, -1, -1, -1},
    {"alexnet Conv3",
     "os",
     32,
     32,
     true,
     10,
     64,
     {13, 13, 3, 3, 256, 384, 1, 1},
     3272951,
     3159384,
     6422920,
     32737230,
     46464},
    {"alexnet Conv4",
     "ws",
     32,
     32,
     false,
     10,
     64,
     {13, 13, 3, 3, 384, 384, 1, 1},
     278639,
     0,
     5018112,
     1327104,
     5018143},
    {"alexnet Conv4", "is", 32, 32, false, 10, 64, {13, 13, 3, 3, 384, 384, 1, 1}, 206495, 0, -1, -1, -1},
    {"alexnet Conv5", "os", 32, 32, false, 10, 64, {13, 13, 3, 3, 384, 256, 1, 1}, 112575, 0, 778400, 3538944, 30976},
    {"alexnet Conv5", "ws", 32, 32, false, 10, 64, {13, 13, 3, 3, 384, 256, 1, 1}, 185759, 0, -1, -1, -1},
    {"gpt2 Linear2",
     "os",
     128,
     128,
     false,
     10,
     64,
     {1024, 1600, 1, 1600, 1, 1600, 1, 1},
     192815,
     0,
     21299200,
     20480000,
     1638527},
    {"gpt2 Linear2", "ws", 128, 128, false, 10, 64, {1024, 1600, 1, 1600, 1, 1600, 1, 1}, 237613, 0, -1, -1, -1},
    {"gpt2 Linear2", "is", 128, 128, false, 10, 64, {1024, 1600, 1, 1600, 1, 1600, 1, 1}, 206127, 0, -1, -1, -1},
    {"gpt2 QKT", "os", 128, 128, false, 10, 64, {1024, 64, 1, 64, 1, 1024, 1, 1}, 20351, 0, 524288, 81884, 1048703},
    {"gpt2 QKT", "ws", 128, 128, false, 10, 64, {1024, 64, 1, 64, 1, 1024, 1, 1}, 11247, 0, -1, -1, -1},
    {"gpt2 QKT", "is", 128, 128, false, 10, 64, {1024, 64, 1, 64, 1, 1024, 1, 1}, 11247, 0, -1, -1, -1},
    {"gpt2 QKTV", "os", 128, 128, false, 10, 64, {1024, 1024, 1, 1024, 1, 64, 1, 1}, 10223, 0, 1048576, 524288, 65663},
    {"gpt2 QKTV", "ws", 128, 128, false, 10, 64, {1024, 1024, 1, 1024, 1, 64, 1, 1}, 11247, 0, -1, -1, -1},
    {"gpt2 QKTV", "is", 128, 128, false, 10, 64, {1024, 1024, 1, 1024, 1, 64, 1, 1}, 28543, 0, -1, -1, -1},
    {"resnet18 Conv1", "is", 128, 128, false, 10, 64, {224, 224, 7, 7, 3, 64, 2, 2}, 84739, 0, 162680, 9408, 1548927},
    {"resnet18 Conv2_1a", "os", 32, 32, false, 10, 64, {56, 56, 3, 3, 64, 64, 1, 1}, 117391, 0, 509426, 51182, 186655},
    {"resnet18 Conv2_1a", "ws", 32, 32, false, 10, 64, {56, 56, 3, 3, 64, 64, 1, 1}, 108359, 0, -1, -1, -1},
    {"resnet18 Conv3_1a",
     "os",
     128,
     128,
     false,
     10,
     64,
     {56, 56, 3, 3, 64, 128, 2, 2},
     5809,
     0,
     296740,
     516096,
     100479},
    {"resnet18 Conv3_1a", "ws", 128, 128, false, 10, 64, {56, 56, 3, 3, 64, 128, 2, 2}, 5829, 0, -1, -1, -1},
    {"resnet18 Conv3_1a", "is", 128, 128, false, 10, 64, {56, 56, 3, 3, 64, 128, 2, 2}, 17849, 0, -1, -1, -1},
    {"resnet18 Conv4_1b",
     "os",
     32,
     32,
     false,
     10,
     64,
     {14, 14, 3, 3, 256, 256, 1, 1},
     94639,
     0,
     515207,
     2949120,
     36895},
    {"resnet18 Conv4_1b", "ws", 32, 32, false, 10, 64, {14, 14, 3, 3, 256, 256, 1, 1}, 137087, 0, -1, -1, -1},
    {"resnet18 Conv4_1b", "is", 32, 32, false, 10, 64, {14, 14, 3, 3, 256, 256, 1, 1}, 125999, 0, -1, -1, -1},
    {"resnet18 Conv4_1b",
     "os",
     128,
     128,
     false,
     10,
     64,
     {14, 14, 3, 3, 256, 256, 1, 1},
     10231,
     0,
     573314,
     1179648,
     36991},
    {"resnet18 Conv4_1b", "ws", 128, 128, false, 10, 64, {14, 14, 3, 3, 256, 256, 1, 1}, 18935, 0, -1, -1, -1},
    {"resnet18 Conv5_1b", "is", 32, 32, false, 10, 64, {7, 7, 3, 3, 512, 512, 1, 1}, 87263, 0, 25088, 2359296, 1843231},
    {"resnet18 Conv5_1b", "os", 128, 128, false, 10, 64, {7, 7, 3, 3, 512, 512, 1, 1}, 19447, 0, 25088, 2359296, 12800},
    {"resnet18 Conv5_1b", "ws", 128, 128, false, 10, 64, {7, 7, 3, 3, 512, 512, 1, 1}, 58607, 0, -1, -1, -1},
    {"resnet18 Conv5_1b", "is", 128, 128, false, 10, 64, {7, 7, 3, 3, 512, 512, 1, 1}, 32183, 0, -1, -1, -1},
    {"resnet18 Conv5_s", "os", 32, 32, false, 10, 64, {14, 14, 1, 1, 256, 512, 2, 2}, 10175, 0, 12544, 171942, 32768},
    {"resnet18 Conv5_s", "os", 128, 128, false, 10, 64, {14, 14, 1, 1, 256, 512, 2, 2}, 2039, 0, 12544, 131072, 32768},
    {"resnet18 FC", "os", 128, 128, false, 10, 64, {1, 1, 1, 1, 512, 1000, 1, 1}, 6127, 0, 512, 512000, 1000},
    {"tiny t1", "is", 4, 4, false, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 129279, 0, 512, 512000, 128003},
    {"tiny t1", "ws", 8, 8, false, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 183999, 0, 512, 512000, 64007},
    {"tiny t1", "os", 8, 8, true, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 65749, 0, 4100, 524320, 1000},
    {"tiny t1", "ws", 8, 8, true, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 974119, 790120, -1, -1, -1},
    {"tiny t1", "os", 16, 8, false, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 66749, 0, 512, 512000, 1000},
    {"tiny t1", "is", 16, 8, false, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 33215, 0, -1, -1, -1},
    {"tiny t1", "os", 32, 32, false, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 18367, 0, 512, 512000, 1000},
    {"tiny t1", "ws", 32, 32, false, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 48639, 0, -1, -1, -1},
    {"tiny t1", "is", 32, 32, false, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 17503, 0, -1, -1, -1},
    {"tiny t1", "os", 32, 32, true, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 104157, 85790, 16390, 1048640, 1000},
    {"tiny t1", "ws", 32, 32, true, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 2049905, 2001266, -1, -1, -1},
    {"tiny t1", "is", 32, 32, true, 10, 64, {1, 512, 1, 512, 1, 1000, 1, 1}, 51949, 34446, -1, -1, -1},
    {"tiny t100", "os", 4, 4, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 3199, 0, 1000, 300, 3000},
    {"tiny t100", "is", 4, 4, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 2999, 0, -1, -1, -1},
    {"tiny t100", "os", 8, 8, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 1247, 0, 1000, 300, 3000},
    {"tiny t100", "is", 8, 8, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 1351, 0, -1, -1, -1},
    {"tiny t100", "os", 8, 8, true, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 1247, 0, 1040, 320, 3000},
    {"tiny t100", "os", 16, 8, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 895, 0, 1000, 300, 3000},
    {"tiny t100", "ws", 16, 8, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 551, 0, -1, -1, -1},
    {"tiny t100", "is", 16, 8, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 883, 0, -1, -1, -1},
    {"tiny t100", "os", 32, 32, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 287, 0, 1000, 300, 3000},
    {"tiny t100", "is", 32, 32, false, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 495, 0, -1, -1, -1},
    {"tiny t100", "ws", 32, 32, true, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 193, 0, 3200, 320, 3000},
    {"tiny t100", "is", 32, 32, true, 10, 64, {100, 10, 1, 10, 1, 30, 1, 1}, 495, 0, -1, -1, -1},
    {"tiny t256", "os", 4, 4, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 536575, 0, 2097152, 33774, 32768},
    {"tiny t256", "ws", 4, 4, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 544767, 0, -1, -1, -1},
    {"tiny t256", "is", 4, 4, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 565247, 0, -1, -1, -1},
    {"tiny t256", "ws", 8, 8, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 142335, 0, 1048576, 32768, 1048583},
    {"tiny t256", "os", 8, 8, true, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 138239, 0, 1048640, 32770, 32768},
    {"tiny t256", "ws", 8, 8, true, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 142335, 0, -1, -1, -1},
    {"tiny t256", "is", 8, 8, true, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 153599, 0, -1, -1, -1},
    {"tiny t256", "os", 16, 8, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 71167, 0, 1048576, 34798, 32768},
    {"tiny t256", "is", 16, 8, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 84991, 0, -1, -1, -1},
    {"tiny t256", "ws", 32, 32, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 11199, 0, 262144, 32768, 262175},
    {"tiny t256", "is", 32, 32, false, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 14207, 0, -1, -1, -1},
    {"tiny t256", "os", 32, 32, true, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 52447, 42272, 524320, 32770, 32768},
    {"tiny t256", "is", 32, 32, true, 10, 64, {256, 256, 1, 256, 1, 128, 1, 1}, 19984, 5777, -1, -1, -1},
    {"tiny t33", "is", 4, 4, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 4130, 0, 2145, 1105, 9537},
    {"tiny t33", "is", 8, 8, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 1754, 0, 2145, 1105, 5049},
    {"tiny t33", "is", 8, 8, true, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 1754, 0, 2600, 1230, 5049},
    {"tiny t33", "os", 16, 8, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 782, 0, 2145, 1105, 561},
    {"tiny t33", "ws", 16, 8, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 1064, 0, -1, -1, -1},
    {"tiny t33", "is", 16, 8, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 1374, 0, -1, -1, -1},
    {"tiny t33", "os", 32, 32, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 253, 0, 2145, 1105, 561},
    {"tiny t33", "ws", 32, 32, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 380, 0, -1, -1, -1},
    {"tiny t33", "is", 32, 32, false, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 665, 0, -1, -1, -1},
    {"tiny t33", "os", 32, 32, true, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 253, 0, 4160, 2080, 561},
    {"tiny t33", "ws", 32, 32, true, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 380, 0, -1, -1, -1},
    {"tiny t33", "is", 32, 32, true, 10, 64, {33, 65, 1, 65, 1, 17, 1, 1}, 665, 0, -1, -1, -1},
    {"tiny t4", "os", 4, 4, false, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 9, 0, 16, 16, 16},
    {"tiny t4", "is", 4, 4, false, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 13, 0, -1, -1, -1},
    {"tiny t4", "ws", 8, 8, false, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 25, 0, 16, 16, 16},
    {"tiny t4", "os", 8, 8, true, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 17, 0, 40, 40, 16},
    {"tiny t4", "ws", 8, 8, true, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 25, 0, -1, -1, -1},
    {"tiny t4", "is", 8, 8, true, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 25, 0, -1, -1, -1},
    {"tiny t4", "os", 16, 8, false, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 25, 0, 16, 16, 16},
    {"tiny t4", "ws", 16, 8, false, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 41, 0, -1, -1, -1},
    {"tiny t4", "ws", 32, 32, false, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 97, 0, 16, 16, 16},
    {"tiny t4", "is", 32, 32, false, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 97, 0, -1, -1, -1},
    {"tiny t4", "os", 32, 32, true, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 65, 0, 130, 130, 16},
    {"tiny t4", "ws", 32, 32, true, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 97, 0, -1, -1, -1},
    {"tiny t4", "is", 32, 32, true, 10, 64, {4, 4, 1, 4, 1, 4, 1, 1}, 97, 0, -1, -1, -1},
    {"tiny t5", "ws", 4, 4, false, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 29, 0, 15, 21, 35},
    {"tiny t5", "is", 4, 4, false, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 33, 0, -1, -1, -1},
    {"tiny t5", "os", 8, 8, true, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 16, 0, 30, 30, 35},
    {"tiny t5", "ws", 8, 8, true, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 26, 0, -1, -1, -1},
    {"tiny t5", "is", 8, 8, true, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 28, 0, -1, -1, -1},
    {"tiny t5", "os", 16, 8, false, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 24, 0, 15, 21, 35},
    {"tiny t5", "ws", 16, 8, false, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 42, 0, -1, -1, -1},
    {"tiny t5", "os", 32, 32, false, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 64, 0, 15, 21, 35},
    {"tiny t5", "is", 32, 32, false, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 100, 0, -1, -1, -1},
    {"tiny t5", "os", 32, 32, true, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 64, 0, 100, 100, 35},
    {"tiny t5", "ws", 32, 32, true, 10, 64, {5, 3, 1, 3, 1, 7, 1, 1}, 98, 0, -1, -1, -1},
    {"tiny t64", "os", 4, 4, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 17919, 0, 4096, 4096, 4096},
    {"tiny t64", "is", 4, 4, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 18943, 0, -1, -1, -1},
    {"tiny t64", "os", 8, 8, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 4991, 0, 4096, 4096, 4096},
    {"tiny t64", "is", 8, 8, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 5503, 0, -1, -1, -1},
    {"tiny t64", "os", 8, 8, true, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 4991, 0, 4100, 4100, 4096},
    {"tiny t64", "ws", 8, 8, true, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 5503, 0, -1, -1, -1},
    {"tiny t64", "os", 16, 8, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 2751, 0, 4096, 4096, 4096},
    {"tiny t64", "ws", 16, 8, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 3263, 0, -1, -1, -1},
    {"tiny t64", "is", 16, 8, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 3263, 0, -1, -1, -1},
    {"tiny t64", "os", 32, 32, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 503, 0, 4096, 4096, 4096},
    {"tiny t64", "ws", 32, 32, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 631, 0, -1, -1, -1},
    {"tiny t64", "is", 32, 32, false, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 631, 0, -1, -1, -1},
    {"tiny t64", "os", 32, 32, true, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 503, 0, 4100, 4100, 4096},
    {"tiny t64", "is", 32, 32, true, 10, 64, {64, 64, 1, 64, 1, 64, 1, 1}, 631, 0, -1, -1, -1},
    {"vit_s L0", "os", 16, 32, false, 10, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 33539, 0, 451584, 90076, 37663},
    {"vit_s L0", "os", 32, 32, false, 10, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 18731, 0, 451584, 90076, 37663},
    {"vit_s L0", "ws", 32, 32, false, 10, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 20879, 0, -1, -1, -1},
    {"vit_s L0", "ws", 32, 32, true, 10, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 66367, 45488, 688170, 229390, 451612},
    {"vit_s L0", "is", 32, 32, true, 10, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 73361, 49338, -1, -1, -1},
    {"vit_s L0", "os", 32, 32, true, 40, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 18731, 0, 557600, 459200, 37632},
    {"vit_s L0", "is", 32, 32, true, 40, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 24339, 316, -1, -1, -1},
    {"vit_s L0", "is", 128, 128, false, 10, 64, {196, 384, 1, 384, 1, 192, 1, 1}, 3443, 0, 75264, 147456, 113023},
    {"vit_s L1", "os", 16, 32, false, 10, 64, {196, 64, 1, 64, 1, 1176, 1, 1}, 52909, 0, 12544, 79324, 230527},
    {"vit_s L1", "ws", 32, 32, false, 10, 64, {196, 64, 1, 64, 1, 1176, 1, 1}, 21459, 0, 12544, 75264, 461023},
    {"vit_s L1", "ws", 32, 32, true, 10, 64, {196, 64, 1, 64, 1, 1176, 1, 1}, 40996, 19537, 12550, 229390, 460992},
    {"vit_s L1", "os", 32, 32, true, 40, 64, {196, 64, 1, 64, 1, 1176, 1, 1}, 32633, 0, 14360, 229600, 230496},
    {"vit_s L1", "ws", 32, 32, true, 40, 64, {196, 64, 1, 64, 1, 1176, 1, 1}, 21459, 0, -1, -1, -1},
    {"vit_s L1", "is", 32, 32, true, 40, 64, {196, 64, 1, 64, 1, 1176, 1, 1}, 17779, 0, -1, -1, -1},
    {"vit_s L1", "ws", 128, 128, false, 10, 64, {196, 64, 1, 64, 1, 1176, 1, 1}, 5779, 0, 12544, 75264, 230623},
    {"vit_s L2", "ws", 16, 32, false, 10, 64, {196, 1176, 1, 1176, 1, 64, 1, 1}, 38183, 0, 460992, 75264, 928287},
    {"vit_s L2", "ws", 32, 32, false, 10, 64, {196, 1176, 1, 1176, 1, 64, 1, 1}, 21459, 0, 460992, 75264, 464159},
    {"vit_s L2", "is", 32, 32, false, 10, 64, {196, 1176, 1, 1176, 1, 64, 1, 1}, 40921, 0, -1, -1, -1},
    {"vit_s L2", "os", 128, 128, false, 10, 64, {196, 1176, 1, 1176, 1, 64, 1, 1}, 2859, 0, 230496, 150528, 12544},
    {"vit_s L2", "ws", 128, 128, false, 10, 64, {196, 1176, 1, 1176, 1, 64, 1, 1}, 5779, 0, -1, -1, -1},
    {"vit_s L3", "os", 16, 32, false, 10, 64, {196, 384, 1, 384, 1, 1536, 1, 1}, 268319, 0, 3612672, 777826, 301087},
    {"vit_s L3", "ws", 16, 32, false, 10, 64, {196, 384, 1, 384, 1, 1536, 1, 1}, 297215, 0, -1, -1, -1},
    {"vit_s L3", "os", 32, 32, false, 10, 64, {196, 384, 1, 384, 1, 1536, 1, 1}, 149855, 0, 3612672, 777826, 301087},
    {"vit_s L3", "is", 32, 32, false, 10, 64, {196, 384, 1, 384, 1, 1536, 1, 1}, 136919, 0, -1, -1, -1},
    {"vit_s L3", "os", 128, 128, false, 10, 64, {196, 384, 1, 384, 1, 1536, 1, 1}, 15311, 0, 903168, 1179648, 301183},
    {"vit_s L3", "ws", 128, 128, false, 10, 64, {196, 384, 1, 384, 1, 1536, 1, 1}, 20807, 0, -1, -1, -1},
    {"vit_s L3", "is", 128, 128, false, 10, 64, {196, 384, 1, 384, 1, 1536, 1, 1}, 11507, 0, -1, -1, -1},
    {"vit_s L4", "ws", 16, 32, false, 10, 64, {196, 1536, 1, 1536, 1, 384, 1, 1}, 297215, 0, 3612672, 589824, 7225375},
    {"vit_s L4", "os", 32, 32, false, 10, 64, {196, 1536, 1, 1536, 1, 384, 1, 1}, 134231, 0, 3612672, 4128768, 75295},
    {"vit_s L4", "ws", 32, 32, false, 10, 64, {196, 1536, 1, 1536, 1, 384, 1, 1}, 167039, 0, -1, -1, -1},
    {"vit_s L4", "is", 128, 128, false, 10, 64, {196, 1536, 1, 1536, 1, 384, 1, 1}, 18383, 0, 301056, 1179648, 903295},
    {"yolo_tiny Conv1", "ws", 32, 32, false, 10, 64, {416, 416, 3, 3, 3, 4, 1, 1}, 171489, 0, 560866, 108, 685615},
    {"yolo_tiny Conv6", "os", 32, 32, false, 10, 64, {13, 13, 3, 3, 256, 512, 1, 1}, 151423, 0, 869026, 4718592, 61983},
    {"yolo_tiny Conv6", "ws", 32, 32, false, 10, 64, {13, 13, 3, 3, 256, 512, 1, 1}, 247679, 0, -1, -1, -1},
    {"yolo_tiny Conv9", "os", 32, 32, false, 10, 64, {7, 7, 1, 1, 1024, 125, 1, 1}, 8687, 0, 200704, 226304, 6125},
    {"yolo_tiny Conv9", "ws", 32, 32, false, 10, 64, {7, 7, 1, 1, 1024, 125, 1, 1}, 18303, 0, -1, -1, -1},
    {"yolo_tiny Conv9", "is", 32, 32, false, 10, 64, {7, 7, 1, 1, 1024, 125, 1, 1}, 14015, 0, -1, -1, -1},
};

ScaleSimSetup setupOf(const Row& row)
{
    ScaleSimSetup setup;
    setup.array = {row.rows, row.cols};
    setup.dataflow = *dataflowNamed(row.dataflow);
    setup.user = row.user;
    for (auto& bytes : setup.bufferBytes)
        bytes = row.kilobytes * 1024;
    setup.readWords[0] = setup.readWords[1] = setup.writeWords = row.bandwidth;
    return setup;
}

} // namespace

class TestScaleSim : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void measuredRows();
    void closedFormIsTheRun();
    void theOrderFlips();
    void refusals();
    void topologies();
    void configs();
};

void TestScaleSim::measuredRows()
{
    for (const Row& row : kRows) {
        const auto run = scaleSim(setupOf(row), row.conv);
        QVERIFY2(run.ok(), row.layer);
        const QByteArray where = QByteArray(row.layer) + " " + row.dataflow + " " + QByteArray::number(row.rows);
        const auto same = [&](std::int64_t expected, std::uint64_t got) {
            return expected < 0 || static_cast<std::uint64_t>(expected) == got;
        };
        QVERIFY2(same(row.cycles, run->cycles), where);
        QVERIFY2(same(row.stalls, run->stalls), where);
        QVERIFY2(same(row.dramA, run->dramA), where);
        QVERIFY2(same(row.dramB, run->dramB), where);
        QVERIFY2(same(row.dramWrites, run->dramWrites), where);
    }
}

void TestScaleSim::closedFormIsTheRun()
{
    for (const Row& row : kRows) {
        if (row.user)
            continue;
        const ScaleSimRun closed = scaleSimClosed(setupOf(row), gemmOf(row.conv));
        QVERIFY(row.cycles < 0 || closed.cycles == static_cast<std::uint64_t>(row.cycles));
    }
    // 4 x 4 x 4 on 4 x 4: 16 results, and 24 writes, for rows and columns are counted too.
    ScaleSimSetup setup;
    setup.array = {4, 4};
    QCOMPARE(scaleSimClosed(setup, {4, 4, 4}).sram.writes, 24u);
    QCOMPARE(scaleSimClosed(setup, {4, 4, 4}).cycles, 9u);
    setup.dataflow = Dataflow::WeightStationary;
    QCOMPARE(scaleSimClosed(setup, {4, 4, 4}).sram.writes, 16u);
}

/// 256 x 128 x 256 on 32 x 32 at 10 words a cycle: os computes fastest and ends last.
void TestScaleSim::theOrderFlips()
{
    ScaleSimSetup setup;
    const Conv conv = convOf({256, 128, 256});
    std::map<Dataflow, std::uint64_t> free, bound;
    for (const Dataflow dataflow : {Dataflow::OutputStationary, Dataflow::InputStationary}) {
        setup.dataflow = dataflow;
        setup.user = false;
        free[dataflow] = scaleSim(setup, conv)->cycles;
        setup.user = true;
        bound[dataflow] = scaleSim(setup, conv)->cycles;
    }
    QVERIFY(free[Dataflow::OutputStationary] < free[Dataflow::InputStationary]);
    QCOMPARE(bound[Dataflow::OutputStationary], 52447u);
    QCOMPARE(bound[Dataflow::InputStationary], 19984u);
}

void TestScaleSim::refusals()
{
    ScaleSimSetup setup;
    QCOMPARE(scaleSim(setup, Conv{4, 4, 5, 5, 1, 1, 1, 1}).error().code, "bad-layer");
    QCOMPARE(scaleSim(setup, convOf({1u << 20, 4096, 4096})).error().code, "too-large");
    setup.bufferBytes[0] = 0;
    QCOMPARE(scaleSim(setup, convOf({4, 4, 4})).error().code, "bad-buffer");
    setup.bufferBytes[0] = 65536;
    setup.array = {0, 4};
    QCOMPARE(scaleSim(setup, convOf({4, 4, 4})).error().code, "bad-array");
    setup.array = {4, 4};
    QCOMPARE(scaleSim(setup, convOf({64, 64, 64}), [] { return false; }).error().code, "cancelled");
}

void TestScaleSim::topologies()
{
    const auto conv =
        parseTopology("Layer,h,w,fh,fw,c,n,s,\nConv1 ,224 ,224 ,11,11,3,96,4,\n\nDP2,8,8,3,3,5,1,1,\n", "t.csv");
    QVERIFY(conv.ok());
    QCOMPARE(conv->size(), std::size_t{2});
    QCOMPARE(gemmOf((*conv)[0].conv), (Gemm{3025, 96, 363}));
    QCOMPARE((*conv)[1].times, 5u);
    QCOMPARE((*conv)[1].conv.channels, 1u);
    const auto gemm = parseTopology("Layer,M,N,K,\r\nL0,196,192,384,\r\nL1,1,2,3\r\nL2,4,5,6,1:1,\r\n", "g.csv");
    QVERIFY(gemm.ok());
    QCOMPARE(gemm->size(), std::size_t{3});
    QCOMPARE(gemmOf((*gemm)[0].conv), (Gemm{196, 192, 384}));
    for (const char* bad : {"", "title only\n", "t\nL,1,2\n", "t\nL,1,2,x,\n", "t\nL,0,2,3,\n", "t\nL,5,5,6,6,1,1,1,\n",
                            "t\nL,1,2,3,2:4,\n", "t\nL,99999999999,1,1,\n", "t\nL,-1,1,1,\n", "t\nL,5,5,1,1,1,1,0,\n"})
        QCOMPARE(parseTopology(bad, "t.csv").error().code, "bad-topology");
    QCOMPARE(parseTopology("t\nL,1,1,1,\nL,x,1,1,\n", "t.csv").error().place, "t.csv:3");
    // what is too large is a whole number all the same
    const auto large = parseTopology("t\nL,99999999999,1,1,\n", "t.csv").error();
    QVERIFY2(large.message.find("too large") != std::string::npos, large.message.c_str());
}

void TestScaleSim::configs()
{
    const std::string good = "[architecture_presets]\nArrayHeight: 12\nArrayWidth = 14\nIfmapSramSzkB: 36\n"
                             "FilterSramSzkB: 36\nOfmapSramSzkB: 35\nDataflow : ws\nBandwidth : 10, 20\n"
                             "[run_presets]\nInterfaceBandwidth: USER\n[layout]\nFilterSRAMBankBandwidth = 7\n";
    const auto setup = parseScaleSimConfig(good, "c.cfg");
    QVERIFY(setup.ok());
    QCOMPARE(setup->array, (Array{12, 14}));
    QCOMPARE(setup->bufferBytes[2], 35u * 1024);
    QCOMPARE(setup->dataflow, Dataflow::WeightStationary);
    QVERIFY(setup->user);
    QCOMPARE(setup->writeWords, 10u);
    QCOMPARE(setup->readWords[0], 10u);
    QCOMPARE(setup->readWords[1], 7u);
    for (const char* bad : {"", "ArrayHeight: 0", "nonsense", "[a]\nSparsitySupport = true\n"})
        QCOMPARE(parseScaleSimConfig(bad, "c.cfg").error().code, "bad-config");
    std::string broken = good;
    broken.replace(broken.find("USER"), 4, "FAST");
    QCOMPARE(parseScaleSimConfig(broken, "c.cfg").error().code, "bad-config");
}

QTEST_APPLESS_MAIN(TestScaleSim)
#include "tst_scalesim.moc"
