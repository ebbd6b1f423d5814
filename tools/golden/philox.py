# SPDX-License-Identifier: Apache-2.0
"""Philox4x32-10 (Salmon and others, SC 2011), and the uniform numbers that gig takes from it.

Number i of a stream is a half of block i // 2: the first two words of the block if i is even, else the last two, the
lower word first. The counter is (block, stream), the key the seed, each as 64 bits with the lower word first. A uniform
number is made of the upper 53 bits.
"""
MASK = 0xFFFFFFFF


def block(counter, key):
    c, k = list(counter), list(key)
    for _ in range(10):
        left, right = c[0] * 0xD2511F53, c[2] * 0xCD9E8D57
        c = [right >> 32 ^ c[1] ^ k[0], right & MASK, left >> 32 ^ c[3] ^ k[1], left & MASK]
        k = [k[0] + 0x9E3779B9 & MASK, k[1] + 0xBB67AE85 & MASK]
    return c


# The published answers to zeros and to ones.
assert block([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
assert block([MASK] * 4, [MASK] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def uniform(seed, stream, index):
    at = index // 2
    words = block([at & MASK, at >> 32, stream & MASK, stream >> 32], [seed & MASK, seed >> 32])
    low, high = words[2 * (index % 2):2 * (index % 2) + 2]
    return ((high << 32 | low) >> 11) * 2.0 ** -53
