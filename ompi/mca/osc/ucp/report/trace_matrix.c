/* Who talks to whom, beside the trace: as a table (CSV) and as a picture (SVG).
 *
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Each process appends its row to the table, and draws the picture again from the whole table. With many processes not
 * every one draws: the last one does, and enough others for jobs in which some never come.
 */

#include "report/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Most rows and columns of the picture: more processes share them. */
#define SIDE 64

/** Width of a square; of a matrix with the space beside it; height of what is above it. Pixels. */
#define SQUARE 8
#define PANEL  (SIDE * SQUARE + 60)
#define TOP    50

/** For a table of this size each process draws; for one twice as long every second does. */
#define DRAW_BYTES (1 << 20)

/** The picture's numbers: operations and bytes. */
typedef struct matrix_t {
    int    side;  /**< rows */
    int    ranks; /**< that share a row */
    double cell[2][SIDE][SIDE];
    double most[2];
} matrix_t;

static FILE *file_open(const char *suffix, int flags, const char *mode)
{
    char *name;
    FILE *out = NULL;
    int   fd;

    if (asprintf(&name, "%s.%s", ompi_osc_ucp_trace.file, suffix) < 0) {
        return NULL;
    }
    fd = ompi_osc_ucp_trace_file(name, flags);
    if (fd >= 0 && NULL == (out = fdopen(fd, mode))) {
        (void) close(fd);
    }
    free(name);
    return out;
}

static bool file_close(FILE *out)
{
    bool ok = 0 == ferror(out);

    return 0 == fclose(out) && ok;
}

/** Append this process's row to the table. Sets the size of the table. */
static bool row_write(bool first, off_t *size_p)
{
    FILE       *out = file_open("csv", O_WRONLY | O_APPEND, "a");
    struct stat is  = { .st_size = 0 };
    int         i;

    if (NULL == out) {
        return false;
    }
    if (first) {
        (void) !ftruncate(fileno(out), 0);
        fprintf(out, "origin,target,operations,bytes\n");
    }
    for (i = 0; i < ompi_osc_ucp_trace.ranks; i++) {
        const ompi_osc_ucp_trace_cell_t *cell = &ompi_osc_ucp_trace.cells[i];

        if (0 != cell->operations) {
            fprintf(out, "%d,%d,%" PRIu64 ",%" PRIu64 "\n", ompi_osc_ucp_trace.rank, i, cell->operations, cell->bytes);
        }
    }
    (void) fflush(out);
    (void) fstat(fileno(out), &is);
    *size_p = is.st_size;
    return file_close(out);
}

/** Add up the table. */
static bool table_read(matrix_t *matrix)
{
    FILE    *in = file_open("csv", O_RDONLY, "r");
    uint64_t value[2];
    unsigned origin, target;
    int      i;

    if (NULL == in || fscanf(in, "origin,target,operations,bytes\n") < 0) {
        return NULL != in && 0 == fclose(in);
    }
    while (4 == fscanf(in, "%u,%u,%" SCNu64 ",%" SCNu64 "\n", &origin, &target, &value[0], &value[1])) {
        origin /= (unsigned) matrix->ranks;
        target /= (unsigned) matrix->ranks;
        for (i = 0; i < 2 && origin < SIDE && target < SIDE; i++) {
            matrix->cell[i][origin][target] += (double) value[i];
            if (matrix->cell[i][origin][target] > matrix->most[i]) {
                matrix->most[i] = matrix->cell[i][origin][target];
            }
        }
    }
    return 0 == fclose(in);
}

/** The first rank of row `i` and the last one, in words. */
static void put_ranks(FILE *out, const matrix_t *matrix, int i)
{
    int last = (i + 1) * matrix->ranks - 1;

    if (last >= ompi_osc_ucp_trace.ranks) {
        last = ompi_osc_ucp_trace.ranks - 1;
    }
    fprintf(out, i * matrix->ranks == last ? "rank %d" : "ranks %d-%d", i * matrix->ranks, last);
}

/** A logarithm that is exact at powers of 2, and linear between them. */
static double doublings(double value)
{
    double n = 0;

    while (value >= 2) {
        value /= 2;
        n++;
    }
    return n + value - 1;
}

/** One matrix: 0 operations, 1 bytes. The darker, the more, by the logarithm. */
static void draw_panel(FILE *out, const matrix_t *matrix, int which)
{
    static const char *const titles[] = { "operations", "bytes" };
    int                      square = SIDE * SQUARE / matrix->side, left = 40 + which * PANEL, i, j;
    double                   value, part;

    fprintf(out, "<text x=\"%d\" y=\"20\">%s, at most %.0f (from row to column)</text>\n", left, titles[which],
            matrix->most[which]);
    fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#f4f6f8\"/>\n", left, TOP,
            square * matrix->side, square * matrix->side);
    for (i = 0; i < matrix->side; i++) {
        if (0 == i || matrix->side - 1 == i || matrix->side <= 16) {
            fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d</text>\n", left - 4,
                    TOP + i * square + square / 2 + 4, i * matrix->ranks);
            fprintf(out, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", left + i * square + square / 2,
                    TOP - 6, i * matrix->ranks);
        }
        for (j = 0; j < matrix->side; j++) {
            value = matrix->cell[which][i][j];
            if (value > 0) {
                part = doublings(1 + value) / doublings(1 + matrix->most[which]);
                fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#1b4f8f\" "
                        "fill-opacity=\"%.2f\"><title>", left + j * square, TOP + i * square, square, square,
                        0.1 + 0.9 * part);
                put_ranks(out, matrix, i);
                fprintf(out, " to ");
                put_ranks(out, matrix, j);
                fprintf(out, ": %.0f %s</title></rect>\n", value, titles[which]);
            }
        }
    }
}

static bool draw(void)
{
    matrix_t *matrix = calloc(1, sizeof(*matrix));
    FILE     *out    = NULL;
    bool      ok     = false;

    if (NULL == matrix) {
        errno = ENOMEM;
        return false;
    }
    matrix->ranks = (ompi_osc_ucp_trace.ranks + SIDE - 1) / SIDE;
    matrix->side  = (ompi_osc_ucp_trace.ranks + matrix->ranks - 1) / matrix->ranks;
    if (table_read(matrix) && NULL != (out = file_open("svg", O_WRONLY, "w"))) {
        (void) !ftruncate(fileno(out), 0);
        fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" "
                "font-size=\"11\">\n", 2 * PANEL + 20, TOP + SIDE * SQUARE + 20);
        draw_panel(out, matrix, 0);
        draw_panel(out, matrix, 1);
        fprintf(out, "</svg>\n");
        ok = file_close(out);
    }
    free(matrix);
    return ok;
}

bool ompi_osc_ucp_trace_matrix(int before)
{
    off_t size;
    int   step;

    if (!row_write(0 == before, &size)) {
        return false;
    }
    step = (int) (1 + size / DRAW_BYTES);
    return (0 != (before + 1) % step && before + 1 < ompi_osc_ucp_trace.ranks) || draw();
}
