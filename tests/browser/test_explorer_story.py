"""A story stays while its trial is typed, says what was seen then, and leads on."""

from playwright.sync_api import Page, expect

from tests.browser.explorer import BLOCKED, DESK, PHONE, Explorer, Grid
from tests.browser.pages import NewPage, box_of

# With the least part of each that is in view where a trial begins.
GRIDS: dict[Grid, float] = {"logical": 1, "a": 0.01}


def test_a_story_answers_its_trial_and_says_nothing_of_another_drawing(page: Page) -> None:
    explorer = Explorer(page).open(BLOCKED)
    see, trial = page.locator("example-story .see"), page.locator("example-story .try")
    expect(see).to_contain_text("blocks of four")
    expect(trial).to_have_text("Try it: type NHWC as the layout.")
    explorer.field("layout").fill("NH")
    expect(trial).to_contain_text("Try it")
    names = page.get_by_role("listbox")
    expect(names).to_be_visible()
    explorer.field("layout").fill("nhwc")
    expect(see).to_contain_text("channels of a pixel are neighbours")
    expect(trial).to_be_hidden()
    seen = page.locator("example-story .seen")
    expect(seen).to_have_text(
        "n 0, c 2, h 1, w 2 is at address 30 in NCHW4, at 44 in nhwc. "
        "The buffer has 120 addresses instead of 160."
    )
    expect(names).to_be_hidden()
    explorer.field("layout").fill("NCHW32")
    expect(trial).to_be_hidden()
    story = page.locator("example-story")
    expect(story.get_by_role("heading")).to_have_text("Your own tensor")
    expect(seen).to_have_text(
        "n 0, c 2, h 1, w 2 is at address 226. "
        "The buffer has 640 addresses; 520 of them hold no element (2\u202f080 bytes)."
    )
    story.get_by_role("button", name="Back to: Six channels in blocks of four").click()
    expect(trial).to_contain_text("Try it")
    expect(explorer.field("layout")).to_have_value("NCHW4")
    explorer.show("?shape=2,32,4,4&layout=nChw8c&at=0,17,0,0&row=32&lv=28,0,0")
    expect(see).to_contain_text("a row is four pixels")
    expect(seen).to_contain_text("n 0, c 17, h 0, w 0 is at address 257.")
    page.get_by_label("Addresses in a row").fill("16")
    expect(see).to_be_empty()
    expect(seen).to_contain_text("is at address 257.")


def test_a_story_leads_on_and_back(page: Page) -> None:
    explorer = Explorer(page).open()
    story = page.locator("example-story")
    group, title = story.locator(".group"), story.get_by_role("heading")
    expect(group).to_have_text("Start here, 1 of 4")
    assert page.locator(".column").evaluate("column => (column.scrollTop = 60)") == 60
    folded = page.locator("layout-facts details", has_text="Bytes by system")
    expect(folded).not_to_have_attribute("open", "")
    expect(page.get_by_role("button", name="Previous example")).to_be_disabled()
    page.get_by_role("button", name="Next example").click()
    expect(title).to_have_text("One image: N, C, H, W")
    assert page.locator(".column").evaluate("column => column.scrollTop") == 0
    page.get_by_role("button", name="Next example").click()
    expect(title).to_have_text("Six channels in blocks of four")
    page.get_by_role("button", name="Next example").click()
    expect(title).to_have_text("A picture as planes, stripes and combs")
    story.get_by_role("button", name="Next part: Orders").click()
    expect(group).to_have_text("Orders, 1 of 14")
    expect(page.locator("layout-facts")).to_contain_text("Bytes by system")
    expect(folded).to_have_count(0)
    expect(explorer.field("shape")).to_have_value("2,3")
    page.get_by_role("button", name="Previous example").click()
    expect(group).to_have_text("Start here, 4 of 4")


def test_on_a_phone_an_example_its_trial_and_an_own_tensor_can_be_read(new_page: NewPage) -> None:
    explorer = Explorer(new_page(viewport=PHONE, has_touch=True)).open()
    page = explorer.page
    following = page.get_by_role("button", name="Next example")
    before = following.evaluate("button => getComputedStyle(button, '::before').content")
    assert before == '"Next"', "the arrow says where it leads"
    following.tap()
    following.tap()
    expect(explorer.about("logical")).to_contain_text("1 × 6 × 4 × 5".replace(" ", "\u00a0"))
    explorer.settle()
    drawn = explorer.canvas("logical").evaluate("({dataset}) => ({...dataset})")
    assert (drawn["columns"], drawn["rows"]) == ("23", "9"), "two rows of four planes"
    wide, high = map(float, drawn["side_css"].split(","))
    # Its digits are read, 11 pixels high; three planes are seen, and a part of those of padding.
    assert min(wide * 0.92 / (3 * 0.58), high * 0.56) >= 11
    assert (float(drawn["left_cells"]), float(drawn["top_cells"])) == (0, 0)
    left, top = map(float, drawn["inset_css"].split(","))
    assert left + 17 * wide <= 382
    assert top + 9 * high <= 844 * 0.3
    page.get_by_role("button", name="Try it").tap()
    for grid, ratio in GRIDS.items():
        expect(explorer.canvas(grid)).to_be_in_viewport(ratio=ratio)
    explorer.field("layout").fill("nhwc")
    expect(page.locator("example-story .see")).to_contain_text("channels of a pixel")
    expect(explorer.canvas("logical")).to_be_in_viewport(ratio=1)
    explorer.field("layout").press("Enter")
    expect(explorer.field("layout")).to_be_in_viewport()  # the fields stay, and the grids with them
    explorer.settle()
    expect(explorer.canvas("a")).to_have_attribute("data-columns", "12")  # two pixels
    at = explorer.memory_cell("a", 7)
    assert box_of(explorer.canvas("a"))["y"] + at[1] < 844
    assert explorer.number("a", "cell_css") >= 20
    explorer.field("layout").fill("NCHW4")
    explorer.field("shape").fill("1,6,5,4")
    seen = page.locator("example-story .seen")
    expect(seen).to_be_visible()
    expect(seen).to_have_text(
        "n 0, c 2, h 1, w 2 is at address 26. "
        "The buffer has 160 addresses; 40 of them hold no element (160 bytes)."
    )


def test_a_trial_that_names_a_button_presses_it_and_its_end_belongs_to_its_own_example(
    page: Page,
) -> None:
    """The comb is an example far down the list, too: the next one is that after the picture."""
    explorer = Explorer(page).open()
    explorer.press(explorer.example("A picture as planes, stripes and combs"))
    expect(explorer.about("a")).to_contain_text("36\u202f864 addresses")
    page.get_by_role("button", name="Explore NHWC").click()  # another one leads away from it
    page.get_by_role("button", name="Try it: press “Explore NCHW4”").click()
    story = page.locator("example-story")
    expect(story.locator(".see")).to_contain_text("each fourth place is padding")
    expect(explorer.about("a")).to_contain_text("49\u202f152 addresses")
    chosen = page.locator("preset-list [aria-pressed=true]")
    expect(chosen).to_have_text("A picture as planes, stripes and combs")  # as the heading does
    least = story.evaluate("story => story.style.minHeight")
    assert least == "", "no room for what was said before"
    expect(story.locator(".group")).to_have_text("Start here, 4 of 4")
    expect(story.locator(".seen")).to_contain_text("152 addresses instead of 36")
    expect(story.locator(".see")).to_contain_text("You are through “Start here”")
    expect(story.locator(".next")).to_have_text("Next part: Orders")


def test_on_a_phone_a_story_and_its_cells_are_read_whole_and_a_trial_opens_its_field(
    new_page: NewPage,
) -> None:
    page = new_page(viewport=PHONE, has_touch=True)
    explorer = Explorer(page).open()
    see = page.locator("example-story .see")
    cut = """element => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().bottom > element.getBoundingClientRect().bottom + 2;
    }"""
    assert not see.evaluate(cut)
    expect(page.locator("example-story .group")).to_have_text(
        "Start here, 1 of 4", use_inner_text=True
    )
    links = ["New here? Learn it by predicting", "Lesson: What is an address?"]
    expect(page.locator("lesson-link a:visible")).to_have_text(links)
    expect(see).to_contain_text("its address, is 18.")
    expect(page.locator("example-story .try")).to_be_in_viewport()
    for grid in GRIDS:
        expect(explorer.canvas(grid)).to_be_in_viewport(ratio=0.8)
    explorer.press(explorer.example("Addresses count elements, memory counts bytes"))
    expect(explorer.field("dtype")).to_be_hidden()
    page.locator("example-story .try").tap()
    expect(explorer.field("dtype")).to_be_focused()
    page.keyboard.press("Enter")
    expect(explorer.field("dtype")).not_to_be_focused()  # its keyboard would cover the memory
    expect(explorer.canvas("a")).to_be_in_viewport(ratio=0.8)
    view = page.locator("memory-view[side=a] .view > summary")
    before = view.bounding_box()
    view.tap()
    assert view.bounding_box() == before
    explorer.press(explorer.example("One block of all channels is NHWC"))
    page.mouse.wheel(0, 60)
    page.get_by_role("button", name="Next example").tap()
    title = page.locator("example-story .title")
    expect(title).to_have_text("CHWN4: the images of a pixel together")
    expect(explorer.about("a")).to_contain_text("CHWN4")
    explorer.settle()
    below = box_of(page.locator(".strip"))
    assert box_of(title)["y"] >= below["y"] + below["height"]
    memory = explorer.canvas("a")
    assert float(memory.get_attribute("data-cell_css") or 0) >= 28
    expect(memory).to_be_in_viewport()


def test_the_first_trial_leads_on_and_to_the_lesson_on_what_is_shown(page: Page) -> None:
    explorer = Explorer(page).open("?shape=2,3&layout=0,1")
    related = page.locator("lesson-link a.related")
    expect(related).to_have_text("Lesson: Stride 0: broadcasting")
    expect(related).to_have_attribute("href", "/learn/broadcast")
    explorer.open()
    learn = page.get_by_role("link", name="Learn it by predicting")
    expect(learn).to_have_attribute("href", "/learn")
    expect(related).to_have_text("Lesson: What is an address?")
    page.locator(".column").evaluate("column => { column.scrollTop = 60; }")
    page.get_by_role("button", name="Try it").click()
    assert page.locator(".column").evaluate("column => column.scrollTop") == 0
    expect(page.locator("#a-layout")).to_be_focused()
    expect(page.locator("#a-layout")).to_be_in_viewport()
    page.keyboard.type("HWC")  # the whole text was selected
    expect(page.locator("#a-layout")).to_have_value("HWC")
    expect(page.locator("example-story .see")).to_contain_text("A M B N C O")
    seen = page.locator("example-story .seen")
    expect(seen).to_contain_text("is at address 18 in CHW, at 13 in HWC")
    expect(page.locator("example-story .next")).to_have_text("Next: One image: N, C, H, W")
    expect(learn).to_be_in_viewport()
    expect(related).to_have_attribute("href", "/learn/address")  # that of the example
    page.goto("/?shape=2,3&layout=5,1")
    expect(related).to_have_attribute("href", "/learn/padding")
    related.click()
    expect(page.locator("lesson-idea h1")).to_have_text("Padding and gaps")
    back = page.get_by_role("link", name="Back to your example")
    expect(back).to_have_attribute("href", "/?shape=2,3&layout=5,1")
    expect(page.get_by_role("link", name="Explorer")).to_have_attribute(
        "href", "/?shape=2,3&layout=5,1"
    )
    page.locator("lesson-idea h1").get_by_role("button", name="Padding").click()
    link = page.locator("[popover]:popover-open").get_by_role("link", name="The lesson on it")
    expect(link).to_have_attribute("href", "/learn/padding")


def test_an_example_chosen_far_down_the_list_is_read_from_its_beginning(new_page: NewPage) -> None:
    page = new_page(viewport=DESK)
    Explorer(page).open(BLOCKED)
    page.locator("details.examples > summary").click()
    groups = page.locator("preset-list details:not([open]) > summary")
    while groups.count() > 0:
        groups.first.click()
    chosen = page.locator("preset-list").get_by_role("button").last
    title = chosen.inner_text()
    chosen.click()
    expect(page.locator("example-story .title")).to_have_text(title)
    expect(page.locator("example-story .title")).to_be_in_viewport(ratio=1)
