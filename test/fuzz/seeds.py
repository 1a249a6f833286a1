#!/usr/bin/python3
# Writes seeds for the fuzzer into FOLDER, at least one for each kind of command: seeds.py FOLDER
#
# SPDX-License-Identifier: BSD-3-Clause

import os
import struct
import sys

PUT, GET, ACCUMULATE, COMPARE_SWAP, LOCK, UNLOCK, COMPLETE, RAISE, COUNTERS, POST, BARRIER, DESCRIBE, \
    DOORBELL, ASK = range(1, 15)
REPLY, LAYOUT, PAYLOAD, EXCLUSIVE, JOIN, UNITS, RAISES = 1, 2, 4, 8, 16, 32, 64
DYNAMIC, WITH_PAYLOAD, REMOTE, LATE = 1, 4, 8, 16
PLACE = 0x200000001000


def head(origin=0, ack=0, ordered=1):
    return struct.pack("=QQQII", 0, 1, ack, origin | ordered << 31, 0)


def command(kind, disp=0, length=0, flags=0, op=0, prim=0, cookie=0, layout=b"", pos=0, data=b""):
    text = struct.pack("=BBBBIq", kind, flags, op, prim, length, disp)
    if flags & REPLY:
        text += struct.pack("=QQ", cookie, 0)
    if flags & LAYOUT:
        text += struct.pack("=QQ", pos, len(layout))
    return text + (b"" if flags & PAYLOAD else layout + data)


def message(how, text, payload=None, length=None):
    if payload is None:
        return struct.pack("=BH", how, len(text)) + text
    size = len(payload) if length is None else length
    return struct.pack("=BHH", how | WITH_PAYLOAD, len(text), size) + text + payload


# A loop over a block: 4 times 8 bytes, 64 bytes apart.
VECTOR = struct.pack("=qqQQ", 0, 64, 4, 1) + struct.pack("=qqQQ", 0, 0, 8, 0)

seeds = {
    "put": message(0, head(ack=7) + command(PUT, 16, 8, data=b"12345678")),
    "coalesced": message(0, head(ack=7) + command(PUT, 16, 8, data=b"12345678") * 3 +
                         command(PUT, 5000, 4, data=b"xxxx")),
    "get": message(0, head() + command(GET, 8, 100, REPLY, cookie=9)),
    "get_vector": message(0, head() + command(GET, 8, 32, REPLY | LAYOUT, cookie=9, layout=VECTOR)),
    "put_vector": message(0, head() + command(PUT, 8, 32, LAYOUT, layout=VECTOR, data=b"v" * 32)),
    "units": message(0, head(ack=7) + command(PUT, 2, 8, UNITS, data=b"12345678") +
                     command(PUT, 1 << 62, 32, UNITS | LAYOUT, layout=VECTOR, data=b"u" * 32)),
    "swap": message(0, head() + command(COMPARE_SWAP, 8, 8, REPLY, prim=10, cookie=9, data=b"s" * 16)),
    "lock": message(0, head(ack=3) + command(LOCK, flags=REPLY | EXCLUSIVE) + command(PUT, 0, 4, data=b"lock") +
                    command(UNLOCK, flags=EXCLUSIVE)),
    "contend": message(0, head(0) + command(LOCK, flags=REPLY | EXCLUSIVE, cookie=1)) +
               message(0, head(1, ack=2) + command(LOCK, flags=REPLY) + command(UNLOCK)) +
               message(0, head(0, ack=3) + command(UNLOCK, flags=EXCLUSIVE)),
    "notices": message(0, head(1, ordered=0) + command(POST)) + message(0, head(1, ordered=0) + command(BARRIER, 3)) +
               message(0, head(1, ordered=0) + command(DESCRIBE, flags=REPLY, cookie=5)) +
               message(0, head(1, ordered=0) + command(ASK, 1, flags=REPLY, cookie=5)) +
               message(0, head(1, ordered=0) + command(ASK, 1, flags=REPLY, op=1, cookie=5)) +
               message(0, head(1, ordered=0) + command(DOORBELL)) + message(0, head(1) + command(COMPLETE)),
    "raise": message(0, head(ack=1) + command(PUT, 16, 8, data=b"12345678") + command(RAISE, 0, 1) +
                     command(RAISE, 0, 2) + command(COUNTERS, flags=REPLY, cookie=5)) +
             message(REMOTE, head(ack=1) + command(PUT, 0, 2000, PAYLOAD), b"", 2000) +
             message(0, head(ack=2) + command(RAISE, 0, 0)) +
             message(0, head(ack=4) + command(PUT, 16, 8, RAISES, op=1, data=b"12345678") +
                     command(PUT, 16, 8, RAISES, prim=1, data=b"12345678") + command(PUT, 0, 20, PAYLOAD | RAISES)) +
             message(0, head(ack=3) + command(PUT, 5000, 4, data=b"xxxx") + command(RAISE, 0, 0) +
                     command(RAISE, 2 << 14, 0)),
    "veto": message(0, head(1, ordered=0) + command(BARRIER, 3 + 512)),
    "payload": message(0, head(ack=1) + command(PUT, 0, 40, PAYLOAD), b"p" * 40),
    "payload_vector": message(0, head(ack=1) + command(PUT, 0, 32, PAYLOAD | LAYOUT, layout=VECTOR),
                              VECTOR + b"p" * 32),
    "remote": message(REMOTE, head(ack=1) + command(PUT, 0, 2000, PAYLOAD), b"", 2000) +
              message(0, head(ack=2) + command(COMPLETE)),
    "late": message(LATE, head(2) + command(PUT, 0, 4, data=b"late")) +
            message(0, head(2) + command(PUT, 0, 4, data=b"soon")),
    "dynamic": message(DYNAMIC, head(ack=1) + command(PUT, PLACE + 4, 8, data=b"dynamic!") +
                       command(GET, PLACE + 4090, 8, REPLY, cookie=4)),
    "dynamic_vector": message(DYNAMIC, head(ack=1) + command(PUT, PLACE, 32, LAYOUT, layout=VECTOR, data=b"d" * 32)),
}
for prim in range(1, 48):
    seeds["accumulate_%d" % prim] = message(0, head(ack=1) + b"".join(
        command(ACCUMULATE, 64, 32, REPLY if op % 2 else 0, op, prim, op, data=b"a" * 32) for op in range(1, 15)))

for name, text in seeds.items():
    with open(os.path.join(sys.argv[1], name), "wb") as file:
        file.write(text)
