"""Code that one takes from the menus Share runs, and does what the page shows."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from app.engine import offset_map, parse_layout, reorder
from tests.browser.explorer import Explorer
from tests.browser.networks import Networks

CLIP = "() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"


def taken(page: Page, kind: str) -> str:
    """What a button of the menu copies."""
    page.evaluate(CLIP)
    page.get_by_role("button", name="Share").click()
    page.locator(f"#share button[data-copy={kind}]").click()
    expect(page.locator("#share .said").first).to_have_text("Copied.")
    page.keyboard.press("Escape")
    return str(page.evaluate("window.copied"))


def compiled(code: str, main: str, folder: Path) -> str:
    """The output of a C program: the code, then a function main."""
    source = folder / "program.c"
    source.write_text(f"{code}\n#include <stdio.h>\n{main}\n", encoding="utf-8")
    build = ["g++", "-x", "c++", "-Wall", "-Werror", str(source), "-o", str(folder / "program")]
    subprocess.run(build, check=True)
    return subprocess.run([folder / "program"], check=True, capture_output=True, text=True).stdout


def called(page: Page) -> Any:
    """The answer to the copied call, without the progress that curl shows."""
    curl = taken(page, "curl")
    assert curl.startswith("curl 'http://127.0.0.1:")
    return json.loads(subprocess.check_output(["bash", "-c", curl.replace("curl ", "curl -s ", 1)]))


def executed(page: Page) -> dict[str, Any]:
    """The names that the copied Python defines."""
    names: dict[str, Any] = {}
    exec(taken(page, "python").replace("import stridescope", "import app as stridescope"), names)  # noqa: S102  # the page's own code
    return names


REORDERS = [
    ("1,6,4,6", "NCHW", "NCHW4", "float32"),
    ("2,3,4", "12,-4,1%2B8", "abc", "int8"),
    ("8,8", "ab", "cute:Sw<1,2,1>o(8,8):(8,1)", "float16"),
    ("2,5", "ba", "ab", "complex128"),
]


@pytest.mark.parametrize(("shape", "source", "target", "dtype"), REORDERS)
def test_loops_in_c_reorder_as_the_engine_does(
    page: Page, tmp_path: Path, shape: str, source: str, target: str, dtype: str
) -> None:
    page.goto(f"/reorder?shape={shape}&layout={source}&dtype={dtype}&b-layout={target}")
    expect(page.locator("reorder-line .now")).not_to_be_empty()
    sizes = tuple(map(int, shape.split(",")))
    before, after = (
        parse_layout(text.replace("%2B", "+"), sizes, dtype=dtype) for text in (source, target)
    )
    a = np.arange(before.buffer_elements, dtype=np.uint8)
    main = f"""
        static element a[{before.buffer_elements}], b[{after.buffer_elements}];
        int main() {{
            for (int i = 0; i < {before.buffer_elements}; i++) *(unsigned char *)(a + i) = i;
            reorder(a, b);
            for (auto &each : b) printf("%d ", *(unsigned char *)&each);
        }}"""
    printed = compiled(taken(page, "c"), main, tmp_path)
    assert [int(each) for each in printed.split()] == reorder(a, before, after).tolist()


def test_python_and_curl_give_the_reorder_of_the_page(page: Page) -> None:
    page.goto("/reorder?shape=1,6,4,6&layout=NCHW&b-layout=NCHW4")
    expect(page.locator("reorder-line .now")).not_to_be_empty()
    target = parse_layout("NCHW4", (1, 6, 4, 6))
    assert executed(page)["b"][offset_map(target).ravel()].tolist() == list(range(144))
    answer = called(page)
    assert answer["steps"] == 168
    assert len(answer["window"]) == 64


def test_python_and_curl_give_the_answer_of_the_network(page: Page) -> None:
    networks = Networks(page).open("?preset=inception-block&rules=onnxruntime-cpu&results=any")
    for said in ("bytes", "cost"):
        found = json.loads(json.dumps(executed(page)["found"]))
        answer = called(page)
        assert answer["tensors"] == found["tensors"]
        assert answer[said] == found[said]
        if said == "bytes":
            page.locator("#show").select_option("plan")
            networks.expect_query("show", "plan")
            networks.rest()


def test_python_and_curl_give_the_findings_of_the_run(page: Page) -> None:
    page.goto("/run")
    expect(page.locator("run-finding .said")).not_to_be_empty()
    answer = called(page)["findings"]
    assert [each["text"] for each in answer] == [
        each.text for each in executed(page)["run"].findings
    ]
    assert answer


def test_the_address_of_an_element_is_a_function_in_c(page: Page, tmp_path: Path) -> None:
    Explorer(page).open("?shape=2,6,3,3&layout=NCHW4")
    page.evaluate(CLIP)
    page.get_by_role("tab", name="Code").click()
    section = page.locator("layout-code section", has=page.get_by_text("Plain C", exact=True))
    section.get_by_role("button").click()
    page.wait_for_function("window.copied")
    code = str(page.evaluate("window.copied"))
    printed = compiled(code, 'int main() { printf("%zu", offset(1, 5, 0, 2)); }', tmp_path)
    assert printed == "117"
