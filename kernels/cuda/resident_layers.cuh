// The nodes of a tile in its layers (resident.h): psi first, and after a barrier the nodes with zeta. The arithmetic of
// kernels/core/cpml.h, node by node.
#pragma once

#include "kernels/cuda/resident_tile.cuh"

namespace ondo::kernels::cuda {

template<int M, ResidentWay W>
class ResidentLayers : public ResidentTile<M, W> {
    using Base = ResidentTile<M, W>;

protected:
    using Base::endPlainColumn;
    using Base::endPlainRow;
    using Base::firstPlainColumn;
    using Base::firstPlainRow;
    using Base::kA;
    using Base::kAHalf;
    using Base::kB;
    using Base::kBHalf;
    using Base::keep;
    using Base::kPad;
    using Base::kThreads;
    using Base::kZetaHalo;
    using Base::m_b;
    using Base::m_depth;
    using Base::m_h;
    using Base::m_pitch;
    using Base::m_psi;
    using Base::m_shared;
    using Base::m_thread;
    using Base::m_w;
    using Base::m_x0;
    using Base::m_z0;
    using Base::model;
    using Base::modelPitch;
    using Base::place;
    using Base::put;
    using Base::read;
    using Base::write;
    using typename Base::Four;
    using typename Base::Row;

public:
    using Base::Base;

protected:
    // Rows of a layer's column that a thread takes together, of a tile with few nodes of layer.
    static constexpr int kRows = 2;

    // n / d of an item, n * d below 2^32; 0 stands for the inverse of one.
    __device__ static unsigned inverse(int d) { return 0xFFFFFFFFU / static_cast<unsigned>(max(d, 1)) + 1U; }
    __device__ static int quotient(int n, unsigned inverse)
    {
        return inverse == 0 ? n : static_cast<int>(__umulhi(static_cast<unsigned>(n), inverse));
    }

    // What does not change from step to step. units: whether items along x are told apart by fours all the same.
    __device__ void planLayers(bool units)
    {
        const int aside = m_w - (endPlainColumn() - firstPlainColumn());
        const int inLayer = m_h * m_w - max(endPlainRow() - firstPlainRow(), 0) * (m_w - aside);
        m_wide = inLayer >= kWideLayer;
        m_inverseWidth = inverse(units || m_wide ? (m_w + 3) / 4 : m_w);
        m_inverseAside = inverse(m_wide ? (aside + 3) / 4 : m_depth[2] + m_depth[3]);
    }

    __device__ void stepMemories(const float* now) const
    {
        m_wide ? stepFirstMemoriesWide(now) : stepFirstMemories(now);
    }
    // After stepMemories() and a barrier. kept: where W goes, or null.
    __device__ void stepLayers(const float* now, float* other, float* kept) const
    {
        m_wide ? layerNodesWide(now, other, kept) : layerNodes(now, other, kept);
    }

    unsigned m_inverseWidth = 0, m_inverseAside = 0;

    // psi of a part at a row and column of the tile, zeta as far behind, and its profiles.
    struct Part {
        float* psi;
        int zeta;             // from psi
        const float* profile; // the first one's, at this row or column
        int profiles;         // from one to the next
        int pitch;
    };
    __device__ Part partZ(int row, int column) const
    {
        const bool low = row < firstPlainRow();
        const int depth = low ? m_depth[0] : m_depth[1];
        const int at = low ? row : row - endPlainRow();
        const int pitch = this->template partPitch<0>();
        float* const first = m_shared + (low ? m_psi[0] : m_psi[1]);
        float* const psi = first + (at + M) * pitch + column;
        return {psi, (depth + M + kZetaHalo) * pitch, first + 2 * (depth + M + kZetaHalo) * pitch + at, depth, pitch};
    }
    __device__ Part partX(int row, int column) const
    {
        const bool low = column < firstPlainColumn();
        const int pitch = low ? this->template partPitch<2>() : this->template partPitch<3>();
        const int at = kPad + (low ? column : column - endPlainColumn());
        float* const first = m_shared + (low ? m_psi[2] : m_psi[3]);
        return {first + row * pitch + at, m_h * pitch, first + 2 * m_h * pitch + at, pitch, pitch};
    }

private:
    // Four columns at a time, for a tile with enough of them: psi along z, of two rows; along x, of one.
    __device__ void stepFirstMemoriesWide(const float* now) const
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
            Four v[2 * M + 1];
#pragma unroll
            for (int k = 0; k < 2 * M; ++k) {
                v[k] = read(p + (k - M + 1) * m_pitch);
            }
            v[2 * M] = read(p + (two ? M + 1 : M) * m_pitch);
            Four psi[2];
            float a[2];
            float b[2];
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int k = two ? r : 0;
                psi[r] = read(part.psi + k * part.pitch);
                a[r] = part.profile[kAHalf * part.profiles + k];
                b[r] = part.profile[kBHalf * part.profiles + k];
            }
#pragma unroll
            for (int r = 0; r < 2; ++r) {
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&v, r, lane](int k) { return v[r + k + M - 1].of[lane]; };
                    psi[r].of[lane] = nextMemory(a[r], psi[r].of[lane], b[r],
                                                 forwardDerivativeOf<float, M>(tap, m_b.s.axis[kZ].staggered, M));
                }
            }
            write(part.psi, psi[0]);
            if (two) {
                write(part.psi + part.pitch, psi[1]);
            }
        }
        const int low = firstPlainColumn() / 4;
        const int wide = low + units - (endPlainColumn() + 3) / 4;
#pragma unroll 1
        for (int i = m_thread; i < m_h * wide; i += kThreads) {
            const int row = quotient(i, m_inverseAside);
            const int unit = i - row * wide;
            const int column = 4 * (unit < low ? unit : units - wide + unit);
            const Part part = partX(row, column);
            const Row v(now + place(row, column));
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
        }
    }

    // Four columns of two rows, or of one; all in or all out of a layer along z. Everything is read before anything is
    // written: what is written might be what is read next, for all that the compiler knows.
    __device__ void layerUnitWide(const float* now, float* other, float* kept, int row, bool two, int column) const
    {
        const float* const p = now + place(row, column);
        float* const q = other + place(row, column);
        const float* const c2 = model() + row * modelPitch() + column;
        const bool alongZ = row < firstPlainRow() || row >= endPlainRow();
        const bool alongX = column < firstPlainColumn() || column >= endPlainColumn();
        const Part z = partZ(row, column);
        const Part x = partX(row, column);
        Four v[2 * M + 2];
#pragma unroll
        for (int k = 0; k <= 2 * M; ++k) {
            v[k] = read(p + (k - M) * m_pitch);
        }
        v[2 * M + 1] = read(p + (two ? M + 1 : M) * m_pitch);
        Four w[2];
        Four zetaZ[2];
        Four zetaX[2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const auto tap = [&v, r, lane](int k) { return v[M + r + k].of[lane]; };
                w[r].of[lane] = secondDerivativeOf<float, M>(tap, m_b.s.axis[kZ].second, M);
            }
        }
        const Four centre[2] = {v[M], v[M + 1]};
        if (alongZ) {
            Four s[2 * M + 1];
#pragma unroll
            for (int k = 0; k < 2 * M; ++k) {
                s[k] = read(z.psi + (k - M) * z.pitch);
            }
            s[2 * M] = read(z.psi + (two ? M : M - 1) * z.pitch);
#pragma unroll
            for (int r = 0; r < 2; ++r) {
                const int k = two ? r : 0;
                const float a = z.profile[kA * z.profiles + k];
                const float b = z.profile[kB * z.profiles + k];
                zetaZ[r] = read(z.psi + z.zeta + k * z.pitch);
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&s, r, lane](int e) { return s[r + e + M].of[lane]; };
                    const float inner =
                        w[r].of[lane] + backwardDerivativeOf<float, M>(tap, m_b.s.axis[kZ].staggered, M);
                    zetaZ[r].of[lane] = nextMemory(a, zetaZ[r].of[lane], b, inner);
                    w[r].of[lane] = inner + zetaZ[r].of[lane];
                }
            }
        }
        Four after[2];
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            const int k = two ? r : 0;
            const Row across(p + k * m_pitch, centre[r]);
            Four wx;
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                const auto tap = [&across, lane](int e) { return across.of[kPad + lane + e]; };
                wx.of[lane] = secondDerivativeOf<float, M>(tap, m_b.s.axis[kX].second, M);
            }
            if (alongX) {
                const Four a = read(x.profile + kA * x.profiles);
                const Four b = read(x.profile + kB * x.profiles);
                const Row memory(x.psi + k * x.pitch);
                zetaX[r] = read(x.psi + x.zeta + k * x.pitch);
#pragma unroll
                for (int lane = 0; lane < 4; ++lane) {
                    const auto tap = [&memory, lane](int e) { return memory.of[kPad + lane + e]; };
                    const float inner = wx.of[lane] + backwardDerivativeOf<float, M>(tap, m_b.s.axis[kX].staggered, M);
                    zetaX[r].of[lane] = nextMemory(a.of[lane], zetaX[r].of[lane], b.of[lane], inner);
                    wx.of[lane] = inner + zetaX[r].of[lane];
                }
            }
            const Four before = read(q + k * m_pitch);
            const Four speed = read(c2 + k * modelPitch());
#pragma unroll
            for (int lane = 0; lane < 4; ++lane) {
                w[r].of[lane] += wx.of[lane];
                after[r].of[lane] = leap(before.of[lane], centre[r].of[lane], speed.of[lane], w[r].of[lane]);
            }
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            if (r == 0 || two) {
                put(q + r * m_pitch, after[r], m_w - column);
                if constexpr (W == ResidentWay::Kept) {
                    if (kept != nullptr) {
                        keep(kept, row + r, column, w[r], m_w - column);
                    }
                }
                if (alongZ) {
                    write(z.psi + z.zeta + r * z.pitch, zetaZ[r]);
                }
                if (alongX) {
                    write(x.psi + x.zeta + r * x.pitch, zetaX[r]);
                }
            }
        }
    }

    __device__ void layerNodesWide(const float* now, float* other, float* kept) const
    {
        const int plain = max(endPlainRow() - firstPlainRow(), 0);
        const int units = (m_w + 3) / 4;
        const int low = firstPlainColumn() / 4;
        const int wide = low + units - (endPlainColumn() + 3) / 4;
        // Pairs of rows: the two z layers whole, between them what lies in an x layer.
        const int above = (m_depth[0] + 1) / 2;
        const int below = (m_depth[1] + 1) / 2;
        const int outside = (above + below) * units;
        const int inside = (plain + 1) / 2 * wide;
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
                const int group = quotient(i - outside, m_inverseAside);
                unit = i - outside - group * wide;
                unit += unit < low ? 0 : units - wide;
                row = firstPlainRow() + 2 * group;
                end = endPlainRow();
            }
            layerUnitWide(now, other, kept, row, row + 1 < end, 4 * unit);
        }
    }

    // A column of kRows rows at a time, for a small tile: more would share more of what they read, and leave threads without
    // any. psi along z; along x, of one node.
    __device__ void stepFirstMemories(const float* now) const
    {
        const int above = (m_depth[0] + kRows - 1) / kRows;
        const int below = (m_depth[1] + kRows - 1) / kRows;
#pragma unroll 1
        for (int i = m_thread; i < (above + below) * m_w; i += kThreads) {
            const int group = quotient(i, m_inverseWidth);
            const int row = group < above ? kRows * group : endPlainRow() + kRows * (group - above);
            const int rows = min(kRows, (group < above ? m_depth[0] : m_h) - row);
            const int column = i - group * m_w;
            const Part part = partZ(row, column);
            const float* const p = now + place(row, column);
            float v[2 * M + kRows - 1];
#pragma unroll
            for (int k = 0; k < 2 * M + kRows - 1; ++k) {
                v[k] = p[(min(k, 2 * M - 2 + rows) - M + 1) * m_pitch];
            }
            float psi[kRows];
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                const int k = min(r, rows - 1);
                const auto tap = [&v, r](int e) { return v[r + e + M - 1]; };
                psi[r] = nextMemory(part.profile[kAHalf * part.profiles + k], part.psi[k * part.pitch],
                                    part.profile[kBHalf * part.profiles + k],
                                    forwardDerivativeOf<float, M>(tap, m_b.s.axis[kZ].staggered, M));
            }
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                if (r < rows) {
                    part.psi[r * part.pitch] = psi[r];
                }
            }
        }
        const int wide = m_depth[2] + m_depth[3];
#pragma unroll 1
        for (int i = m_thread; i < m_h * wide; i += kThreads) {
            const int row = quotient(i, m_inverseAside);
            const int n = i - row * wide;
            const int column = n < m_depth[2] ? n : m_w - wide + n;
            const Part part = partX(row, column);
            const float* const p = now + place(row, column);
            const auto tap = [p](int k) { return p[k]; };
            *part.psi =
                nextMemory(part.profile[kAHalf * part.profiles], *part.psi, part.profile[kBHalf * part.profiles],
                           forwardDerivativeOf<float, M>(tap, m_b.s.axis[kX].staggered, M));
        }
    }

    // kRows rows of a column, of which `rows` are there, as layerUnitWide().
    __device__ void layerUnit(const float* now, float* other, float* kept, int row, int rows, int column) const
    {
        const float* const p = now + place(row, column);
        float* const q = other + place(row, column);
        const bool alongZ = row < firstPlainRow() || row >= endPlainRow();
        const bool alongX = column < firstPlainColumn() || column >= endPlainColumn();
        const Part z = partZ(row, column);
        const Part x = partX(row, column);
        float v[2 * M + kRows];
#pragma unroll
        for (int k = 0; k < 2 * M + kRows; ++k) {
            v[k] = p[(min(k, 2 * M + rows - 1) - M) * m_pitch];
        }
        float w[kRows];
        float zetaZ[kRows];
        float zetaX[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const auto tap = [&v, r](int k) { return v[M + r + k]; };
            w[r] = secondDerivativeOf<float, M>(tap, m_b.s.axis[kZ].second, M);
        }
        if (alongZ) {
            float s[2 * M + kRows - 1];
#pragma unroll
            for (int k = 0; k < 2 * M + kRows - 1; ++k) {
                s[k] = z.psi[(min(k, 2 * M - 1 + rows) - M) * z.pitch];
            }
#pragma unroll
            for (int r = 0; r < kRows; ++r) {
                const int k = min(r, rows - 1);
                const auto tap = [&s, r](int e) { return s[r + e + M]; };
                const float inner = w[r] + backwardDerivativeOf<float, M>(tap, m_b.s.axis[kZ].staggered, M);
                zetaZ[r] = nextMemory(z.profile[kA * z.profiles + k], z.psi[z.zeta + k * z.pitch],
                                      z.profile[kB * z.profiles + k], inner);
                w[r] = inner + zetaZ[r];
            }
        }
        const float aX = alongX ? x.profile[kA * x.profiles] : 0.0F;
        const float bX = alongX ? x.profile[kB * x.profiles] : 0.0F;
        float after[kRows];
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            const int k = min(r, rows - 1);
            const float* const across = p + k * m_pitch;
            const auto tap = [across](int e) { return across[e]; };
            float wx = secondDerivativeOf<float, M>(tap, m_b.s.axis[kX].second, M);
            if (alongX) {
                const float* const psi = x.psi + k * x.pitch;
                const auto memory = [psi](int e) { return psi[e]; };
                const float inner = wx + backwardDerivativeOf<float, M>(memory, m_b.s.axis[kX].staggered, M);
                zetaX[r] = nextMemory(aX, psi[x.zeta], bX, inner);
                wx = inner + zetaX[r];
            }
            w[r] += wx;
            after[r] = leap(q[k * m_pitch], v[M + r], model()[(row + k) * modelPitch() + column], w[r]);
        }
#pragma unroll
        for (int r = 0; r < kRows; ++r) {
            if (r < rows) {
                q[r * m_pitch] = after[r];
                if constexpr (W == ResidentWay::Kept) {
                    if (kept != nullptr) {
                        __stcs(kept + (static_cast<int>(m_b.compact.strideZ) * (m_z0 + row + r) + m_x0 + column), w[r]);
                    }
                }
                if (alongZ) {
                    z.psi[z.zeta + r * z.pitch] = zetaZ[r];
                }
                if (alongX) {
                    x.psi[x.zeta + r * x.pitch] = zetaX[r];
                }
            }
        }
    }

    __device__ void layerNodes(const float* now, float* other, float* kept) const
    {
        const int plain = max(endPlainRow() - firstPlainRow(), 0);
        const int low = firstPlainColumn();
        const int wide = low + m_w - endPlainColumn();
        // Groups of rows: the two z layers whole, between them what lies in an x layer.
        const int above = (m_depth[0] + kRows - 1) / kRows;
        const int below = (m_depth[1] + kRows - 1) / kRows;
        const int outside = (above + below) * m_w;
        const int inside = (plain + kRows - 1) / kRows * wide;
        const unsigned inverseWide = inverse(wide);
#pragma unroll 1
        for (int i = m_thread; i < outside + inside; i += kThreads) {
            int row = 0;
            int end = 0;
            int column = 0;
            if (i < outside) {
                const int group = quotient(i, m_inverseWidth);
                column = i - group * m_w;
                row = group < above ? kRows * group : endPlainRow() + kRows * (group - above);
                end = group < above ? m_depth[0] : m_h;
            } else {
                const int group = quotient(i - outside, inverseWide);
                column = i - outside - group * wide;
                column += column < low ? 0 : m_w - wide;
                row = firstPlainRow() + kRows * group;
                end = endPlainRow();
            }
            layerUnit(now, other, kept, row, min(kRows, end - row), column);
        }
    }

    bool m_wide = false;
};

} // namespace ondo::kernels::cuda
