// The nodes of a tile in its layers, backwards (resident.h): second memories first, then, each after a barrier, first ones and
// the nodes. The arithmetic of kernels/equations/scalar_adjoint.h, four columns at a time.
#pragma once

#include "kernels/cuda/resident_layers.cuh"

namespace ondo::kernels::cuda {

template<int M>
class ResidentBack : public ResidentLayers<M, ResidentWay::Back> {
    using Base = ResidentLayers<M, ResidentWay::Back>;

protected:
    using Base::endPlainColumn;
    using Base::endPlainRow;
    using Base::firstPlainColumn;
    using Base::firstPlainRow;
    using Base::inverse;
    using Base::kA;
    using Base::kAHalf;
    using Base::kB;
    using Base::kBHalf;
    using Base::kPad;
    using Base::kThreads;
    using Base::m_b;
    using Base::m_depth;
    using Base::m_h;
    using Base::m_inverseWidth;
    using Base::m_pitch;
    using Base::m_thread;
    using Base::m_w;
    using Base::model;
    using Base::modelPitch;
    using Base::partX;
    using Base::partZ;
    using Base::place;
    using Base::put;
    using Base::quotient;
    using Base::read;
    using Base::write;
    using typename Base::Four;
    using typename Base::Part;
    using typename Base::Row;

public:
    using Base::Base;

protected:
    // What does not change from step to step: all goes by fours here.
    __device__ void planLayers(bool /*units*/)
    {
        m_inverseWidth = inverse((m_w + 3) / 4);
        m_inverseBeside = inverse(unitsBeside());
    }

    // e <- a e + b q.
    __device__ void stepSecondMemories(const float* now) const
    {
        const int units = (m_w + 3) / 4;
#pragma unroll 1
        for (int i = m_thread; i < (m_depth[0] + m_depth[1]) * units; i += kThreads) {
            const int n = quotient(i, m_inverseWidth);
            const int row = n < m_depth[0] ? n : endPlainRow() + n - m_depth[0];
            const int column = 4 * (i - n * units);
            const Part part = partZ(row, column);
            const Four q = read(now + place(row, column));
            const float a = part.profile[kA * part.profiles];
            const float b = part.profile[kB * part.profiles];
            Four e = read(part.psi + part.zeta);
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                e.of[lane] = nextMemory(a, e.of[lane], b, q.of[lane]);
            }
            write(part.psi + part.zeta, e);
        }
        besideEach([&](int row, int column) {
            const Part part = partX(row, column);
            const Four q = read(now + place(row, column));
            const Four a = read(part.profile + kA * part.profiles);
            const Four b = read(part.profile + kB * part.profiles);
            Four e = read(part.psi + part.zeta);
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                e.of[lane] = nextMemory(a.of[lane], e.of[lane], b.of[lane], q.of[lane]);
            }
            write(part.psi + part.zeta, e);
        });
    }

    // u <- aH u + bH D+ (q + e).
    __device__ void stepFirstMemories(const float* now) const
    {
        const int units = (m_w + 3) / 4;
        const int above = (m_depth[0] + 1) / 2;
        const int below = (m_depth[1] + 1) / 2;
#pragma unroll 1
        for (int i = m_thread; i < (above + below) * units; i += kThreads) {
            const int group = quotient(i, m_inverseWidth);
            const int row = group < above ? 2 * group : endPlainRow() + 2 * (group - above);
            const bool two = row + 1 < (group < above ? m_depth[0] : m_h);
            const int column = 4 * (i - group * units);
            const Part part = partZ(row, column);
            const float* const p = now + place(row, column);
            const float* const e = part.psi + part.zeta;
            Four v[2 * M + 1];
#pragma unroll
            for (int k = 0; k < 2 * M; ++k) {
                v[k] = sum(p + (k - M + 1) * m_pitch, e + (k - M + 1) * part.pitch);
            }
            const int last = two ? M + 1 : M;
            v[2 * M] = sum(p + last * m_pitch, e + last * part.pitch);
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                if (r == 0 || two) {
                    float* const at = part.psi + r * part.pitch;
                    Four psi = read(at);
                    const float a = part.profile[kAHalf * part.profiles + r];
                    const float b = part.profile[kBHalf * part.profiles + r];
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        const auto tap = [&v, r, lane](int k) { return v[r + k + M - 1].of[lane]; };
                        psi.of[lane] = nextMemory(a, psi.of[lane], b,
                                                  forwardDerivativeOf<float, M>(tap, m_b.s.axis[kZ].staggered, M));
                    }
                    write(at, psi);
                }
            }
        }
        besideEach([&](int row, int column) {
            const Part part = partX(row, column);
            Row v(now + place(row, column));
            add(v, part.psi + part.zeta);
            const Four a = read(part.profile + kAHalf * part.profiles);
            const Four b = read(part.profile + kBHalf * part.profiles);
            Four psi = read(part.psi);
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const auto tap = [&v, lane](int k) { return v.of[kPad + lane + k]; };
                psi.of[lane] = nextMemory(a.of[lane], psi.of[lane], b.of[lane],
                                          forwardDerivativeOf<float, M>(tap, m_b.s.axis[kX].staggered, M));
            }
            write(part.psi, psi);
        });
    }

    // q(n) of nodes in layers: pairs of rows, the two z layers whole, between them what lies in an x layer.
    __device__ void stepLayers(const float* now, float* other) const
    {
        const int units = (m_w + 3) / 4;
        const int above = (m_depth[0] + 1) / 2;
        const int below = (m_depth[1] + 1) / 2;
        const int outside = (above + below) * units;
        const int low = firstPlainColumn() / 4;
        const int beside = unitsBeside();
        const int inside = (max(endPlainRow() - firstPlainRow(), 0) + 1) / 2 * beside;
#pragma unroll 1
        for (int i = m_thread; i < outside + inside; i += kThreads) {
            int row = 0;
            int end = 0;
            int unit = 0;
            if (i < outside) {
                const int group = quotient(i, m_inverseWidth);
                unit = i - group * units;
                row = group < above ? 2 * group : endPlainRow() + 2 * (group - above);
                end = group < above ? m_depth[0] : m_h;
            } else {
                const int group = quotient(i - outside, m_inverseBeside);
                unit = i - outside - group * beside;
                unit += unit < low ? 0 : units - beside;
                row = firstPlainRow() + 2 * group;
                end = endPlainRow();
            }
            layerUnit(now, other, row, row + 1 < end, 4 * unit);
        }
    }

private:
    __device__ int unitsBeside() const { return firstPlainColumn() / 4 + (m_w + 3) / 4 - (endPlainColumn() + 3) / 4; }
    // Units of all rows in the layers along x: f(row, column).
    template<class F>
    __device__ void besideEach(const F& f) const
    {
        const int units = (m_w + 3) / 4;
        const int low = firstPlainColumn() / 4;
        const int beside = unitsBeside();
#pragma unroll 1
        for (int i = m_thread; i < m_h * beside; i += kThreads) {
            const int row = quotient(i, m_inverseBeside);
            const int unit = i - row * beside;
            f(row, 4 * (unit < low ? unit : units - beside + unit));
        }
    }
    __device__ static Four sum(const float* q, const float* e)
    {
        Four v = read(q);
        const Four more = read(e);
#pragma unroll
        for (int lane = 0; lane < 4; ++lane) {
            v.of[lane] += more.of[lane];
        }
        return v;
    }
    __device__ static void add(Row& row, const float* e)
    {
        const Row more(e);
#pragma unroll
        for (int k = 0; k < 4 + 2 * kPad; ++k) {
            row.of[k] += more.of[k];
        }
    }

    // Four columns of two rows, or of one; all in or all out of a layer along z. What is read for a second row that is not there
    // is the first one's.
    __device__ void layerUnit(const float* now, float* other, int row, bool two, int column) const
    {
        const float* const p = now + place(row, column);
        const bool alongZ = row < firstPlainRow() || row >= endPlainRow();
        const bool alongX = column < firstPlainColumn() || column >= endPlainColumn();
        const int last = two ? M + 1 : M;
        Four centre[2];
        Four w[2];
        {
            Four v[2 * M + 2];
#pragma unroll
            for (int k = 0; k <= 2 * M; ++k) {
                v[k] = read(p + (k - M) * m_pitch);
            }
            v[2 * M + 1] = read(p + last * m_pitch);
            centre[0] = v[M];
            centre[1] = v[M + 1];
            const Part z = partZ(row, column);
            if (alongZ) {
                const float* const e = z.psi + z.zeta;
#pragma unroll
                for (int k = 0; k <= 2 * M + 1; ++k) {
                    const Four more = read(e + (k <= 2 * M ? k - M : last) * z.pitch);
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        v[k].of[lane] += more.of[lane];
                    }
                }
            }
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&v, r, lane](int k) { return v[M + r + k].of[lane]; };
                    w[r].of[lane] = secondDerivativeOf<float, M>(tap, m_b.s.axis[kZ].second, M);
                }
            }
            if (alongZ) {
                Four u[2 * M + 1];
#pragma unroll
                for (int k = 0; k < 2 * M; ++k) {
                    u[k] = read(z.psi + (k - M) * z.pitch);
                }
                u[2 * M] = read(z.psi + (last - 1) * z.pitch);
#pragma unroll
                for (int r = 0; r < 2; ++r) {
#pragma unroll
                    for (int lane = 0; lane < 4; ++lane) {
                        const auto tap = [&u, r, lane](int k) { return u[M + r + k].of[lane]; };
                        w[r].of[lane] =
                            w[r].of[lane] + backwardDerivativeOf<float, M>(tap, m_b.s.axis[kZ].staggered, M);
                    }
                }
            }
        }
        const Part x = partX(row, column);
        float* const q = other + place(row, column);
        const float* const c2 = model() + row * modelPitch() + column;
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            if (r == 1 && !two) {
                break;
            }
            Row across(p + r * m_pitch, centre[r]);
            if (alongX) {
                add(across, x.psi + x.zeta + r * x.pitch);
            }
            Four wx;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const auto tap = [&across, lane](int k) { return across.of[kPad + lane + k]; };
                wx.of[lane] = secondDerivativeOf<float, M>(tap, m_b.s.axis[kX].second, M);
            }
            if (alongX) {
                const Row memory(x.psi + r * x.pitch);
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&memory, lane](int k) { return memory.of[kPad + lane + k]; };
                    wx.of[lane] = wx.of[lane] + backwardDerivativeOf<float, M>(tap, m_b.s.axis[kX].staggered, M);
                }
            }
            const Four before = read(q + r * m_pitch);
            const Four speed = read(c2 + r * modelPitch());
            Four after;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                after.of[lane] = leap(before.of[lane], centre[r].of[lane], speed.of[lane], w[r].of[lane] + wx.of[lane]);
            }
            put(q + r * m_pitch, after, m_w - column);
        }
    }

    unsigned m_inverseBeside = 0;
};

} // namespace ondo::kernels::cuda
