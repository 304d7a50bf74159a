# SPDX-License-Identifier: GPL-2.0
#
#	make			the tool, and the module for the running kernel; V=1 prints commands
#	make demo		see it work, in a throwaway virtual machine
#	make check		the tests; check-all: on every kernel and machine, with a
#				table of the results in build/support-table.txt
#	make load, unload	the module on this machine (root)
#	make sign KEY=F CERT=F	the module, for Secure Boot; see Documentation/secure-boot.rst
#	make install		tool, library, manual pages and module; dkms-install: with DKMS
#	make deb		Debian packages, in build/deb; see Documentation/install.rst
#	make lint		all static analysers
#	make help		all of them
#
# KDIR is the kernel's build directory, PREFIX where `make install` puts things.

KVER	?= $(shell uname -r)
KDIR	?= /lib/modules/$(KVER)/build
PREFIX	?= /usr/local
DESTDIR	?=
VERSION	:= $(shell cat VERSION)
SUDO	:= $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: all tool module sign load unload install install-tool uninstall dkms-source dkms-install \
	dkms-remove deb check check-all demo lint doc clean help

all: tool module

# On all CPUs, but for who has said on how many.
tool:
	+@$(MAKE) --no-print-directory -C user $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

# A machine without headers for its kernel can still read traces, and run the
# demo and the tests, which bring their own kernels.
ifneq ($(wildcard $(KDIR)/Makefile),)
module:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules
else
module:
	@echo "No headers of kernel $(KVER) (Debian: apt install linux-headers-$(KVER))."
	@echo "The module is not built; 'make demo' and 'make check' do not need it."
endif

# With the kernel's own program and hash. A module that was signed already gets one more
# signature, of which the kernel takes the last.
sign: module
	@test -f "$(KEY)" && test -f "$(CERT)" || { echo "usage: make sign KEY=PRIVATE.pem" \
		"CERT=CERTIFICATE.der (see Documentation/secure-boot.rst)" >&2; exit 2; }
	@test -f lifetrace.ko || { echo "there is no lifetrace.ko to sign" >&2; exit 1; }
	$(KDIR)/scripts/sign-file $(SIGN_HASH) "$(KEY)" "$(CERT)" lifetrace.ko

SIGN_HASH = $(or $(shell sed -n 's/^CONFIG_MODULE_SIG_HASH="\?\([a-z0-9-]*\)"\?/\1/p' \
	$(KDIR)/include/config/auto.conf 2>/dev/null),sha256)

load: all
	@test -f lifetrace.ko || { echo "there is no lifetrace.ko to load" >&2; exit 1; }
	$(SUDO) insmod lifetrace.ko || { ./lifetrace doctor; exit 1; }

unload:
	$(SUDO) rmmod lifetrace

install: install-tool module
	test ! -f lifetrace.ko || $(MAKE) -C $(KDIR) M=$(CURDIR) \
		INSTALL_MOD_PATH=$(DESTDIR) INSTALL_MOD_DIR=updates modules_install

# All but the module. The service is not enabled, and a configuration that is there stays.
SYSCONFDIR	?= /etc
LIBEXECDIR	?= $(PREFIX)/libexec
LIBDIR		?= $(PREFIX)/lib
SERVICE		:= systemd/system/lifetrace.service systemd/system/lifetrace-receive.socket \
		   systemd/system/lifetrace-receive@.service sysusers.d/lifetrace.conf tmpfiles.d/lifetrace.conf \
		   udev/rules.d/60-lifetrace.rules

install-tool: tool doc
	install -D -m 755 lifetrace $(DESTDIR)$(PREFIX)/bin/lifetrace
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man5
	install -m 644 build/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 build/man/*.5 $(DESTDIR)$(PREFIX)/share/man/man5/
	install -D -m 644 scripts/completion.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/lifetrace
	install -D -m 644 scripts/completion.zsh \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_lifetrace
	install -D -m 644 scripts/completion.fish \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/lifetrace.fish
	for file in share/sql/*/*.sql share/grafana/*.json; do \
		install -D -m 644 $$file $(DESTDIR)$(PREFIX)/share/lifetrace/$${file#share/} || exit; \
	done
	install -D -m 755 share/service/service $(DESTDIR)$(LIBEXECDIR)/lifetrace/service
	for file in $(SERVICE); do \
		case $$file in \
		sysusers.d/* | tmpfiles.d/*) from=lifetrace.$${file%%.d/*} ;; \
		*/lifetrace-*) from=$${file##*/} ;; \
		*) from=lifetrace.$${file##*.} ;; \
		esac; \
		install -d $(DESTDIR)$(LIBDIR)/$${file%/*} && \
		sed 's,@SYSCONFDIR@,$(SYSCONFDIR),; s,@LIBEXECDIR@,$(LIBEXECDIR),; s,@BINDIR@,$(PREFIX)/bin,' \
			share/service/$$from \
			>$(DESTDIR)$(LIBDIR)/$$file && chmod 644 $(DESTDIR)$(LIBDIR)/$$file || exit; \
	done
	test -e $(DESTDIR)$(SYSCONFDIR)/lifetrace.conf || \
		install -D -m 644 share/service/lifetrace.conf $(DESTDIR)$(SYSCONFDIR)/lifetrace.conf

uninstall:
	for file in $(DESTDIR)/lib/modules/$(KVER)/updates/lifetrace.ko*; do \
		test ! -e $$file || { rm $$file && { test -n "$(DESTDIR)" || depmod $(KVER); }; } || exit; \
	done
	rm -f $(DESTDIR)$(PREFIX)/bin/lifetrace
	rm -rf $(DESTDIR)$(PREFIX)/share/lifetrace $(DESTDIR)$(LIBEXECDIR)/lifetrace
	rm -f $(DESTDIR)$(PREFIX)/share/man/man1/lifetrace.1 \
		$(DESTDIR)$(PREFIX)/share/man/man1/lifetrace-*.1 \
		$(DESTDIR)$(PREFIX)/share/man/man5/lifetrace.conf.5
	rm -f $(DESTDIR)$(PREFIX)/share/bash-completion/completions/lifetrace \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_lifetrace \
		$(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/lifetrace.fish
	rm -f $(SERVICE:%=$(DESTDIR)$(LIBDIR)/%)
	! cmp -s share/service/lifetrace.conf $(DESTDIR)$(SYSCONFDIR)/lifetrace.conf || \
		rm $(DESTDIR)$(SYSCONFDIR)/lifetrace.conf

# The library, for other programs. SHLIBDIR is the linker's, PYTHONDIR that of modules of Python: where this
# machine's looks for them below PREFIX. DOCDIR has the example.
SHLIBDIR ?= $(PREFIX)/lib
PYTHONDIR ?= $(or $(shell python3 -c 'import site; print(*[p for p in site.getsitepackages() \
	if p.startswith("$(PREFIX)/lib/")][:1])'),$(PREFIX)/lib/python3/dist-packages)
DOCDIR ?= $(PREFIX)/share/doc/lifetrace
.PHONY: install-library install-python uninstall-library
install: install-library install-python
uninstall: uninstall-library

install-library: tool doc
	install -D -m 644 build/user/liblifetrace.so.0 $(DESTDIR)$(SHLIBDIR)/liblifetrace.so.0
	ln -sf liblifetrace.so.0 $(DESTDIR)$(SHLIBDIR)/liblifetrace.so
	install -D -m 644 include/lifetrace/lifetrace.h $(DESTDIR)$(PREFIX)/include/lifetrace/lifetrace.h
	install -d $(DESTDIR)$(SHLIBDIR)/pkgconfig
	sed 's#@PREFIX@#$(PREFIX)#; s#@SHLIBDIR@#$(SHLIBDIR)#; s#@VERSION@#$(VERSION)#' \
		share/lifetrace.pc.in >$(DESTDIR)$(SHLIBDIR)/pkgconfig/lifetrace.pc
	install -d $(DESTDIR)$(PREFIX)/share/man/man3
	install -m 644 build/man/*.3 $(DESTDIR)$(PREFIX)/share/man/man3/
	install -D -m 644 share/examples/rows.c $(DESTDIR)$(DOCDIR)/examples/rows.c

install-python:
	install -D -m 644 python/lifetrace.py $(DESTDIR)$(PYTHONDIR)/lifetrace.py

uninstall-library:
	rm -f $(DESTDIR)$(SHLIBDIR)/liblifetrace.so $(DESTDIR)$(SHLIBDIR)/liblifetrace.so.0 \
		$(DESTDIR)$(SHLIBDIR)/pkgconfig/lifetrace.pc $(DESTDIR)$(PREFIX)/share/man/man3/liblifetrace.3 \
		$(DESTDIR)$(PYTHONDIR)/lifetrace.py $(DESTDIR)$(PYTHONDIR)/__pycache__/lifetrace.*.pyc
	rm -rf $(DESTDIR)$(PREFIX)/include/lifetrace $(DESTDIR)$(DOCDIR)/examples
	! test -d $(DESTDIR)$(DOCDIR) || rmdir --ignore-fail-on-non-empty $(DESTDIR)$(DOCDIR)

# DKMS builds the module again for each kernel that is installed later.
DKMS_SRC := /usr/src/lifetrace-$(VERSION)
DKMS_FILES := Kbuild VERSION dkms.conf COPYING $(wildcard module/*.[ch] module/*/*.[ch] uapi/*.h uapi/*/*.h)

dkms-source:
	for file in $(DKMS_FILES); do \
		install -D -m 644 $$file $(DESTDIR)$(DKMS_SRC)/$$file || exit; \
	done

dkms-install:
	$(SUDO) $(MAKE) dkms-source
	$(SUDO) dkms install -m lifetrace -v $(VERSION) -k $(KVER)

dkms-remove:
	$(SUDO) dkms remove -m lifetrace -v $(VERSION) --all
	$(SUDO) rm -rf $(DKMS_SRC)

# Debian packages of what is committed, into build/deb.
deb:
	@scripts/make-deb

doc:
	$(MAKE) -C Documentation

check:
	@scripts/install-deps check
	@tests/check

check-all:
	@scripts/install-deps
	@tests/check --all

demo:
	@scripts/install-deps demo
	@scripts/demo

lint:
	@scripts/install-deps
	@tests/lint

clean:
	rm -rf build
	rm -f lifetrace
	test ! -f $(KDIR)/Makefile || $(MAKE) -C $(KDIR) M=$(CURDIR) clean

help:
	@sed -n 's/^#\t//p' Makefile
