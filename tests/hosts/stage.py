"""How a host is run on its own: in a home and a checkout that nobody else has, without a terminal,
and with no way out but to the scripted model.
"""

import os
import platform
import signal
import subprocess
import tempfile
from pathlib import Path

MACHINE = f"{platform.system()} {platform.machine()}"
# Not a promise about speed: a host that waits for a person would wait for ever.
PATIENCE = 300


def program(hosts, host):
    """Where tests/hosts/install puts it."""
    return Path(hosts) / host.program / "node_modules" / ".bin" / host.program


def installed(hosts, host):
    """What the host says of its version; nothing if it cannot run on this machine."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        try:
            for arguments in filter(None, [host.able_to, ["--version"]]):
                ran = run([program(hosts, host), *arguments], plain(Path(home)), Path(home))
                if ran.returncode != 0:
                    return None
        except OSError:
            return None
    return (ran.stdout or ran.stderr).strip().splitlines()[0]


def prepared(host, folder, url):
    """A home and a checkout of its own, and a way out that ends at the model."""
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    subprocess.run(["git", "init", "--quiet", work], check=True)
    start = host.start(url, str(home))
    for path, text in start.files.items():
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    ways_out = {name: url for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")}
    ways_out |= {name.lower(): url for name in ways_out}
    direct = dict.fromkeys(("NO_PROXY", "no_proxy"), "127.0.0.1,localhost")
    return plain(home) | ways_out | direct | start.variables, start.arguments, work


def plain(home):
    """Nothing of whoever runs this test: that may be an agent, and have a memory."""
    return {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
    }


def run(command, environment, work):
    """Runs it without a terminal, in a session of its own that ends with it."""
    ran = subprocess.Popen(
        command,
        env=environment,
        cwd=work,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        out, err = ran.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(ran.pid, signal.SIGKILL)
        out, err = ran.communicate()
        err += f"\nno end after {PATIENCE} s"
    return subprocess.CompletedProcess(command, ran.returncode, out, err)
