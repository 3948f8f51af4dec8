// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/answer_blocks.h"
#include "app/lesson/reader/blocks/artifact_block.h"
#include "app/lesson/reader/blocks/compare_block.h"
#include "app/lesson/reader/blocks/draw_block.h"
#include "app/lesson/reader/blocks/explain_block.h"
#include "app/lesson/reader/blocks/figure_block.h"
#include "app/lesson/reader/blocks/predict_block.h"
#include "app/lesson/reader/blocks/rtl_block.h"
#include "app/lesson/reader/blocks/run_blocks.h"
#include "app/lesson/reader/blocks/view_blocks.h"
#include "app/lesson/reader/blocks/worksheet_block.h"

namespace ridge::app {

namespace {

struct Maker {
    const ReaderContext& context;
    const lessons::Block& block;
    QWidget* parent;

    template<class Widget>
    BlockWidget* make() const
    {
        return new Widget(context, block, parent);
    }
    // One overload a kind: a new kind of block does not compile until it has a widget.
    BlockWidget* operator()(const lessons::PredictBlock&) const { return make<PredictBlockWidget>(); }
    BlockWidget* operator()(const lessons::RunBlock&) const { return make<RunBlockWidget>(); }
    BlockWidget* operator()(const lessons::SweepBlock&) const { return make<SweepBlockWidget>(); }
    BlockWidget* operator()(const lessons::ChartBlock&) const { return make<ChartBlockWidget>(); }
    BlockWidget* operator()(const lessons::SceneBlock&) const { return make<SceneBlockWidget>(); }
    BlockWidget* operator()(const lessons::ExploreBlock&) const { return make<ExploreBlockWidget>(); }
    BlockWidget* operator()(const lessons::QuizBlock&) const { return make<QuizBlockWidget>(); }
    BlockWidget* operator()(const lessons::OrderBlock&) const { return make<OrderBlockWidget>(); }
    BlockWidget* operator()(const lessons::KernelBlock&) const
    {
        return block.kind == "rtl" ? make<RtlBlockWidget>() : make<KernelBlockWidget>();
    }
    BlockWidget* operator()(const lessons::ChallengeBlock&) const { return make<ChallengeBlockWidget>(); }
    BlockWidget* operator()(const lessons::ArtifactBlock&) const { return make<ArtifactBlockWidget>(); }
    BlockWidget* operator()(const lessons::TermBlock&) const { return make<TermBlockWidget>(); }
    BlockWidget* operator()(const lessons::ExplainBlock&) const { return make<ExplainBlockWidget>(); }
    BlockWidget* operator()(const lessons::DrawBlock&) const { return make<DrawBlockWidget>(); }
    BlockWidget* operator()(const lessons::WorksheetBlock&) const { return make<WorksheetBlockWidget>(); }
    BlockWidget* operator()(const lessons::CompareBlock&) const { return make<CompareBlockWidget>(); }
    BlockWidget* operator()(const lessons::FigureBlock&) const { return make<FigureBlockWidget>(); }
};

} // namespace

BlockWidget* makeBlock(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
{
    return std::visit(Maker{context, block, parent}, block.body);
}

} // namespace ridge::app
