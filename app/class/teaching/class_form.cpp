// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/class/teaching/class_form.h"

#include "app/class/teaching/class_card.h"
#include "app/class/teaching/drop_field.h"
#include "app/class/teaching/feedback_fields.h"
#include "app/class/teaching/lesson_picker.h"
#include "app/ui/fields.h"
#include "app/ui/panels.h"
#include "base/paths.h"

#include <QCheckBox>
#include <QDateTimeEdit>
#include <QFileDialog>
#include <QFrame>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QLocale>
#include <QSettings>
#include <array>

namespace ridge::app {
namespace {

const QString kTeacher = QStringLiteral("class/teacher");
constexpr int kWidth = 1100, kBeside = 860;
/// Notes about a roster that are shown; a file that is no roster would give one a line.
constexpr int kNotes = 4;

QString whenText(const QDateTime& time)
{
    const qint64 days = QDate::currentDate().daysTo(time.date());
    const QString day = QLocale().toString(time.date(), QStringLiteral("dddd, d MMMM yyyy"));
    return days < 0    ? QObject::tr("%1, which is over").arg(day)
           : days == 0 ? QObject::tr("%1, today").arg(day)
           : days == 1 ? QObject::tr("%1, tomorrow").arg(day)
                       : QObject::tr("%1, in %2 days").arg(day).arg(days);
}

} // namespace

ClassForm::ClassForm(AppContext& context, ClassDesk& desk, QWidget* parent)
    : QWidget(parent), m_context(context), m_desk(desk), m_scroll(new ColumnScroll(kWidth, tr("New assignment"))),
      m_banner(new Banner(context.theme()))
{
    setAccessibleName(tr("New assignment"));
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_scroll, 1);
    Theme& theme = context.theme();
    QVBoxLayout* column = m_scroll->column();
    column->addWidget(makeLabel(theme, tr("New assignment"), TextStyle::ReadH1));
    column->addWidget(makeText(
        theme,
        tr("Lessons, kernels to write, a deadline and who is in the class, as one file to give out. Whoever opens "
           "it works offline and hands in one file."),
        TextStyle::Body, QStringLiteral("muted")));
    column->addWidget(m_banner);
    m_halves = new QHBoxLayout;
    m_halves->setSpacing(space::l);
    auto* left = new QVBoxLayout;
    left->setSpacing(space::l);
    left->addWidget(makeWho());
    left->addWidget(makeWhat(), 1);
    auto* right = new QVBoxLayout;
    right->setSpacing(space::l);
    right->addWidget(makeWhen());
    right->addWidget(makeFeedback());
    right->addWidget(makeRoster());
    right->addStretch(1);
    m_halves->addLayout(left, 5);
    m_halves->addLayout(right, 4);
    column->addLayout(m_halves);
    layout->addWidget(makeFoot());
    connect(&theme, &Theme::changed, this, &ClassForm::arrange);
    look();
}

QWidget* ClassForm::makeWho()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Class and assignment"));
    auto* both = new QHBoxLayout;
    both->setSpacing(space::m);
    std::array<QVBoxLayout*, 2> columns{};
    for (QVBoxLayout*& column : columns) {
        column = new QVBoxLayout;
        column->setSpacing(space::s);
        both->addLayout(column, 1);
    }
    m_name = addField(columns[0], theme, QStringLiteral("class-name"), tr("Class"), tr("Spring 2027"));
    m_title = addField(columns[1], theme, QStringLiteral("class-title"), tr("Assignment"), tr("Week 1"));
    card->column()->addLayout(both);
    m_known = makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"));
    card->column()->addWidget(m_known);
    m_teacher = addField(card->column(), theme, QStringLiteral("class-teacher"), tr("Your name, as learners see it"),
                         tr("Left out"));
    m_teacher->setText(QSettings().value(kTeacher).toString());
    for (QLineEdit* field : {m_name, m_title, m_teacher})
        connect(field, &QLineEdit::textChanged, this, &ClassForm::look);
    return card;
}

QWidget* ClassForm::makeWhat()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Lessons"));
    auto* head = new QHBoxLayout;
    head->addWidget(makeLabel(theme, tr("Lessons"), TextStyle::ReadH3));
    head->addStretch(1);
    m_count = makeLabel(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    head->addWidget(m_count);
    card->column()->addLayout(head);
    m_lessons = new LessonPicker(theme, m_context.curriculum());
    const auto fit = [this, &theme] { m_lessons->setMinimumHeight(theme.scaled(28) * 9); };
    fit();
    connect(&theme, &Theme::changed, this, fit);
    card->column()->addWidget(m_lessons, 1);
    connect(m_lessons, &LessonPicker::choiceChanged, this, &ClassForm::look);
    return card;
}

QWidget* ClassForm::makeWhen()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Deadline"));
    m_hasDeadline = new QCheckBox(tr("Deadline"));
    m_hasDeadline->setObjectName(QStringLiteral("class-has-deadline"));
    m_hasDeadline->setFont(theme.font(TextStyle::Strong));
    connect(&theme, &Theme::changed, m_hasDeadline,
            [this] { m_hasDeadline->setFont(m_context.theme().font(TextStyle::Strong)); });
    m_hasDeadline->setAccessibleDescription(tr("Work that is handed in later is taken too and marked late"));
    m_deadline = new QDateTimeEdit(QDateTime(QDate::currentDate().addDays(7), QTime(18, 0)));
    m_deadline->setObjectName(QStringLiteral("class-deadline"));
    m_deadline->setAccessibleName(tr("Deadline, this computer's time"));
    m_deadline->setDisplayFormat(QStringLiteral("yyyy-MM-dd  HH:mm"));
    m_when = makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"));
    auto* row = new QHBoxLayout;
    row->addWidget(m_hasDeadline);
    row->addStretch(1);
    row->addWidget(m_deadline);
    card->column()->addLayout(row);
    card->column()->addWidget(m_when);
    connect(m_hasDeadline, &QCheckBox::toggled, this, &ClassForm::look);
    connect(m_deadline, &QDateTimeEdit::dateTimeChanged, this, &ClassForm::look);
    return card;
}

QWidget* ClassForm::makeFeedback()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("What learners are shown, and when"));
    card->column()->addWidget(makeText(theme, tr("What learners are shown, and when"), TextStyle::Strong));
    m_feedback = new FeedbackFields(theme);
    card->column()->addWidget(m_feedback);
    return card;
}

QWidget* ClassForm::makeRoster()
{
    Theme& theme = m_context.theme();
    auto* card = new Card(tr("Roster"));
    card->column()->addWidget(makeText(theme, tr("Who is in the class"), TextStyle::Strong));
    m_roster = new DropField(theme, tr("Roster"), {}, tr("Choose…"), isTablePath);
    m_roster->button()->setObjectName(QStringLiteral("class-roster"));
    m_roster->button()->setAccessibleName(tr("Choose a roster"));
    card->column()->addWidget(m_roster);
    m_rosterNotes = makeText(theme, {}, TextStyle::Caption, QStringLiteral("warn"));
    m_rosterNotes->hide();
    card->column()->addWidget(m_rosterNotes);
    card->column()->addWidget(
        makeText(theme,
                 tr("A table with names (CSV, as Moodle and Canvas export it). It stays with you: "
                    "the file you give out has no names in it."),
                 TextStyle::Caption, QStringLiteral("hint")));
    connect(m_roster, &DropField::dropped, this, &ClassForm::takeRoster);
    connect(m_roster, &DropField::chooseRequested, this, &ClassForm::chooseRoster);
    return card;
}

QWidget* ClassForm::makeFoot()
{
    Theme& theme = m_context.theme();
    auto* foot = new QWidget;
    foot->setAccessibleName(tr("Export"));
    auto* column = new QVBoxLayout(foot);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* line = new QFrame;
    line->setFrameShape(QFrame::NoFrame);
    line->setFixedHeight(1);
    line->setAccessibleName(tr("Line"));
    line->setAutoFillBackground(true);
    const auto dress = [line, &theme] {
        QPalette palette = line->palette();
        palette.setColor(QPalette::Window, theme.color(Role::Border));
        line->setPalette(palette);
    };
    dress();
    connect(&theme, &Theme::changed, line, dress);
    column->addWidget(line);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(space::xl, space::m, space::xl, space::m);
    row->setSpacing(space::s);
    auto* words = new QVBoxLayout;
    words->setSpacing(0);
    m_summary = makeText(theme, {}, TextStyle::Strong);
    m_missing = makeText(theme, {}, TextStyle::Body, QStringLiteral("muted"));
    words->addWidget(m_summary);
    words->addWidget(m_missing);
    row->addLayout(words, 1);
    QPushButton* cancel = makeButton(tr("Cancel"), tr("Back to Class; nothing is made"));
    cancel->setObjectName(QStringLiteral("class-cancel"));
    connect(cancel, &QPushButton::clicked, this, [this] { Q_EMIT m_context.openRequested(QStringLiteral("class")); });
    m_export = makeButton(tr("Export…"), tr("Makes the assignment and writes the file that you give out"), true);
    m_export->setObjectName(QStringLiteral("class-export"));
    connect(m_export, &QPushButton::clicked, this, &ClassForm::chooseFile);
    row->addWidget(cancel);
    row->addWidget(m_export);
    column->addLayout(row);
    return foot;
}

void ClassForm::startFor(const QString& classTitle)
{
    m_name->setText(classTitle);
    m_title->clear();
    m_lessons->untickAll();
    m_people = {};
    m_rosterNotes->hide();
    m_banner->hide();
    look();
}

void ClassForm::look()
{
    const int chosen = static_cast<int>(m_lessons->chosen().size());
    const QString name = m_name->text().trimmed();
    const std::string slug = classroom::slugOf(name.toStdString());
    const bool there = !slug.empty() && classroom::classExists(homeFolder(), slug);
    m_known->setText(there ? tr("You teach this class already: this becomes a further assignment of it.")
                           : tr("A new name makes a new class, with keys of its own."));
    m_count->setText(tr("%1 of %2 ticked").arg(chosen).arg(m_lessons->lessons()));
    m_deadline->setEnabled(m_hasDeadline->isChecked());
    m_feedback->setDeadline(m_hasDeadline->isChecked());
    m_when->setText(
        m_hasDeadline->isChecked()
            ? tr("%1. What comes later is taken too, and marked late.").arg(whenText(m_deadline->dateTime()))
            : tr("Without one nothing is late."));
    m_roster->setWords(m_people.people > 0 ? (m_people.people == 1 ? tr("1 person from %1")
                                                                   : tr("%1 people from %2").arg(m_people.people))
                                                 .arg(QString::fromStdString(m_people.place))
                                           : tr("Drop a roster here"));
    const int kernels = m_lessons->kernels(), lessons = chosen - kernels;
    QStringList parts;
    if (lessons > 0)
        parts << (lessons == 1 ? tr("1 lesson") : tr("%1 lessons").arg(lessons))
              << tr("about %1 minutes").arg(m_lessons->minutes());
    if (kernels > 0)
        parts << (kernels == 1 ? tr("1 kernel to write") : tr("%1 kernels to write").arg(kernels));
    if (m_hasDeadline->isChecked())
        parts << deadlineText(m_deadline->dateTime().toUTC().toString(Qt::ISODateWithMs).toStdString());
    if (m_people.people > 0)
        parts << tr("%1 people").arg(m_people.people);
    m_summary->setText(parts.join(QStringLiteral(" · ")));
    m_summary->setVisible(chosen > 0);
    const QString missing = name.isEmpty() ? tr("Name the class.")
                            : slug.empty() ? tr("The name of the class needs a letter or a digit.")
                            : chosen == 0  ? tr("Tick at least one lesson or kernel.")
                            : m_making     ? tr("Being made …")
                                           : tr("Export asks where %1 goes.").arg(fileName());
    m_missing->setText(missing);
    m_export->setEnabled(!slug.empty() && chosen > 0 && !m_making);
}

classroom::NewAssignment ClassForm::wanted() const
{
    classroom::NewAssignment wanted;
    wanted.name = m_name->text().trimmed().toStdString();
    wanted.title = m_title->text().trimmed().toStdString();
    wanted.lessons = m_lessons->chosen();
    if (m_hasDeadline->isChecked())
        wanted.deadline = m_deadline->dateTime().toUTC().toString(Qt::ISODate).toStdString();
    wanted.teacher = m_teacher->text().trimmed().toStdString();
    wanted.feedback = m_feedback->policy();
    wanted.roster = m_people.text;
    wanted.rosterPlace = m_people.place;
    return wanted;
}

QString ClassForm::fileName() const
{
    const QString title = m_title->text().trimmed().isEmpty() ? m_name->text() : m_title->text();
    const std::string slug = classroom::slugOf(title.toStdString());
    return QString::fromStdString(slug.empty() ? "assignment" : slug) + QStringLiteral(".ridgeclass");
}

void ClassForm::chooseFile()
{
    auto* dialog = new QFileDialog(this, tr("The file for your learners"), {}, tr("Assignments (*.ridgeclass)"));
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("ridgeclass"));
    dialog->selectFile(fileName());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, this, &ClassForm::exportTo);
    dialog->open();
}

void ClassForm::exportTo(const QString& path)
{
    m_banner->hide();
    m_making = true;
    QSettings().setValue(kTeacher, m_teacher->text().trimmed());
    look();
    m_desk
        .run<classroom::MadeAssignment>(tr("Making the assignment …"),
                                        [wanted = wanted(), out = path.toStdString()](
                                            ClassBench& bench, const JobHooks&) { return bench.make(wanted, out); })
        .then(this, [this, path](const Result<classroom::MadeAssignment>& result) {
            m_making = false;
            look();
            if (!result) {
                m_banner->setError(result.error());
                m_banner->show();
                m_scroll->ensureWidgetVisible(m_banner);
                return;
            }
            Q_EMIT made(QString::fromStdString(result->place.slug), QString::fromStdString(result->assignment.id),
                        path);
        });
}

void ClassForm::chooseRoster()
{
    auto* dialog = new QFileDialog(this, tr("A roster"), {}, tr("Tables (*.csv *.tsv *.txt)"));
    dialog->setFileMode(QFileDialog::ExistingFile);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::filesSelected, this, &ClassForm::takeRoster);
    dialog->open();
}

void ClassForm::takeRoster(const QStringList& paths)
{
    m_banner->hide();
    m_desk
        .run<RosterText>({}, [file = paths.value(0).toStdString()](ClassBench& bench,
                                                                   const JobHooks&) { return bench.readRoster(file); })
        .then(this, [this](const Result<RosterText>& roster) {
            if (!roster) {
                m_banner->setError(roster.error());
                m_banner->show();
                m_scroll->ensureWidgetVisible(m_banner);
                return;
            }
            m_people = *roster;
            QStringList notes;
            for (const std::string& note : roster->notes)
                if (notes.size() < kNotes)
                    notes << QString::fromStdString(note);
            if (const auto more = int(roster->notes.size()) - kNotes; more > 0)
                notes << tr("and %1 more").arg(more);
            m_rosterNotes->setText(notes.join(QLatin1Char('\n')));
            m_rosterNotes->setVisible(!notes.isEmpty());
            look();
        });
}

QList<QWidget*> ClassForm::panes() const
{
    return {m_name, m_lessons, m_export};
}

void ClassForm::arrange()
{
    const bool beside = width() >= m_context.theme().scaled(kBeside);
    m_halves->setDirection(beside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

void ClassForm::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    arrange();
}

} // namespace ridge::app

#include "moc_class_form.cpp"
