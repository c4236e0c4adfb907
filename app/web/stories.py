"""The worked examples that a page tells before its scripts run.

Their files are JSON behind a name. Which one a link shows is decided as in static/state/presets.js.
"""

import json
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from .templates import STATIC

Story = Mapping[str, Any]

# In the order of PRESET_GROUPS in static/state/presets.js.
_GROUPS: Final = ("start", "orders", "blocks", "views", "shared", "own")
_FIELDS: Final = ("shape", "layout", "dtype", "dims", "steps", "slice", "elements")
_USUAL: Final = {"dtype": "float32"}
_DRAWN: Final = ("row", "text", "colour")  # other rows or texts have not what the sentences name


@lru_cache(maxsize=1)
def stories() -> tuple[Story, ...]:
    """All examples, with the ``place`` in their group and what leads to the ``next`` one."""
    told = []
    for name in _GROUPS:
        text = (STATIC / "state" / "examples" / f"{name}.js").read_text(encoding="utf-8")
        group = json.loads(text.partition(f"{name.upper()} = ")[2].rstrip().removesuffix(";"))
        learn, presets = group["learn"], group["presets"]
        for number, preset in enumerate(presets, 1):
            leads = f"Next part: {learn}" if number == 1 else f"Next: {preset['title']}"
            nth = f"{number} of {len(presets)}"
            told.append({**preset, "learn": f"{learn}, ", "nth": nth, "leads": leads})
    leads_on = [*(story["leads"] for story in told[1:]), ""]
    return tuple(
        {**story, "tried": False, "first": story is told[0], "next": leads}
        for story, leads in zip(told, leads_on, strict=True)
    )


def story_of(values: Mapping[str, str], given: Mapping[str, str]) -> Story | None:
    """The example that a link shows, if any; ``values``: of the fields, ``given``: all it says.

    ``tried``: whether it shows the end of the example's trial.
    """
    said = {**given, **values, "b": given.get("b-layout")}
    for story in stories():
        shown = {name: story.get(name, "") for name in ("sample", "show")}
        if _says(said, {**_fixed(story), **shown}, str):
            return _told(story, given, story["see"], tried=False)
    for story in stories():
        if _says(said, {**_fixed(story), **story["trial"]["done"]}, _lenient):
            return _told(story, given, story["trial"]["see"], tried=True)
    return None


def _fixed(story: Story) -> dict[str, Any]:
    """What a link of the example says; its trial changes some of it."""
    fields = {name: story["a"].get(name, _USUAL.get(name, "")) for name in _FIELDS}
    return {**fields, "b": story.get("b"), "sample": story.get("sample", "")}


def _says(said: Mapping[str, Any], wished: Story, form: Callable[[Any], str]) -> bool:
    return all(form(said.get(name, "")) == form(value) for name, value in wished.items())


def _lenient(value: object) -> str:
    """Upper and lower case and blanks do not count; a cell is written as in a link."""
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return "".join(text.split()).lower()


def _told(story: Story, given: Mapping[str, str], see: str, *, tried: bool) -> Story:
    """The example with its sentences, where the cells are drawn as they have them."""
    done = story["trial"]["done"] if tried else {}
    row = "auto" if "shape" in done and story.get("row") != "line" else story.get("row", "auto")
    wished = {**story, "row": row, **done}
    drawn = all(given.get(name, "auto") == str(wished.get(name, "auto")) for name in _DRAWN)
    return {**story, "see": see if drawn else "", "tried": tried}
