# The rows of contrib/scale, and the model a + b ceil(log2 P) + c k. With several hosts b may be a factor of 1 / P: what
# one member of each host does.
#
# SPDX-License-Identifier: BSD-3-Clause

import collections

FIELDS = ["setup", "processes", "case", "k", "phase", "quantity", "mean", "max"]

_Row = collections.namedtuple("_Row", FIELDS)


class Row(_Row):
    @staticmethod
    def of(values):
        setup, processes, case, k, phase, quantity, mean, most = values
        return Row(setup, int(processes), case, int(k), phase, quantity, float(mean), float(most))

    @property
    def rounds(self):
        return (self.processes - 1).bit_length()


def solve(matrix, right):
    """Gauss with pivots; the matrix is small."""
    n = len(right)
    rows = [line[:] + [value] for line, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda j: abs(rows[j][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(n):
            if j != i:
                factor = rows[j][i] / rows[i][i]
                rows[j] = [x - factor * y for x, y in zip(rows[j], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


class Model:
    """Least squares. A term that does not vary in the samples is left out. With several hosts the better one of two
    models."""

    def __init__(self, samples):
        self.fit(samples, "log2 P")
        if samples[0].setup.startswith("hosts"):
            other = Model.__new__(Model)
            other.fit(samples, "/ P")
            if other.residue(samples) < 0.99 * self.residue(samples):
                self.terms, self.factors = other.terms, other.factors

    def fit(self, samples, by_size):
        terms = {"1": lambda row: 1.0, "log2 P": lambda row: row.rounds, "/ P": lambda row: 1 / row.processes,
                 "k": lambda row: row.k}
        self.terms = {"1": terms["1"]}
        for name in (by_size, "k"):
            if len({terms[name](row) for row in samples}) > 1:
                self.terms[name] = terms[name]
        # P alone decides k in all to all: one of the two terms explains it.
        if len(self.terms) > 2 and len({row.processes for row in samples}) == len({(row.processes, row.k)
                                                                                   for row in samples}):
            del self.terms[by_size]
        table = [[term(row) for term in self.terms.values()] for row in samples]
        n = len(self.terms)
        normal = [[sum(line[i] * line[j] for line in table) for j in range(n)] for i in range(n)]
        right = [sum(line[i] * row.mean for line, row in zip(table, samples)) for i in range(n)]
        self.factors = dict(zip(self.terms, solve(normal, right)))

    def residue(self, samples):
        return sum((self.predict(row) - row.mean) ** 2 for row in samples)

    def predict(self, row):
        return sum(factor * self.terms[name](row) for name, factor in self.factors.items())

    def __str__(self):
        words = []
        for name, factor in self.factors.items():
            if abs(factor) >= 0.005:
                number = f"{factor:.3g}"
                words.append(number if "1" == name else name if "1" == number and "/ P" != name
                             else f"{number} {name}")
        return " + ".join(words).replace("+ -", "- ") or "0"
