/* The names of functions: the symbol table of an ELF file is read, as dladdr knows exported functions only.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "check/symbol.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/** A file in memory. */
typedef struct file_t {
    const char *at;
    uint64_t    size;
} file_t;

/** A table in the file, or NULL if it is not all there. */
static const void *table(const file_t *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset ? file->at + offset : NULL;
}

/** The section of a number; NULL if there is none. */
static const ElfW(Shdr) *section(const file_t *file, uint64_t number)
{
    const ElfW(Ehdr) *header = table(file, 0, sizeof(*header));

    if (NULL == header || 0 != memcmp(header->e_ident, ELFMAG, SELFMAG) || number >= header->e_shnum ||
        sizeof(ElfW(Shdr)) != header->e_shentsize) {
        return NULL;
    }
    return table(file, header->e_shoff + number * sizeof(ElfW(Shdr)), sizeof(ElfW(Shdr)));
}

/** Look for the function in a symbol table. */
static bool symbols_look(const file_t *file, const ElfW(Shdr) *symbols, uint64_t offset, char *name, size_t size,
                         uint64_t *behind_p)
{
    const ElfW(Sym)  *symbol = table(file, symbols->sh_offset, symbols->sh_size);
    const ElfW(Shdr) *names  = section(file, symbols->sh_link);
    const char       *text;
    uint64_t          i;

    if (NULL == symbol || NULL == names) {
        return false;
    }
    for (i = 0; i < symbols->sh_size / sizeof(*symbol); i++) {
        if (STT_FUNC == (symbol[i].st_info & 0xf) && offset - symbol[i].st_value < symbol[i].st_size &&
            symbol[i].st_name < names->sh_size) {
            text = table(file, names->sh_offset, names->sh_size);
            if (NULL == text) {
                return false;
            }
            snprintf(name, size, "%.*s", (int) (names->sh_size - symbol[i].st_name), text + symbol[i].st_name);
            *behind_p = offset - symbol[i].st_value;
            return true;
        }
    }
    return false;
}

bool ompi_osc_ucp_symbol_find(const char *path, uint64_t offset, char *name, size_t size, uint64_t *behind_p)
{
    const ElfW(Shdr) *one;
    struct stat       status;
    file_t            file  = { .at = MAP_FAILED };
    bool              found = false;
    uint64_t          i;
    int               fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0 && 0 == fstat(fd, &status) && status.st_size > 0) {
        file.size = (uint64_t) status.st_size;
        file.at   = mmap(NULL, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (fd >= 0) {
        close(fd);
    }
    if (MAP_FAILED == file.at) {
        return false;
    }
    for (i = 0; !found && NULL != (one = section(&file, i)); i++) {
        found = SHT_SYMTAB == one->sh_type && symbols_look(&file, one, offset, name, size, behind_p);
    }
    munmap((void *) file.at, file.size);
    return found;
}
