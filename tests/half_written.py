"""Delete data files of coverage that were left half written: tests kill programs at any time.

    python -m tests.half_written FILE...

`coverage combine` leaves out a file that it cannot open, and ends with an error at one that it
can open but not read to its end.
"""

import sqlite3
import sys
from contextlib import closing
from pathlib import Path


def is_whole(path: Path) -> bool:
    """Whether ``path`` is a database without damage."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as database:
            said = database.execute("pragma integrity_check(1)").fetchone()
            database.execute("select 1 from coverage_schema")
    except sqlite3.DatabaseError:
        return False
    return bool(said == ("ok",))


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        if not is_whole(path):
            path.unlink()
            print(f"left out, as it is half written: {path}")  # noqa: T201  # for the terminal
