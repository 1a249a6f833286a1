/* Random numbers for the unit tests: reproducible, with a seed that TEST_SEED sets and every run prints.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */

#ifndef UNIT_RANDOM_H
#define UNIT_RANDOM_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static uint64_t random_state;

static inline void random_init(void)
{
    const char *seed = getenv("TEST_SEED");

    random_state = NULL != seed ? strtoull(seed, NULL, 0) : (uint64_t) time(NULL);
    printf("TEST_SEED=%llu\n", (unsigned long long) random_state);
}

static inline uint64_t random_u64(void)
{
    /* splitmix64: any seed will do, zero included */
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/** Between `low` and `high`, both included. */
static inline int64_t random_in(int64_t low, int64_t high)
{
    return low + (int64_t) (random_u64() % (uint64_t) (high - low + 1));
}

#endif /* UNIT_RANDOM_H */
