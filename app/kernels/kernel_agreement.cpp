// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/kernels/kernel_agreement.h"

#include <QCoreApplication>
#include <QStringList>
#include <map>

namespace ridge::app {
namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("KernelAgreement", text);
}

struct Side {
    int cases = 0, right = 0;
    QStringList wrongAt; ///< sizes
};

QString sizes(const GradeCase& each)
{
    QStringList parts;
    for (const auto& [name, value] : each.sizes)
        parts << QStringLiteral("%1 = %2").arg(QString::fromStdString(name), QString::fromStdString(toText(value)));
    return parts.join(QStringLiteral(", "));
}

Side sideOf(const GradeFacts& facts)
{
    std::map<std::size_t, bool> right;
    for (const LaunchFacts& launch : facts.launches) {
        const auto [at, fresh] = right.try_emplace(launch.at, launch.right());
        if (!fresh)
            at->second = at->second && launch.right();
    }
    Side side;
    for (const auto& [at, good] : right) {
        ++side.cases;
        side.right += good ? 1 : 0;
        if (!good && at < facts.cases.size())
            side.wrongAt << sizes(facts.cases[at]);
    }
    return side;
}

bool simulated(const GradeFacts& facts)
{
    return facts.provenance == Provenance::Simulated;
}

QString nameOf(const GradeFacts& facts)
{
    return (simulated(facts) ? tr("simulator (%1)") : tr("GPU (%1)")).arg(QString::fromStdString(facts.target));
}

QString sentenceOf(const GradeFacts& facts, const Side& side)
{
    const QString name = nameOf(facts);
    if (side.right == side.cases)
        return side.cases == 1 ? tr("The %1 and the CPU’s reference agree at the size that ran.").arg(name)
                               : tr("The %1 and the CPU’s reference agree at all %2 sizes.").arg(name).arg(side.cases);
    return tr("The %1 and the CPU’s reference disagree at %2 of %3 sizes: %4.")
        .arg(name)
        .arg(side.cases - side.right)
        .arg(side.cases)
        .arg(side.wrongAt.join(QStringLiteral("; ")));
}

} // namespace

std::optional<KernelAgreement> agreementOf(const GradedKernel& graded, const GradedKernel* other, const QString& noGpu)
{
    const Side here = sideOf(graded.facts);
    if (here.cases == 0)
        return std::nullopt;
    KernelAgreement agreement;
    agreement.sentence = sentenceOf(graded.facts, here);
    bool agree = here.right == here.cases;
    if (!agree)
        agreement.state = KernelAgreement::State::Disagree;
    const Side there = other ? sideOf(other->facts) : Side();
    if (there.cases > 0) {
        const bool same = there.right == there.cases;
        agreement.sentence += QLatin1Char(' ') + sentenceOf(other->facts, there) + QLatin1Char(' ') +
                              (agree && same   ? tr("So simulator and GPU agree on this text.")
                               : agree == same ? tr("Neither is right, so this does not tell whether they agree.")
                                               : tr("So simulator and GPU disagree on this text: one of them is right "
                                                    "where the other is not."));
        if (!same)
            agreement.state = KernelAgreement::State::Disagree;
    } else if (simulated(graded.facts)) {
        agreement.sentence +=
            QLatin1Char(' ') +
            (noGpu.isEmpty()
                 ? tr("This text was not graded on the GPU yet: choose gpu:0 above to see whether it agrees.")
                 : tr("Whether a GPU agrees cannot be told here: %1").arg(noGpu));
    } else {
        agreement.sentence +=
            QLatin1Char(' ') +
            tr("This text was not graded on a simulated chip yet: choose one above to see whether it agrees.");
    }
    return agreement;
}

} // namespace ridge::app
