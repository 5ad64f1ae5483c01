"""Clusters that are thrown away, a connection to ask them things, and machines that use them.

For tests/postgres/faults. Asks nothing of PostgreSQL but `initdb` and `pg_ctl`, which every package
of it has.
"""

import os
import pwd
import resource
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

# PostgreSQL refuses to run as root.
IS_ROOT = os.geteuid() == 0
NOBODY = pwd.getpwnam("nobody") if IS_ROOT else None
AS_OTHER = ["setpriv", f"--reuid={NOBODY.pw_uid}", f"--regid={NOBODY.pw_gid}", "--clear-groups"] if IS_ROOT else []


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def wait_until(what, is_done, seconds=15):
    until = time.monotonic() + seconds
    while not is_done():
        if time.monotonic() > until:
            raise AssertionError(f"{what}: not within {seconds} s")
        time.sleep(0.02)


class SqlError(Exception):
    """What the server answered to a statement."""


class Session:
    """A connection that speaks as much of the protocol as a statement without values needs."""

    def __init__(self, cluster, database="team", role="owner"):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        self.socket.connect(f"{cluster.folder}/.s.PGSQL.{cluster.port}")
        words = f"user\0{role}\0database\0{database}\0\0".encode()
        self.socket.sendall(struct.pack("!II", len(words) + 8, 196608) + words)
        self.answers()

    def answers(self):
        """Rows until the server waits for the next statement."""
        rows, error = [], None
        while True:
            kind, body = self.message()
            if kind == b"D":
                rows.append(row_of(body))
            elif kind == b"E":
                fields = dict((it[:1], it[1:].decode()) for it in body.split(b"\0") if it)
                error = SqlError(f"{fields[b'C']} {fields[b'M']}")
                if fields[b"S"] in ("FATAL", "PANIC"):
                    raise error
            elif kind == b"Z":
                if error:
                    raise error
                return rows

    def message(self):
        kind, length = struct.unpack("!cI", self.exactly(5))
        return kind, self.exactly(length - 4)

    def exactly(self, n_bytes):
        found = b""
        while len(found) < n_bytes:
            more = self.socket.recv(n_bytes - len(found))
            if not more:
                raise SqlError("the connection was closed")
            found += more
        return found

    def run(self, sql):
        words = sql.encode() + b"\0"
        self.socket.sendall(b"Q" + struct.pack("!I", len(words) + 4) + words)
        return self.answers()

    def close(self):
        self.socket.close()


def row_of(body):
    (n_cells,), at, row = struct.unpack("!H", body[:2]), 2, []
    for _ in range(n_cells):
        (length,) = struct.unpack("!i", body[at:at + 4])
        at += 4
        row.append(None if length < 0 else body[at:at + length].decode())
        at += max(length, 0)
    return row


class Cluster:
    """A server of its own below a folder, with the database `team` and the roles owner and worker."""

    def __init__(self, programs, folder, *options):
        self.programs, self.folder, self.port = programs, Path(folder), free_port()
        self.data = self.folder / "data"
        self.options = options

    @classmethod
    def make(cls, programs, folder, *options, megabytes_of_log=1):
        cluster = cls(programs, folder, *options)
        cluster.folder.mkdir(parents=True, exist_ok=True)
        give_away(cluster.folder)
        # Letters are ordered otherwise than by their bytes, as most servers do it.
        cluster.call("initdb", "--username", "owner", "--auth", "trust", "--encoding", "UTF8", "--locale",
                     "C", "--locale-provider", "icu", "--icu-locale", "en-US", "--no-sync", "--wal-segsize", str(megabytes_of_log))
        return cluster

    def call(self, program, *arguments, limit=None):
        """Runs a program, which can write no larger file than the limit says."""
        def restrict():
            if limit:
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        done = subprocess.run([*AS_OTHER, str(self.programs / program), "--pgdata", str(self.data), *arguments],
                              capture_output=True, text=True, cwd=self.folder, preexec_fn=restrict)
        if done.returncode:
            raise AssertionError(f"{program}: {done.stdout}{done.stderr}{self.log()}")

    def log(self):
        log = self.folder / "log"
        return log.read_text(errors="replace")[-2000:] if log.exists() else ""

    def start(self, *more, limit=None):
        settings = (f"port={self.port}", "listen_addresses=127.0.0.1", f"unix_socket_directories={self.folder}",
                    *self.options, *more)
        options = " ".join(f"-c '{it}'" for it in settings)
        self.call("pg_ctl", "start", "--log", str(self.folder / "log"), "--wait", "--silent", "--options", options,
                  limit=limit)
        return self

    def stop(self, mode="immediate"):
        self.call("pg_ctl", "stop", "--mode", mode, "--wait", "--silent")

    def restart(self):
        self.stop("fast")
        self.start()

    def signal(self, sign):
        """Sends it to all processes of the server, and gives their numbers."""
        postmaster = int((self.data / "postmaster.pid").read_text().split()[0])
        everybody = [postmaster, *children(postmaster)]
        for process in everybody:
            try:
                os.kill(process, sign)
            except ProcessLookupError:
                pass
        return everybody

    @contextmanager
    def frozen(self):
        """A server that takes connections and says nothing."""
        self.signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.signal(signal.SIGCONT)

    def kill(self):
        """As if the machine had lost its power, but for what the system has in its own memory."""
        everybody = self.signal(signal.SIGKILL)
        wait_until("the server is gone", lambda: not any(Path(f"/proc/{it}").exists() and is_alive(it) for it in everybody))
        # Whoever started it may not have asked yet how it ended, and then its number still counts.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        (self.folder / f".s.PGSQL.{self.port}.lock").unlink(missing_ok=True)

    def sql(self, text, database="team", role="owner"):
        session = Session(self, database, role)
        try:
            return session.run(text)
        finally:
            session.close()

    def url(self, role="worker", database="team", password="", more="", port=None):
        secret = f":{password}" if password else ""
        return f"postgres://{role}{secret}@127.0.0.1:{port or self.port}/{database}{more}"

    def with_tables(self, hardwon, *, tablespace=""):
        """Makes the database and its tables, by a role that is no superuser."""
        for statement in ("CREATE ROLE keeper LOGIN", "CREATE ROLE worker LOGIN",
                          f"CREATE DATABASE team OWNER keeper {tablespace}"):
            self.sql(statement, "postgres")
        done = subprocess.run([hardwon, "config", "store", "migrate", "--role", "worker", "--store", self.url("keeper")],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return self

    def remove(self):
        if (self.data / "postmaster.pid").exists():
            subprocess.run([*AS_OTHER, str(self.programs / "pg_ctl"), "stop", "--pgdata", str(self.data), "--mode",
                            "immediate", "--silent"], capture_output=True, cwd="/")
        shutil.rmtree(self.folder, ignore_errors=True)


def give_away(path):
    if IS_ROOT:
        os.chown(path, NOBODY.pw_uid, NOBODY.pw_gid)


def children(process):
    tasks = Path(f"/proc/{process}/task/{process}/children")
    if tasks.exists():
        return [int(it) for it in tasks.read_text().split()]
    return [int(it) for it in subprocess.run(["pgrep", "-P", str(process)], capture_output=True, text=True).stdout.split()]


def is_alive(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class Done:
    """How a command ended."""

    def __init__(self, arguments, code, out, err, seconds):
        self.arguments, self.code, self.out, self.err, self.seconds = arguments, code, out, err, seconds

    def __str__(self):
        return f"hardwon {' '.join(self.arguments)[:80]}: exit {self.code} after {self.seconds:.1f} s\n{self.out}{self.err}"


class Machine:
    """A home of the program: what one of several machines has."""

    def __init__(self, hardwon, store, project="shop"):
        self.hardwon, self.store, self.project = hardwon, store, project
        self.home = Path(tempfile.mkdtemp(prefix="hardwon-home."))

    def environment(self, now=None, **more):
        kept = {"PATH": os.environ["PATH"], "HOME": str(self.home), "HARDWON_HOME": str(self.home / "data"),
                "HARDWON_STORE": self.store, "HARDWON_PROJECT": self.project, "HARDWON_WORKER": "off", **more}
        return {**kept, "HARDWON_NOW": now} if now else kept

    def run(self, *arguments, given="", now=None, limit=60):
        began = time.monotonic()
        try:
            done = subprocess.run([self.hardwon, *arguments], input=given, text=True, capture_output=True,
                                  env=self.environment(now), cwd=self.home, timeout=limit)
        except subprocess.TimeoutExpired as late:
            raise AssertionError(f"hardwon {' '.join(arguments)} hangs for {limit} s") from late
        return Done(arguments, done.returncode, done.stdout, done.stderr, time.monotonic() - began)

    def add(self, text, **more):
        return self.run("add", text, "--as-user", "--json", **more)

    def remove(self):
        shutil.rmtree(self.home, ignore_errors=True)
