// SPDX-License-Identifier: GPL-3.0-or-later
// The approximate functions of f32 against what an NVIDIA H200 gave on 2026-11-27: all inputs of 18 binades, and 512
// inputs of every sign and exponent in each form, both as sums over the recorded words; and some values one by one.
#include "gpu/simt/lanes/lanes.h"
#include "simt_lab.h"

using namespace ridge;
using namespace ridge::gpu;
using namespace ridge::gpu::simt;

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

struct Sum {
    const char* form;
    u32 first; ///< input
    u64 sum;   ///< FNV-1a over the results as words
};

struct Values {
    std::string name;
    std::vector<u32> inputs;
    std::vector<u32> results;
    std::vector<u32> flushing; ///< with .ftz; none where that form does not exist
};

// clang-format off
constexpr std::array kDense{
    Sum{"rcp.approx.ftz.f32", 0x3f800000, 0xfa72a6c698274964},
    Sum{"rsqrt.approx.ftz.f32", 0x3f800000, 0x0c40b0bdf554807c},
    Sum{"rsqrt.approx.ftz.f32", 0x40000000, 0xac1e22b0ce75548b},
    Sum{"sqrt.approx.ftz.f32", 0x3f800000, 0xec162b03dcc39119},
    Sum{"sqrt.approx.ftz.f32", 0x40000000, 0x30da7c2ce0196274},
    Sum{"lg2.approx.ftz.f32", 0x3f000000, 0xf8884f097b12e53d},
    Sum{"lg2.approx.ftz.f32", 0x3f800000, 0x5ca43d6b0d176848},
    Sum{"ex2.approx.ftz.f32", 0x3e800000, 0xb94e8e67fa1d559d},
    Sum{"ex2.approx.ftz.f32", 0x3f000000, 0x1938ae1ca053e4e7},
    Sum{"ex2.approx.ftz.f32", 0x3f800000, 0x3f0f3852f2fa7edb},
    Sum{"ex2.approx.ftz.f32", 0x41000000, 0x598ca73a68bddf35},
    Sum{"sin.approx.ftz.f32", 0x3f000000, 0x751f616942de2910},
    Sum{"sin.approx.ftz.f32", 0x3f800000, 0xffc89f2c26d596ea},
    Sum{"sin.approx.ftz.f32", 0x40000000, 0x5c6b19fd65eecc06},
    Sum{"cos.approx.ftz.f32", 0x3f000000, 0xa6f02f9fbaf8b936},
    Sum{"cos.approx.ftz.f32", 0x3f800000, 0x0f10a7e30f1e42ad},
    Sum{"cos.approx.ftz.f32", 0x40000000, 0x0d925790c47a3f92},
    Sum{"tanh.approx.f32", 0x3f800000, 0x84573e3df0ccdcc5}};

constexpr std::array kSparse{
    Sum{"rcp.approx.f32", 0, 0x828c254aeccf673d},
    Sum{"rcp.approx.ftz.f32", 0, 0x3832c7abd8571fe5},
    Sum{"sqrt.approx.f32", 0, 0xaace09fa57914459},
    Sum{"sqrt.approx.ftz.f32", 0, 0x812261d4a431b0f4},
    Sum{"rsqrt.approx.f32", 0, 0xf3f5b145f315f176},
    Sum{"rsqrt.approx.ftz.f32", 0, 0x469266791e41d5c8},
    Sum{"ex2.approx.f32", 0, 0xabab1a9945740550},
    Sum{"ex2.approx.ftz.f32", 0, 0x9cd6cae16cdd69d0},
    Sum{"lg2.approx.f32", 0, 0xd7a9942abe169d60},
    Sum{"lg2.approx.ftz.f32", 0, 0x347135754d8441e4},
    Sum{"sin.approx.f32", 0, 0x4a8840908bb577c9},
    Sum{"sin.approx.ftz.f32", 0, 0x4a8840908bb577c9},
    Sum{"cos.approx.f32", 0, 0xb114a161cc3d0cd1},
    Sum{"cos.approx.ftz.f32", 0, 0xb114a161cc3d0cd1},
    Sum{"tanh.approx.f32", 0, 0x6851e6dc44c187e5}};

const std::vector<Values> kValues{
    {"rcp",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0x80800000, 0x7f7ff5e5, 0xf9a6903e, 0xd38c452b, 0x69980a20, 0xcb0ec639,
      0x05160948, 0xb611c77d, 0x0c6cadc6, 0x6a1f8d4a, 0x510fc6a5, 0x86b897d6, 0x47a20e58, 0xb624cf81,
      0x49cee139, 0x0db01440, 0xbe1006c0, 0x40349626, 0xc0ed6e17, 0xbff430f0, 0xbf3f9aca, 0x40be5a43},
     {0x7f800000, 0xff800000, 0x7f800000, 0xff800000, 0x7eda180b, 0x00000000, 0x80000000, 0x7fffffff,
      0x7fffffff, 0x7e800000, 0xfe800000, 0x00200144, 0x8544bad7, 0xab699b37, 0x155785db, 0xb3e58253,
      0x79da668a, 0xc8e0c739, 0x728a7301, 0x14cd600b, 0x2de3e900, 0xf83183c7, 0x374a33a0, 0xc8c6d27c,
      0x351e643a, 0x713a1922, 0xc0e3838f, 0x3eb57404, 0xbe0a02dd, 0xbf0630a1, 0xbfab04d1, 0x3e2c24ca},
     {0x7f800000, 0xff800000, 0x7f800000, 0xff800000, 0x7f800000, 0x00000000, 0x80000000, 0x7fffffff,
      0x7fffffff, 0x7e800000, 0xfe800000, 0x00000000, 0x8544bad7, 0xab699b37, 0x155785db, 0xb3e58253,
      0x79da668a, 0xc8e0c739, 0x728a7301, 0x14cd600b, 0x2de3e900, 0xf83183c7, 0x374a33a0, 0xc8c6d27c,
      0x351e643a, 0x713a1922, 0xc0e3838f, 0x3eb57404, 0xbe0a02dd, 0xbf0630a1, 0xbfab04d1, 0x3e2c24ca}},
    {"sqrt",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0x80800000, 0x7f7ff5e5, 0x0acce061, 0x43feb55e, 0x70d7e505, 0x5df2f069,
      0x251287ce, 0x0feb2d24, 0x15d7a4ea, 0x13fd34bc, 0x360a0438, 0x7b93c855, 0x625061db, 0x2c59a5c2,
      0x4cff3594, 0x4af4f141, 0x3e17ca05, 0x3f797327, 0x409086f6, 0x3e4f616f, 0x40f23018, 0x3f62e9a9},
     {0x00000000, 0x80000000, 0x1db52b1e, 0x7fffffff, 0x1fc41ede, 0x7f800000, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x20000000, 0x7fffffff, 0x5f7ffaf2, 0x2521f058, 0x41b48fe8, 0x58263c7e, 0x4eb05756,
      0x3241adfd, 0x27ad803c, 0x2aa623cf, 0x29b4075f, 0x3abbf7fa, 0x5d89893b, 0x50e6f79b, 0x35ec0bcd,
      0x4634bd54, 0x45311115, 0x3ec51fd7, 0x3f7cb425, 0x40080346, 0x3ee66954, 0x4030117c, 0x3f710499},
     {0x00000000, 0x80000000, 0x00000000, 0x80000000, 0x00000000, 0x7f800000, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x20000000, 0x7fffffff, 0x5f7ffaf2, 0x2521f058, 0x41b48fe8, 0x58263c7e, 0x4eb05756,
      0x3241adfd, 0x27ad803c, 0x2aa623cf, 0x29b4075f, 0x3abbf7fa, 0x5d89893b, 0x50e6f79b, 0x35ec0bcd,
      0x4634bd54, 0x45311115, 0x3ec51fd7, 0x3f7cb425, 0x40080346, 0x3ee66954, 0x4030117c, 0x3f710499}},
    {"rsqrt",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0x80800000, 0x7f7ff5e5, 0x7258e571, 0x037631c8, 0x2dab1224, 0x4e9dcc8d,
      0x3f8f0654, 0x1c499f02, 0x113f5aaf, 0x33642a30, 0x75ff3594, 0x0aaa91ee, 0x39e6eb59, 0x46c71df4,
      0x71a30ec4, 0x696e2e68, 0x41475e0f, 0x40ea6cd3, 0x3f616907, 0x3ea6903e, 0x3e2d12fc, 0x3ebb58ff},
     {0x7f800000, 0xff800000, 0x6134ded0, 0x7fffffff, 0x5f2714b5, 0x00000000, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x5f000000, 0x7fffffff, 0x1f800287, 0x260b0f80, 0x5d82862e, 0x485d70c1, 0x37e6908f,
      0x3f722e3d, 0x51103b6b, 0x56940d05, 0x45879548, 0x24354caf, 0x59ddc3ea, 0x423e98b1, 0x3bcd40ec,
      0x2662d0fb, 0x2a84b39c, 0x3e910b87, 0x3ebd2a7a, 0x3f8868b6, 0x3fe06aab, 0x401bac56, 0x3fd39a3f},
     {0x7f800000, 0xff800000, 0x7f800000, 0xff800000, 0x7f800000, 0x00000000, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x5f000000, 0x7fffffff, 0x1f800287, 0x260b0f80, 0x5d82862e, 0x485d70c1, 0x37e6908f,
      0x3f722e3d, 0x51103b6b, 0x56940d05, 0x45879548, 0x24354caf, 0x59ddc3ea, 0x423e98b1, 0x3bcd40ec,
      0x2662d0fb, 0x2a84b39c, 0x3e910b87, 0x3ebd2a7a, 0x3f8868b6, 0x3fe06aab, 0x401bac56, 0x3fd39a3f}},
    {"ex2",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0xc2fc746b, 0x7f7ff5e5, 0x387c3450, 0x3c481e60, 0x3a6b6d3f, 0xc1d1a262,
      0x400dc5cd, 0xc2e46a4b, 0xbe64ea81, 0x3fe6ab3e, 0x3b11072c, 0x3f299182, 0x3d0d4597, 0x3826903e,
      0x3d8682be, 0x3b60689b, 0x42409b36, 0xc1dd273c, 0xb99d8c72, 0xbf7af3c9, 0xbc95c92d, 0x39d7a4ea},
     {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x7f800000, 0x00000000, 0x7fffffff,
      0x7fffffff, 0x3f800000, 0x006d55f2, 0x7f800000, 0x3f80015e, 0x3f81169a, 0x3f801468, 0x325e330f,
      0x4094972a, 0x065db082, 0x3f5b40a0, 0x405f2f8c, 0x3f80324d, 0x3fca9582, 0x3f8318d1, 0x3f8000e7,
      0x3f85f640, 0x3f804dde, 0x578e2e0b, 0x31a3ce48, 0x3f7ff25a, 0x3f01c2ec, 0x3f7cc6a7, 0x3f800958},
     {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x7f800000, 0x00000000, 0x7fffffff,
      0x7fffffff, 0x3f800000, 0x00000000, 0x7f800000, 0x3f80015e, 0x3f81169a, 0x3f801468, 0x325e330f,
      0x4094972a, 0x065db082, 0x3f5b40a0, 0x405f2f8c, 0x3f80324d, 0x3fca9582, 0x3f8318d1, 0x3f8000e7,
      0x3f85f640, 0x3f804dde, 0x578e2e0b, 0x31a3ce48, 0x3f7ff25a, 0x3f01c2ec, 0x3f7cc6a7, 0x3f800958}},
    {"lg2",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0x80800000, 0x7f7ff5e5, 0x5f43dc95, 0x3da95167, 0x4285c26d, 0x1adca706,
      0x1306c2d9, 0x61cc602b, 0x7d9749cf, 0x59c2dc29, 0x42dde78d, 0x74aad209, 0x2e39180c, 0x44d4638b,
      0x51b9180c, 0x4eb1d4fd, 0x413d59d7, 0x4166ab3e, 0x40ba1878, 0x3efe3528, 0x3f07430f, 0x3e479e2a},
     {0xff800000, 0xff800000, 0xc306ff64, 0x7fffffff, 0xc2fd89a0, 0x7f800000, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0xc2fbffff, 0x7fffffff, 0x42ffffe2, 0x427e746b, 0xc0662b8e, 0x40c2082b, 0xc2926dc1,
      0xc2b1d9fa, 0x428959a4, 0x42f87b78, 0x42526cd8, 0x40d966c4, 0x42d4d52a, 0xc209df1d, 0x412bb064,
      0x421220e2, 0x41f3cb83, 0x406427a1, 0x40766127, 0x40228db8, 0xbf814c26, 0xbf6b9e86, 0xc016f844},
     {0xff800000, 0xff800000, 0xff800000, 0xff800000, 0xff800000, 0x7f800000, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0xc2fbffff, 0x7fffffff, 0x42ffffe2, 0x427e746b, 0xc0662b8e, 0x40c2082b, 0xc2926dc1,
      0xc2b1d9fa, 0x428959a4, 0x42f87b78, 0x42526cd8, 0x40d966c4, 0x42d4d52a, 0xc209df1d, 0x412bb064,
      0x421220e2, 0x41f3cb83, 0x406427a1, 0x40766127, 0x40228db8, 0xbf814c26, 0xbf6b9e86, 0xc016f844}},
    {"sin",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0x80800000, 0x7f7ff5e5, 0xbb3194e2, 0xbe5965a7, 0xb83857bb, 0x3af872bb,
      0x3c34560b, 0xc080401b, 0xc5d82520, 0x441e8cde, 0xc3b31584, 0xc52d9332, 0xc3d523dc, 0x43e56ab7,
      0xbd158912, 0x39a08db6, 0x3ef73234, 0x40797327, 0xbea18e22, 0x3e1a4b13, 0x3fb1d4fd, 0x3e405b1b},
     {0x00000000, 0x80000000, 0x00000000, 0x80000000, 0x00000000, 0x7fffffff, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x00000000, 0x80000000, 0x00000000, 0xbb31940f, 0xbe57c478, 0xb837ca74, 0x3af87064,
      0x3c3454d0, 0x3f430b7f, 0x3f69658f, 0xbec7b6df, 0xbcd9231a, 0xbd0191cb, 0x3f541a6f, 0x3e244513,
      0xbd158072, 0x39a085b0, 0x3eedb426, 0xbf2fa1a9, 0xbe9ee337, 0x3e19b5c2, 0x3f7bcbb2, 0x3e3f39f6},
     {0x00000000, 0x80000000, 0x00000000, 0x80000000, 0x00000000, 0x7fffffff, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x00000000, 0x80000000, 0x00000000, 0xbb31940f, 0xbe57c478, 0xb837ca74, 0x3af87064,
      0x3c3454d0, 0x3f430b7f, 0x3f69658f, 0xbec7b6df, 0xbcd9231a, 0xbd0191cb, 0x3f541a6f, 0x3e244513,
      0xbd158072, 0x39a085b0, 0x3eedb426, 0xbf2fa1a9, 0xbe9ee337, 0x3e19b5c2, 0x3f7bcbb2, 0x3e3f39f6}},
    {"cos",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0x80800000, 0x7f7ff5e5, 0x3bbd99f2, 0xbb6b6d3f, 0x37daa62e, 0xc1ebad5a,
      0x3fa6d059, 0x44f0af76, 0x4081006c, 0x39a40f30, 0xc09eccf9, 0x3c7bb41a, 0x450e861e, 0x3a46ddd9,
      0x43190a8c, 0xbf8702f4, 0x3fd3631f, 0x40c6ddd9, 0xc07a7393, 0x40c25bf3, 0x4172b04e, 0x3f9f0d14},
     {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x7fffffff, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f7ffee8, 0x3f7fff94, 0x3f7fffff, 0xbec0847a,
      0x3e875d0f, 0xbf738980, 0xbf212ff9, 0x3f7ffffe, 0x3e7d78f2, 0x3f7ff845, 0x3f6a5ad9, 0x3f7ffffa,
      0xbf1fc344, 0x3efca1af, 0xbda5066e, 0x3f7f65d6, 0xbf377ada, 0x3f7a6796, 0xbf5b9575, 0x3ea50ae9},
     {0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f800000, 0x7fffffff, 0x7fffffff, 0x7fffffff,
      0x7fffffff, 0x3f800000, 0x3f800000, 0x3f800000, 0x3f7ffee8, 0x3f7fff94, 0x3f7fffff, 0xbec0847a,
      0x3e875d0f, 0xbf738980, 0xbf212ff9, 0x3f7ffffe, 0x3e7d78f2, 0x3f7ff845, 0x3f6a5ad9, 0x3f7ffffa,
      0xbf1fc344, 0x3efca1af, 0xbda5066e, 0x3f7f65d6, 0xbf377ada, 0x3f7a6796, 0xbf5b9575, 0x3ea50ae9}},
    {"tanh",
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x7f800000, 0xff800000, 0x7f81c0bd,
      0xffe42a30, 0x00800000, 0x80800000, 0x7f7ff5e5, 0xbe50e211, 0x3fbd99f2, 0xbb3656e3, 0xc09f4d2f,
      0x405da772, 0x3ca30ec4, 0xbc180a20, 0xc1fcb486, 0x3fb95827, 0x406e6e83, 0xbd6bed75, 0x3d51a262,
      0x405da772, 0x3d757177, 0xc08481e6, 0xbf4b9fda, 0x3e3a98ae, 0x3e43dc95, 0xbe2e5383, 0xc1210dec},
     {0x00000000, 0x80000000, 0x0000401b, 0x8000401b, 0x004b1fa4, 0x3f800000, 0xbf800000, 0x7fffffff,
      0x7fffffff, 0x00800000, 0x80800000, 0x3f800000, 0xbe4e0887, 0x3f66d65d, 0xbb3656e3, 0xbf7ff9c5,
      0x3f7f7f86, 0x3ca309a1, 0xbc180904, 0xbf800000, 0x3f653264, 0x3f7fb3ea, 0xbd6baaa8, 0x3d5173ac,
      0x3f7f7f86, 0x3d752644, 0xbf7fdeb4, 0xbf295566, 0x3e388ecc, 0x3e4181fe, 0xbe2ca95a, 0xbf800000},
     {}}};
// clang-format on

constexpr std::array kBuilds{LaneBuild::Baseline, LaneBuild::Avx2, LaneBuild::Avx512};

/// One form in one build of the lanes.
class Unit {
public:
    Unit(const std::string& form, LaneBuild build)
    {
        const std::map<std::string, LaneOp> names{
            {"rcp", LaneOp::RcpApprox}, {"sqrt", LaneOp::SqrtApprox}, {"rsqrt", LaneOp::Rsqrt}, {"ex2", LaneOp::Ex2},
            {"lg2", LaneOp::Lg2},       {"sin", LaneOp::Sin},         {"cos", LaneOp::Cos},     {"tanh", LaneOp::Tanh}};
        LaneKey key;
        key.op = names.at(form.substr(0, form.find('.')));
        key.type = ScalarType::F32;
        key.flush = form.find(".ftz") != std::string::npos;
        m_function = findLaneOpIn(build, key);
        m_op.d = 128;
        m_op.flags = laneFlags(key);
    }

    void run()
    {
        WarpRegisters registers{reinterpret_cast<std::byte*>(words.data())};
        m_function(registers, m_op, ~u32{0});
    }

    /// Over `count` inputs, of which `input` gives the i-th.
    template<class Input>
    u64 sum(u32 count, Input input)
    {
        u64 sum = 0xcbf29ce484222325u;
        for (u32 at = 0; at < count; at += 32) {
            for (u32 lane = 0; lane < 32; ++lane)
                words[lane] = input(at + lane);
            run();
            for (u32 lane = 0; lane < 32; ++lane)
                sum = (sum ^ words[32 + lane]) * 0x100000001b3u;
        }
        return sum;
    }

    alignas(64) std::array<u32, 64> words{}; ///< inputs, then results

private:
    OpFunction m_function = nullptr;
    MicroOp m_op;
};

} // namespace

class TestSimtUnit : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wholeBinades_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("build");
        for (std::size_t at = 0; at < kDense.size(); ++at) {
            for (const LaneBuild build : kBuilds)
                QTest::addRow("%s from %08x, build %d", kDense[at].form, kDense[at].first, int(build))
                    << int(at) << int(build);
        }
    }

    void wholeBinades()
    {
        QFETCH(int, index);
        QFETCH(int, build);
        if (!isAvailable(LaneBuild(build)))
            QSKIP("not on this processor");
        const Sum& one = kDense[static_cast<std::size_t>(index)];
        const u64 sum = Unit(one.form, LaneBuild(build)).sum(1u << 23, [&](u32 at) { return one.first + at; });
        QCOMPARE(sum, one.sum);
    }

    void everyExponent_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<int>("build");
        for (std::size_t at = 0; at < kSparse.size(); ++at) {
            for (const LaneBuild build : kBuilds)
                QTest::addRow("%s, build %d", kSparse[at].form, int(build)) << int(at) << int(build);
        }
    }

    void everyExponent()
    {
        QFETCH(int, index);
        QFETCH(int, build);
        if (!isAvailable(LaneBuild(build)))
            QSKIP("not on this processor");
        const Sum& one = kSparse[static_cast<std::size_t>(index)];
        const u64 sum = Unit(one.form, LaneBuild(build)).sum(512 * 512, [](u32 at) {
            return at >> 9 << 23 | ((at & 511) * 16411 & 0x7fffff);
        });
        QCOMPARE(sum, one.sum);
    }

    void valuesThroughPtx_data()
    {
        QTest::addColumn<int>("index");
        QTest::addColumn<bool>("flush");
        for (std::size_t at = 0; at < kValues.size(); ++at) {
            for (const bool flush : {false, true}) {
                if (!flush || !kValues[at].flushing.empty())
                    QTest::addRow("%s%s", kValues[at].name.c_str(), flush ? ".ftz" : "") << int(at) << flush;
            }
        }
    }

    void valuesThroughPtx()
    {
        QFETCH(int, index);
        QFETCH(bool, flush);
        const Values& values = kValues[static_cast<std::size_t>(index)];
        Lab lab;
        const std::string form = values.name + ".approx" + (flush ? ".ftz" : "") + ".f32";
        QVERIFY2(lab.load(handWritten("mul.wide.u32 %rd3, %r0, 4; add.u64 %rd4, %rd0, %rd3; add.u64 %rd5, %rd1, %rd3;"
                                      "ld.global.f32 %f0, [%rd4]; " +
                                      form + " %f1, %f0; st.global.f32 [%rd5], %f1;")),
                 lab.why());
        const DevicePtr in = lab.put(values.inputs);
        const DevicePtr out = lab.put(std::vector<u32>(32));
        QVERIFY2(lab.run("k", {1}, {32}, {in, out, out}), lab.why());
        const std::vector<u32> got = lab.get<u32>(out, 32);
        const std::vector<u32>& wanted = flush ? values.flushing : values.results;
        for (std::size_t at = 0; at < 32; ++at)
            QVERIFY2(got[at] == wanted[at], qPrintable(QStringLiteral("of %1: %2, not %3")
                                                           .arg(values.inputs[at], 8, 16, QLatin1Char('0'))
                                                           .arg(got[at], 8, 16, QLatin1Char('0'))
                                                           .arg(wanted[at], 8, 16, QLatin1Char('0'))));
    }

    /// As ptxas writes them: a reciprocal of the divisor, after a power of two where it is tiny or huge, and a product.
    void quotientsAreProducts_data()
    {
        QTest::addColumn<QString>("form");
        QTest::addColumn<QString>("product");
        const QString plain = QStringLiteral("rcp.approx.ftz.f32 %f4, %f3; mul.rn%1.f32 %f5, %f2, %f4;");
        const QString small = QStringLiteral("abs.f32 %f6, %f1; setp.lt.f32 %p0, %f6, 0f00800000; mov.f32 %f2, %f0;"
                                             "mov.f32 %f3, %f1; @%p0 mul.f32 %f2, %f0, 0f4B800000;"
                                             "@%p0 mul.f32 %f3, %f1, 0f4B800000;");
        const QString large = QStringLiteral("abs.f32 %f6, %f1; setp.gt.f32 %p0, %f6, 0f7E800000;"
                                             "@%p0 mul%1.f32 %f2, %f0, 0f3E800000; @%p0 mul.f32 %f3, %f1, 0f3E800000;");
        const QString copy = QStringLiteral("mov.f32 %f2, %f0; mov.f32 %f3, %f1;");
        const QString ftz = QStringLiteral(".ftz");
        QTest::newRow("approx") << "div.approx.f32" << small + plain.arg(QString());
        QTest::newRow("approx.ftz") << "div.approx.ftz.f32" << copy + plain.arg(ftz);
        QTest::newRow("full") << "div.full.f32" << small + large.arg(QString()) + plain.arg(QString());
        QTest::newRow("full.ftz") << "div.full.ftz.f32" << copy + large.arg(ftz) + plain.arg(ftz);
    }

    void quotientsAreProducts()
    {
        QFETCH(QString, form);
        QFETCH(QString, product);
        const std::vector<u32> some{0,          0x80000000, 0x00000001, 0x807fffff, 0x00800000, 0x3f800000,
                                    0x3f800001, 0xc0490fdb, 0x7e7fffff, 0x7e800000, 0x7e800001, 0x7f7fffff,
                                    0x7f800000, 0xff800000, 0x7fc00000, 0x4b123456};
        std::vector<u32> a, b;
        for (const u32 x : some) {
            for (const u32 y : some) {
                a.push_back(x);
                b.push_back(y);
            }
        }
        Lab lab;
        QVERIFY2(lab.load(handWritten("mul.wide.u32 %rd3, %r0, 4; add.u64 %rd4, %rd0, %rd3; add.u64 %rd5, %rd1, %rd3;"
                                      "mul.wide.u32 %rd6, %r0, 8; add.u64 %rd6, %rd2, %rd6;"
                                      "ld.global.f32 %f0, [%rd4]; ld.global.f32 %f1, [%rd5];" +
                                      form.toStdString() + " %f7, %f0, %f1;" + product.toStdString() +
                                      "st.global.f32 [%rd6], %f7; st.global.f32 [%rd6+4], %f5;")),
                 lab.why());
        const DevicePtr out = lab.put(std::vector<u32>(2 * a.size()));
        QVERIFY2(lab.run("k", {static_cast<u32>(a.size() / 32)}, {32}, {lab.put(a), lab.put(b), out}), lab.why());
        const std::vector<u32> got = lab.get<u32>(out, 2 * a.size());
        for (std::size_t at = 0; at < a.size(); ++at)
            QVERIFY2(got[2 * at] == got[2 * at + 1], qPrintable(QStringLiteral("%1 / %2: %3, not %4")
                                                                    .arg(a[at], 8, 16, QLatin1Char('0'))
                                                                    .arg(b[at], 8, 16, QLatin1Char('0'))
                                                                    .arg(got[2 * at], 8, 16, QLatin1Char('0'))
                                                                    .arg(got[2 * at + 1], 8, 16, QLatin1Char('0'))));
    }
};

QTEST_APPLESS_MAIN(TestSimtUnit)
#include "tst_simt_unit.moc"
