// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/drawing/charts/plot_chart.h"

#include "app/drawing/charts/chart_canvas.h"
#include "app/drawing/charts/chart_export.h"
#include "app/drawing/charts/chart_sound.h"
#include "app/drawing/charts/chart_table_model.h"
#include "app/theme/announce.h"
#include "app/theme/drags.h"
#include "app/theme/restyler.h"
#include "base/json.h"

#include <QMimeData>

namespace ridge::app {

struct PlotChart::Private {
    PlotChart* q;
    Theme& theme;
    std::shared_ptr<Plot> plot;
    ChartCanvas* canvas = nullptr;
    QWidget* tablePage = nullptr;
    QLabel* tableTitle = nullptr;
    QTableView* view = nullptr;
    ChartTableModel* model = nullptr;
    bool modelStale = false;
    QStackedWidget* stack = nullptr;
    QToolButton* toggle = nullptr;
    QToolButton* menuButton = nullptr;
    QMenu* menu = nullptr;

    Private(PlotChart* owner, Theme& t) : q(owner), theme(t) {}
    void build();
    void buildTable();
    void buildMenu();
    void placeControls();
    void retext();
    void fillTable();
    void addSound();
    void play();
    void save(const QString& suffix, const QString& filter);
};

void PlotChart::Private::build()
{
    canvas = new ChartCanvas(theme);
    stack = new QStackedWidget;
    stack->addWidget(canvas);
    buildTable();
    auto* layout = new QVBoxLayout(q);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack);

    toggle = new QToolButton(q);
    toggle->setText(PlotChart::tr("Table"));
    toggle->setCheckable(true);
    toggle->setProperty("outlined", true);
    toggle->setToolTip(PlotChart::tr("Show the numbers behind the chart"));
    toggle->setAccessibleName(PlotChart::tr("Show as table"));
    QObject::connect(toggle, &QToolButton::toggled, q, &PlotChart::showTable);
    buildMenu();
    QObject::connect(canvas, &ChartCanvas::cursorMoved, q, &PlotChart::cursorMoved);
    QObject::connect(canvas, &ChartCanvas::dragWanted, q, &PlotChart::drag);
    QObject::connect(canvas, &ChartCanvas::announced, q, [this](const QString& text) { announce(canvas, text); });
    followTheme(theme, q, [this] {
        placeControls();
        canvas->refresh();
        retext();
    });
}

void PlotChart::Private::buildTable()
{
    tablePage = new QWidget;
    model = new ChartTableModel(q);
    view = new QTableView;
    view->setModel(model);
    view->verticalHeader()->hide();
    view->setAlternatingRowColors(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    view->setTabKeyNavigation(false);
    tableTitle = new QLabel;
    tableTitle->setMinimumHeight(kControlHeight);
    tablePage->setAutoFillBackground(true);
    tablePage->setBackgroundRole(QPalette::Base);
    auto* layout = new QVBoxLayout(tablePage);
    layout->setContentsMargins(space::m, space::s, space::m, space::s);
    layout->setSpacing(space::s);
    layout->addWidget(tableTitle);
    layout->addWidget(view);
    stack->addWidget(tablePage);
}

void PlotChart::Private::buildMenu()
{
    menu = new QMenu(q);
    menu->setAccessibleName(PlotChart::tr("Copy or export"));
    menu->addAction(PlotChart::tr("&Copy picture and numbers"), QKeySequence::Copy, q, [this] { q->copy(); });
    menu->addSeparator();
    for (const ChartFormat& format : chartFormats()) {
        QAction* action = menu->addAction(PlotChart::tr("Export %1…").arg(format.suffix.toUpper()), q, [this, format] {
            save(format.suffix, QStringLiteral("%1 (*.%2)").arg(format.name, format.suffix));
        });
        action->setObjectName(QStringLiteral("export") + format.suffix);
        if (format.suffix == QLatin1String("png")) {
            action->setObjectName(QStringLiteral("exportPng"));
            action->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_E));
        }
    }
    addSound();
    for (QAction* action : menu->actions()) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        q->addAction(action);
    }
    q->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(q, &QWidget::customContextMenuRequested, q,
                     [this](QPoint at) { menu->popup(q->mapToGlobal(at)); });
    menuButton = new QToolButton(q);
    menuButton->setText(QStringLiteral("⋯"));
    menuButton->setToolTip(PlotChart::tr("Copy or export; the chart can be pulled into another program, too"));
    menuButton->setAccessibleName(PlotChart::tr("Copy or export the chart"));
    menuButton->setProperty("outlined", true);
    menuButton->setMenu(menu);
    menuButton->setPopupMode(QToolButton::InstantPopup);
}

/// Nothing sounds unless it is asked for here, and only lines do.
void PlotChart::Private::addSound()
{
    menu->addSeparator();
    QAction* play = menu->addAction(PlotChart::tr("&Play the lines as tones"), q, [this] { this->play(); });
    play->setObjectName(QStringLiteral("playSound"));
    play->setToolTip(PlotChart::tr("From left to right, higher is more"));
    const QString name = PlotChart::tr("Sound");
    QAction* save = menu->addAction(PlotChart::tr("Export WAV…"), q, [this, name] {
        this->save(QStringLiteral("wav"), QStringLiteral("%1 (*.wav)").arg(name));
    });
    save->setObjectName(QStringLiteral("exportwav"));
    QObject::connect(menu, &QMenu::aboutToShow, q, [this, play, save] {
        const bool lines = plot && !soundLines(*plot).empty();
        play->setEnabled(lines);
        save->setEnabled(lines);
    });
}

void PlotChart::Private::play()
{
    const std::vector<SoundLine> lines = plot ? soundLines(*plot) : std::vector<SoundLine>();
    if (lines.empty())
        return;
    announce(canvas, soundSentence(lines));
    playWav(q, soundWav(lines), [this](const Result<void>& end) {
        if (!end)
            announce(canvas, QString::fromStdString(toText(end.error())));
    });
}

void PlotChart::Private::placeControls()
{
    const QSize wide = toggle->sizeHint();
    const QSize narrow = menuButton->sizeHint();
    menuButton->setGeometry(q->width() - narrow.width() - space::s, space::s, narrow.width(), wide.height());
    toggle->setGeometry(menuButton->x() - space::xs - wide.width(), space::s, wide.width(), wide.height());
    menuButton->raise();
    toggle->raise();
    const int reserved = q->width() - toggle->x() + space::s;
    canvas->setReservedRight(reserved);
    tableTitle->setContentsMargins(0, 0, reserved, 0);
}

void PlotChart::Private::retext()
{
    const PlotText text = plot ? plot->text() : PlotText{};
    const QString title = text.title.isEmpty() ? text.emptyText : text.title;
    const QString summary = q->summary();
    tableTitle->setText(title);
    tableTitle->setFont(theme.font(TextStyle::ChartTitle));
    q->setAccessibleName(PlotChart::tr("Chart: %1").arg(title));
    q->setAccessibleDescription(summary);
    canvas->setAccessibleName(PlotChart::tr("Chart: %1").arg(title));
    canvas->setAccessibleDescription(summary);
    view->setAccessibleName(PlotChart::tr("Numbers of %1").arg(title));
    view->setAccessibleDescription(summary);
}

/// The table is made when somebody looks at it: a live chart changes thirty times a second.
void PlotChart::Private::fillTable()
{
    if (!modelStale)
        return;
    modelStale = false;
    model->setTable(plot ? plot->table() : ChartTable{});
    for (int column = 0; column < model->columnCount(); ++column)
        view->setColumnHidden(column, !model->table().used(static_cast<std::size_t>(column)));
}

/// "Share of the roof over work" as "share-of-the-roof-over-work".
static QString fileNameFor(const QString& title)
{
    QString name;
    for (const QChar c : title.toLower())
        if (c.isLetterOrNumber())
            name += c;
        else if (!name.isEmpty() && !name.endsWith(QLatin1Char('-')))
            name += QLatin1Char('-');
    while (name.endsWith(QLatin1Char('-')))
        name.chop(1);
    return name.isEmpty() ? QStringLiteral("chart") : name;
}

void PlotChart::Private::save(const QString& suffix, const QString& filter)
{
    // Not waited for: while the dialog is open a run may end, and the page with this chart be made anew.
    auto* dialog = new QFileDialog(q, PlotChart::tr("Export the chart"), QString(), filter);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(suffix);
    dialog->selectFile(fileNameFor(canvas->accessibleName().section(QStringLiteral(": "), 1)) + QLatin1Char('.') +
                       suffix);
    QObject::connect(dialog, &QFileDialog::fileSelected, q, [this](const QString& path) {
        const auto written = q->exportTo(path);
        if (written)
            return announce(canvas, PlotChart::tr("Saved %1").arg(path));
        auto* failed = new QMessageBox(QMessageBox::Warning, PlotChart::tr("Export the chart"),
                                       QString::fromStdString(toText(written.error())), QMessageBox::Ok, q);
        failed->setAttribute(Qt::WA_DeleteOnClose);
        failed->open();
    });
    dialog->open();
}

PlotChart::PlotChart(Theme& theme, QWidget* parent) : QWidget(parent), d(std::make_unique<Private>(this, theme))
{
    d->build();
    setFocusProxy(d->canvas);
    setMinimumSize(minimumSizeHint());
    d->retext();
}

PlotChart::~PlotChart() = default;

void PlotChart::setPlot(std::shared_ptr<Plot> plot)
{
    d->plot = plot;
    d->canvas->setPlot(std::move(plot));
    d->modelStale = true;
    if (tableShown())
        d->fillTable();
    d->retext();
}

const std::shared_ptr<Plot>& PlotChart::plot() const
{
    return d->plot;
}

void PlotChart::refresh()
{
    redraw();
    d->modelStale = true;
    if (tableShown())
        d->fillTable();
    d->retext();
}

void PlotChart::redraw()
{
    d->canvas->refresh();
}

ChartCanvas* PlotChart::canvas() const
{
    return d->canvas;
}

QString PlotChart::summary() const
{
    return d->plot ? d->plot->summary() : QString();
}

QAbstractItemModel* PlotChart::table() const
{
    d->fillTable();
    return d->model;
}

Json PlotChart::describe() const
{
    Json json = d->plot ? tableJson(d->plot->table()) : Json::object();
    json["layout"] = d->canvas->describeLayout();
    json["view"] = tableShown() ? "table" : "chart";
    return json;
}

QImage PlotChart::renderImage(QSize size, double scale) const
{
    QImage image;
    if (d->plot) {
        ChartCanvas picture(d->theme);
        picture.setPlot(d->plot);
        image = picture.image(size, scale);
    }
    d->canvas->refresh(); // a plot remembers its last layout, and this one was another canvas'
    return image;
}

void PlotChart::copy() const
{
    if (!d->plot)
        return;
    QApplication::clipboard()->setMimeData(chartMime(d->plot, size()));
    d->canvas->refresh();
    announce(d->canvas, tr("Copied the picture and its numbers."));
}

void PlotChart::drag()
{
    if (!d->plot || d->plot->empty())
        return;
    Drags::ofApplication().start(*this, {std::unique_ptr<QMimeData>(chartDragMime(d->plot, size())),
                                         d->canvas->grab().scaledToWidth(200, Qt::SmoothTransformation),
                                         Qt::CopyAction,
                                         {}});
    d->canvas->refresh(); // as after copying
}

Result<void> PlotChart::exportTo(const QString& path) const
{
    if (!d->plot)
        return Error{"nothing-to-export", "There is no chart yet.", path.toStdString(), "Run the experiment first."};
    auto written = writeChart(d->plot, path, size());
    d->canvas->refresh();
    return written;
}

bool PlotChart::tableShown() const
{
    return d->stack->currentWidget() == d->tablePage;
}

void PlotChart::showTable(bool on)
{
    const bool hadFocus = d->canvas->hasFocus() || d->view->hasFocus();
    if (on)
        d->fillTable();
    d->toggle->setChecked(on);
    d->stack->setCurrentWidget(on ? d->tablePage : static_cast<QWidget*>(d->canvas));
    setFocusProxy(on ? static_cast<QWidget*>(d->view) : d->canvas);
    if (hadFocus)
        setFocus();
}

QSize PlotChart::sizeHint() const
{
    return {680, d->theme.scaled(360)};
}

QSize PlotChart::minimumSizeHint() const
{
    return {320, 220};
}

void PlotChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    d->placeControls();
}

} // namespace ridge::app

#include "moc_plot_chart.cpp"
