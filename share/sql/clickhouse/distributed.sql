-- SPDX-License-Identifier: GPL-2.0
--
-- Made by `make -C Documentation tables` from the kinds of rows.
--
-- Tables over all servers of the cluster "lifetrace" of the configuration
-- (remote_servers), each of which has those of tables.sql in its database lifetrace_shard:
--
--	clickhouse-client --query 'CREATE DATABASE lifetrace'
--	clickhouse-client --database=lifetrace --multiquery <distributed.sql
--
-- A row goes to the server that its host chooses. While that one is down, rows wait on the server that
-- took them, and are sent later.

CREATE TABLE IF NOT EXISTS site_minute AS lifetrace_shard.site_minute
	ENGINE = Distributed(lifetrace, lifetrace_shard, site_minute, sipHash64(host));
CREATE TABLE IF NOT EXISTS task AS lifetrace_shard.task
	ENGINE = Distributed(lifetrace, lifetrace_shard, task, sipHash64(host));
CREATE TABLE IF NOT EXISTS lifetime AS lifetrace_shard.lifetime
	ENGINE = Distributed(lifetrace, lifetrace_shard, lifetime, sipHash64(host));
CREATE TABLE IF NOT EXISTS syscall AS lifetrace_shard.syscall
	ENGINE = Distributed(lifetrace, lifetrace_shard, syscall, sipHash64(host));
CREATE TABLE IF NOT EXISTS request AS lifetrace_shard.request
	ENGINE = Distributed(lifetrace, lifetrace_shard, request, sipHash64(host));
CREATE TABLE IF NOT EXISTS call AS lifetrace_shard.call
	ENGINE = Distributed(lifetrace, lifetrace_shard, call, sipHash64(host));
CREATE TABLE IF NOT EXISTS trace AS lifetrace_shard.trace
	ENGINE = Distributed(lifetrace, lifetrace_shard, trace, sipHash64(host));
