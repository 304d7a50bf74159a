/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LT_LIB_CRC32C_H
#define LT_LIB_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/**
 * lt_crc32c() - CRC-32C (Castagnoli), as in iSCSI, ext4 and btrfs
 * @crc: 0, or the result for the preceding bytes
 */
uint32_t lt_crc32c(uint32_t crc, const void *data, size_t size);

/* lt_crc32c() without the instruction of the CPU, so that tests compare both ways. */
uint32_t lt_crc32c_table(uint32_t crc, const void *data, size_t size);

#endif /* LT_LIB_CRC32C_H */
