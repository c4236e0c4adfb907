"""The page of lessons as a test touches it."""

from __future__ import annotations

from dataclasses import dataclass

from playwright.sync_api import Locator, Page, expect

from app.lessons import find_lesson
from app.lessons.asking import question_of
from app.lessons.lesson import Answer, Question

SEED = 3


@dataclass(frozen=True, slots=True)
class Learning:
    """One page with a lesson on it."""

    page: Page

    def open(self, lesson: str, level: int = 1, query: str = "") -> Question:
        """Load a lesson, wait until its question is there, and return it."""
        self.page.goto(f"/learn/{lesson}?level={level}&seed={SEED}{query}")
        return self.asked(lesson, level)

    def asked(self, lesson: str, level: int, seed: int = SEED) -> Question:
        """Wait for a question, and return it."""
        question = question_of(find_lesson(lesson), seed, level)
        expect(self.prompt).to_have_text(question.prompt)
        expect(self.grids.first).to_be_visible()
        return question

    @property
    def prompt(self) -> Locator:
        return self.page.locator(".prompt")

    @property
    def grids(self) -> Locator:
        return self.page.locator("lesson-grids section")

    @property
    def said(self) -> Locator:
        return self.page.locator("lesson-answer .said")

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
        """Give an answer and wait for what is said to it."""
        self.fill(question, answer)
        self.check.click()
        expect(self.said).not_to_be_empty()
