# SPDX-License-Identifier: GPL-2.0
"""ClickHouse servers for a test: shards on this machine, that listen on the loopback interface only."""
import json
import os
import shutil
import socket
import subprocess
import time

CONFIG = """<yandex>
<logger><level>warning</level><log>{path}/log</log><errorlog>{path}/errors</errorlog></logger>
<listen_host>127.0.0.1</listen_host>
<tcp_port>{tcp}</tcp_port><http_port>{http}</http_port><interserver_http_port>{inter}</interserver_http_port>
<interserver_http_host>127.0.0.1</interserver_http_host>
<path>{path}/data/</path><tmp_path>{path}/tmp/</tmp_path>
<users_config>{path}/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><timezone>UTC</timezone>
<mark_cache_size>67108864</mark_cache_size><uncompressed_cache_size>0</uncompressed_cache_size>
<remote_servers><lifetrace>{shards}</lifetrace></remote_servers>
</yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>{}</port></replica></shard>"
USERS = """<yandex>
<profiles><default><max_memory_usage>2000000000</max_memory_usage></default></profiles>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks>
<profile>default</profile><quota>default</quota></default></users>
<quotas><default></default></quotas>
</yandex>
"""


def free_ports(n):
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


class Servers:
    """N shards; to be used in a with statement, which stops them."""

    def __init__(self, work, n):
        self.ports = free_ports(3 * n)
        self.paths = [os.path.join(work, f"shard{i}") for i in range(n)]
        self.running = [None] * n
        shards = "".join(SHARD.format(port) for port in self.ports[:n])
        for i, path in enumerate(self.paths):
            shutil.rmtree(path, ignore_errors=True)
            os.makedirs(path)
            tcp, http, inter = self.ports[i], self.ports[n + i], self.ports[2 * n + i]
            for name, text in (("config.xml", CONFIG), ("users.xml", USERS)):
                with open(os.path.join(path, name), "w", encoding="utf-8") as file:
                    file.write(text.format(path=path, tcp=tcp, http=http, inter=inter, shards=shards)
                               if name == "config.xml" else text)

    def __enter__(self):
        try:
            for i in range(len(self.paths)):
                self.start(i)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for i in range(len(self.paths)):
            self.stop(i)

    def start(self, i):
        path = self.paths[i]
        # pylint: disable=consider-using-with
        self.running[i] = subprocess.Popen(["clickhouse-server", f"--config-file={path}/config.xml"], cwd=path,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(300):
            if self.running[i].poll() is not None:
                break
            try:
                self.query("SELECT 1", shard=i, database="default")
                return
            except subprocess.CalledProcessError:
                time.sleep(0.2)
        with open(os.path.join(path, "errors"), encoding="utf-8", errors="replace") as file:
            raise RuntimeError(f"clickhouse-server does not start: {file.read()[-2000:]}")

    def stop(self, i):
        server, self.running[i] = self.running[i], None
        if not server:
            return
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()

    def client(self, shard, database, *words, text=None, path=None):
        command = ["clickhouse-client", "--host=127.0.0.1", f"--port={self.ports[shard]}", f"--database={database}",
                   "--join_default_strictness=ALL", *words]
        if path:
            with open(path, "rb") as file:
                return subprocess.run(command, stdin=file, capture_output=True, check=True, timeout=120)
        return subprocess.run(command, input=(text or "").encode(), capture_output=True, check=True, timeout=120)

    def run(self, sql, shard=0, database="lifetrace"):
        """Statements, with semicolons between them."""
        self.client(shard, database, "--multiquery", text=sql)

    def query(self, sql, shard=0, database="lifetrace"):
        """The rows of a query."""
        done = self.client(shard, database, "--query", sql + "\nFORMAT JSONCompact")
        return json.loads(done.stdout)["data"]

    def load(self, table, path, shard=0, database="lifetrace"):
        self.client(shard, database, "--query", f"INSERT INTO {table} FORMAT TabSeparated", path=path)
