// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/charts/sweep_chart.h"

#include "app/charts/chart_canvas.h"
#include "app/charts/chart_table_model.h"
#include "app/charts/chart_text.h"
#include "app/theme/announce.h"

#include <QSaveFile>

namespace ridge::app {

struct SweepChart::Private {
    SweepChart* q;
    Theme& theme;
    SweepChartData data;
    ChartCanvas* canvas = nullptr;
    QWidget* tablePage = nullptr;
    QLabel* tableTitle = nullptr;
    QTableView* view = nullptr;
    ChartTableModel* model = nullptr;
    QStackedWidget* stack = nullptr;
    QToolButton* toggle = nullptr;
    QToolButton* menuButton = nullptr;
    QMenu* menu = nullptr;

    Private(SweepChart* owner, Theme& t) : q(owner), theme(t) {}
    void build();
    void buildTable();
    void buildMenu();
    void placeControls();
    void retext();
    QImage exportImage(QSize size, double scale) const;
    void copyCsv() const { QApplication::clipboard()->setText(chartCsv(data)); }
    void copyPicture() const { QApplication::clipboard()->setImage(exportImage(q->size(), 2)); }
    void save(const QString& title, const QString& filter, const QString& suffix,
              const std::function<bool(QIODevice&)>& write);
};

void SweepChart::Private::build()
{
    canvas = new ChartCanvas(theme);
    stack = new QStackedWidget;
    stack->addWidget(canvas);
    buildTable();
    auto* layout = new QVBoxLayout(q);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(stack);

    toggle = new QToolButton(q);
    toggle->setText(SweepChart::tr("Table"));
    toggle->setCheckable(true);
    toggle->setProperty("outlined", true);
    toggle->setToolTip(SweepChart::tr("Show the numbers behind the chart"));
    toggle->setAccessibleName(SweepChart::tr("Show as table"));
    QObject::connect(toggle, &QToolButton::toggled, q, &SweepChart::showTable);
    buildMenu();
    QObject::connect(canvas, &ChartCanvas::pointSelected, q, &SweepChart::pointSelected);
    QObject::connect(canvas, &ChartCanvas::announced, q, [this](const QString& text) { announce(canvas, text); });
    QObject::connect(&theme, &Theme::changed, q, [this] {
        placeControls();
        canvas->restyle();
        retext();
    });
}

void SweepChart::Private::buildTable()
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

void SweepChart::Private::buildMenu()
{
    menu = new QMenu(q);
    menu->setAccessibleName(SweepChart::tr("Chart"));
    menu->addAction(SweepChart::tr("&Copy numbers as CSV"), QKeySequence::Copy, q, [this] { copyCsv(); });
    menu->addAction(SweepChart::tr("Copy &picture"), q, [this] { copyPicture(); });
    menu->addSeparator();
    menu->addAction(SweepChart::tr("Export C&SV…"), q, [this] {
        save(SweepChart::tr("Export numbers"), SweepChart::tr("Comma-separated values (*.csv)"), QStringLiteral("csv"),
             [this](QIODevice& file) { return file.write(chartCsv(data).toUtf8()) >= 0; });
    });
    QAction* png = menu->addAction(SweepChart::tr("&Export PNG…"), QKeySequence(Qt::CTRL | Qt::Key_E), q, [this] {
        save(SweepChart::tr("Export picture"), SweepChart::tr("Portable network graphics (*.png)"),
             QStringLiteral("png"), [this](QIODevice& file) { return exportImage(q->size(), 2).save(&file, "PNG"); });
    });
    png->setObjectName(QStringLiteral("exportPng"));
    for (QAction* action : menu->actions()) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        q->addAction(action);
    }
    q->setContextMenuPolicy(Qt::CustomContextMenu);
    QObject::connect(q, &QWidget::customContextMenuRequested, q,
                     [this](QPoint at) { menu->popup(q->mapToGlobal(at)); });
    menuButton = new QToolButton(q);
    menuButton->setText(QStringLiteral("⋯"));
    menuButton->setToolTip(SweepChart::tr("Copy or export"));
    menuButton->setAccessibleName(SweepChart::tr("Copy or export the chart"));
    menuButton->setProperty("outlined", true);
    menuButton->setMenu(menu);
    menuButton->setPopupMode(QToolButton::InstantPopup);
}

void SweepChart::Private::placeControls()
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

void SweepChart::Private::retext()
{
    const QString title = data.title.isEmpty() ? chartEmptyText(data) : data.title;
    tableTitle->setText(title);
    tableTitle->setFont(theme.font(TextStyle::ChartTitle));
    const QString summary = chartSummary(data);
    q->setAccessibleName(SweepChart::tr("Chart: %1").arg(title));
    q->setAccessibleDescription(summary);
    canvas->setAccessibleName(SweepChart::tr("Chart: %1").arg(title));
    canvas->setAccessibleDescription(summary);
    view->setAccessibleName(SweepChart::tr("Numbers of %1").arg(title));
    view->setAccessibleDescription(summary);
}

QImage SweepChart::Private::exportImage(QSize size, double scale) const
{
    // Pictures leave the program on white, whatever the screen shows.
    Theme light(nullptr, Theme::Scope::Detached);
    const bool loaded = light.load(QStringLiteral("light")).ok();
    ChartCanvas picture(loaded ? light : theme);
    picture.setData(data);
    return picture.image(size.expandedTo(QSize(480, 300)), scale);
}

void SweepChart::Private::save(const QString& title, const QString& filter, const QString& suffix,
                               const std::function<bool(QIODevice&)>& write)
{
    QFileDialog dialog(q, title, QString(), filter);
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setDefaultSuffix(suffix);
    if (dialog.exec() != QDialog::Accepted || dialog.selectedFiles().isEmpty())
        return;
    const QString path = dialog.selectedFiles().constFirst();
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && write(file) && file.commit())
        return announce(canvas, SweepChart::tr("Saved %1").arg(path));
    QMessageBox::warning(
        q, title, SweepChart::tr("%1 could not be written: %2. Choose another folder.").arg(path, file.errorString()));
}

SweepChart::SweepChart(Theme& theme, QWidget* parent) : QWidget(parent), d(std::make_unique<Private>(this, theme))
{
    d->build();
    setFocusProxy(d->canvas);
    setMinimumSize(minimumSizeHint());
    d->retext();
}

SweepChart::~SweepChart() = default;

void SweepChart::setData(SweepChartData data)
{
    d->data = std::move(data);
    d->canvas->setData(d->data);
    d->model->setChart(d->data);
    for (int column = 0; column < ChartTableModel::ColumnCount; ++column)
        d->view->setColumnHidden(column, !d->model->columnUsed(column));
    d->retext();
}

const SweepChartData& SweepChart::data() const
{
    return d->data;
}

void SweepChart::setSelectedX(std::optional<double> x)
{
    d->canvas->setSelectedX(x);
}

QString SweepChart::summary() const
{
    return chartSummary(d->data);
}

QAbstractItemModel* SweepChart::table() const
{
    return d->model;
}

Json SweepChart::describe() const
{
    Json json = chartJson(d->data);
    json["layout"] = d->canvas->describeLayout();
    json["view"] = tableShown() ? "table" : "chart";
    return json;
}

QImage SweepChart::renderImage(QSize size, double scale) const
{
    ChartCanvas picture(d->theme);
    picture.setData(d->data);
    return picture.image(size, scale);
}

QString SweepChart::toCsv() const
{
    return chartCsv(d->data);
}

bool SweepChart::tableShown() const
{
    return d->stack->currentWidget() == d->tablePage;
}

void SweepChart::showTable(bool on)
{
    const bool hadFocus = d->canvas->hasFocus() || d->view->hasFocus();
    d->toggle->setChecked(on);
    d->stack->setCurrentWidget(on ? d->tablePage : static_cast<QWidget*>(d->canvas));
    setFocusProxy(on ? static_cast<QWidget*>(d->view) : d->canvas);
    if (hadFocus)
        setFocus();
}

QSize SweepChart::sizeHint() const
{
    return {680, d->theme.scaled(360)};
}

QSize SweepChart::minimumSizeHint() const
{
    return {320, 220};
}

void SweepChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    d->placeControls();
}

} // namespace ridge::app
