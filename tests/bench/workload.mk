# SPDX-License-Identifier: GPL-2.0
#
# What is built in the guest of tests/bench/workload: a room of the reader that needs no package but that of libc.
objects := $(patsubst user/lib/%.c,/tmp/built/%.o,$(wildcard user/lib/base/*.c))

/tmp/built/all.so: $(objects)
	gcc -shared -o $@ $^

/tmp/built/%.o: user/lib/%.c
	mkdir -p $(@D)
	gcc -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -O1 -fPIC -I. -Iuser/lib -c -o $@ $<
