/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Integers of either byte order at any address.
 */
#ifndef LT_LIB_BYTEORDER_H
#define LT_LIB_BYTEORDER_H

#include <endian.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint16_t lt_get16(const void *p, bool big)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return big ? be16toh(v) : le16toh(v);
}

static inline uint32_t lt_get32(const void *p, bool big)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return big ? be32toh(v) : le32toh(v);
}

static inline uint64_t lt_get64(const void *p, bool big)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return big ? be64toh(v) : le64toh(v);
}

/* Little-endian, with the type by which sparse knows that it is. */
#ifdef __CHECKER__
#define LT_FORCE	__attribute__((force))
#else
#define LT_FORCE
#endif

static inline __le16 lt_le16(uint16_t v)
{
	return (LT_FORCE __le16)htole16(v);
}

static inline __le32 lt_le32(uint32_t v)
{
	return (LT_FORCE __le32)htole32(v);
}

static inline __le64 lt_le64(uint64_t v)
{
	return (LT_FORCE __le64)htole64(v);
}

/* An unsigned integer of 1 to 8 bytes. */
static inline uint64_t lt_get_uint(const uint8_t *p, unsigned int size, bool big)
{
	uint64_t v = 0;

	for (unsigned int i = 0; i < size; i++)
		v = v << 8 | p[big ? i : size - 1 - i];
	return v;
}

/* Stores an integer of this machine in a variable of 1, 2, 4 or 8 bytes, at any address. */
static inline void lt_put_native(void *to, unsigned int size, uint64_t value)
{
	uint8_t v8 = (uint8_t)value;
	uint16_t v16 = (uint16_t)value;
	uint32_t v32 = (uint32_t)value;

	switch (size) {
	case 1:
		memcpy(to, &v8, 1);
		break;
	case 2:
		memcpy(to, &v16, 2);
		break;
	case 4:
		memcpy(to, &v32, 4);
		break;
	default:
		memcpy(to, &value, 8);
	}
}

/* Stores an integer of 1 to 8 bytes. */
static inline void lt_put_uint(uint8_t *p, unsigned int size, uint64_t v, bool big)
{
	if (size == 8) {
		v = big ? htobe64(v) : htole64(v);
		memcpy(p, &v, 8);
		return;
	}
	for (unsigned int i = 0; i < size; i++)
		p[i] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

#endif /* LT_LIB_BYTEORDER_H */
