# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# A compiler cache may be set up to write other paths into objects and messages than those of the
# files (base_dir), or those of another tree (no hash_dir). Suites look files up by these paths. Sourced
# by what compiles for them.

export CCACHE_BASEDIR='' CCACHE_HASHDIR=true
unset CCACHE_NOHASHDIR
