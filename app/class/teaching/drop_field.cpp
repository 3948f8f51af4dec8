// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/drop_field.h"

#include "app/ui/panels.h"

#include <QDropEvent>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QMimeData>
#include <QPainter>
#include <QUrl>
#include <algorithm>

namespace ridge::app {

QStringList droppedPaths(const QMimeData& data)
{
    QStringList paths;
    for (const QUrl& url : data.urls())
        if (url.isLocalFile())
            paths << url.toLocalFile();
    return paths;
}

bool isSubmissionPath(const QString& path)
{
    // Mail programs and browsers add to names: "x.ridgesubmission.zip", "x.ridgesubmission (1)".
    const QFileInfo info(path);
    return info.isDir() || info.fileName().contains(QLatin1String(".ridgesubmission"));
}

bool isTablePath(const QString& path)
{
    const QString suffix = QFileInfo(path).suffix().toLower();
    return QStringList{QStringLiteral("csv"), QStringLiteral("tsv"), QStringLiteral("txt")}.contains(suffix);
}

DropField::DropField(Theme& theme, const QString& name, const QString& words, const QString& button,
                     bool (*takes)(const QString& path), QWidget* parent)
    : QWidget(parent), m_theme(theme), m_words(makeText(theme, words, TextStyle::Body, QStringLiteral("muted"))),
      m_button(makeButton(button, words)), m_takes(takes)
{
    setAccessibleName(name);
    setAcceptDrops(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::l, space::m, space::m, space::m);
    row->setSpacing(space::m);
    row->addWidget(m_words, 1);
    row->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, &DropField::chooseRequested);
    connect(&theme, &Theme::changed, this, [this] { update(); });
}

void DropField::setWords(const QString& words)
{
    m_words->setText(words);
    m_button->setAccessibleDescription(words);
}

void DropField::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(m_theme.color(m_over ? Role::Accent : Role::BorderStrong), m_over ? 2 : 1, Qt::DashLine));
    painter.setBrush(m_over ? QBrush(m_theme.color(Role::Selection)) : Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), kCardRadius, kCardRadius);
}

void DropField::dragEnterEvent(QDragEnterEvent* event)
{
    const QStringList paths = droppedPaths(*event->mimeData());
    if (!isEnabled() || paths.isEmpty() || !std::all_of(paths.begin(), paths.end(), m_takes))
        return;
    m_over = true;
    update();
    event->acceptProposedAction();
}

void DropField::dragLeaveEvent(QDragLeaveEvent*)
{
    m_over = false;
    update();
}

void DropField::dropEvent(QDropEvent* event)
{
    m_over = false;
    update();
    event->acceptProposedAction();
    Q_EMIT dropped(droppedPaths(*event->mimeData()));
}

} // namespace ridge::app

#include "moc_drop_field.cpp"
