// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/debug_panel.h"

#include "app/kernels/access_picture.h"
#include "app/kernels/debug_text.h"
#include "app/kernels/lane_strip.h"
#include "app/kernels/still_text.h"
#include "app/session/background.h"
#include "app/theme/announce.h"
#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "app/ui/still_scroll.h"
#include "base/json.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace ridge::app {
DebugPanel::DebugPanel(Theme& theme, Background& background, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_background(background), m_variables(new VariableModel(theme, this)),
      m_registers(new RegisterModel(theme, this)), m_shared(new SharedModel(theme, this)),
      m_access(new AccessModel(theme, this)), m_watches(new WatchModel(theme, this)),
      m_message(makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"))), m_body(new QWidget)
{
    setAccessibleName(tr("Debugger"));
    // Large text in a small window scrolls; nothing is squeezed.
    auto* scroll = new StillScroll;
    scroll->setAccessibleName(tr("Debugger"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(scroll);
    auto* content = new QWidget;
    content->setAccessibleName(tr("Debugger"));
    scroll->setWidget(content);
    auto* outer = new QVBoxLayout(content);
    outer->setContentsMargins(space::m, space::s, space::m, space::s);
    outer->setSpacing(space::xs);
    outer->addWidget(makeTransport());
    outer->addWidget(m_message);
    m_outdated = makeText(theme,
                          tr("The text has changed since these steps were recorded: they are of the older text, and "
                             "their lines may be others now. Debug records anew (Ctrl+F5)."),
                          TextStyle::Body, QStringLiteral("warn"));
    m_outdated->setObjectName(QStringLiteral("outdated"));
    m_outdated->hide();
    outer->addWidget(m_outdated);
    m_body->setAccessibleName(tr("State of the warp"));
    auto* column = new QVBoxLayout(m_body);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::xs);
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setAccessibleName(tr("Step"));
    m_slider->setToolTip(tr("All steps of the block, in the order in which the simulator took them"));
    m_slider->setPageStep(100);
    connect(m_slider, &QSlider::valueChanged, this, &DebugPanel::seek);
    column->addWidget(m_slider);
    m_position = new StillText(theme, makeLabel(theme, {}, TextStyle::Caption, QStringLiteral("muted")));
    column->addWidget(m_position);
    auto* instruction = makeLabel(theme, {}, TextStyle::Code);
    instruction->setAccessibleName(tr("Next instruction"));
    m_instruction = new StillText(theme, instruction);
    column->addWidget(m_instruction);
    m_strip = new LaneStrip(theme);
    column->addWidget(m_strip);
    m_standing = new StillText(theme, makeLabel(theme, {}, TextStyle::Caption, QStringLiteral("muted")));
    column->addWidget(m_standing);
    m_views = new QTabWidget;
    m_views->setAccessibleName(tr("State of the warp"));
    m_views->tabBar()->setAccessibleName(tr("State of the warp"));
    m_views->setDocumentMode(true);
    auto* variables = new QWidget;
    variables->setAccessibleName(tr("Variables"));
    auto* variableColumn = new QVBoxLayout(variables);
    variableColumn->setContentsMargins(0, space::xs, 0, 0);
    m_variableText = makeText(theme, {}, TextStyle::Caption, QStringLiteral("muted"));
    variableColumn->addWidget(m_variableText);
    variableColumn->addWidget(table(tr("Variables by lane"), m_variables), 1);
    m_views->addTab(variables, tr("Variables"));
    QTableView* registers = table(tr("Registers by lane"), m_registers);
    m_views->addTab(registers, tr("Registers"));
    auto* shared = new QWidget;
    shared->setAccessibleName(tr("Shared memory"));
    auto* sharedColumn = new QVBoxLayout(shared);
    sharedColumn->setContentsMargins(0, space::xs, 0, 0);
    auto* floats = new QCheckBox(tr("Words as floats"));
    floats->setChecked(true);
    connect(floats, &QCheckBox::toggled, m_shared, &SharedModel::setFloats);
    sharedColumn->addWidget(floats);
    sharedColumn->addWidget(table(tr("Shared memory by bank"), m_shared), 1);
    m_views->addTab(shared, tr("Shared memory"));
    auto* access = new QWidget;
    access->setAccessibleName(tr("Last access"));
    auto* accessColumn = new QVBoxLayout(access);
    accessColumn->setContentsMargins(0, space::xs, 0, 0);
    m_accessText = new StillText(theme, makeText(theme, {}));
    accessColumn->addWidget(m_accessText);
    accessColumn->addWidget(table(tr("Last access, lane by lane"), m_access), 1);
    m_views->addTab(access, tr("Last access"));
    m_picture = new AccessPicture(theme);
    m_views->addTab(m_picture, tr("Picture"));
    auto* watch = new QWidget;
    watch->setAccessibleName(tr("Watches"));
    auto* watchColumn = new QVBoxLayout(watch);
    watchColumn->setContentsMargins(0, space::xs, 0, 0);
    m_watchField = new QLineEdit;
    m_watchField->setAccessibleName(tr("Expression to watch"));
    m_watchField->setPlaceholderText(
        tr("Expression: r4 * 4 + threadIdx.x (registers, lane, warp, thread, line, shared[0])"));
    watchColumn->addWidget(m_watchField);
    watchColumn->addWidget(makeText(theme,
                                    tr("An expression reads registers: a variable moves from one to another. The "
                                       "registers that a line writes stand first under Registers."),
                                    TextStyle::Caption, QStringLiteral("muted")));
    auto* wrong = makeText(theme, {}, TextStyle::Caption, QStringLiteral("error"));
    wrong->hide();
    watchColumn->addWidget(wrong);
    QTableView* watchTable = table(tr("Watches by lane"), m_watches);
    watchColumn->addWidget(watchTable, 1);
    QPushButton* remove = makeButton(tr("Remove the watch"), tr("Takes the chosen expression away"));
    watchColumn->addWidget(remove, 0, Qt::AlignLeft);
    connect(remove, &QPushButton::clicked, this,
            [this, watchTable] { m_watches->remove(watchTable->currentIndex().row()); });
    connect(m_watchField, &QLineEdit::returnPressed, this, [this, wrong] {
        const auto added = m_watches->add(m_watchField->text().trimmed().toStdString());
        wrong->setText(added ? QString() : QString::fromStdString(toText(added.error())));
        wrong->setVisible(!added);
        if (added)
            m_watchField->clear();
    });
    m_views->addTab(watch, tr("Watches"));
    m_views->addTab(makeBreakpoints(), tr("Breakpoints"));
    connect(&m_goesOn, &QTimer::timeout, this, &DebugPanel::runSlice);
    m_followers = {{variables, m_variables}, {registers, m_registers}, {shared, m_shared}, {watch, m_watches}};
    connect(m_views, &QTabWidget::currentChanged, this, &DebugPanel::followView);
    column->addWidget(m_views, 1);
    outer->addWidget(m_body, 1);
    outer->addStretch(0);
    setMessage(
        tr("Debug runs the kernel once on a simulated chip and records every instruction of one block. Then step "
           "through it, forwards and backwards."));
}

DebugPanel::~DebugPanel() = default;

QWidget* DebugPanel::makeTransport()
{
    auto* bar = new QWidget;
    bar->setAccessibleName(tr("Steps"));
    auto* row = new FlowLayout(bar);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(space::xs);
    QPushButton* record = makeButton(tr("Debug"), tr("Records the steps of one block (Ctrl+F5)"));
    connect(record, &QPushButton::clicked, this, &DebugPanel::recordWanted);
    row->addWidget(record);
    m_block = new QLineEdit(QStringLiteral("0"));
    m_block->setAccessibleName(tr("Block to be recorded"));
    m_block->setToolTip(tr("blockIdx of the block to be recorded: its number in the grid, or x,y,z"));
    m_block->setPlaceholderText(tr("block"));
    const auto fit = [this] {
        m_block->setFixedWidth(QFontMetrics(m_theme.font(TextStyle::Body)).horizontalAdvance(QLatin1Char('0')) * 9);
    };
    fit();
    connect(&m_theme, &Theme::changed, m_block, fit);
    connect(m_block, &QLineEdit::returnPressed, this, &DebugPanel::recordWanted);
    auto* blockName = new QLabel(tr("of block"));
    blockName->setBuddy(m_block);
    blockName->setMinimumHeight(m_theme.scaled(kControlHeight));
    row->addWidget(blockName);
    row->addWidget(m_block);
    m_names = new QCheckBox(tr("Names"));
    m_names->setChecked(true);
    m_names->setToolTip(
        tr("Records a build without optimization, whose variables have registers of their own. Its instructions are "
           "others than those that Run counts and times. NVRTC and nvcc can make one."));
    row->addWidget(m_names);
    const auto button = [&](const QString& text, const QString& name, auto action) {
        auto* tool = new QToolButton;
        tool->setText(text);
        tool->setToolTip(name);
        tool->setAccessibleName(name);
        tool->setProperty("outlined", true);
        connect(tool, &QToolButton::clicked, this, action);
        row->addWidget(tool);
        m_buttons.push_back(tool);
    };
    button(tr("Run back"), tr("Back to the breakpoint before (Ctrl+Shift+F8)"), [this] { go(Move::Reverse); });
    button(tr("Back"), tr("Takes the last step back, else one instruction back (Shift+F7)"),
           [this] { go(Move::Back); });
    button(tr("Into"), tr("One instruction on (F7)"), [this] { go(Move::Into); });
    button(tr("Over"), tr("To the next source line of the warp, past functions that it calls (F8)"),
           [this] { go(Move::Over); });
    button(tr("Out"), tr("Out of the function that was called (Shift+F8)"), [this] { go(Move::Out); });
    button(tr("Barrier"), tr("To the next barrier of the block (Shift+F9)"), [this] { go(Move::ToBarrier); });
    button(tr("Run on"), tr("On to the next breakpoint (Ctrl+F8)"), [this] { go(Move::Continue); });
    m_warp = new QSpinBox;
    m_warp->setPrefix(tr("warp "));
    m_warp->setAccessibleName(tr("Warp that is looked at"));
    m_warp->setToolTip(tr("The warp that is looked at ([ and ])"));
    connect(m_warp, &QSpinBox::valueChanged, this, [this](int warp) {
        if (!m_session || m_session->warp() == warp)
            return;
        m_trail.clear();
        m_session->setWarp(std::uint16_t(warp));
        showPlace();
    });
    row->addWidget(m_warp);
    return bar;
}

QTableView* DebugPanel::table(const QString& name, QAbstractItemModel* model)
{
    auto* view = new QTableView;
    view->setAccessibleName(name);
    view->setModel(model);
    view->verticalHeader()->hide();
    view->horizontalHeader()->setHighlightSections(false);
    view->setShowGrid(false);
    view->setTabKeyNavigation(false);
    view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    view->setMinimumHeight(m_theme.scaled(70));
    useRowHeight(m_theme, view);
    // Widths do not follow the values: a table whose columns move while one scrubs cannot be read.
    const auto fit = [this, view, model] {
        const QFontMetrics metrics(m_theme.font(TextStyle::Body));
        const int narrow = metrics.horizontalAdvance(QStringLiteral("• 0x7f0000000000")) + space::m;
        view->horizontalHeader()->setDefaultSectionSize(narrow);
        if (model->columnCount() <= 4)
            view->horizontalHeader()->setDefaultSectionSize(metrics.horizontalAdvance(QLatin1Char('x')) * 22);
    };
    fit();
    connect(&m_theme, &Theme::changed, view, fit);
    return view;
}

void DebugPanel::setMessage(const QString& text)
{
    m_message->setText(text);
    m_message->setVisible(!text.isEmpty());
    m_body->setVisible(hasSteps());
    for (QToolButton* button : m_buttons)
        button->setEnabled(hasSteps());
    m_warp->setEnabled(hasSteps());
}

void DebugPanel::setOutdated(bool outdated)
{
    const bool shown = outdated && hasSteps();
    if (shown && m_outdated->isHidden())
        announce(this, m_outdated->text());
    m_outdated->setVisible(shown);
}

void DebugPanel::setTrace(std::string bytes)
{
    const int generation = ++m_generation;
    setMessage(tr("Reading the steps …"));
    // Reading and indexing a million steps takes a second: neither is done in this thread.
    struct Read {
        std::unique_ptr<DebugSession> session;
        std::optional<Error> error;
    };
    m_background.run(
        this,
        [bytes = std::move(bytes)]() mutable {
            auto read = std::make_shared<Read>();
            auto trace = decodeStepTrace(bytes);
            bytes = std::string(); // before the index is made: the two together are the most that a recording takes
            if (trace)
                read->session = std::make_unique<DebugSession>(std::move(*trace));
            else
                read->error = trace.error();
            return read;
        },
        [this, generation](const std::shared_ptr<Read>& read) {
            if (m_generation != generation)
                return; // another recording came meanwhile
            if (read->session)
                take(std::move(read->session));
            else
                Q_EMIT failed(*read->error);
        });
}

void DebugPanel::expectVariables(std::vector<SourceVariable> variables, const QString& none)
{
    m_expected = std::move(variables);
    m_noNames = none;
}

void DebugPanel::take(std::unique_ptr<DebugSession> session)
{
    session->setVariables(std::move(m_expected));
    m_expected.clear();
    const bool named = session->hasVariables();
    m_variableText->setText(named ? tr("Built without optimization, so that variables keep their registers.")
                                  : m_noNames);
    const bool showed = m_session && m_session->hasVariables();
    if (named != showed && m_views->currentIndex() <= 1)
        m_views->setCurrentIndex(named ? 0 : 1);
    for (StepTableModel* model : {static_cast<StepTableModel*>(m_variables), static_cast<StepTableModel*>(m_registers),
                                  static_cast<StepTableModel*>(m_shared), static_cast<StepTableModel*>(m_access),
                                  static_cast<StepTableModel*>(m_watches)})
        model->setSession(session.get());
    m_pictured = nullptr;
    // The one before is hundreds of megabytes: giving them back takes a while, too.
    if (m_session)
        m_background.begin([old = std::shared_ptr<DebugSession>(std::move(m_session))]() mutable { old.reset(); });
    m_session = std::move(session);
    m_trail.clear();
    m_goesOn.stop();
    applyBreakpoints();
    const QSignalBlocker quiet(m_slider), quietWarp(m_warp);
    m_slider->setRange(0, int(m_session->reader().size()));
    m_warp->setRange(0, std::max(0, int(m_session->trace().warps()) - 1));
    setMessage(!hasSteps()                ? tr("The block executed nothing.")
               : m_session->trace().isCut ? tr("Only the first %1 steps are kept.").arg(m_session->reader().size())
                                          : QString());
    showPlace();
    Q_EMIT recorded();
}

void DebugPanel::go(Move move)
{
    if (!hasSteps())
        return;
    m_goesOn.stop();
    StepReader& reader = m_session->reader();
    if (move == Move::Reverse)
        m_trail.clear();
    else if (move != Move::Back)
        m_trail.emplace_back(reader.position(), m_session->warp());
    switch (move) {
    case Move::Into:
        reader.toNextOf(m_session->warp());
        break;
    case Move::Back:
        goBack();
        break;
    case Move::Over:
        reader.overLine(m_session->warp());
        break;
    case Move::IntoLine:
        reader.intoLine(m_session->warp());
        break;
    case Move::Out:
        if (!reader.hasCaller(m_session->warp())) {
            m_trail.pop_back();
            return sayNoCaller();
        }
        reader.out(m_session->warp());
        break;
    case Move::ToBarrier:
        reader.toBarrier();
        break;
    case Move::Continue:
    case Move::Reverse:
        m_session->beginRun(move == Move::Reverse);
        return runSlice();
    }
    if (move != Move::Into && move != Move::Back)
        m_session->followWarp();
    showPlace();
}

/// Back is the inverse of every step forwards. Where the place was come to otherwise, it goes one instruction back.
void DebugPanel::goBack()
{
    StepReader& reader = m_session->reader();
    if (!m_trail.empty()) {
        reader.seek(m_trail.back().first);
        m_session->setWarp(m_trail.back().second);
        m_trail.pop_back();
    } else if (reader.lastOf(m_session->warp())) {
        reader.toPreviousOf(m_session->warp());
    } else if (reader.back()) { // before the warp's first step: what the block did before
        m_session->followWarp();
    }
}

/// Nothing has moved: a key that does nothing without a word would look broken.
void DebugPanel::sayNoCaller()
{
    const QString sentence = m_session->nextStep()
                                 ? tr("Warp %1 is in the kernel itself: nothing called it, so there is "
                                      "nothing to step out of.")
                                       .arg(m_session->warp())
                                 : standingSentence(*m_session);
    m_standing->setText(sentence);
    announce(this, sentence);
}

void DebugPanel::runSlice()
{
    constexpr std::chrono::milliseconds kSlice(30);
    if (m_session->goOn(kSlice) != DebugSession::Run::Goes)
        m_goesOn.stop();
    else if (!m_goesOn.isActive())
        m_goesOn.start(0);
    m_session->followWarp();
    showPlace();
}

void DebugPanel::scrub(int by)
{
    if (hasSteps())
        seek(int(m_session->reader().position()) + by);
}

void DebugPanel::seek(int position)
{
    if (!hasSteps())
        return;
    m_goesOn.stop();
    m_trail.clear();
    m_session->reader().seek(std::size_t(std::max(0, position)));
    m_session->followWarp();
    showPlace();
}

void DebugPanel::chooseWarp(int by)
{
    m_warp->setValue(m_warp->value() + by);
}

void DebugPanel::followView()
{
    if (!m_session)
        return;
    const QWidget* const shown = m_views->currentWidget();
    m_access->follow(); // its sentence stands under two of the views
    for (const auto& [view, model] : m_followers)
        if (view == shown)
            model->follow();
    m_accessText->setText(m_access->summary());
    if (shown == m_picture && (m_access->step() != m_pictured || !m_pictured)) {
        m_pictured = m_access->step();
        m_picture->setAccess(m_session->trace(), m_pictured);
    }
}

QString DebugPanel::blockText() const
{
    return m_block->text().trimmed();
}

QString DebugPanel::positionText() const
{
    return m_position->text();
}

QString DebugPanel::standingText() const
{
    return m_standing->text();
}

QString DebugPanel::messageText() const
{
    return m_message->text();
}

Json DebugPanel::describe() const
{
    for (StepTableModel* model : {static_cast<StepTableModel*>(m_registers), static_cast<StepTableModel*>(m_shared)})
        model->follow(); // a view that is not shown does not
    Json json{{"position", positionText().toStdString()},    {"instruction", m_instruction->text().toStdString()},
              {"lanes", m_strip->sentence().toStdString()},  {"standing", standingText().toStdString()},
              {"access", m_access->summary().toStdString()}, {"message", messageText().toStdString()}};
    for (const QAbstractItemModel* model :
         {static_cast<QAbstractItemModel*>(m_registers), static_cast<QAbstractItemModel*>(m_shared),
          static_cast<QAbstractItemModel*>(m_access), static_cast<QAbstractItemModel*>(m_watches)}) {
        Json rows = Json::array();
        for (int row = 0; row < model->rowCount(); ++row) {
            Json cells = Json::array();
            for (int column = 0; column < model->columnCount(); ++column)
                cells.push_back(model->index(row, column).data().toString().toStdString());
            rows.push_back(std::move(cells));
        }
        json["tables"].push_back(std::move(rows));
    }
    return json;
}

void DebugPanel::showPlace()
{
    if (!m_session)
        return;
    const StepReader& reader = m_session->reader();
    const QSignalBlocker quiet(m_slider), quietWarp(m_warp);
    m_slider->setValue(int(reader.position()));
    m_warp->setValue(m_session->warp());
    const TracedStep* next = m_session->nextStep();
    const auto& block = m_session->trace().block;
    m_position->setText(
        tr("SIMULATED · step %1 of %2 · block (%3, %4, %5) · warp %6%7")
            .arg(reader.position())
            .arg(reader.size())
            .arg(block[0])
            .arg(block[1])
            .arg(block[2])
            .arg(m_session->warp())
            .arg(next ? tr(" · line %1").arg(m_session->line()) + callText(*m_session) : tr(" · has ended")));
    m_instruction->setText(next ? QString::fromStdString(m_session->trace().code[next->instruction].text)
                                : QStringLiteral("–"));
    m_standing->setText(standingSentence(*m_session));
    m_strip->setMasks(next ? next->executed : 0, next ? next->active : 0, next ? next->live : 0);
    followView();
    Q_EMIT moved(m_session->line());
}

} // namespace ridge::app

#include "moc_debug_panel.cpp"
