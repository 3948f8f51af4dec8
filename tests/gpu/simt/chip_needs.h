// SPDX-License-Identifier: GPL-3.0-or-later
// Instructions and the chips that have them, as ptxas 13.0 says (tst_simt_needs asks it); what needs 7.2 or 7.5, as the
// PTX ISA says.
#pragma once

#include <array>
#include <string_view>

namespace ridge::gpu::simt {

/// Instructions, one a line, and who has them: "80" and newer, or "100 103 alone". Those of 70 stand beside others that
/// need more. Registers: p predicates, h 16 bits, r 32, d 64, q 128, f and g floats; {r4:7} is {r4,r5,r6,r7}.
struct ChipNeeds {
    std::string_view chips;
    std::string_view instructions;
};

inline constexpr std::array kChipNeeds{
    ChipNeeds{"70", R"(
add.rn.f16x2 r4,r5,r6;
sub.ftz.f16 h4,h5,h6;
mul.rn.sat.f16 h4,h5,h6;
fma.rn.f16 h4,h5,h6,h7;
fma.rn.ftz.f16x2 r4,r5,r6,r7;
abs.f16 h4,h5;
neg.f16x2 r4,r5;
min.f32 f4,f5,f6;
max.ftz.f32 f4,f5,f6;
min.s64 d4,d5,d6;
max.f64 g4,g5,g6;
set.lt.f16x2.f16x2 r4,r5,r6;
setp.lt.f16 p1,h4,h5;
sqrt.rn.f64 g4,g5;
copysign.f32 f4,f5,f6;
lop3.or.b32 r4|p1,r5,r6,r7,0x96,p2;
dp4a.u32.u32 r4,r5,r6,r7;
dp2a.lo.u32.u32 r4,r5,r6,r7;
bmsk.clamp.b32 r4,r5,r6;
szext.clamp.s32 r4,r5,r6;
fns.b32 r4,r5,r6,r7;
vadd4.u32.u32.u32 r4,r5,r6,r7;
vmad.s32.s32.s32 r4,r5,r6,r7;
mov.b128 q1,{d4,d5};
cvta.param.u64 d4,d5;
cvta.shared::cta.u64 d4,d5;
cvt.rn.f16.f32 h4,f5;
cvt.f32.f16 f4,h5;
cvt.rn.satfinite.f16.f32 h4,f5;
cvt.rni.f16.f16 h4,h5;
ld.global.b128 q1,[d0];
ld.global.cg.b32 r4,[d0];
ld.global.nc.L1::no_allocate.b32 r4,[d0];
ld.relaxed.gpu.global.b32 r4,[d0];
ld.acquire.gpu.global.b32 r4,[d0];
ld.mmio.relaxed.sys.global.b32 r4,[d0];
ld.global.nc.b32 r4,[d0];
ld.param::entry.b64 d4,[pa];
st.relaxed.sys.global.b32 [d0],r4;
st.shared::cta.b32 [r3],r4;
st.global.L1::evict_last.b32 [d0],r4;
atom.global.add.f64 g4,[d0],g5;
atom.global.add.noftz.f16 h4,[d0],h5;
atom.shared.add.noftz.f16x2 r4,[d0],r5;
atom.global.cas.b16 h4,[d0],h5,h6;
red.release.gpu.global.add.u32 [d0],r5;
atom.acq_rel.gpu.global.add.u32 r4,[d0],r5;
atom.shared::cta.add.u32 r4,[d0],r5;
shfl.sync.idx.b32 r4|p1,r5,r6,r7,r8;
vote.sync.ballot.b32 r4,p1,r5;
match.any.sync.b32 r4,r5,r6;
activemask.b32 r4;
bar.warp.sync r4;
nanosleep.u32 r4;
barrier.cta.sync.aligned 0;
bar.red.popc.u32 r4,0,p1;
membar.gl;
membar.proxy.alias;
fence.sc.gpu;
fence.acquire.gpu;
fence.proxy.alias;
isspacep.shared::cta p1,d4;
isspacep.param::entry p1,d4;
prefetch.global.L2 [d0];
prefetchu.L1 [d0];
alloca.u64 d4,64;
stackrestore.u64 d4;
mov.u64 d4,%globaltimer;
mov.u32 r4,%lanemask_le;
mov.u32 r4,%dynamic_smem_size;
mov.u64 d4,%gridid;
mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {r4:7},{r4,r5},{r12,r13},{r4:7};
mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f16 {f4:11},{r4,r5},{r12,r13},{r4:7};
wmma.mma.sync.aligned.row.col.m16n16k16.f32.f16 {f4:11},{r4:11},{r12:19},{r4:7};
wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 {r4:11},[d0],r3;
wmma.store.d.sync.aligned.row.m32n8k16.f16 [d0],{r4:7};
pmevent 1;
add.cc.u32 r4,r5,r6;
mad24.hi.s32 r4,r5,r6,r7;
ex2.approx.f32 f4,f5;
slct.u32.f32 r4,r5,r6,f7;
)"},
    ChipNeeds{"72", R"(
wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {r4:11},{r4,r5},{r12,r13},{r4:11};
wmma.load.a.sync.aligned.row.m16n16k16.s8 {r4,r5},[d0],r3;
wmma.load.a.sync.aligned.row.m16n16k16.u8 {r4,r5},[d0],r3;
)"},
    ChipNeeds{"75", R"(
ex2.approx.f16 h4,h5;
tanh.approx.f16 h4,h5;
ex2.approx.f16x2 r4,r5;
ld.global.L2::64B.b32 r4,[d0];
ld.global.L2::128B.b32 r4,[d0];
mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {r4,r5},{r4,r5},{r12},{r4,r5};
mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {r4,r5},{r4},{r12},{r4,r5};
mma.sync.aligned.m8n8k32.row.col.s32.s4.s4.s32 {r4,r5},{r4},{r12},{r4,r5};
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {r4,r5},{r4},{r12},{r4,r5};
wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {r4,r5},{r6},{r7},{r8,r9};
wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {r4,r5},{r6},{r7},{r8,r9};
ldmatrix.sync.aligned.m8n8.x1.shared.b16 {r4},[r3];
movmatrix.sync.aligned.m8n8.trans.b16 r4,r5;
)"},
    ChipNeeds{"80", R"(
fma.rn.relu.f16 h4,h5,h6,h7;
min.f16 h4,h5,h6;
max.f16 h4,h5,h6;
fma.rn.relu.f16x2 r4,r5,r6,r7;
min.f16x2 r4,r5,r6;
max.f16x2 r4,r5,r6;
fma.rn.bf16 h4,h5,h6,h7;
min.bf16 h4,h5,h6;
max.bf16 h4,h5,h6;
abs.bf16 h4,h5;
neg.bf16 h4,h5;
fma.rn.bf16x2 r4,r5,r6,r7;
min.bf16x2 r4,r5,r6;
max.bf16x2 r4,r5,r6;
abs.bf16x2 r4,r5;
neg.bf16x2 r4,r5;
min.NaN.f32 f4,f5,f6;
max.NaN.f32 f4,f5,f6;
cvt.rn.f16x2.f32 r4,f5,f6;
cvt.rn.relu.f16.f32 h4,f5;
cvt.rn.bf16.f32 h4,f5;
cvt.rn.bf16x2.f32 r4,f5,f6;
cvt.rna.tf32.f32 r4,f5;
ld.global.L2::256B.b32 r4,[d0];
ld.global.L2::cache_hint.b32 r4,[d0],d5;
st.global.L2::cache_hint.b32 [d0],r4,d5;
atom.global.add.L2::cache_hint.u32 r4,[d0],r5,d6;
red.global.add.L2::cache_hint.u32 [d0],r5,d6;
redux.sync.add.u32 r4,r5,r6;
cp.async.ca.shared.global [r3],[d0],16;
mbarrier.init.b64 [d0],r4;
prefetch.global.L2::evict_last [d0];
prefetch.global.L2::evict_normal [d0];
discard.global.L2 [d0],128;
applypriority.global.L2::evict_normal [d0],128;
createpolicy.fractional.L2::evict_last.b64 d4,0f3f800000;
mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {r4,r5},{r4:7},{r12,r13},{r4,r5};
mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {f4:7},{r4,r5},{r12},{f4:7};
mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {f4:7},{r4,r5},{r12},{f4:7};
mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {g4,g5},{g4},{g12},{g4,g5};
mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {r4:7},{r4:7},{r12,r13},{r4:7};
mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {r4:7},{r4:7},{r12,r13},{r4:7};
mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc {r4,r5},{r4},{r12},{r4,r5};
mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.xor.popc {r4:7},{r4,r5},{r12},{r4:7};
mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {r4:7},{r4:7},{r12,r13},{r4:7};
mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f4:7},{r4,r5},{r12,r13},{f4:7},r20,0x0;
mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {f4:7},{r4,r5},{r12,r13},{f4:7},r20,0x0;
wmma.mma.sync.aligned.row.col.m16n16k16.f32.bf16.bf16.f32 {f4:11},{r4:7},{r12:15},{f4:11};
wmma.mma.sync.aligned.row.col.m16n16k8.f32.tf32.tf32.f32 {f4:11},{r4:7},{r12:15},{f4:11};
wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {g4,g5},{g6},{g7},{g8,g9};
wmma.mma.and.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {r4,r5},{r6},{r7},{r8,r9};
)"},
    ChipNeeds{"86", R"(
min.xorsign.abs.f16 h4,h5,h6;
max.xorsign.abs.f16 h4,h5,h6;
)"},
    ChipNeeds{"89", R"(
cvt.rn.satfinite.e4m3x2.f32 h4,f5,f6;
cvt.rn.satfinite.e5m2x2.f32 h4,f5,f6;
mma.sync.aligned.m16n8k16.row.col.f16.e4m3.e4m3.f16 {r4,r5},{r4,r5},{r12},{r4,r5};
mma.sync.aligned.m16n8k16.row.col.f16.e5m2.e4m3.f16 {r4,r5},{r4,r5},{r12},{r4,r5};
)"},
    ChipNeeds{"90", R"(
fma.rn.oob.f16 h4,h5,h6,h7;
add.bf16 h4,h5,h6;
sub.bf16 h4,h5,h6;
mul.bf16 h4,h5,h6;
tanh.approx.bf16 h4,h5;
ex2.approx.ftz.bf16 h4,h5;
setp.lt.bf16 p1,h4,h5;
set.lt.bf16.bf16 h4,h5,h6;
add.bf16x2 r4,r5,r6;
sub.bf16x2 r4,r5,r6;
mul.bf16x2 r4,r5,r6;
tanh.approx.bf16x2 r4,r5;
ex2.approx.ftz.bf16x2 r4,r5;
setp.lt.bf16x2 p1|p2,r4,r5;
set.lt.bf16x2.bf16x2 r4,r5,r6;
min.relu.s32 r4,r5,r6;
min.s16x2 r4,r5,r6;
min.u16x2 r4,r5,r6;
max.relu.s32 r4,r5,r6;
max.s16x2 r4,r5,r6;
max.u16x2 r4,r5,r6;
add.u16x2 r4,r5,r6;
add.s16x2 r4,r5,r6;
cvta.to.shared::cluster.u64 d4,d5;
cvt.f64.bf16 g4,h5;
cvt.rn.bf16.f64 h4,g5;
cvt.rn.bf16.u16 h4,h5;
cvt.rzi.u16.bf16 h4,h5;
cvt.rn.bf16.s16 h4,h5;
cvt.rzi.s16.bf16 h4,h5;
cvt.rn.bf16.u32 h4,r5;
cvt.rzi.u32.bf16 r4,h5;
cvt.rn.bf16.s32 h4,r5;
cvt.rzi.s32.bf16 r4,h5;
cvt.rn.bf16.u64 h4,d5;
cvt.rzi.u64.bf16 d4,h5;
cvt.rn.bf16.s64 h4,d5;
cvt.rzi.s64.bf16 d4,h5;
cvt.rni.bf16.bf16 h4,h5;
cvt.ftz.f32.bf16 f4,h5;
cvt.rn.bf16.f16 h4,h5;
cvt.rn.f16.bf16 h4,h5;
cvt.rn.tf32.f32 r4,f5;
cvt.rz.tf32.f32 r4,f5;
ld.relaxed.cluster.global.b32 r4,[d0];
ld.shared::cluster.b32 r4,[r3];
st.relaxed.cluster.global.b32 [d0],r4;
st.shared::cluster.b32 [r3],r4;
atom.global.add.noftz.bf16 h4,[d0],h5;
red.global.add.noftz.bf16 [d0],h5;
atom.global.add.noftz.bf16x2 r4,[d0],r5;
red.global.add.noftz.bf16x2 [d0],r5;
atom.global.exch.b128 q1,[d0],q2;
atom.cluster.global.add.u32 r4,[d0],r5;
red.release.cluster.global.add.u32 [d0],r5;
atom.shared::cluster.add.u32 r4,[d0],r5;
red.shared::cluster.add.u32 [d0],r5;
atom.global.add.v2.f32 {f4,f5},[d0],{f4,f5};
atom.global.add.v4.f32 {f4:7},[d0],{f4:7};
atom.global.add.noftz.v8.f16 {h4:11},[d0],{h4:11};
red.global.add.v2.f32 [d0],{f4,f5};
red.global.add.v4.f32 [d0],{f4:7};
red.global.add.noftz.v8.f16 [d0],{h4:11};
elect.sync r4|p1,r5;
barrier.cluster.arrive;
fence.sc.cluster;
fence.proxy.async;
fence.proxy.tensormap::generic.release.gpu;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [r3],[d0],r4,[r5];
cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [d0],[r3],r4;
cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [r3],[d0,{r4}],[r9];
tensormap.replace.tile.global_address.global.b1024.b64 [d0],d5;
prefetch.tensormap [d0];
mbarrier.arrive.b64 d4,[d0],r5;
mbarrier.try_wait.b64 p1,[d0],d4;
mbarrier.arrive.expect_tx.b64 d4,[d0],r5;
mbarrier.complete_tx.relaxed.cta.b64 [d0],r5;
mbarrier.arrive.release.cluster.b64 d4,[d0];
mbarrier.arrive_drop.release.cluster.b64 d4,[d0];
mbarrier.arrive.relaxed.cta.b64 d4,[d0];
mbarrier.arrive_drop.relaxed.cta.b64 d4,[d0];
mbarrier.test_wait.acquire.cluster.b64 p1,[d0],d4;
mbarrier.test_wait.relaxed.cta.b64 p1,[d0],d4;
mbarrier.arrive.shared::cluster.b64 _,[r3];
mbarrier.arrive_drop.shared::cluster.b64 _,[r3];
mapa.shared::cluster.u32 r4,r3,r5;
getctarank.shared::cluster.u32 r4,r3;
isspacep.shared::cluster p1,d4;
st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [r3],r4,[r9];
red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [r3],r4,[r9];
griddepcontrol.launch_dependents;
setmaxnreg.inc.sync.aligned.u32 128;
mov.u32 r4,%aggr_smem_size;
mov.u32 r4,%clusterid.x;
mov.u32 r4,%nclusterid.x;
mov.u32 r4,%cluster_ctaid.x;
mov.u32 r4,%cluster_nctaid.y;
mov.u32 r4,%cluster_ctarank;
mov.u32 r4,%cluster_nctarank;
mov.pred p1,%is_explicit_cluster;
multimem.ld_reduce.global.add.u32 r4,[d0];
mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {g4:7},{g4,g5},{g12},{g4:7};
mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {g4:7},{g4:7},{g12,g13},{g4:7};
mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {g4:7},{g4:11},{g12:15},{g4:7};
stmatrix.sync.aligned.m8n8.x1.shared.b16 [r3],{r4};
)"},
    ChipNeeds{"100", R"(
min.f32 f4,f5,f6,f7;
add.f32x2 d4,d5,d6;
sub.rn.f32x2 d4,d5,d6;
mul.rn.f32x2 d4,d5,d6;
fma.rn.f32x2 d4,d5,d6,d7;
add.f32.f16 f4,h5,f6;
add.f32.bf16 f4,h5,f6;
sub.f32.f16 f4,h5,f6;
sub.f32.bf16 f4,h5,f6;
fma.rn.f32.f16 f4,h5,h6,f7;
fma.rn.f32.bf16 f4,h5,h6,f7;
cvt.rn.satfinite.tf32.f32 r4,f5;
cvt.rz.satfinite.tf32.f32 r4,f5;
cvt.rn.satfinite.e2m3x2.f32 h4,f5,f6;
cvt.rn.satfinite.e3m2x2.f32 h4,f5,f6;
cvt.rz.satfinite.ue8m0x2.f32 h4,f5,f6;
ld.global.v4.b64 {d4:7},[d0];
ld.global.v8.b32 {r4:11},[d0];
st.global.v8.f32 [d0],{f4:11};
st.global.v4.f64 [d0],{g4:7};
ld.global.L2::evict_last.v8.b32 {r4:11},[d0];
cp.async.bulk.global.shared::cta.bulk_group.cp_mask [d0],[r3],r4,h5;
st.async.mmio.release.sys.global.b32 [d0],r4;
red.async.mmio.release.sys.global.add.u32 [d0],r4;
mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e4m3.e4m3.f32 {f4:7},{r4:7},{r12,r13},{f4:7};
ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {r4,r5},[r3];
ldmatrix.sync.aligned.m8n16.x1.shared.b8x16.b4x16_p64 {r4},[r3];
stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [r3],{r4};
clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [r3],[r9];
cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes [r3],[d0,{r4:8}],[r9];
st.bulk.weak.shared::cta [r3],d4,0;
)"},
    ChipNeeds{"120", R"(
mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32.e2m1.e2m1.f32 {f4:7},{r4:7},{r12,r13},{f4:7};
mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16.e3m2.e4m3.f16 {r4,r5},{r4:7},{r12,r13},{r4,r5};
mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.e4m3.e4m3.f16 {r4,r5},{r4:7},{r12:15},{r4,r5},r20,0x0;
mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.f16.e5m2.e5m2.f16 {r4,r5},{r4:7},{r12:15},{r4,r5},r20,0x0;
)"},
    ChipNeeds{"90 alone", R"(
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {f4:7},d4,d5,p1,1,1,0,0;
)"},
    ChipNeeds{"100 103 alone", R"(
cvt.rs.f16x2.f32 r4,f5,f6,r7;
redux.sync.min.f32 f4,f5,r6;
)"},
    ChipNeeds{"103 110 alone", R"(
tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32 {r4,r5},r6,[r3];
)"},
    ChipNeeds{"100 103 110 alone", R"(
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::1 [r3],[d0,{r4,r5}],[r9];
cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes [r3],[d0,{r4:8}],[r9];
cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [d0,{r4:8}],[r3];
tcgen05.wait::ld.sync.aligned;
)"},
};

} // namespace ridge::gpu::simt
