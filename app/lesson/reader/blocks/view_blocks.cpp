// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/lesson/reader/blocks/view_blocks.h"

#include "app/drawing/charts/sweep_chart.h"
#include "app/lesson/reader/chart_data.h"
#include "app/runs/overlays/overlay_bar.h"
#include "app/runs/table/chart_kinds.h"

#include <QPushButton>

namespace ridge::app {

ChartBlockWidget::ChartBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Chart"), parent), m_spec(std::get<lessons::ChartBlock>(block.body)),
      m_chart(new SweepChart(context.theme(), this)), m_other(new PlotChart(context.theme(), this)),
      m_overlays(new OverlayBar(context.app, false, this)),
      m_empty(new ThemedLabel(context.theme(), {}, TextStyle::Body, "hint", this))
{
    body()->addWidget(m_empty);
    m_chart->setMinimumHeight(340);
    body()->addWidget(m_chart);
    m_other->setVisible(false);
    body()->addWidget(m_other);
    body()->addWidget(m_overlays);
    connect(m_overlays, &OverlayBar::changed, this, &ChartBlockWidget::refresh);
    addCaption(m_spec.caption, Caption::After);
    connect(&context.state, &LessonState::runsChanged, this, &ChartBlockWidget::refresh);
    connect(&context.state, &LessonState::abilityChanged, this, &ChartBlockWidget::refresh);
    refresh();
}

void ChartBlockWidget::refresh()
{
    const ExperimentInfo* info = app().experiment(m_spec.experiment);
    const ChartSpec* spec = info ? chartOf(*info, m_spec.chart) : nullptr;
    std::vector<const record::RunRow*> rows;
    for (const auto& row : state().runs())
        if (row.experiment == m_spec.experiment && row.status == "finished")
            rows.push_back(&row);
    const auto other = spec && !rows.empty() ? plotOfChart(rows, *info, *spec) : nullptr;
    m_chart->setVisible(spec && !rows.empty() && !other);
    showOther(m_other, other, theme(), state().held(Outcome::Result).isEmpty());
    m_empty->setVisible(!spec || rows.empty());
    setCaptionShown(spec && !rows.empty() && state().held(Outcome::Result).isEmpty());
    if (!spec) {
        const auto obstacle = state().runObstacle(m_spec.experiment, {});
        m_empty->setText(obstacle ? obstacle->line() : tr("The experiment has no chart of this name."));
        return;
    }
    m_empty->setText(tr("Your runs of “%1” appear here.").arg(QString::fromStdString(info->title)));
    const QString held = rows.empty() ? QString() : state().held(Outcome::Result);
    if (!held.isEmpty()) {
        m_chart->setVisible(false);
        m_empty->setVisible(true);
        m_empty->setText(tr("Your runs are stored. %1").arg(held));
    }
    std::vector<const record::PredictionRow*> predictions;
    if (state().showsPredictions())
        for (const auto& row : state().predictions())
            predictions.push_back(&row);
    m_overlays->setChart(*info, *spec, held.isEmpty() ? rows : std::vector<const record::RunRow*>());
    m_chart->setData(m_overlays->applied(makeChartData({*info, *spec, rows, predictions})));
}

KernelBlockWidget::KernelBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Kernel"), parent), m_source(new QWidget(this))
{
    const auto& kernel = std::get<lessons::KernelBlock>(block.body);
    auto* column = new QVBoxLayout(m_source);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    body()->addWidget(m_source);
    if (kernel.task.empty())
        addSource(kernel);
    else
        column->addWidget(new ThemedLabel(theme(), tr("A task: write this kernel, run it and have it graded, here."),
                                          TextStyle::Body, "muted", m_source));
    if (kernel.edit)
        addEditing(kernel);
    addCaption(kernel.caption);
}

void KernelBlockWidget::addSource(const lessons::KernelBlock& kernel)
{
    const QString name = QString::fromStdString(kernel.file);
    const auto source = readFile(app().dataFolder() / "kernels" / kernel.file);
    if (!source)
        return m_source->layout()->addWidget(new ThemedLabel(theme(), QString::fromStdString(toText(source.error())),
                                                             TextStyle::Body, "error", m_source));
    auto* file = new ThemedLabel(theme(), name, TextStyle::Caption, "hint", this);
    file->setWordWrap(false);
    file->setTextInteractionFlags(Qt::TextSelectableByMouse);
    header()->addWidget(file);
    auto* view = new CodeView(theme(), QString::fromStdString(*source), languageOf(name), m_source);
    view->setAccessibleName(tr("Source of %1").arg(name));
    view->setLineNumbers(true);
    view->setMarkedLines(kernel.highlight);
    m_source->layout()->addWidget(view);
    foldAround(kernel.highlight, QString::fromStdString(*source), view);
}

/// The bench comes when it is asked for: it compiles as soon as it is there.
void KernelBlockWidget::addEditing(const lessons::KernelBlock& kernel)
{
    m_edit = new QPushButton(kernel.task.empty() ? tr("Edit and run a copy") : tr("Write it here"), this);
    m_edit->setObjectName(QStringLiteral("editKernel"));
    m_edit->setAccessibleName(m_edit->text());
    const bool possible = bool(app().kernelEditor());
    m_edit->setEnabled(possible);
    m_edit->setToolTip(possible ? tr("Opens your own kernel; it is kept, and the page Kernels has it, too")
                                : tr("This window cannot edit kernels."));
    body()->addWidget(m_edit, 0, Qt::AlignLeft);
    connect(m_edit, &QPushButton::clicked, this, [this, &kernel] { openEditor(kernel); });
}

void KernelBlockWidget::openEditor(const lessons::KernelBlock& kernel)
{
    if (m_editor || !app().kernelEditor())
        return;
    m_editor = app().kernelEditor()({kernel.task, kernel.file,
                                     [state = QPointer(&state())] {
                                         if (state)
                                             Q_EMIT state->artifactsChanged(); // a check may read the grade
                                     }},
                                    this);
    body()->insertWidget(body()->indexOf(m_edit), m_editor);
    m_source->setVisible(false);
    m_edit->setVisible(false);
    m_editor->setFocus(Qt::OtherFocusReason);
}

/// Of a long file only what surrounds the marked lines, until somebody asks for the rest.
void KernelBlockWidget::foldAround(const std::vector<int>& marked, const QString& source, CodeView* view)
{
    constexpr qsizetype kLong = 60, kAround = 12; // lines
    const QStringList lines = source.split(QLatin1Char('\n'));
    if (lines.size() <= kLong || marked.empty())
        return;
    const auto [low, high] = std::ranges::minmax(marked);
    const qsizetype first = std::max<qsizetype>(1, low - kAround);
    const qsizetype last = std::min<qsizetype>(lines.size(), high + kAround);
    const QString part = lines.mid(first - 1, last - first + 1).join(QLatin1Char('\n'));
    auto* button = new QPushButton(m_source);
    button->setCheckable(true);
    static_cast<QVBoxLayout*>(m_source->layout())->addWidget(button, 0, Qt::AlignLeft);
    const auto show = [button, view, source, part, first](bool all) {
        view->setCode(all ? source : part, all ? 1 : static_cast<int>(first));
        button->setText(all ? tr("Show the marked lines") : tr("Show the whole file"));
    };
    connect(button, &QPushButton::toggled, view, show);
    show(false);
}

TermBlockWidget::TermBlockWidget(const ReaderContext& context, const lessons::Block& block, QWidget* parent)
    : BlockWidget(context, block, tr("Term"), parent)
{
    const auto& wanted = std::get<lessons::TermBlock>(block.body);
    const lessons::Term* term = app().curriculum().term(wanted.term);
    if (!term) {
        addLabel(tr("The glossary has no entry “%1”.").arg(QString::fromStdString(wanted.term)), TextStyle::Body,
                 "error");
        return;
    }
    addLabel(QString::fromStdString(term->name), TextStyle::Strong);
    addText(term->text, ProseLook::Card);
    if (!term->also.empty()) {
        QStringList also;
        for (const auto& other : term->also)
            also += QString::fromStdString(other);
        addLabel(tr("Also: %1").arg(also.join(QStringLiteral(", "))), TextStyle::Caption, "hint");
    }
}

} // namespace ridge::app

#include "moc_view_blocks.cpp"
