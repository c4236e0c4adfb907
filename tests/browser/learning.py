"""The page of lessons as a test touches it."""

from dataclasses import dataclass

import pytest
from playwright.sync_api import Locator, Page, ViewportSize, expect

from app.lessons import find_lesson
from app.lessons.asking import question_of
from app.lessons.lesson import Answer, Question
from tests.browser.explorer import PHONE

SEED = 3


@dataclass(frozen=True, slots=True)
class Learning:
    """One page with a lesson on it."""

    page: Page

    def open(self, lesson: str, level: int = 1, query: str = "", seed: int = SEED) -> Question:
        """Load a lesson, wait until its question is there, and return it."""
        self.page.goto(f"/learn/{lesson}?level={level}&seed={seed}{query}")
        return self.asked(lesson, level, seed)

    def asked(self, lesson: str, level: int, seed: int = SEED) -> Question:
        """Wait for a question, and return it."""
        question = question_of(find_lesson(lesson), seed, level)
        expect(self.prompt).to_have_text(question.prompt)
        expect(self.check).to_be_visible()
        return question

    @property
    def prompt(self) -> Locator:
        return self.page.locator(".prompt")

    @property
    def said(self) -> Locator:
        return self.page.locator("lesson-answer .said")

    @property
    def again(self) -> Locator:
        return self.page.locator(".hints .again")

    @property
    def check(self) -> Locator:
        return self.page.get_by_role("button", name="Check")

    def marked(self, how: str, grid: str = "memory") -> set[int]:
        """The addresses that a grid marks as ``right`` or ``given``."""
        cells = self.page.locator(f"section.{grid} td.{how}")
        addresses = cells.evaluate_all("cells => cells.map(({dataset}) => Number(dataset.address))")
        return set(addresses)

    def fill(self, question: Question, answer: Answer) -> None:
        """Give an answer by the inputs of its kind."""
        entries = answer if isinstance(answer, tuple) else (answer,)
        match question.kind:
            case "number":
                self.page.locator("[name=number]").fill(str(answer))
            case "strides":
                for at, entry in enumerate(entries):
                    self.page.locator(f"[name=stride{at}]").select_option(str(entry))
            case "cell":
                self._press(f'[name=cell][value="{",".join(map(str, entries))}"]')
            case "cells":
                for entry in entries:
                    self._press(f'[name=cell][value="{entry}"]')
            case _:
                for entry in entries:
                    self._press(f'[name=choice][value="{entry}"]')

    def _press(self, selector: str) -> None:
        self.page.locator(f"label:has({selector})").click()

    def answer(self, question: Question, answer: Answer) -> None:
        """Give an answer, a wrong one twice, and wait for what is said to it."""
        self.fill(question, answer)
        self.check.click()
        if answer != question.expected:
            expect(self.again).to_be_visible()
            self.check.click()
        expect(self.said).not_to_be_empty()

    def tab_to(self, selector: str) -> None:
        """Press Tab until what the selector says has the focus."""
        for _ in range(120):
            self.page.keyboard.press("Tab")
            if self._has_focus(selector):
                return
        pytest.fail(f"Tab does not reach {selector}")

    def type(self, question: Question, answer: Answer) -> None:
        """Give an answer by keys alone, from the first link of the page."""
        self.page.locator(".skip").focus()
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#stage")).to_be_focused()  # where the first link leads
        entries = answer if isinstance(answer, tuple) else (answer,)
        press = self.page.keyboard.press
        match question.kind:
            case "number":
                self.tab_to("[name=number]")
                self.page.keyboard.type(str(answer))
            case "strides":
                for at, entry in enumerate(entries):
                    self.tab_to(f"[name=stride{at}]")
                    for _ in range(question.choices.index(str(entry)) + 1):
                        press("ArrowDown")
            case "cell":
                self.tab_to("[name=cell]")
                self._go(",".join(map(str, entries)))
                press("Enter")  # it chooses and sends
                return
            case "cells":
                for entry in entries:
                    self.tab_to("[name=cell]")
                    self._go(str(entry))
                    press("Space")
            case "choice":
                self.tab_to("[name=choice]")
                press("Space")
                for _ in range(question.choices.index(str(answer))):
                    press("ArrowDown")
            case "several":
                for entry in entries:
                    self.tab_to(f'[name=choice][value="{entry}"]')
                    press("Space")
        self.tab_to("button[type=submit].main")
        press("Enter")

    def _go(self, value: str) -> None:
        """Move by arrows from the cell that has the focus to the one with that value."""
        where = """value => {
            const of = value && document.querySelector(`[name=cell][value='${value}']`);
            const cell = (of ?? document.activeElement).closest('td');
            const planes = [...document.querySelectorAll('.plane')];
            const plane = planes.indexOf(cell.closest('table'));
            return [plane, cell.parentElement.rowIndex, cell.cellIndex];
        }"""
        keys = (("ArrowLeft", "ArrowRight"), ("ArrowUp", "ArrowDown"), ("ArrowLeft", "ArrowRight"))
        to = self.page.evaluate(where, value)
        for _ in range(60):
            now = self.page.evaluate(where, None)
            if now == to:
                return
            d = next(d for d in range(3) if now[d] != to[d])
            self.page.keyboard.press(keys[d][now[d] < to[d]])
        pytest.fail(f"arrows do not reach {value}")

    def _has_focus(self, selector: str) -> bool:
        return bool(
            self.page.evaluate("selector => document.activeElement.matches(selector)", selector)
        )


def expect_to_fit(learning: Learning, *sizes: ViewportSize) -> None:
    """The question, its button and its grids are on the first screen, and nothing is wider.

    On a phone the memory that the answer will fill may end below it.
    """
    for size in sizes:
        learning.page.set_viewport_size(size)
        covered = ":not(.covered *)" if size is PHONE else ""
        learning.page.wait_for_function(
            f"""() => [...document.querySelectorAll(
                'lesson-question .main, lesson-grids[part=given] :is(.planes, .memory){covered}',
            )].every((part) => part.getBoundingClientRect().bottom <= innerHeight)
                && document.documentElement.scrollWidth === innerWidth"""
        )
