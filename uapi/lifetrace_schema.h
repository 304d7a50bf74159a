/* SPDX-License-Identifier: ((GPL-2.0 WITH Linux-syscall-note) OR MIT) */
/*
 * The schema: every channel, class, event and field, declared once.
 *
 * From these tables come the packed structs that the module fills in
 * (lifetrace.h), the text that the module serves in its file "schema", the
 * field tables of the reader, the metadata of a CTF export and the tables of
 * Documentation/format.rst. Nothing about an event is written down anywhere
 * else. This header holds the list of the channels and what follows from it;
 * schema/ holds a file a channel.
 *
 * Rules for changing it:
 *
 * - Ids are never reused. A new event takes the next free id of its channel.
 * - Within a minor version fields are only appended to an event, and events
 *   and classes only added. A reader takes the offsets and sizes from the
 *   schema in the file and skips what it does not know.
 * - The layout of a record does not depend on the machine, but for the byte
 *   order.
 */
#ifndef LIFETRACE_SCHEMA_H
#define LIFETRACE_SCHEMA_H

#include "schema/kmem.h"
#include "schema/pid.h"
#include "schema/area.h"
#include "schema/syscall.h"
#include "schema/call.h"

/*
 * The channels, numbered from 1 on. A channel's name is also the name of its
 * directory. A new channel is a row here, and a file in schema/ that defines
 * LT_NAME_CLASSES and LT_NAME_EVENTS.
 *
 * LT_CHANNELS(X): X(number, NAME, name)
 */
#define LT_CHANNELS(X)	LT_CHANNELS_WITH(LT_CHANNEL_ROW, X)
#define LT_CHANNEL_ROW(X, number, NAME, name)	X(number, NAME, name)

/* LT_CHANNELS_WITH(X, arg): X(arg, number, NAME, name) */
#define LT_CHANNELS_WITH(X, arg)					\
	X(arg, 1, KMEM, kmem)						\
	X(arg, 2, PID,  pid)						\
	X(arg, 3, AREA, area)						\
	X(arg, 4, SYSCALL, syscall)					\
	X(arg, 5, CALL, call)

/*
 * Classes are what events, and their losses, are counted by. Several events may
 * share one (the narrow and the wide form of an event do); an event that only
 * describes (the running task, a cache) has none. Each channel has room for 16
 * classes: those of channel N have the numbers from 16 * (N - 1) on, and their
 * counters are in the packets of that channel only.
 *
 * LT_CLASSES(C), and LT_KMEM_CLASSES(C) of one channel:
 * C(number, NAME, name, description)
 */
#define LT_CLASSES(C)		LT_CHANNELS_WITH(LT_CLASSES_OF, C)
#define LT_CLASSES_OF(C, number, NAME, name)	LT_##NAME##_CLASSES(C)

/*
 * Events, channel by channel. Ids begin at 1 in each channel.
 *
 * LT_EVENTS(E), and LT_KMEM_EVENTS(E) of one channel:
 * E(CHANNEL, id, NAME, name, CLASS, description)
 */
#define LT_EVENTS(E)		LT_CHANNELS_WITH(LT_EVENTS_OF, E)
#define LT_EVENTS_OF(E, number, NAME, name)	LT_##NAME##_EVENTS(E)

/*
 * Field types: what the bytes are. u40 is an unsigned integer of five bytes in
 * the byte order of the packet, u24 and u56 have three and seven; charN is text of at
 * most N bytes, ended by a zero byte where it is shorter. u32x8 is an array of eight
 * u32, and so on; the kind is that of each.
 *
 * Field kinds: what the value means.
 *   addr   address of an object; u40: relative to ptr_base of the packet
 *          header, u64: absolute
 *   code   address of an instruction; u32: relative to text_base of the packet
 *          header, u64: absolute; 0 in either: not known
 *   pfn    page frame number
 *   bytes  size in bytes
 *   gfp    allocation flags, bits as in the schema's gfp lines
 *   node   NUMA node requested, -1: any
 *   cache  id of a slab cache, see the event "cache"; 0: not known
 *   site   number of a site, see the event "site": in this packet alone; u48: the number
 *          and the field ptr in one, see LT_TIGHT_SHIFT
 *   stack  number of a stack, see the event "stack": in this packet alone; 0: none
 *   order  log2 of the number of pages
 *   task   number of a task that the packet has announced: in this packet alone
 *   tid, tgid  number in the initial pid namespace
 *   pidns  id of a pid namespace, see the event "pid_ns"; 0: not known
 *   uid    user or group id, in the initial user namespace
 *   nsec   time in ns since boot, suspended time included
 *   class  number of a class
 *   bits   flags, see the field's description
 *   reg    register of a caller: a number, flags or an address of its own
 *   num    plain number
 *   text   bytes, not necessarily UTF-8
 *
 * LT_FIELDS_KMALLOC(F) and so on, of one event: F(type, name, kind, description)
 */

#endif /* LIFETRACE_SCHEMA_H */
