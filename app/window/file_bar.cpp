// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/file_bar.h"

#include "app/theme/announce.h"
#include "app/ui/panels.h"

#include <QHBoxLayout>
#include <QProgressBar>

namespace ridge::app {
namespace {

constexpr int kMomentMs = 200;

}

FileBar::FileBar(Theme& theme, FileReader& reader, QWidget* parent)
    : QWidget(parent), m_reader(reader), m_words(makeText(theme, {}, TextStyle::Body)),
      m_stop(makeButton(tr("Cancel"), tr("Gives the file up; nothing of it is stored (Esc)")))
{
    setAccessibleName(tr("File being read"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(space::l, space::xs, space::l, space::xs);
    row->setSpacing(space::m);
    auto* bar = new QProgressBar;
    bar->setRange(0, 0);
    bar->setTextVisible(false);
    bar->setMaximumHeight(theme.scaled(8));
    bar->setAccessibleName(tr("Being read"));
    m_stop->setObjectName(QStringLiteral("file-stop"));
    row->addWidget(m_words, 1);
    row->addWidget(bar, 1);
    row->addWidget(m_stop);
    connect(m_stop, &QPushButton::clicked, &reader, &FileReader::stop);
    m_moment.setSingleShot(true);
    m_moment.setInterval(kMomentMs);
    connect(&m_moment, &QTimer::timeout, this, [this] {
        show();
        announce(this, text());
    });
    connect(&reader, &FileReader::changed, this, &FileBar::follow);
    hide();
}

QString FileBar::text() const
{
    return m_words->text();
}

void FileBar::follow()
{
    const QString name = m_reader.reading();
    if (name.isEmpty()) {
        m_moment.stop();
        hide();
        return;
    }
    m_words->setText(m_reader.canStop() ? tr("Reading %1 …").arg(name) : tr("Storing %1 …").arg(name));
    m_stop->setEnabled(m_reader.canStop());
    if (isHidden() && !m_moment.isActive())
        m_moment.start();
}

} // namespace ridge::app

#include "moc_file_bar.cpp"
