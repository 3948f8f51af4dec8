// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/launch_form.h"

#include "app/ui/flow_layout.h"
#include "app/ui/panels.h"
#include "base/json.h"
#include "base/struct_argument.h"
#include "base/tensor_argument.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QIntValidator>
#include <QLabel>
#include <QLineEdit>
#include <QSpinBox>
#include <QVBoxLayout>

namespace ridge::app {
namespace {

using Role_ = KernelArgument::Role;
using Fill = KernelArgument::Fill;

QString q(std::string_view text)
{
    return QString::fromUtf8(text.data(), qsizetype(text.size()));
}

void chooseData(QComboBox* box, int data)
{
    box->setCurrentIndex(std::max(0, box->findData(data)));
}

} // namespace

ArgumentRow::ArgumentRow(Theme& theme, const KernelParameterInfo& parameter, std::size_t number,
                         const std::string& spec, QWidget* parent)
    : QWidget(parent), m_parameter(parameter), m_number(number), m_type(new QComboBox), m_value(new QLineEdit),
      m_wrong(makeText(theme, {}, TextStyle::Caption, QStringLiteral("error")))
{
    const QString name = QString::fromStdString(parameter.name);
    setAccessibleName(tr("Argument %1").arg(name));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, space::xs);
    column->setSpacing(2);
    QLabel* title =
        makeText(theme, name + (parameter.type.empty() ? QString() : QStringLiteral("   ") + q(parameter.type)),
                 TextStyle::Code);
    column->addWidget(title);
    if (isByValue(parameter) || isStructArgument(spec) || isTensorArgument(spec)) {
        for (QWidget* unused : {static_cast<QWidget*>(m_type), static_cast<QWidget*>(m_value)}) {
            unused->setParent(this);
            unused->hide();
        }
        m_fields = new QLineEdit(QString::fromStdString(spec));
        m_fields->setAccessibleName(tr("%1: fields").arg(name));
        m_fields->setToolTip(
            tr("A struct or an array by value, field by field: struct:{in:f32:1000:iota,u64:0,4*u32:1}; "
               "fields lie as in C, %1 bytes in all. A tensor map: tensor:{in:f16:8192:iota,size=128x64,box=64x32}")
                .arg(parameter.bytes));
        column->addWidget(m_fields);
        column->addWidget(m_wrong);
        connect(m_fields, &QLineEdit::textChanged, this, [this] {
            follow();
            Q_EMIT changed();
        });
        follow();
        return;
    }
    // What it is stands in one line, what fills it in the next: together they would break anywhere.
    const auto line = [&](const QString& what) {
        auto* place = new QWidget;
        place->setAccessibleName(what);
        auto* fields = new FlowLayout(place);
        fields->setContentsMargins(0, 0, 0, 0);
        fields->setSpacing(space::xs);
        column->addWidget(place);
        return fields;
    };
    FlowLayout* row = line(tr("Argument %1").arg(name));
    const auto named = [&](QWidget* field, const QString& what, const QString& help) {
        field->setAccessibleName(QStringLiteral("%1: %2").arg(name, what));
        field->setToolTip(help);
        row->addWidget(field);
    };
    const bool buffer = parameter.isPointer || parameter.bytes == 8;
    if (buffer) {
        m_role = new QComboBox;
        if (!parameter.isPointer)
            m_role->addItem(tr("value"), int(Role_::Scalar));
        m_role->addItem(tr("reads"), int(Role_::In));
        m_role->addItem(tr("writes"), int(Role_::Out));
        m_role->addItem(tr("reads, writes"), int(Role_::InOut));
        named(m_role, tr("use"), tr("A buffer that is filled, one that the kernel writes, or both"));
    }
    named(m_value, buffer ? tr("elements or value") : tr("value"),
          buffer ? tr("How many elements the buffer has") : tr("The value; 0x1f is read too"));
    for (std::size_t at = 0; at < kDataTypes; ++at)
        m_type->addItem(q(toText(DataType(at))), int(at));
    named(m_type, tr("type"), tr("The type of a value or of one element"));
    if (buffer) {
        row = line(tr("What fills %1").arg(name));
        m_filling = row->parentWidget();
        QLabel* filled = makeLabel(theme, tr("filled with"), TextStyle::Body, QStringLiteral("muted"));
        filled->setMinimumHeight(theme.scaled(kControlHeight));
        row->addWidget(filled);
        m_fill = new QComboBox;
        m_fill->addItem(tr("random"), int(Fill::Rand));
        m_fill->addItem(tr("zeros"), int(Fill::Zeros));
        m_fill->addItem(tr("ones"), int(Fill::Ones));
        m_fill->addItem(tr("0, 1, 2 …"), int(Fill::Iota));
        m_fill->addItem(tr("file"), int(Fill::File));
        named(m_fill, tr("fill"), tr("What stands in the buffer before the run"));
        m_seed = new QSpinBox;
        m_seed->setRange(0, 999999);
        m_seed->setPrefix(tr("seed "));
        named(m_seed, tr("seed"), tr("Equal seeds give equal numbers on every machine"));
        m_file = new QLineEdit;
        named(m_file, tr("file"), tr("A file with exactly so many elements, little-endian"));
    }
    m_value->setFixedWidth(theme.scaled(84));
    column->addWidget(m_wrong);
    take(spec);
    const auto tell = [this] {
        follow();
        Q_EMIT changed();
    };
    connect(m_value, &QLineEdit::textChanged, this, tell);
    connect(m_type, &QComboBox::currentIndexChanged, this, tell);
    if (buffer) {
        connect(m_role, &QComboBox::currentIndexChanged, this, tell);
        connect(m_fill, &QComboBox::currentIndexChanged, this, tell);
        connect(m_seed, &QSpinBox::valueChanged, this, tell);
        connect(m_file, &QLineEdit::textChanged, this, tell);
    }
    follow();
}

void ArgumentRow::take(const std::string& spec)
{
    const auto argument = parseKernelArgument(spec, m_number);
    if (!argument)
        return;
    chooseData(m_type, int(argument->type));
    if (m_role)
        chooseData(m_role, int(argument->role));
    if (!argument->isBuffer()) {
        m_value->setText(QString::fromStdString(spec.substr(spec.find(':') + 1)));
        return;
    }
    m_value->setText(QString::number(argument->count));
    m_outFile = QString::fromStdString(argument->outFile);
    if (m_fill) {
        chooseData(m_fill, int(argument->fill));
        m_seed->setValue(int(std::min<std::uint64_t>(argument->seed, 999999)));
        m_file->setText(QString::fromStdString(argument->inFile));
    }
}

std::string ArgumentRow::spec() const
{
    if (m_fields)
        return m_fields->text().trimmed().toStdString();
    const std::string type(toText(DataType(m_type->currentData().toInt())));
    const std::string value = m_value->text().trimmed().toStdString();
    const auto role = m_role ? Role_(m_role->currentData().toInt()) : Role_::Scalar;
    if (role == Role_::Scalar)
        return type + ":" + value;
    std::string text = std::string(role == Role_::In    ? "in"
                                   : role == Role_::Out ? "out"
                                                        : "inout") +
                       ":" + type + ":" + value;
    if (role != Role_::Out)
        switch (Fill(m_fill->currentData().toInt())) {
        case Fill::Zeros:
            text += ":zeros";
            break;
        case Fill::Ones:
            text += ":ones";
            break;
        case Fill::Iota:
            text += ":iota";
            break;
        case Fill::Rand:
            text += ":rand(" + std::to_string(m_seed->value()) + ")";
            break;
        case Fill::File:
            text += ":@" + m_file->text().toStdString();
            break;
        }
    return m_outFile.isEmpty() ? text : text + ">" + m_outFile.toStdString();
}

void ArgumentRow::follow()
{
    if (m_role) {
        const auto role = Role_(m_role->currentData().toInt());
        const bool filled = role == Role_::In || role == Role_::InOut;
        m_filling->setVisible(filled);
        m_seed->setVisible(Fill(m_fill->currentData().toInt()) == Fill::Rand);
        m_file->setVisible(Fill(m_fill->currentData().toInt()) == Fill::File);
    }
    const auto read = checkArgumentText(spec(), m_number);
    QString wrong = read ? QString() : asSentence(QString::fromStdString(read.error().message));
    if (read && m_fields && isStructArgument(spec())) {
        const auto fields = parseStructArgument(spec(), m_number);
        if (fields && fields->bytes != m_parameter.bytes)
            wrong = tr("The fields have %1 bytes, the parameter has %2.").arg(fields->bytes).arg(m_parameter.bytes);
    }
    m_wrong->setVisible(!wrong.isEmpty());
    m_wrong->setText(wrong);
}

LaunchForm::LaunchForm(Theme& theme, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_launches(Json::object()), m_picker(new QComboBox),
      m_facts(makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"))), m_grid(new QLineEdit),
      m_block(new QLineEdit), m_cluster(new QLineEdit), m_shared(new QLineEdit),
      m_threads(makeText(theme, {}, TextStyle::Caption, QStringLiteral("hint"))), m_argumentPlace(new QVBoxLayout),
      m_check(new QCheckBox(tr("Detectors of unsafe access"))),
      m_checkGlobal(new QCheckBox(tr("Races between blocks, too"))),
      m_functional(new QCheckBox(tr("Counts only, no clock"))), m_exact(new QCheckBox(tr("Products and sums apart"))),
      m_seconds(new QSpinBox), m_memory(new QSpinBox)
{
    setAccessibleName(tr("Launch"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(space::s);
    const auto heading = [&](const QString& text) {
        column->addSpacing(space::s);
        column->addWidget(makeLabel(theme, text, TextStyle::Strong));
    };
    column->addWidget(makeLabel(theme, tr("Kernel"), TextStyle::Strong));
    m_picker->setAccessibleName(tr("Kernel of the file"));
    m_picker->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    column->addWidget(m_picker);
    column->addWidget(m_facts);
    const auto form = [&] {
        auto* place = new QWidget;
        place->setAccessibleName(tr("Launch"));
        auto* rows = new QFormLayout(place);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setVerticalSpacing(space::xs);
        rows->setHorizontalSpacing(space::s);
        rows->setRowWrapPolicy(QFormLayout::WrapLongRows);
        rows->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
        column->addWidget(place);
        return rows;
    };
    QFormLayout* sizes = form();
    const auto field = [&](QLineEdit* edit, const QString& name, const QString& help) {
        edit->setAccessibleName(name);
        edit->setToolTip(help);
        sizes->addRow(makeLabel(theme, name, TextStyle::Body, QStringLiteral("muted")), edit);
        connect(edit, &QLineEdit::textChanged, this, &LaunchForm::note);
    };
    field(m_grid, tr("Grid"), tr("Blocks of the launch: X, or X,Y,Z"));
    field(m_block, tr("Block"), tr("Threads of a block: X, or X,Y,Z"));
    field(m_shared, tr("Shared memory, bytes"), tr("Dynamic shared memory of a block"));
    field(m_cluster, tr("Cluster"), tr("Blocks of a cluster (compute capability 9.0); empty: none"));
    m_cluster->setPlaceholderText(tr("none"));
    m_shared->setValidator(new QIntValidator(0, 1 << 20, m_shared));
    column->addWidget(m_threads);
    heading(tr("Arguments"));
    column->addLayout(m_argumentPlace);
    heading(tr("How it runs"));
    for (QCheckBox* box : {m_check, m_checkGlobal, m_functional, m_exact}) {
        column->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &LaunchForm::note);
    }
    m_check->setToolTip(
        tr("A further run on fresh buffers watches every access: races, uninitialised reads, reads out of bounds "
           "(simulator only)"));
    m_functional->setToolTip(tr("Executes and counts, and leaves time out: much faster (simulator only)"));
    m_exact->setToolTip(tr("Compiles without fused multiply-add; fmaf() still fuses"));
    QFormLayout* limits = form();
    m_seconds->setRange(1, 3600);
    m_seconds->setSuffix(tr(" s"));
    m_memory->setRange(256, 65536);
    m_memory->setSuffix(tr(" MiB"));
    for (const auto& [box, name, help] :
         {std::tuple(m_seconds, tr("Time limit"), tr("The worker process is ended after it")),
          std::tuple(m_memory, tr("Memory limit"), tr("What the worker process may have on a simulated target"))}) {
        box->setAccessibleName(name);
        box->setToolTip(help);
        limits->addRow(makeLabel(theme, name, TextStyle::Body, QStringLiteral("muted")), box);
        connect(box, &QSpinBox::valueChanged, this, &LaunchForm::note);
    }
    QPushButton* copy = makeButton(tr("Copy as a command"), tr("The same run for a shell: ridge kernel run …"));
    connect(copy, &QPushButton::clicked, this, &LaunchForm::commandWanted);
    column->addWidget(copy, 0, Qt::AlignLeft);
    column->addStretch(1);
    connect(m_picker, &QComboBox::activated, this,
            [this] { choose(m_picker->currentData().toString().toStdString()); });
    fill(LaunchSettings());
    setKernels({});
}

void LaunchForm::setLaunches(const Json& launches, const std::string& chosen)
{
    m_launches = launches;
    m_wanted = chosen;
    m_chosen = launches.contains(chosen) ? chosen : std::string();
    if (launches.contains(m_chosen))
        fill(launchFromJson(launches[m_chosen]));
    setKernels({});
}

Json LaunchForm::launches() const
{
    Json all = *m_launches;
    all[m_chosen] = toJson(launch());
    return all;
}

void LaunchForm::setKernels(std::vector<CompiledKernel> kernels)
{
    m_launches = launches(); // before its rows go
    m_kernels = std::move(kernels);
    m_picker->clear();
    for (const CompiledKernel& kernel : m_kernels) {
        m_picker->addItem(q(kernel.bare), q(kernel.kernel));
        m_picker->setItemData(m_picker->count() - 1, q(kernel.kernel), Qt::ToolTipRole);
    }
    m_picker->setEnabled(!m_kernels.empty());
    if (m_kernels.empty()) {
        m_picker->addItem(tr("known once the file compiles"));
        m_facts->hide();
        return; // the form stays as it was: the next key may make the file whole again
    }
    const std::string wanted = m_chosen.empty() ? m_wanted : m_chosen;
    const auto same = [&](const CompiledKernel& kernel) { return kernel.kernel == wanted; };
    auto found = std::ranges::find_if(m_kernels, same);
    if (found == m_kernels.end()) // its parameters were changed: the name decides
        found = std::ranges::find_if(m_kernels, [&](const CompiledKernel& kernel) {
            return !wanted.empty() && wanted.find(kernel.bare + "(") != std::string::npos;
        });
    choose((found == m_kernels.end() ? m_kernels.front() : *found).kernel);
}

const CompiledKernel* LaunchForm::chosenKernel() const
{
    const auto found = std::ranges::find(m_kernels, m_chosen, &CompiledKernel::kernel);
    return found == m_kernels.end() ? nullptr : &*found;
}

void LaunchForm::choose(const std::string& kernel)
{
    const LaunchSettings before = launch();
    if (m_chosen != kernel)
        m_launches = launches();
    m_chosen = kernel;
    m_picker->setCurrentIndex(std::max(0, m_picker->findData(q(kernel))));
    const CompiledKernel* chosen = chosenKernel();
    if (!chosen)
        return;
    Json launches = *m_launches;
    LaunchSettings settings = before; // a kernel that is new takes over sizes and switches, and its own arguments
    if (launches.contains(kernel)) {
        settings = launchFromJson(launches[kernel]);
    } else if (launches.contains("")) {
        settings = launchFromJson(launches[""]);
        launches.erase("");
        m_launches = launches;
    }
    const std::size_t known = settings.args.size();
    settings.args.resize(chosen->parameters.size());
    for (std::size_t at = 0; at < settings.args.size(); ++at)
        if (at >= known || !checkArgumentText(settings.args[at], at + 1) ||
            (isByValue(chosen->parameters[at]) && !isStructArgument(settings.args[at]) &&
             !isTensorArgument(settings.args[at])))
            settings.args[at] = defaultSpec(chosen->parameters[at], at, threadsOf(settings));
    fill(settings);
    QStringList facts;
    if (chosen->registers)
        facts << tr("%1 registers a thread").arg(*chosen->registers);
    if (chosen->sharedBytes)
        facts << tr("%1 bytes of static shared memory").arg(*chosen->sharedBytes);
    if (chosen->instructions)
        facts << tr("%1 machine instructions").arg(*chosen->instructions);
    m_facts->setText(facts.isEmpty() ? QString() : facts.join(QStringLiteral(", ")) + tr(" (MODELLED)"));
    m_facts->setVisible(!facts.isEmpty());
    Q_EMIT changed();
}

void LaunchForm::setLaunch(const LaunchSettings& launch)
{
    fill(launch);
    note();
}

void LaunchForm::fill(const LaunchSettings& launch)
{
    m_showing = true;
    m_grid->setText(QString::fromStdString(launch.grid));
    m_block->setText(QString::fromStdString(launch.block));
    m_cluster->setText(QString::fromStdString(launch.cluster));
    m_shared->setText(QString::number(launch.sharedBytes));
    m_check->setChecked(launch.check);
    m_checkGlobal->setChecked(launch.checkGlobal);
    m_functional->setChecked(launch.functional);
    m_exact->setChecked(launch.exact);
    m_seconds->setValue(int(launch.seconds));
    m_memory->setValue(int(launch.memoryMiB));
    // Rows that stay as they are keep the focus that may be in them.
    const CompiledKernel* kernel = chosenKernel();
    std::vector<std::string> now;
    for (const ArgumentRow* row : m_rows)
        now.push_back(row->property("parameter").toString().toStdString() + row->spec());
    std::vector<std::string> wanted;
    for (std::size_t at = 0; kernel && at < std::min(kernel->parameters.size(), launch.args.size()); ++at)
        wanted.push_back(kernel->parameters[at].name + kernel->parameters[at].type + launch.args[at]);
    if (now != wanted) {
        for (ArgumentRow* row : m_rows)
            delete row;
        m_rows.clear();
        for (std::size_t at = 0; at < wanted.size(); ++at) {
            const KernelParameterInfo& parameter = kernel->parameters[at];
            auto* row = new ArgumentRow(m_theme, parameter, at + 1, launch.args[at]);
            row->setProperty("parameter", QString::fromStdString(parameter.name + parameter.type));
            connect(row, &ArgumentRow::changed, this, &LaunchForm::note);
            m_argumentPlace->addWidget(row);
            m_rows.push_back(row);
        }
    }
    m_showing = false;
    note();
}

LaunchSettings LaunchForm::launch() const
{
    LaunchSettings launch;
    launch.grid = m_grid->text().trimmed().toStdString();
    launch.block = m_block->text().trimmed().toStdString();
    launch.cluster = m_cluster->text().trimmed().toStdString();
    launch.sharedBytes = m_shared->text().trimmed().toULongLong(nullptr, 0);
    for (const ArgumentRow* row : m_rows)
        launch.args.push_back(row->spec());
    if (!chosenKernel() && m_launches->contains(m_chosen)) // its rows come once the file compiles
        launch.args = launchFromJson((*m_launches)[m_chosen]).args;
    launch.check = m_check->isChecked();
    launch.checkGlobal = m_checkGlobal->isChecked();
    launch.functional = m_functional->isChecked();
    launch.exact = m_exact->isChecked();
    launch.seconds = m_seconds->value();
    launch.memoryMiB = m_memory->value();
    return launch;
}

void LaunchForm::note()
{
    if (m_showing)
        return;
    const LaunchSettings now = launch();
    const auto grid = dimensionsFromText(now.grid, "Grid"), block = dimensionsFromText(now.block, "Block");
    const std::uint64_t threads = threadsOf(now);
    setTone(m_threads, grid && block ? QStringLiteral("hint") : QStringLiteral("error"));
    m_threads->setText(!grid    ? asSentence(QString::fromStdString(grid.error().message))
                       : !block ? asSentence(QString::fromStdString(block.error().message))
                                : tr("%1 threads in all").arg(threads));
    Q_EMIT changed();
}

} // namespace ridge::app

#include "moc_launch_form.cpp"
