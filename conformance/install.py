"""Install each line of requirements.txt separately, and record what failed and why.

Run with the Python of the environment to install into.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

_REASON = 200  # characters of pip's last error that the table shows


def _options(words: list[str]) -> list[str]:
    """The words of a line, with pip's own options for --beside=NAME: another version."""
    found = []
    for word in words:
        name = word.removeprefix("--beside=")
        beside = [f"--prefix={Path(sys.prefix) / name}", "--ignore-installed"]
        found += [word] if name == word else beside
    return found


def main() -> int:
    """Install, and return 0 even if something is missing: the comparison reports that and fails."""
    listed = Path(__file__).with_name("requirements.txt").read_text(encoding="utf-8")
    missing: dict[str, str] = {}
    for line in listed.splitlines():
        words = line.split("#", maxsplit=1)[0].split()
        if not words:
            continue
        print(f"installing {words[0]}", flush=True)
        run = subprocess.run(  # noqa: S603  # words of a file of this repository
            [sys.executable, "-m", "pip", "install", "--quiet", *_options(words)],
            capture_output=True,
            text=True,
            check=False,
        )
        if run.returncode:
            errors = re.findall(r"ERROR: (.*)", run.stderr) or [run.stderr.strip()]
            missing[words[0]] = errors[-1][:_REASON]
    noted = Path(sys.prefix) / "not-installed.json"
    noted.write_text(json.dumps(missing), encoding="utf-8")
    stamp = Path(sys.prefix) / ".installed"
    if not missing:  # without the stamp, the next `make conformance` installs again
        stamp.touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
