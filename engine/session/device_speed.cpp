#include "engine/session/device_speed.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace ondo {

namespace {

constexpr int kGreatestCompiledOrder = 10; // beyond it the radius is a run-time number
constexpr double kShotsMeasured = 8.0;

// On a straight line through two points on logarithmic scales.
double between(const SpeedPoint& a, const SpeedPoint& b, double points)
{
    if (!(a.seconds > 0.0 && b.seconds > 0.0)) {
        return a.seconds + (b.seconds - a.seconds) * (points - a.points) / (b.points - a.points);
    }
    const double share = std::log(points / a.points) / std::log(b.points / a.points);
    return a.seconds * std::pow(b.seconds / a.seconds, share);
}

// The first measured size that is not smaller.
std::vector<SpeedPoint>::const_iterator atOrAbove(const std::vector<SpeedPoint>& at, double points)
{
    return std::lower_bound(at.begin(), at.end(), points,
                            [](const SpeedPoint& p, double wanted) { return p.points < wanted; });
}

// A quantity measured for several orders at the size in question; in between and beyond on a straight line in the order.
template<class Curve>
double overOrders(const std::vector<SpeedCurve>& curves, int order, const Curve& value)
{
    if (curves.empty()) {
        return 0.0;
    }
    if (curves.size() == 1) {
        return value(curves.front());
    }
    auto above = std::find_if(curves.begin(), curves.end(), [order](const SpeedCurve& c) { return c.order >= order; });
    above = above == curves.end() ? std::prev(above) : above == curves.begin() ? std::next(above) : above;
    const auto below = std::prev(above);
    const double low = value(*below);
    const double high = value(*above);
    if (above->order == order) {
        return high;
    }
    return std::max(0.0, low + (high - low) * (order - below->order) / (above->order - below->order));
}

// Where the curve of an order ends before that of the last order does, it goes on as that one.
double plainSeconds(const std::vector<SpeedCurve>& curves, const SpeedCurve& curve, double points)
{
    const SpeedCurve& longest = curves.back();
    const double end = curve.at.back().points;
    if (points <= end || longest.at.back().points <= end) {
        return curve.seconds(points);
    }
    return curve.at.back().seconds * longest.seconds(points) / longest.seconds(end);
}

// Run-time radius over order 8.
double generalFactor(const std::vector<SpeedPoint>& general, int order)
{
    if (general.empty()) {
        return static_cast<double>(order) / 8.0;
    }
    const SpeedPoint first = general.front();
    const SpeedPoint last = general.back();
    return last.points > first.points
               ? first.seconds + (last.seconds - first.seconds) * (order - first.points) / (last.points - first.points)
               : first.seconds * order / first.points;
}

// A launch of eight shots over one of them; beyond the sizes that were measured as a grid as large as all of them.
double shotsFactor(const SpeedCurve& eight, const SpeedCurve& plain, double points)
{
    return eight.at.empty() || points > eight.at.back().points
               ? plain.seconds(kShotsMeasured * points) / plain.seconds(points)
               : eight.level(points);
}

// Double over single precision; beyond the sizes that were measured at least as a grid twice as large.
double wideFactor(const SpeedCurve& wide, const SpeedCurve& plain, double points)
{
    const double level = wide.level(points);
    return !wide.at.empty() && points <= wide.at.back().points
               ? level
               : std::max(level, plain.seconds(2.0 * points) / plain.seconds(points));
}

// One sample of all receivers.
double receiverSeconds(const std::vector<ReceiverCost>& costs, double points, double nodes)
{
    SpeedCurve curve;
    for (const ReceiverCost& cost : costs) {
        curve.at.push_back({cost.points, cost.sample + cost.node * nodes});
    }
    return curve.level(points);
}

} // namespace

double SpeedCurve::seconds(double points) const
{
    if (at.empty()) {
        return 0.0;
    }
    const auto above = atOrAbove(at, points);
    if (above == at.end()) {
        return at.back().seconds * points / at.back().points;
    }
    if (above == at.begin()) {
        return at.size() < 2 ? above->seconds : std::min(above->seconds, between(at[0], at[1], points));
    }
    return between(*std::prev(above), *above, points);
}

double SpeedCurve::level(double points) const
{
    if (at.empty()) {
        return 0.0;
    }
    const auto above = atOrAbove(at, points);
    return above == at.end()     ? at.back().seconds
           : above == at.begin() ? above->seconds
                                 : between(*std::prev(above), *above, points);
}

double DeviceSpeed::stepSeconds(const LaunchWork& launch) const
{
    const RankSpeed& speed = rank[launch.rank == 3 ? 1 : 0];
    if (speed.empty()) {
        return 0.0;
    }
    const bool general = launch.order > kGreatestCompiledOrder;
    const int order = general ? 8 : launch.order;
    const double points = launch.points / launch.shots;
    const auto levelOf = [&](const SpeedCurve& curve) { return curve.level(points); };
    double plain = overOrders(speed.plain, order,
                              [&](const SpeedCurve& curve) { return plainSeconds(speed.plain, curve, points); });
    double layerNode = overOrders(speed.layered, order, levelOf);
    if (launch.wide) {
        plain *= wideFactor(speed.wide, speed.plain.back(), points);
        layerNode = speed.wideLayered.level(points) * plain / points;
    }
    double layerNodes = 0.0;
    for (int a = 0; a < 3; ++a) {
        layerNodes += speed.slabWeight[a] * launch.slab[a] / launch.shots;
    }
    if (general) {
        plain *= generalFactor(speed.general, launch.order);
        layerNode = generalFactor(speed.generalLayered, launch.order) * plain / points;
    }
    double seconds = plain + layerNode * layerNodes;
    if (launch.shots > 1) {
        const double eight =
            speed.eightShots.empty() ? kShotsMeasured : overOrders(speed.eightShots, order, [&](const SpeedCurve& c) {
                return shotsFactor(c, speed.plain.back(), points);
            });
        seconds *= 1.0 + (eight - 1.0) * (launch.shots - 1.0) / (kShotsMeasured - 1.0);
    }
    if (launch.receiverNodes > 0.0) {
        seconds += receiverSeconds(speed.receivers, points, launch.receiverNodes) / launch.ratio;
    }
    return seconds + speed.sourceNode * launch.sourceNodes;
}

double GradientSpeed::seconds(Part part, const LaunchWork& launch) const
{
    if (at[part].empty()) {
        return 0.0;
    }
    const SpeedCurve curve{launch.rank, 8, at[part]};
    const double eight = part == Shell ? curve.level(launch.points) : curve.seconds(launch.points);
    // On a straight line in the order; a run-time radius goes on along it.
    const double order = 1.0 + (orderFour[part] - 1.0) * (8.0 - launch.order) / 4.0;
    return eight * std::max(order, 0.25) * (launch.wide ? wide[part] : 1.0);
}

double DeviceSpeed::recordSeconds(const LaunchWork& launch, double nodes) const
{
    const RankSpeed& speed = rank[launch.rank == 3 ? 1 : 0];
    return nodes > 0.0 && !speed.receivers.empty()
               ? receiverSeconds(speed.receivers, launch.points / launch.shots, nodes)
               : 0.0;
}

double DeviceSpeed::callSeconds(const PlanWork& work) const
{
    double seconds = call.fixed + (call.modelPoint * work.modelPoints) + (call.readPoint * work.userPoints);
    double most = 0.0;
    for (const LaunchWork& launch : work.launches) {
        most = std::max(most, launch.points);
        seconds += call.launch + call.clearPoint * launch.points + call.waveletSample * launch.waveletSamples +
                   call.receiverNode * launch.receiverNodes + call.traceSample * launch.samples * launch.receivers;
    }
    return seconds + call.fieldPoint * most;
}

double DeviceSpeed::runSeconds(const PlanWork& work) const
{
    double steps = 0.0;
    for (const LaunchWork& launch : work.launches) {
        const double step = stepSeconds(launch);
        if (!(step > 0.0)) {
            return 0.0;
        }
        steps += step * static_cast<double>(launch.steps);
    }
    return steps > 0.0 ? steps + callSeconds(work) : 0.0;
}

} // namespace ondo
