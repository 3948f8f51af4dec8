// SPDX-License-Identifier: GPL-3.0-or-later
#include "reader_support.h"

#include <QAbstractButton>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSettings>

namespace ridge::app::test {

namespace fs = std::filesystem;

Bench::Bench(const char* mode)
{
    const fs::path source = qEnvironmentVariable("RIDGE_SOURCE").toStdString();
    fs::copy(source / "tests/app/lesson/reader/fixture", data() / "curriculum", fs::copy_options::recursive);
    fs::create_directory_symlink(source / "kernels", data() / "kernels");
    fs::create_directory_symlink(source / "assets", data() / "assets");
    qputenv("RIDGE_FAKE", mode);
    qputenv("RIDGE_WORKER", (QCoreApplication::applicationDirPath() + QStringLiteral("/reader-worker")).toUtf8());
    QCoreApplication::setOrganizationName(QStringLiteral("ridge-test"));
    QCoreApplication::setApplicationName(QStringLiteral("reader"));
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
    const auto loaded = m_theme.load(QStringLiteral("light"));
    if (!loaded)
        qFatal("%s", toText(loaded.error()).c_str());
    start();
}

Bench::~Bench()
{
    stop();
}

fs::path Bench::lessonFile() const
{
    return data() / "curriculum/2-cuda-programming/01-fixture.md";
}
fs::path Bench::storeFolder() const
{
    return fs::path(m_home.path().toStdString()) / "store";
}

void Bench::start(bool withStore)
{
    stop();
    std::unique_ptr<record::Store> store;
    if (withStore) {
        auto opened = record::Store::open(storeFolder());
        if (!opened)
            qFatal("%s", toText(opened.error()).c_str());
        store = std::move(*opened);
    }
    m_app = std::make_unique<AppContext>(m_theme, m_actions, std::move(store), data());
    if (!withStore)
        m_app->setStoreError({"store-damaged", "Your record is damaged", storeFolder().string(), "Restore the backup"});
}

void Bench::loadCatalogue()
{
    QSignalSpy ready(m_app.get(), &AppContext::catalogueReady);
    QSignalSpy failed(m_app.get(), &AppContext::catalogueFailed);
    m_app->loadCatalogue();
    (void)QTest::qWaitFor([&] { return !ready.isEmpty() || !failed.isEmpty(); }, 10000);
}

LessonPage* Bench::openPage(QSize size)
{
    closePage();
    m_page = std::make_unique<LessonPage>(*m_app, QStringLiteral("2.1"));
    m_page->resize(size);
    m_page->show();
    m_page->activateWindow();
    (void)QTest::qWaitForWindowActive(m_page.get());
    (void)QTest::qWaitFor([&] { return m_page->ready(); }, 10000);
    return m_page.get();
}

void Bench::closePage()
{
    m_page.reset();
}

void Bench::stop()
{
    closePage();
    m_app.reset();
}

BlockWidget* Bench::block(const char* id)
{
    auto* found = qobject_cast<BlockWidget*>(m_page->blockWidget(QString::fromLatin1(id)));
    if (!found)
        qFatal("no block %s", id);
    return found;
}

bool Bench::click(QWidget* button)
{
    if (!button || !button->isVisible() || !button->isEnabled())
        return false;
    QTest::mouseClick(button, Qt::LeftButton);
    return true;
}

void Bench::type(QWidget* field, const QString& text)
{
    field->setFocus();
    QTest::keyClick(field, Qt::Key_A, Qt::ControlModifier);
    QTest::keyClicks(field, text);
}

bool Bench::waitForIdle()
{
    return QTest::qWaitFor([&] { return m_page->runningJobs() == 0; }, 10000);
}

bool Bench::commitAndRun()
{
    auto* factor = part("guess", "factor");
    return click("guess", "runButton") && QTest::qWaitFor([&] { return factor->isVisible(); }, 10000) && waitForIdle();
}

bool Bench::runSweep()
{
    if (!click("curve", "runButton"))
        return false;
    return QTest::qWaitFor(
               [&] {
                   const auto rows = store().runs({.lesson = "2.1", .block = "curve"});
                   return rows && rows->size() >= 6;
               },
               10000) &&
           waitForIdle();
}

QString Bench::status(const char* blockId)
{
    return part<QLabel>(blockId, "runStatus")->text();
}

void Bench::shoot(const QString& name)
{
    const QString folder = qEnvironmentVariable("RIDGE_SHOTS");
    if (!folder.isEmpty())
        m_page->grab().save(folder + QLatin1Char('/') + name + QStringLiteral(".png"));
}

} // namespace ridge::app::test
