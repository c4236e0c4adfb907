"""The page's modules without DOM under node, asked by a test that knows the right answers."""

import json
import subprocess
from typing import Any

from app.contract.shapes import plain
from app.engine import Layout
from app.picture.colours import Theme
from tests.places import ROOT

LIMIT_S = 600
_ASK = """
import {{ readFileSync }} from 'node:fs';
const ask = {code};
const given = JSON.parse(readFileSync(0, 'utf8'));
process.stdout.write(JSON.stringify(await ask(given)));
"""


def ask_page(code: str, given: object) -> Any:
    """What an async function of the page's modules, imported from ``/static``, makes of ``given``.

    Both travel as JSON. Errors: AssertionError with what node says.
    """
    script = _ASK.format(code=code.replace("import('/static/", f"import('{ROOT.as_uri()}/static/"))
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", script],
        input=json.dumps(given, default=plain),
        capture_output=True,
        text=True,
        check=False,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def theme_of(theme: Theme, *, dark: bool) -> dict[str, Any]:
    """A theme as the page's painters take it."""
    colours = {"background": theme.background, "text": theme.text, "hatch": theme.hatch}
    named = {name: f"#{colour}" for name, colour in colours.items()}
    return {**named, "dark": dark, "forced": False}


def described(layout: Layout, buffer_elements: int) -> dict[str, Any]:
    """A layout as the page gets it."""
    return {
        "shape": layout.shape,
        "dims": layout.dims,
        "digits": layout.digits,
        "offset": layout.offset,
        "swizzle": layout.swizzle,
        "padded_shape": layout.padded_shape,
        "buffer": {"elements": buffer_elements},
    }
