"""The pages of the API: answers are copied, and a file of one's own is sent."""

import json
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, expect

from tests.browser.pages import Axe

CLIP = "() => { navigator.clipboard.writeText = async (text) => { window.copied = text; }; }"


def test_the_command_and_the_answer_are_copied(page: Page, axe: Axe) -> None:
    page.goto("/docs/describe")
    expect(page.get_by_role("button", name="Copy the answer")).to_be_visible()
    assert axe(page, "main") == []
    page.evaluate(CLIP)
    for what, label in (("the command", "As a command"), ("the answer", "Answer: 200")):
        page.get_by_role("button", name=f"Copy {what}").click()
        text = page.get_by_role("region", name=label).text_content()
        page.wait_for_function("text => window.copied === text", arg=text)


def test_a_file_of_one_s_own_is_sent_and_answered(page: Page, tmp_path: Path) -> None:
    own = tmp_path / "own.npy"
    np.save(own, np.arange(24, dtype=np.float32).reshape(1, 6, 2, 2))
    page.goto("/docs/reorder-file?target=NCHW4")
    with page.expect_download() as saving:
        page.locator("own-file input").set_input_files(own)
    assert saving.value.suggested_filename == "answer-own.npy"
    saving.value.save_as(tmp_path / "answer")
    stored = np.load(tmp_path / "answer").ravel().tolist()
    assert stored[:8] == [0, 4, 8, 12, 1, 5, 9, 13]
    expect(page.locator("#answer")).to_contain_text("Answer to own.npy: 200")
    page.goto("/docs/graph")
    bad = tmp_path / "no.onnx"
    bad.write_bytes(b"no model")
    page.locator("own-file input").set_input_files(bad)
    expect(page.locator("#answer")).to_contain_text("Answer to no.onnx: 422")
    shown = page.locator(".trial .answer pre")
    assert json.loads(shown.text_content() or "")["status"] == 422
