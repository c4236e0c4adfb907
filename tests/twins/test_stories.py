"""The server's example of a link against the page's: the links of all examples and their trials."""

from urllib.parse import parse_qsl

from app.web.first import first_of
from tests.twins.node import ask_page

ASK = """async () => {
    const { PRESETS, stateOf } = await import('/static/state/presets.js');
    const { formatState, parseState } = await import('/static/state/permalink.js');
    const { isDrawnAsTold, storyOf } = await import('/static/state/story.js');
    const told = (state) => {
        const story = storyOf(state);
        const found = story && [story.preset.title, story.stage, isDrawnAsTold(story, state)];
        return [formatState(state), found];
    };
    return PRESETS.flatMap((preset) => {
        const state = stateOf(preset);
        const query = new URLSearchParams(formatState(state));
        for (const [name, value] of Object.entries(preset.trial.done)) {
            query.set(name === 'b' ? 'b-layout' : name, String(value).toUpperCase());
        }
        const other = { ...state, a: { ...state.a, elements: '99999' } };
        return [state, { ...state, rowLength: 7 }, parseState(query), other].map(told);
    });
}"""


def test_the_server_tells_of_a_link_what_the_page_tells() -> None:
    answers = ask_page(ASK, None)
    told = []
    for query, page in answers:
        story = first_of(tuple(parse_qsl(query, keep_blank_values=True)), example=True).story
        stage = story and ("done" if story["tried"] else "begun")
        assert (story and [story["title"], stage, bool(story["see"])]) == page, query
        told.append(stage)
    assert min(map(told.count, ("begun", "done", None))) > 30
