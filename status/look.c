/* A look at all jobs of this user on this node.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "look.h"

#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/** Longest name in /proc that is made here. */
#define NAME_MAX_HERE 64

static void *more(void *array, int n, size_t bytes)
{
    void *grown = realloc(array, (size_t) (n + 1) * bytes);

    if (NULL == grown) {
        errx(1, "memory is short");
    }
    return grown;
}

/* Processes. */

/** Is the process `above`, or below it? */
static bool is_below(pid_t pid, pid_t above)
{
    while (pid > 1 && pid != above && 0 != ompi_osc_ucp_process_state(pid, &pid)) {
        continue;
    }
    return pid == above;
}

/** The number of a process in its own name space, from its list of numbers; its number here if there is no list. */
static int32_t process_inner(pid_t pid)
{
    char  name[NAME_MAX_HERE], line[512], *last;
    long  inner = pid;
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%d/status", (int) pid);
    file = fopen(name, "re");
    while (NULL != file && NULL != fgets(line, sizeof(line), file)) {
        last = 0 == strncmp(line, "NSpid:", 6) ? strrchr(line, '\t') : NULL;
        if (NULL != last) {
            inner = atol(last + 1);
        }
    }
    if (NULL != file) {
        (void) fclose(file);
    }
    return (int32_t) inner;
}

/** Has the process osc/ucp loaded? */
static bool process_uses(pid_t pid)
{
    char  name[NAME_MAX_HERE], *line = NULL;
    size_t room = 0;
    bool   uses = false;
    FILE  *file;

    snprintf(name, sizeof(name), "/proc/%d/maps", (int) pid);
    file = fopen(name, "re");
    while (NULL != file && !uses && getline(&line, &room, file) > 0) {
        uses = NULL != strstr(line, "/mca_osc_ucp.so");
    }
    if (NULL != file) {
        (void) fclose(file);
    }
    free(line);
    return uses;
}

static void program_read(job_t *job, pid_t pid)
{
    char  name[NAME_MAX_HERE];
    FILE *file;

    snprintf(name, sizeof(name), "/proc/%d/comm", (int) pid);
    file = fopen(name, "re");
    if (NULL != file) {
        if (NULL != fgets(job->program, sizeof(job->program), file)) {
            job->program[strcspn(job->program, "\n")] = '\0';
        }
        (void) fclose(file);
    }
}

/* The file of records. */

/** Open the process's file of records; -1: it has none. */
static int file_open(pid_t pid, struct stat *stat_p)
{
    char                 name[NAME_MAX_HERE + 300], link[4096];
    const struct dirent *entry;
    const char          *base;
    ssize_t              len;
    DIR                 *dir;
    int                  fd = -1;

    snprintf(name, sizeof(name), "/proc/%d/fd", (int) pid);
    dir = opendir(name);
    while (NULL != dir && fd < 0 && NULL != (entry = readdir(dir))) {
        snprintf(name, sizeof(name), "/proc/%d/fd/%s", (int) pid, entry->d_name);
        len = readlink(name, link, sizeof(link) - 1);
        link[len > 0 ? len : 0] = '\0';
        base = strrchr(link, '/');
        if (NULL == base || 0 != strncmp(base + 1, OMPI_OSC_UCP_RECORDS_FILE, strlen(OMPI_OSC_UCP_RECORDS_FILE))) {
            continue;
        }
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd >= 0 && (0 != fstat(fd, stat_p) || !S_ISREG(stat_p->st_mode) || stat_p->st_uid != geteuid())) {
            (void) close(fd);
            fd = -1;
        }
    }
    if (NULL != dir) {
        (void) closedir(dir);
    }
    return fd;
}

static int by_rank(const void *one, const void *two)
{
    uint64_t a = ((const ompi_osc_ucp_watched_t *) one)->key, b = ((const ompi_osc_ucp_watched_t *) two)->key;

    return a < b ? -1 : a > b;
}

/** Copy the records that are in use. */
static void records_copy(job_t *job, const ompi_osc_ucp_records_t *records)
{
    uint32_t used = __atomic_load_n(&records->used, __ATOMIC_ACQUIRE), i;

    used = used < OMPI_OSC_UCP_RECORDS_MAX ? used : OMPI_OSC_UCP_RECORDS_MAX;
    for (i = 0; i < used; i++) {
        if (0 == __atomic_load_n(&records->records[i].key, __ATOMIC_ACQUIRE)) {
            continue;
        }
        job->record = more(job->record, job->n, sizeof(*job->record));
        ompi_osc_ucp_watched_copy(&job->record[job->n], &records->records[i]);
        job->whole = job->whole || 0 != job->record[job->n].whole;
        job->n += 0 != job->record[job->n].key;
    }
    if (job->n > 0) {
        qsort(job->record, (size_t) job->n, sizeof(*job->record), by_rank);
    }
}

static void file_read(job_t *job, int fd, off_t bytes)
{
    const ompi_osc_ucp_records_t *records = MAP_FAILED;

    if ((size_t) bytes == sizeof(*records)) {
        records = mmap(NULL, sizeof(*records), PROT_READ, MAP_SHARED, fd, 0);
    }
    job->when    = ompi_osc_ucp_watched_now();
    job->foreign = MAP_FAILED == records ||
                   OMPI_OSC_UCP_RECORDS_VERSION != __atomic_load_n(&records->version, __ATOMIC_ACQUIRE);
    if (!job->foreign) {
        records_copy(job, records);
    }
    if (MAP_FAILED != records) {
        (void) munmap((void *) records, sizeof(*records));
    }
}

/* The look. */

/** The job with this file; added if need be. */
static job_t *job_of(look_t *look, int fd, pid_t pid, const struct stat *file)
{
    job_t *job;
    int    i;

    for (i = 0; i < look->jobs; i++) {
        if (file->st_dev == look->job[i].dev && file->st_ino == look->job[i].ino) {
            return &look->job[i];
        }
    }
    look->job = more(look->job, look->jobs, sizeof(*look->job));
    job       = &look->job[look->jobs++];
    *job      = (job_t) { .dev = file->st_dev, .ino = file->st_ino };
    program_read(job, pid);
    file_read(job, fd, file->st_size);
    return job;
}

/** A process of this user: which job is it of? Those without a file count if they are `above` or below it; 0: all. */
static void process_look(look_t *look, pid_t pid, pid_t above)
{
    process_t   process = { .pid = pid };
    struct stat file;
    job_t      *job;
    int         fd = file_open(pid, &file);

    if (fd < 0) {
        look->without = (0 == above || is_below(pid, above)) && process_uses(pid) ? pid : look->without;
        return;
    }
    job = job_of(look, fd, pid, &file);
    (void) close(fd);
    process.state = ompi_osc_ucp_process_state(pid, NULL);
    if (0 != process.state) {
        process.inner                  = process_inner(pid);
        job->process                   = more(job->process, job->processes, sizeof(process));
        job->process[job->processes++] = process;
    }
}

/** A look with nothing but processes at or below `pid`: the other processes of their jobs belong to it, too. */
static void look_choose(look_t *look, pid_t pid)
{
    int i, j, kept = 0;

    for (i = 0; i < look->jobs; i++) {
        for (j = 0; j < look->job[i].processes && !is_below(look->job[i].process[j].pid, pid); j++) {
            continue;
        }
        if (j < look->job[i].processes) {
            look->job[kept++] = look->job[i];
        } else {
            free(look->job[i].process);
            free(look->job[i].record);
        }
    }
    look->jobs = kept;
}

void look_at(look_t *look, pid_t pid)
{
    char                 name[NAME_MAX_HERE + 300];
    const struct dirent *entry;
    struct stat          stat_of;
    DIR                 *dir = opendir("/proc");
    int                  number;

    *look = (look_t) { .jobs = 0 };
    while (NULL != dir && NULL != (entry = readdir(dir))) {
        number = atoi(entry->d_name);
        snprintf(name, sizeof(name), "/proc/%s", entry->d_name);
        if (number > 0 && 0 == stat(name, &stat_of) && stat_of.st_uid == geteuid()) {
            process_look(look, number, pid);
        }
    }
    if (NULL != dir) {
        (void) closedir(dir);
    }
    if (0 != pid) {
        look_choose(look, pid);
    }
}

void look_free(look_t *look)
{
    int i;

    for (i = 0; i < look->jobs; i++) {
        free(look->job[i].process);
        free(look->job[i].record);
    }
    free(look->job);
    *look = (look_t) { .jobs = 0 };
}

uint32_t look_number(const job_t *job)
{
    return 0 == job->n ? 0 : (uint32_t) (job->record[0].key >> 32);
}

const job_t *look_same(const look_t *look, const job_t *job)
{
    int i;

    for (i = 0; i < look->jobs; i++) {
        if (job->dev == look->job[i].dev && job->ino == look->job[i].ino) {
            return &look->job[i];
        }
    }
    return NULL;
}

const process_t *look_process(const job_t *job, const ompi_osc_ucp_watched_t *record)
{
    int i;

    for (i = 0; i < job->processes; i++) {
        if (record->pid == job->process[i].inner && 'Z' != job->process[i].state && 'X' != job->process[i].state) {
            return &job->process[i];
        }
    }
    return NULL;
}
