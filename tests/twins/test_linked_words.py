"""Which words of the texts link to which explanation: ``tests/golden/linked_words.json`` lists all.

After a change of a text, read what the test prints, and write the list anew if each link is meant:
``PYTHONPATH=. .venv/bin/python -m tests.twins.test_linked_words``.
"""

import json
from collections.abc import Mapping
from typing import Any, Final

from app.lessons import BY_ID
from app.web.words import HELP, PLAIN, WORDS, words_on
from tests.places import ROOT
from tests.twins.node import ask_page

GOLDEN: Final = ROOT / "tests" / "golden" / "linked_words.json"

ASK = """async ({ plain, words, texts }) => {
  const { wordFinder } = await import('/static/words/help/linked.js');
  const { PRESET_GROUPS } = await import('/static/state/presets.js');
  texts.explorer = Object.fromEntries(PRESET_GROUPS.flatMap(({ presets }) => presets.map(
    ({ title, see, trial }) =>
      [title, [title, see, trial?.say, trial?.see].filter(Boolean).join(' ')],
  )));
  return Object.fromEntries(Object.entries(texts).map(([page, said]) => {
    const find = wordFinder(words[page], plain);
    return [page, Object.fromEntries(Object.entries(said).map(([name, text]) =>
      [name, Object.fromEntries(find(text).map(({ form, id }) => [form, id]))]))];
  }));
}"""


def linked() -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """By page and text: the id of the explanation that each linked form opens."""
    texts: dict[str, dict[str, str]] = {
        "help": {word.id: word.text for word in WORDS} | {each.title: each.text for each in HELP},
        "learn": {lesson.id: lesson.text for lesson in BY_ID.values()},
    }
    on = {"help": WORDS, "learn": words_on("learn"), "explorer": words_on("explorer")}
    words = {page: [(word.forms, word.id) for word in each] for page, each in on.items()}
    found: dict[str, Any] = ask_page(ASK, {"plain": PLAIN, "words": words, "texts": texts})
    for word in WORDS:  # which never links to itself
        links = found["help"][word.id]
        found["help"][word.id] = {form: id_ for form, id_ in links.items() if id_ != word.id}
    return found


def test_each_word_links_where_it_is_meant() -> None:
    assert linked() == json.loads(GOLDEN.read_bytes())


if __name__ == "__main__":
    GOLDEN.write_text(json.dumps(linked(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
