/* A line of JSON, as the trace has them, taken apart.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#include "json.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/** Objects in objects. */
#define DEPTH 8

/** Where the reader is. */
typedef struct reader_t {
    char          *at;
    json_member_t *members;
    int            count, room;
} reader_t;

static void skip_space(reader_t *reader)
{
    while (' ' == *reader->at || '\t' == *reader->at || '\n' == *reader->at || '\r' == *reader->at) {
        reader->at++;
    }
}

/** Skip space and this character, if it is there. */
static int skip(reader_t *reader, char c)
{
    skip_space(reader);
    if (c != *reader->at) {
        return 0;
    }
    reader->at++;
    return 1;
}

/** Four hexadecimal digits; negative: they are none. */
static long hex_read(const char *at)
{
    char text[5] = "";
    int  i;

    for (i = 0; i < 4; i++) {
        if (!isxdigit((unsigned char) at[i])) {
            return -1;
        }
        text[i] = at[i];
    }
    return strtol(text, NULL, 16);
}

static char *utf8_write(char *to, long code)
{
    if (code < 0x80) {
        *to++ = (char) code;
    } else if (code < 0x800) {
        *to++ = (char) (0xc0 | code >> 6);
        *to++ = (char) (0x80 | (code & 63));
    } else if (code < 0x10000) {
        *to++ = (char) (0xe0 | code >> 12);
        *to++ = (char) (0x80 | (code >> 6 & 63));
        *to++ = (char) (0x80 | (code & 63));
    } else {
        *to++ = (char) (0xf0 | code >> 18);
        *to++ = (char) (0x80 | (code >> 12 & 63));
        *to++ = (char) (0x80 | (code >> 6 & 63));
        *to++ = (char) (0x80 | (code & 63));
    }
    return to;
}

/** What follows a backslash. Its UTF-8 is no longer than it. NULL: not JSON. */
static char *escape_read(reader_t *reader, char *to)
{
    static const char from[] = "\"\\/bfnrt", into[] = "\"\\/\b\f\n\r\t";
    const char       *found  = '\0' == *reader->at ? NULL : strchr(from, *reader->at);
    long              code, low;

    if (NULL != found) {
        reader->at++;
        *to++ = into[found - from];
        return to;
    }
    if ('u' != *reader->at || (code = hex_read(reader->at + 1)) <= 0) {
        return NULL;
    }
    reader->at += 5;
    if (0xd800 == (code & 0xfc00) && '\\' == reader->at[0] && 'u' == reader->at[1] &&
        0xdc00 == ((low = hex_read(reader->at + 2)) & ~0x3ffL)) {
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
        reader->at += 6;
    }
    return utf8_write(to, code);
}

/** A text, which is made where it is. NULL: not JSON. */
static char *text_read(reader_t *reader)
{
    char *text, *to;

    if (!skip(reader, '"')) {
        return NULL;
    }
    text = to = reader->at;
    while ('"' != *reader->at) {
        if ('\0' == *reader->at) {
            return NULL;
        }
        if ('\\' != *reader->at) {
            *to++ = *reader->at++;
            continue;
        }
        reader->at++;
        if (NULL == (to = escape_read(reader, to))) {
            return NULL;
        }
    }
    *to = '\0';
    reader->at++;
    return text;
}

/** A number without exponent. */
static int number_read(reader_t *reader, int64_t *milli)
{
    int      negative = '-' == *reader->at, places = -1, bad = 0;
    uint64_t value    = 0;
    char    *begin    = reader->at += negative;

    for (;; reader->at++) {
        if ('.' == *reader->at && places < 0) {
            places = 0;
        } else if (!isdigit((unsigned char) *reader->at)) {
            break;
        } else if (places < 3) {
            bad |= __builtin_mul_overflow(value, 10, &value) ||
                   __builtin_add_overflow(value, (uint64_t) (*reader->at - '0'), &value);
            places += places >= 0;
        }
    }
    for (places = places < 0 ? 0 : places; places < 3; places++) {
        bad |= __builtin_mul_overflow(value, 10, &value);
    }
    if (begin == reader->at || 'e' == *reader->at || 'E' == *reader->at) {
        return 0;
    }
    value  = bad || value > INT64_MAX ? INT64_MAX : value;
    *milli = negative ? -(int64_t) value : (int64_t) value;
    return 1;
}

/** The members of an object, and those of objects in it. */
static int object_read(reader_t *reader, const char *in, int depth)
{
    json_member_t member;

    if (!skip(reader, '{') || DEPTH == depth) {
        return 0;
    }
    if (skip(reader, '}')) {
        return 1;
    }
    do {
        member = (json_member_t) { .in = in, .name = text_read(reader) };
        if (NULL == member.name || !skip(reader, ':')) {
            return 0;
        }
        skip_space(reader);
        if ('{' == *reader->at) {
            if (!object_read(reader, member.name, depth + 1)) {
                return 0;
            }
            continue;
        }
        if ('"' == *reader->at ? NULL == (member.text = text_read(reader)) : !number_read(reader, &member.milli)) {
            return 0;
        }
        if (reader->count < reader->room) {
            reader->members[reader->count++] = member;
        }
    } while (skip(reader, ','));
    return skip(reader, '}');
}

int json_read(char *text, json_member_t *members, int room)
{
    reader_t reader = { .at = text, .members = members, .room = room };

    return object_read(&reader, "", 0) ? reader.count : -1;
}

static const json_member_t *member_find(const json_member_t *members, int n, const char *in, const char *name)
{
    int i;

    for (i = 0; i < n; i++) {
        if (0 == strcmp(name, members[i].name) && 0 == strcmp(in, members[i].in)) {
            return &members[i];
        }
    }
    return NULL;
}

const char *json_text(const json_member_t *members, int n, const char *in, const char *name)
{
    const json_member_t *found = member_find(members, n, in, name);

    return NULL == found ? NULL : found->text;
}

int64_t json_milli(const json_member_t *members, int n, const char *in, const char *name, int64_t missing)
{
    const json_member_t *found = member_find(members, n, in, name);

    return NULL == found || NULL != found->text ? missing : found->milli;
}
