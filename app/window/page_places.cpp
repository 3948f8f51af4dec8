// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/window/page_places.h"

#include "app/chips/catalogue_page.h"
#include "app/chips/parity_page.h"
#include "app/class/assignments/assignment_page.h"
#include "app/class/teaching/class_page.h"
#include "app/explorer/explorer_page.h"
#include "app/explorer/stack_page.h"
#include "app/kernels/kernel_page.h"
#include "app/lesson/insight/insight_page.h"
#include "app/lesson/insight/review_page.h"
#include "app/lesson/placement/placement_page.h"
#include "app/portfolio/assemble_page.h"
#include "app/portfolio/portfolio_page.h"
#include "app/runs/compare/compare_page.h"
#include "app/runs/lab/lab_page.h"
#include "app/runs/table/runs_page.h"
#include "app/window/command_line.h"
#include "app/window/gallery/gallery_page.h"
#include "app/window/help/doctor_page.h"
#include "app/window/home/home_page.h"
#include "app/window/learn/learn_page.h"
#include "app/window/mydata/my_data_page.h"
#include "app/window/paths/paths_page.h"

namespace ridge::app {

QString destinationOf(const QString& place)
{
    const QString name = place.section(QLatin1Char('/'), 0, 0);
    if (name == QLatin1String("lesson") || name == QLatin1String("module"))
        return QStringLiteral("learn");
    if (name == QLatin1String("artifact") || name == QLatin1String("journal"))
        return QStringLiteral("portfolio");
    return name;
}

QString railOf(const QString& destination)
{
    if (destination == QLatin1String("compare"))
        return QStringLiteral("runs");
    if (destination == QLatin1String("catalogue") || destination == QLatin1String("parity") ||
        destination == QLatin1String("paths") || destination == QLatin1String("explorer") ||
        destination == QLatin1String("stack"))
        return QStringLiteral("learn");
    if (destination == QLatin1String("kernel") || destination == QLatin1String("gallery"))
        return QStringLiteral("lab");
    if (destination == QLatin1String("review") || destination == QLatin1String("insight") ||
        destination == QLatin1String("data") || destination == QLatin1String("placement") ||
        destination == QLatin1String("doctor"))
        return QStringLiteral("home");
    if (destination == QLatin1String("assemble"))
        return QStringLiteral("portfolio");
    if (destination == QLatin1String("assignment"))
        return QStringLiteral("class");
    return destination;
}

Page* makePage(const QString& destination, AppContext& context, QWidget* parent)
{
    if (destination == QLatin1String("assignment"))
        return new AssignmentPage(context, parent);
    if (destination == QLatin1String("home"))
        return new HomePage(context, parent);
    if (destination == QLatin1String("learn"))
        return new LearnPage(context, parent);
    if (destination == QLatin1String("lab"))
        return new LabPage(context, Qt::Horizontal, parent);
    if (destination == QLatin1String("gallery"))
        return new GalleryPage(context, parent);
    if (destination == QLatin1String("kernel"))
        return new KernelPage(context, parent);
    if (destination == QLatin1String("runs"))
        return new RunsPage(context, parent);
    if (destination == QLatin1String("compare"))
        return new ComparePage(context, parent);
    if (destination == QLatin1String("catalogue"))
        return new CataloguePage(context, parent);
    if (destination == QLatin1String("parity"))
        return new ParityPage(context, parent);
    if (destination == QLatin1String("explorer"))
        return new ExplorerPage(context, parent);
    if (destination == QLatin1String("stack"))
        return new StackPage(context, parent);
    if (destination == QLatin1String("portfolio"))
        return new PortfolioPage(context, parent);
    if (destination == QLatin1String("assemble"))
        return new AssemblePage(context, parent);
    if (destination == QLatin1String("review"))
        return new ReviewPage(context, parent);
    if (destination == QLatin1String("insight"))
        return new InsightPage(context, parent);
    if (destination == QLatin1String("placement"))
        return new PlacementPage(context, parent);
    if (destination == QLatin1String("paths"))
        return new PathsPage(context, pageNames().contains(QStringLiteral("explorer/<model>")), parent);
    if (destination == QLatin1String("data"))
        return new MyDataPage(context, parent);
    if (destination == QLatin1String("doctor"))
        return new DoctorPage(context, parent);
    if (destination == QLatin1String("class"))
        return new ClassPage(context, parent);
    return nullptr;
}

} // namespace ridge::app
