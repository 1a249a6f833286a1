/* A line of JSON, as the trace has them, taken apart.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef OSC_UCP_CONVERT_JSON_H
#define OSC_UCP_CONVERT_JSON_H

#include <stddef.h>
#include <stdint.h>

/** A member of an object. */
typedef struct json_member_t {
    const char *in;   /**< name of the member that has the object; "": the outermost object */
    const char *name;
    const char *text; /**< NULL: a number */
    int64_t     milli; /**< the number in thousandths, the rest cut off */
} json_member_t;

/** Find the members of the object at `text`, and of objects in it; there are no arrays. `text` is changed: names and
 *  texts point into it. Returns how many there are, at most `room`; negative: this is no such object. */
int json_read(char *text, json_member_t *members, int room);

/** The text of a member; NULL: there is none. */
const char *json_text(const json_member_t *members, int n, const char *in, const char *name);

/** The number of a member, in thousandths; `missing` if there is none. */
int64_t json_milli(const json_member_t *members, int n, const char *in, const char *name, int64_t missing);

#endif /* OSC_UCP_CONVERT_JSON_H */
