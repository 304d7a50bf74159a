# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# The outputs by which readers are compared; for tests/readers and tests/bench/same.

# The names of damaged traces are keys of this.
declare -gA damaged

# One line an output: its name, and the command without the trace. A damaged trace is
# read by the commands that go through all of it.
outputs() { # TRACE
	cat <<-'END'
		info info
		verify verify --cpus
		dump.json dump --json
		lifetimes.csv lifetimes --csv
		tasks.json tasks --json
		ctf export --ctf=DIR
	END
	[ -n "${damaged[$1]-}" ] || cat <<-'END'
		info.json info --json
		dump dump
		dump-raw dump --raw-order --channel=pid
		lifetimes.json lifetimes --json
		lifetimes lifetimes
		history history -n3 0xffff88803cc6e4e8 0xffff375e08df9004 0x2c49010 0xc1db9000 0xc1ad3004 0xc1474030
		history.json history --json 0xffff88803cc6e4e8 0xffff375e08df9004 0x2c49010 0xc1db9000 0xc1ad3004 0xc1474030
		tasks tasks
		tasks.csv tasks --csv
		tasks-wspy.csv tasks --csv=wspy
		tree tree --threads
		tree-creator.json tree --by=creator --json
		hazards hazards
		hazards.json hazards --json
		resolve resolve tests/golden/log.json
		resolve.json resolve --json --uncertainty=1us tests/golden/log.perf
		report report
		report-all report --all --number=0
		report-alive report alive
		report.json report --json
		report-caches report --coverage --by=cache
		report-tasks.csv report --by=task --csv
		report-sizes.csv report --by=size --csv
		report-processes.csv report long --by=process --csv
		report-coverage.json report --coverage --by=cache --json
		leaks leaks
		leaks.json leaks --older=100ms --json
		leaks.csv leaks --older=100ms --self --csv
		advice report advice
		advice.json advice --older=100ms --json
		advice.csv advice --older=100ms --self --csv
		report-pages report --all --pages
		check check -e lost==0;exact>=99% -e live_bytes<=64KiB;p50>=1ms;p99<1s -e count{comm="sh"}/s<99
		check.json check -e alive{cache=~"kmalloc-.*"}<=1;slack<2% -e peak_bytes>=1KiB --json
		plot plot -n 20
		plot.json plot --points=20 --json
		plot.csv plot --points=100 --cache=filp --csv
		diff diff --from=-300ms --to=-100ms
		diff.json diff --from=-300ms --to=-10ms --sort=allocations --json
		diff.csv diff --from=-300ms --to=-10ms --csv
		check-tap check -e outlives==0;longest<10s --allow-unknown --tap
		collapsed export --format=collapsed -o -
		collapsed-pages export --format=collapsed --space=pages --levels=task,cgroup -o -
		dhat export --format=dhat -o -
		flamegraph export --format=flamegraph --metric=churn -o -
		heaptrack export --format=heaptrack -o -
		pprof export --format=pprof --at=peak -o -
		sql export --format=sql -o -
		perfetto export --format=perfetto -o -
		syscalls syscalls
		syscalls.json syscalls --raw --json
		syscalls.csv syscalls --summary --csv
		syscalls-paths syscalls --paths
		syscalls-tree syscalls --tree
		syscalls-tree.json syscalls --tree --json
		report-syscalls.csv report --by=syscall --csv
		report-calls.csv report --by=call --csv
		calls calls
		calls.json calls --json
		calls-graph calls --graph
		calls-summary calls --summary
		calls-summary.json calls --summary --json
		calls-flame calls --flame
		ctf2 export --ctf-version=2 --ctf=DIR
	END
}
