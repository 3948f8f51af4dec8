// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/explorer/explorer_page.h"

#include "app/chips/catalogue_parts.h"
#include "app/chips/chip_figures.h"
#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_text.h"
#include "app/drawing/charts/plot_chart.h"
#include "app/drawing/scenes/scene_text.h"
#include "app/drawing/scenes/scene_view.h"
#include "app/explorer/operator_graph.h"
#include "app/session/background.h"
#include "app/theme/restyler.h"
#include "app/ui/fields.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/scrolled.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QHash>
#include <QHeaderView>
#include <QMimeData>
#include <QSlider>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QTabWidget>
#include <QTreeView>
#include <array>
#include <cmath>

namespace ridge::app {
namespace {

constexpr int kMostBatch = 14, kMostSequence = 17; ///< as powers of two
constexpr int kCellRoom = space::l + space::xs;

/// As wide as its longest entry in any font: what the style adds to a text comes to a pixel or two more at 200 %.
void fitToEntries(QComboBox* box)
{
    qsizetype longest = 0;
    for (int i = 0; i < box->count(); ++i)
        longest = std::max(longest, box->itemText(i).size());
    box->setMinimumContentsLength(static_cast<int>(std::ceil(0.92 * double(longest))));
}

/// Text whose lines may become more or fewer, with every step of a slider. A label asks its whole text how wide it
/// would like to be, twice, each time that a word changes; this one takes the width that it is given.
class MovingText : public QLabel {
public:
    MovingText(Theme& theme, TextStyle style, const QString& tone = {})
    {
        setWordWrap(true);
        setTextFormat(Qt::PlainText); // names come from files of strangers
        setTextInteractionFlags(Qt::TextSelectableByMouse);
        setFont(theme.font(style));
        followTheme(theme, this, [this, &theme, style] { setFont(theme.font(style)); });
        if (!tone.isEmpty())
            setProperty("tone", tone);
    }
    QSize sizeHint() const override { return letters(40); }
    QSize minimumSizeHint() const override { return letters(12); }
    int heightForWidth(int width) const override
    {
        if (m_of != text() || m_font != font()) {
            m_of = text();
            m_font = font();
            m_heights.clear();
        }
        const auto found = m_heights.constFind(width);
        return found != m_heights.constEnd() ? *found : *m_heights.insert(width, QLabel::heightForWidth(width));
    }

private:
    QSize letters(int count) const { return {count * fontMetrics().averageCharWidth(), fontMetrics().lineSpacing()}; }
    mutable QString m_of;
    mutable QFont m_font;
    mutable QHash<int, int> m_heights; ///< by width
};

QString string(std::string_view words)
{
    return QString::fromUtf8(words.data(), qsizetype(words.size()));
}

} // namespace

ExplorerPage::ExplorerPage(AppContext& context, QWidget* parent)
    : Page(parent), m_context(context), m_banner(new Banner(context.theme()))
{
    setAccessibleName(tr("Workload explorer"));
    setAcceptDrops(true);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    m_banner->hide();
    layout->addWidget(m_banner);
    auto subjects = workload::shippedSubjects();
    auto catalogue = silicon::loadCatalogue(context.dataFolder() / "assets" / "chips" / "gpus.json");
    if (!subjects || !catalogue) {
        m_banner->setClosable(false);
        m_banner->setError(!subjects ? subjects.error() : catalogue.error());
        m_banner->show();
        layout->addStretch(1);
        return;
    }
    m_subjects = std::move(*subjects);
    m_catalogue = std::move(*catalogue);

    auto* body = new QWidget;
    body->setAccessibleName(tr("Workload explorer"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(space::l, space::l, space::l, space::l);
    column->setSpacing(space::m);
    column->addWidget(makeSettings());
    m_results = makeResults();
    column->addWidget(m_results, 1);
    layout->addWidget(scrolled(body, tr("Workload explorer")), 1);

    fillModels();
    takeModel();
    const auto fit = [this] {
        m_list->setMinimumHeight(m_context.theme().scaled(160));
        m_views->setMinimumHeight(m_context.theme().scaled(320));
        fitColumns();
    };
    connect(&context.theme(), &Theme::changed, this, fit);
    fit();
}

QComboBox* ExplorerPage::addChoice(QLayout* row, const QString& name, const QString& help)
{
    auto* box = new QComboBox;
    box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addSetting(row, m_context.theme(), name, help, box);
    connect(box, &QComboBox::currentIndexChanged, this, [this, box] {
        if (m_filling)
            return;
        if (box == m_model)
            takeModel();
        else
            analyse();
    });
    return box;
}

QSlider* ExplorerPage::addSlider(QLayout* row, const QString& name, int most, QLabel*& value, const QString& help)
{
    auto* slider = new QSlider(Qt::Horizontal);
    slider->setRange(0, most);
    slider->setPageStep(2);
    slider->setFixedWidth(150);
    value = makeLabel(m_context.theme(), QString(), TextStyle::Strong);
    addSetting(row, m_context.theme(), name, help, slider)->addWidget(value);
    connect(slider, &QSlider::valueChanged, this, [this] {
        if (!m_filling)
            analyse();
    });
    return slider;
}

QWidget* ExplorerPage::makeSettings()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Settings"));
    auto* row = new FlowLayout(pane);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::m);
    m_filling = true;
    m_model = addChoice(row, tr("Model"), tr("Small networks layer by layer, then models by their shape"));
    QPushButton* file =
        makeButton(tr("Open a model…"), tr("A Hugging Face config.json, an ONNX graph, or layers in YAML; a file can "
                                           "be dropped here, too"));
    connect(file, &QPushButton::clicked, this, &ExplorerPage::chooseFile);
    row->addWidget(file);
    m_phase =
        addChoice(row, tr("Step"), tr("A forward pass is a prompt of every sequence; decode is one token of each"));
    m_chip = addChoice(row, tr("Chip"), tr("The GPU that runs it; figures are those of the GPU catalogue"));
    m_format = addChoice(row, tr("Format"), tr("Of weights and products"));
    m_gpus = addChoice(row, tr("GPUs"), tr("Of one server, which share every layer (tensor parallel)"));
    m_batch = addSlider(row, tr("Batch"), kMostBatch, m_batchValue, tr("Sequences, or examples, of the step"));
    m_sequence = addSlider(row, tr("Sequence"), kMostSequence, m_sequenceValue,
                           tr("Tokens of each: its prompt, or what it holds in decode"));
    m_fused = new QCheckBox(tr("Fused kernels"));
    m_fused->setToolTip(tr("Neighbours are one kernel and attention keeps its scores on the chip; else each is a "
                           "kernel of its own"));
    m_fused->setChecked(true);
    connect(m_fused, &QCheckBox::toggled, this, &ExplorerPage::analyse);
    row->addWidget(m_fused);

    for (const silicon::Chip& chip : m_catalogue->chips())
        if (workload::deviceOf(*m_catalogue, chip, workload::Dtype::Bf16) ||
            workload::deviceOf(*m_catalogue, chip, workload::Dtype::Fp16))
            m_chip->addItem(chipName(chip), QString::fromStdString(chip.id));
    m_chip->setCurrentIndex(std::max(0, m_chip->findData(QStringLiteral("h100-sxm"))));
    for (const std::string& name : workload::dtypeNames())
        m_format->addItem(QString::fromStdString(name));
    m_format->setCurrentText(QStringLiteral("bf16"));
    for (int gpus = 1; gpus <= 64; gpus *= 2)
        m_gpus->addItem(QString::number(gpus), gpus);
    for (QComboBox* box : {m_chip, m_format, m_gpus})
        fitToEntries(box);
    m_batch->setValue(5);
    m_sequence->setValue(10);
    m_filling = false;
    return pane;
}

QWidget* ExplorerPage::makeResults()
{
    auto* pane = new QWidget;
    pane->setAccessibleName(tr("Operators"));
    auto* column = new QVBoxLayout(pane);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    auto* head = new QHBoxLayout;
    head->setSpacing(space::s);
    m_summary = new MovingText(m_context.theme(), TextStyle::Body);
    m_summary->setAccessibleName(tr("Summary"));
    auto* badge = new ProvenanceBadge(m_context.theme());
    badge->setProvenance(Provenance::Modelled);
    head->addWidget(m_summary, 1);
    head->addWidget(badge, 0, Qt::AlignTop);
    column->addLayout(head);
    m_facts = new MovingText(m_context.theme(), TextStyle::Caption, QStringLiteral("muted"));
    m_facts->setAccessibleName(tr("Of the model"));
    column->addWidget(m_facts);

    m_rows = new OperatorListModel(this);
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(m_rows);
    sorted->setSortRole(Qt::UserRole);
    auto* view = new ChipView;
    m_list = view;
    // It has its width after the page has its own. Its height changes with the words above, under a moving slider.
    connect(view, &ChipView::resized, this, [this] {
        if (m_list->viewport()->width() != m_fitted)
            fitColumns();
    });
    m_list->setObjectName(QStringLiteral("operators"));
    m_list->setModel(sorted);
    m_list->setAccessibleName(tr("Operators"));
    m_list->setAccessibleDescription(tr("Enter opens the lesson that explains the operator."));
    m_list->header()->setAccessibleName(tr("Columns"));
    m_list->header()->setStretchLastSection(false);
    m_list->setRootIsDecorated(false);
    m_list->setUniformRowHeights(true);
    m_list->setAllColumnsShowFocus(true);
    m_list->setTextElideMode(Qt::ElideRight);
    m_list->setSortingEnabled(true);
    m_list->sortByColumn(-1, Qt::AscendingOrder); // in the order in which they run
    useRowHeight(m_context.theme(), m_list);
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& current) {
        if (current.isValid())
            chooseRow(static_cast<const QSortFilterProxyModel*>(m_list->model())->mapToSource(current).row());
    });
    connect(m_list, &QAbstractItemView::activated, this, &ExplorerPage::openLesson);

    m_views = new QTabWidget;
    m_views->setAccessibleName(tr("Pictures"));
    m_views->setDocumentMode(true);
    m_views->tabBar()->setDrawBase(false);
    m_views->tabBar()->setAccessibleName(tr("Roofline, cost or graph"));
    m_roofline = new PlotChart(m_context.theme());
    m_costs = new PlotChart(m_context.theme());
    m_graph = new SceneView(m_context.theme(), makeOperatorGraphScene());
    m_graph->setMinimumHeight(280);
    m_views->addTab(m_roofline, tr("Roofline"));
    m_views->addTab(m_costs, tr("Cost"));
    m_views->addTab(scrolled(m_graph, tr("Graph")), tr("Graph"));
    connect(m_views, &QTabWidget::currentChanged, this, &ExplorerPage::showView);
    connect(m_roofline, &PlotChart::cursorMoved, this, [this](PlotCursor cursor) {
        const std::vector<int> rows = rowsWithDots(m_what.found);
        if (cursor.valid() && std::size_t(cursor.group) < rows.size())
            chooseRow(rows[std::size_t(cursor.group)]);
    });
    connect(m_graph, &SceneView::stateChanged, this, [this](const SceneState& state) {
        if (state.row >= 0)
            chooseRow(state.row);
    });

    auto* split = new QSplitter(Qt::Vertical);
    split->setAccessibleName(tr("List and pictures"));
    split->setChildrenCollapsible(false);
    split->setHandleWidth(space::s);
    split->addWidget(m_list);
    split->addWidget(m_views);
    split->setStretchFactor(0, 2);
    split->setStretchFactor(1, 3);
    column->addWidget(makeChosen());
    column->addWidget(split, 1);
    return pane;
}

QWidget* ExplorerPage::makeChosen()
{
    auto* card = new Card(tr("The chosen operator"));
    card->column()->setSpacing(2);
    auto* head = new QWidget;
    head->setAccessibleName(tr("The chosen operator"));
    auto* buttons = new FlowLayout(head);
    buttons->setContentsMargins(0, 0, 0, 0);
    buttons->setSpacing(space::s);
    m_chosenName = new MovingText(m_context.theme(), TextStyle::Strong);
    m_chosenText = new MovingText(m_context.theme(), TextStyle::Body);
    m_lesson = makeButton({}, tr("Opens the lesson that explains this operator"), true);
    m_lesson->setObjectName(QStringLiteral("explained"));
    connect(m_lesson, &QPushButton::clicked, this, &ExplorerPage::openLesson);
    m_lab = makeButton(tr("Run in the Lab"), tr("The experiment that gives the same numbers, to sweep and to keep"));
    connect(m_lab, &QPushButton::clicked, this,
            [this] { Q_EMIT m_context.openRequested(QStringLiteral("lab/workload")); });
    m_stack = makeButton(tr("Through the stack"),
                         tr("Follows a product of this size from the graph and its fused kernel to the die"));
    m_stack->setObjectName(QStringLiteral("throughStack"));
    connect(m_stack, &QPushButton::clicked, this, [this] {
        const workload::Operator& op = m_what.found.rows[std::size_t(m_row)].op;
        Q_EMIT m_context.openRequested(
            QStringLiteral("stack/%1x%2x%3").arg(op.m, 0, 'f', 0).arg(op.k, 0, 'f', 0).arg(op.n, 0, 'f', 0));
    });
    buttons->addWidget(m_lesson);
    buttons->addWidget(m_stack);
    buttons->addWidget(m_lab);
    card->column()->addWidget(m_chosenName);
    card->column()->addWidget(m_chosenText);
    card->column()->addSpacing(space::xs);
    card->column()->addWidget(head);
    return card;
}

void ExplorerPage::fillModels()
{
    m_filling = true;
    const QString before = m_model->currentData().toString();
    m_model->clear();
    if (m_own)
        m_model->addItem(QString::fromStdString(m_own->title), QString());
    for (const workload::Subject& subject : m_subjects)
        m_model->addItem(QString::fromStdString(subject.title), QString::fromStdString(subject.id));
    const int found = m_own ? 0 : m_model->findData(before.isEmpty() ? QStringLiteral("mlp") : before);
    m_model->setCurrentIndex(std::max(0, found));
    fitToEntries(m_model);
    m_filling = false;
}

/// A model that keeps nothing has no decode; one that does has it as its usual step.
void ExplorerPage::fillPhases()
{
    m_filling = true;
    const QVariant before = m_phase->currentData();
    m_phase->clear();
    m_phase->addItem(tr("Forward pass (prefill)"), int(workload::Phase::Prefill));
    const workload::ModelShape* shape = m_what.subject->shape();
    if (shape && workload::hasDecode(*shape))
        m_phase->addItem(tr("Decode"), int(workload::Phase::Decode));
    m_phase->addItem(tr("Training step"), int(workload::Phase::Training));
    m_phase->setCurrentIndex(std::max(0, m_phase->findData(before)));
    fitToEntries(m_phase);
    m_filling = false;
}

void ExplorerPage::takeModel()
{
    const QString id = m_model->currentData().toString();
    m_what.subject = nullptr;
    if (id.isEmpty() && m_own)
        m_what.subject = &*m_own;
    for (const workload::Subject& subject : m_subjects)
        if (!id.isEmpty() && QString::fromStdString(subject.id) == id)
            m_what.subject = &subject;
    fillPhases();
    const workload::Network* network = m_what.subject->network();
    const workload::ModelShape* shape = m_what.subject->shape();
    const bool tokens = network ? network->sequence : shape->kind != workload::ModelKind::Convolutional;
    m_sequence->parentWidget()->setEnabled(tokens);
    m_gpus->parentWidget()->setEnabled(shape && shape->kind != workload::ModelKind::Convolutional &&
                                       shape->kind != workload::ModelKind::StateSpace);
    // What the model has no positions for is no choice.
    const double most = workload::mostTokens(*m_what.subject);
    m_filling = true;
    m_sequence->setMaximum(most > 0 ? std::min(kMostSequence, int(std::log2(most))) : kMostSequence);
    if (!m_gpus->parentWidget()->isEnabled())
        m_gpus->setCurrentIndex(0);
    m_filling = false;
    m_row = 0;
    analyse();
    Q_EMIT titleChanged();
}

void ExplorerPage::analyse()
{
    if (!m_what.subject)
        return;
    workload::Step step;
    step.phase = static_cast<workload::Phase>(m_phase->currentData().toInt());
    step.batch = std::exp2(m_batch->value());
    step.context = std::exp2(m_sequence->value());
    step.gpus = m_gpus->currentData().toInt();
    step.fused = m_fused->isChecked();
    step.dtype = workload::dtypeNamed(m_format->currentText().toStdString());
    m_batchValue->setText(groupedText(step.batch));
    m_sequenceValue->setText(groupedText(step.context));
    const silicon::Chip* chip = findChip(*m_catalogue, m_chip->currentData().toString());
    auto device = workload::deviceOf(*m_catalogue, *chip, step.dtype);
    const auto good = workload::checkStep(*m_what.subject, step);
    if (!device || !good) {
        m_banner->setError(!device ? device.error() : good.error());
        m_banner->setClosable(false);
        m_banner->show();
        m_results->hide();
        Q_EMIT commandsChanged();
        return;
    }
    m_banner->hide();
    m_results->show();
    m_what.step = step;
    m_what.device = *device;
    m_what.chip = chipName(*chip);
    m_what.format = m_format->currentText();
    const std::size_t before = m_what.found.rows.size();
    workload::explore(*m_what.subject, step, *device, m_what.found);
    m_row = std::min(m_row, int(m_what.found.rows.size()) - 1);

    m_rows->show(m_what);
    m_summary->setText(stepSentence(m_what));
    QStringList facts;
    const double all = workload::parameters(*m_what.subject), active = workload::activeParameters(*m_what.subject);
    facts << tr("%1 parameters").arg(groupedText(all));
    if (active != all)
        facts << tr("%1 active").arg(groupedText(active));
    if (const double kept = workload::kvBytesPerToken(*m_what.subject, step.kvBytes); kept > 0)
        facts << tr("%1 B of cache a token").arg(groupedText(kept));
    if (const double kept = workload::crossKvBytesPerToken(*m_what.subject, step.kvBytes); kept > 0)
        facts << tr("%1 B of cache a token of the encoder's input").arg(groupedText(kept));
    if (const double kept = workload::stateBytesPerSequence(*m_what.subject, step.kvBytes); kept > 0)
        facts << tr("%1 B of state a sequence of any length, and no cache").arg(groupedText(kept));
    for (const std::string& assumed : m_what.subject->assumed)
        facts << QString::fromStdString(assumed);
    if (!m_what.subject->source.empty())
        facts << QString::fromStdString(m_what.subject->source);
    m_facts->setText(facts.join(QStringLiteral(" · ")));
    m_graphStale = true;
    showView();
    if (m_what.found.rows.size() != before)
        fitColumns(); // else they stay where they are under a moving slider
    chooseRow(m_row);
    Q_EMIT commandsChanged();
}

void ExplorerPage::showView()
{
    if (!m_what.subject || m_what.found.rows.empty())
        return;
    if (m_views->currentIndex() == Roofline)
        m_roofline->setPlot(std::make_shared<RooflinePlot>(operatorRoofline(m_what)));
    else if (m_views->currentIndex() == Costs)
        m_costs->setPlot(std::make_shared<CostPlot>(operatorCosts(m_what)));
    else if (m_graphStale) {
        SceneFrame frame;
        frame.title = QString::fromStdString(m_what.subject->title);
        frame.payloads.put(std::make_shared<const OperatorGraph>(operatorGraph(m_what)));
        m_graphStale = false;
        m_graph->setFrames({frame});
        SceneState state = m_graph->state();
        state.row = m_row;
        m_graph->setState(state);
        m_graph->fitHeight();
    }
}

void ExplorerPage::chooseRow(int row)
{
    if (row < 0 || row >= int(m_what.found.rows.size()))
        return;
    m_row = row;
    const auto* sorted = static_cast<const QSortFilterProxyModel*>(m_list->model());
    const QModelIndex index = sorted->mapFromSource(m_rows->index(row, 0));
    if (m_list->currentIndex().row() != index.row()) {
        m_list->setCurrentIndex(index);
        m_list->scrollTo(index);
    }
    if (m_views->currentIndex() == Roofline) {
        const std::vector<int> rows = rowsWithDots(m_what.found);
        const auto at = std::ranges::find(rows, row);
        const PlotCursor cursor{at == rows.end() ? -1 : int(at - rows.begin()), at == rows.end() ? -1 : 0};
        if (cursor.valid() && !(m_roofline->canvas()->cursor() == cursor))
            m_roofline->canvas()->setCursor(cursor);
    } else if (m_views->currentIndex() == Graph && m_graph->state().row != row) {
        SceneState state = m_graph->state();
        state.row = row;
        m_graph->setState(state);
    }
    showChosen();
}

void ExplorerPage::showChosen()
{
    const workload::Explored& row = m_what.found.rows[std::size_t(m_row)];
    const workload::LessonLink link = workload::lessonOf(row, m_what.step);
    m_chosenName->setToolTip(QString::fromStdString(workload::shapesOf(row.op, m_what.step)));
    m_chosenName->setText(tr("%1  %2").arg(operatorName(m_what.found, m_row),
                                           QString::fromStdString(workload::shapesOf(row.op, m_what.step))));
    m_chosenText->setText(operatorSentence(m_what, m_row) + QLatin1Char(' ') + string(link.why));
    m_lesson->setText(tr("Explained in lesson %1").arg(string(link.lesson)));
    m_lesson->setAccessibleName(m_lesson->text());
    m_stack->setEnabled(row.op.kind == workload::OperatorKind::Matmul);
}

void ExplorerPage::openLesson()
{
    if (m_what.found.rows.empty())
        return;
    const workload::Explored& row = m_what.found.rows[std::size_t(m_row)];
    Q_EMIT m_context.openRequested(QStringLiteral("lesson/") + string(workload::lessonOf(row, m_what.step).lesson));
}

void ExplorerPage::fitColumns()
{
    if (!m_list || m_what.found.rows.empty())
        return;
    const Theme& theme = m_context.theme();
    const QFontMetrics metrics(theme.font(TextStyle::Strong)), body(theme.font(TextStyle::Body));
    std::array<int, kOperatorColumns> widths{};
    int used = 0;
    const int looked = std::min(60, m_rows->rowCount());
    for (int column = 0; column < kOperatorColumns; ++column) {
        int wide = metrics.horizontalAdvance(m_rows->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
                   space::xl;
        for (int row = 0; row < looked; ++row)
            wide = std::max(wide, body.horizontalAdvance(m_rows->index(row, column).data().toString()) + kCellRoom);
        widths[std::size_t(column)] = wide;
        used += wide;
    }
    // What is too much the shapes give, then the names; what is left they get.
    m_fitted = m_list->viewport()->width();
    int spare = m_fitted - used;
    for (const OperatorColumn column : {OperatorColumn::Shapes, OperatorColumn::Name}) {
        int& wide = widths[std::size_t(column)];
        const int least = theme.scaled(column == OperatorColumn::Name ? 150 : 110);
        const int next = spare < 0 ? std::max(std::min(least, wide), wide + spare) : wide + spare;
        spare -= next - wide;
        wide = next;
        if (spare == 0)
            break;
    }
    for (int column = 0; column < kOperatorColumns; ++column)
        m_list->setColumnWidth(column, widths[std::size_t(column)]);
}

void ExplorerPage::resizeEvent(QResizeEvent* event)
{
    Page::resizeEvent(event);
    fitColumns();
}

Result<void> ExplorerPage::open(const QString& part)
{
    if (!m_catalogue || part.isEmpty())
        return {};
    const auto found = workload::findSubject(m_subjects, part.toStdString());
    if (!found)
        return Error{"unknown-page", found.error().message, "explorer", found.error().fix};
    m_model->setCurrentIndex(m_model->findData(part));
    return {};
}

QString ExplorerPage::part() const
{
    return m_model ? m_model->currentData().toString() : QString();
}

void ExplorerPage::openFile(const QString& path)
{
    m_reading = path;
    m_banner->setMessage(tr("Reading %1 …").arg(QFileInfo(path).fileName()), {}, false);
    m_banner->setClosable(false);
    m_banner->show();
    Background::of(m_context).run(
        this, [path] { return workload::subjectFromFile(path.toStdString()); },
        [this, path](Result<workload::Subject> subject) {
            if (m_reading != path)
                return;
            m_reading.clear();
            m_banner->setVisible(!subject);
            m_banner->setClosable(true);
            if (subject)
                showModel(std::move(*subject));
            else
                m_banner->setError(subject.error());
        });
}

void ExplorerPage::showModel(workload::Subject subject)
{
    if (!m_catalogue)
        return;
    m_what.subject = nullptr; // points into what is replaced
    m_what.found.rows.clear();
    m_own = std::move(subject);
    fillModels();
    takeModel();
}

void ExplorerPage::chooseFile()
{
    auto* dialog =
        new QFileDialog(this, tr("Open a model"), QString(), tr("Models (*.json *.onnx *.yaml *.yml);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &ExplorerPage::openFile);
    dialog->open();
}

void ExplorerPage::dragEnterEvent(QDragEnterEvent* event)
{
    const QList<QUrl> urls = event->mimeData()->urls();
    const QString path = urls.size() == 1 ? urls.front().toLocalFile() : QString();
    const QString suffix = QFileInfo(path).suffix().toLower();
    static const QStringList models{QStringLiteral("json"), QStringLiteral("onnx"), QStringLiteral("yaml"),
                                    QStringLiteral("yml")};
    if (m_catalogue && models.contains(suffix))
        event->acceptProposedAction();
}

void ExplorerPage::dropEvent(QDropEvent* event)
{
    event->acceptProposedAction();
    openFile(event->mimeData()->urls().front().toLocalFile());
}

bool ExplorerPage::can(Command command) const
{
    return command == Command::Export && m_catalogue && m_results->isVisibleTo(this);
}

void ExplorerPage::perform(Command command)
{
    if (command != Command::Export || !can(command))
        return;
    openExportDialog(
        this, tr("Export the operators"), tr("CSV table (*.csv);;Markdown table (*.md);;JSON (*.json)"),
        QStringLiteral("operators.csv"), [this](const QString& path) { return exportTo(path); },
        [this](const QString& text, bool isError) { Q_EMIT m_context.notice(text, isError); });
}

Result<void> ExplorerPage::exportTo(const QString& path) const
{
    return writeTable(operatorTable(m_what), path);
}

QList<QWidget*> ExplorerPage::panes() const
{
    if (!m_catalogue)
        return {};
    return {m_model, m_list, m_views};
}

} // namespace ridge::app
