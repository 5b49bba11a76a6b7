"""The site in a real browser: Chromium, headless; `make site` installs it and runs this."""

import json
import os
import shutil
from pathlib import Path

import pytest
from escapes import EVIL, SLY, evil
from quick import TWINS, quick

from gradproof import specs, verify
from gradproof.graphs import Graph
from gradproof.language import integers
from gradproof.language.digits import of_any_length
from gradproof.report.files import files
from gradproof.report.kinds import SECTIONS
from gradproof.report.recorded import report_in
from gradproof.report.writing import write_all

PROOFS = Path(__file__).parents[2] / "proofs"
RECORDS = sorted(path.stem for path in PROOFS.glob("*.json"))
PAGES = [f"{name}.html" for name in (*RECORDS, "index")]
REQUIRED = os.environ.get("GRADPROOF_REQUIRE_BROWSER") == "1"
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--hide-scrollbars", "--disable-dev-shm-usage"),
)
WIDE, PHONE = (1280, 1000), (400, 844)
WIDEST = ("max_pool2d_pad.html", "conv2d.html", "smooth_max_pool.html", "index.html")
OVERFLOWS = """
for (const fold of document.querySelectorAll("details")) fold.open = true;
const wide = document.documentElement.clientWidth;
return [...document.querySelectorAll("main, main *, footer, .top *")].filter((box) => {
  const { width, right } = box.getBoundingClientRect();
  if (!width || box.closest(".word") || box.parentElement.closest("svg")) return false;
  const card = box.closest("article");
  if (right > wide + 1 || (card && right > card.getBoundingClientRect().right)) return true;
  const { display } = getComputedStyle(box);
  return display !== "inline" && box.clientWidth && box.scrollWidth > box.clientWidth + 1;
}).map((box) => `${box.tagName} ${box.className} ${box.textContent.slice(0, 60)}`);
"""

try:
    from selenium import webdriver
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import Select, WebDriverWait
except ImportError:
    webdriver = None

missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
missing += ["selenium"] if webdriver is None else []
if missing and REQUIRED:
    raise RuntimeError(f"not installed: {', '.join(missing)}; run make site")
pytestmark = [
    pytest.mark.skipif(bool(missing), reason=f"not installed: {', '.join(missing)}"),
    pytest.mark.xdist_group("site"),  # which is built once, and shown by one browser
]


def is_quick(page):
    return page in WIDEST or page.removesuffix(".html") not in TWINS


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(shutil.which("chromedriver"))
    driver = webdriver.Chrome(options=options, service=service)
    yield driver
    driver.quit()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The pages of the records."""
    folder = tmp_path_factory.mktemp("site")
    read = ((name, json.loads((PROOFS / f"{name}.json").read_text("utf-8"))) for name in RECORDS)
    settled = [(getattr(specs, name), report_in(data)) for name, data in read]
    write_all(files(settled, folder, specs.HOMES, True))
    return folder


@pytest.fixture
def show(browser, site):
    """Opens a page from disk, at a size, light or dark, with the console emptied before."""

    def load(address, size=WIDE, scheme="light"):
        browser.get("about:blank")
        for log in ("browser", "performance"):
            browser.get_log(log)
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        feature = {"name": "prefers-color-scheme", "value": scheme}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        browser.get(f"{site.as_uri()}/{address}")
        whole = "document.readyState === 'complete'"
        WebDriverWait(browser, 60).until(lambda b: measure(b, whole))  # on a busy machine it is not
        return browser

    return load


def rows(browser):
    """The rows that can be seen."""
    return measure(
        browser, "[...document.querySelectorAll('[data-row]')].filter(row => row.offsetHeight > 0)"
    )


def requested(browser):
    """Every address that the page asked for."""
    messages = (json.loads(entry["message"])["message"] for entry in browser.get_log("performance"))
    return [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]


def visible(element):
    return element.is_displayed()


def choose(browser, name, value):
    Select(browser.find_element(By.NAME, name)).select_by_visible_text(value)


def measure(browser, script):
    return browser.execute_script(f"return ({script})")


def test_there_is_a_page_for_every_record(site):
    assert sorted(specs.HOMES) == RECORDS
    assert {path.name for path in site.glob("*.html")} == set(PAGES)


def test_the_site_is_small(site):
    files = [p for p in site.iterdir() if p.suffix in (".html", ".css", ".js")]
    assert sum(p.stat().st_size for p in files) < 10_000_000


@pytest.mark.parametrize("name", quick(PAGES, is_quick))
def test_a_page_loads_without_a_word_from_the_console_and_without_the_network(show, site, name):
    browser = show(name)
    assert browser.find_element(By.TAG_NAME, "h1").text
    assert browser.get_log("browser") == []
    addresses = requested(browser)
    assert f"{site.as_uri()}/style.css" in addresses
    assert [a for a in addresses if not a.startswith((site.as_uri(), "data:"))] == []


def test_a_broken_page_is_noticed(browser):
    requested(browser)
    browser.get("data:text/html,<script src='http://localhost:9/'></script>")
    assert browser.get_log("browser")
    assert "http://localhost:9/" in requested(browser)


@pytest.mark.parametrize("name", quick(PAGES, is_quick))
def test_mathematics_has_a_size(show, name):
    """Every formula takes room; a fraction is taller than its parts."""
    browser = show(name)
    browser.execute_script("document.querySelectorAll('details').forEach(d => d.open = true)")
    boxes = measure(
        browser,
        "[...document.querySelectorAll('math')].filter(m => !m.closest('.phone'))"
        ".map(m => m.getBoundingClientRect())"
        ".map(b => [b.width, b.height])",
    )
    assert boxes or name == "index.html"
    assert [box for box in boxes if box[0] < 4 or box[1] < 4] == []
    fractions = measure(
        browser,
        "[...document.querySelectorAll('mfrac')].filter(m => !m.closest('.phone'))"
        ".map(f => [f, ...f.children]"
        ".map(e => e.getBoundingClientRect().height))",
    )
    assert [f for f in fractions if f[0] <= max(f[1], f[2])] == []
    assert measure(browser, "document.querySelectorAll('merror').length") == 0


def test_filters_narrow_the_index(show):
    browser = show("index.html")
    total = len(rows(browser))
    choose(browser, "status", "refuted")
    refuted = rows(browser)
    assert 0 < len(refuted) < total
    assert {row.get_attribute("data-status") for row in refuted} == {"refuted"}
    choose(browser, "op", "avg_pool")
    assert rows(browser)
    assert all(row.get_attribute("data-op") == "avg_pool" for row in rows(browser))
    assert browser.find_element(By.CSS_SELECTOR, "[data-count]").text.startswith(
        f"{len(rows(browser))} of {total} "
    )
    choose(browser, "status", "all")
    choose(browser, "kind", "vjp")
    assert {row.get_attribute("data-kind") for row in rows(browser)} == {"vjp"}
    browser.find_element(By.NAME, "text").send_keys("no theorem has this name")
    assert rows(browser) == []
    assert visible(browser.find_element(By.CSS_SELECTOR, "[data-nothing]"))


def test_search_takes_words_in_any_order(show):
    browser = show("index.html")
    browser.find_element(By.NAME, "text").send_keys("KEPT mass")
    assert rows(browser)
    assert all("gradient mass is kept" in row.text for row in rows(browser))


def test_a_cell_of_the_table_leads_to_the_theorems_of_its_kind(show):
    browser = show("index.html")
    cell = browser.find_element(By.CSS_SELECTOR, ".matrix a[href^='avg_pool.html?kind=vjp']")
    cell.click()
    assert "avg_pool.html" in browser.current_url
    assert {row.get_attribute("data-kind") for row in rows(browser)} == {"vjp"}


def test_boxes_of_the_graph_lead_to_their_theorems(show):
    browser = show("max_pool.html")
    pairs = measure(
        browser,
        "[...document.querySelectorAll('.graph a')].map(a => {"
        " const anchor = a.getAttribute('href').slice(1);"
        " const heading = document.getElementById(anchor)?.querySelector('h4');"
        " return [anchor, a.querySelector('title').textContent, heading?.textContent]; })",
    )
    assert len(pairs) > 10
    assert [p for p in pairs if p[2] is None or not p[1].startswith(p[2])] == []
    anchor = pairs[-1][0]
    link = browser.find_element(By.CSS_SELECTOR, f".graph a[href='#{anchor}']")
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.find_element(By.TAG_NAME, "rect").click()
    assert browser.current_url.endswith(f"#{anchor}")
    top = browser.find_element(By.ID, anchor).rect["y"] - measure(browser, "scrollY")
    assert 0 <= top < WIDE[1]


def test_every_line_of_the_graph_joins_two_boxes(show):
    browser = show("conv.html")
    assert measure(browser, "document.querySelectorAll('.graph path').length") > 10
    loose = measure(
        browser,
        "[...document.querySelectorAll('.graph path')].filter(p => p.dataset.ends.split(' ')"
        ".some(n => !document.querySelector(`.graph a[data-number='${n}']`))).length",
    )
    assert loose == 0


def test_a_link_shows_its_theorem_whatever_the_filters_say(show):
    browser = show("avg_pool.html")
    choose(browser, "kind", "claim")
    target = browser.find_element(By.ID, "jvp-by-x")
    assert not visible(target)
    browser.execute_script("location.hash = '#jvp-by-x'")
    assert visible(target)


def test_the_keyboard_is_enough(show):
    browser = show("index.html")
    body = browser.find_element(By.TAG_NAME, "body")
    body.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.text == "Skip to the content"
    body.send_keys("/")
    search = browser.switch_to.active_element
    assert search.get_attribute("name") == "text"
    search.send_keys("vjp x_bar")
    assert 0 < len(rows(browser)) < 200
    search.send_keys(Keys.ESCAPE)
    assert search.get_attribute("value") == ""
    search.send_keys(Keys.TAB)
    status = browser.switch_to.active_element
    assert status.get_attribute("name") == "status"
    status.send_keys("refuted")
    assert {row.get_attribute("data-status") for row in rows(browser)} == {"refuted"}
    for _ in range(3):
        browser.switch_to.active_element.send_keys(Keys.TAB)
    first = browser.switch_to.active_element
    first.send_keys(Keys.ENTER)
    assert "#" in browser.current_url


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["desk", "phone"])
@pytest.mark.parametrize("name", WIDEST)
def test_no_box_is_wider_than_what_holds_it(show, name, size):
    """With everything unfolded, nothing reaches beyond its card or scrolls sideways."""
    assert show(name, size).execute_script(OVERFLOWS) == []


def test_a_box_that_is_too_wide_is_noticed(show):
    browser = show("conv2d.html", PHONE)
    wide = f"<math>{'<mi>x</mi>' * 60}</math>"
    browser.execute_script("document.querySelector('.formula').innerHTML = arguments[0]", wide)
    assert browser.execute_script(OVERFLOWS)


def test_the_rules_come_first_and_long_sections_are_folded(show):
    browser = show("max_pool2d.html")
    sections = measure(
        browser,
        "[...document.querySelectorAll('details.section')].map(s => [s.querySelector('h3')"
        ".textContent, s.open, s.querySelectorAll('article').length])",
    )
    assert [name for name, *_ in sections] == list(SECTIONS)
    assert sections[0][1]
    assert [s for s in sections[1:] if s[1] and s[2] > 5] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "avg_pool.html", "max_pool2d_pad.html"])
def test_a_phone_shows_it_without_scrolling_sideways(show, name, scheme):
    browser = show(name, PHONE, scheme)
    assert measure(browser, "document.documentElement.scrollWidth") <= PHONE[0]
    assert visible(browser.find_element(By.NAME, "text"))


def test_light_and_dark_differ_and_are_readable(show):
    colours = {}
    for scheme in ("light", "dark"):
        browser = show("avg_pool.html", scheme=scheme)
        colours[scheme] = [
            measure(browser, f"getComputedStyle(document.body).{part}")
            for part in ("color", "backgroundColor")
        ]
        assert contrast(*colours[scheme]) > 7
    assert colours["light"] != colours["dark"]


def contrast(one, other):
    """The ratio of luminances, as accessibility guidelines define it."""

    def luminance(colour):
        parts = [int(c) / 255 for c in colour[colour.index("(") + 1 : -1].split(",")[:3]]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted(map(luminance, (one, other)))
    return (high + 0.05) / (low + 0.05)


def test_pictures_are_drawn(show):
    browser = show("avg_pool.html")
    squares = measure(
        browser,
        "[...document.querySelectorAll('#definition ~ .figures rect')]"
        ".map(r => r.getBoundingClientRect().width)",
    )
    assert len(squares) > 20
    assert min(squares) > 4
    choose(browser, "status", "refuted")
    for row in rows(browser):
        assert row.find_elements(By.CSS_SELECTOR, "svg.grid rect"), row.text


OPEN = """
from gradproof.language import *

R, N, r, o, i, j = integers("R N r o i j")
n, e = axes("n e")
x, y = array("x", R, N), array("y", R, N)
u, v = array("u", n), array("v", n)
w, z = array("w", N), array("z", N)
unknown = Op(
    "unknown",
    requires=(R >= 1, N >= 1),
    forward=Eq(y[r, o], x[r, o] * Sum(j, (j, 0, o))),
    jvp=Eq(tangent(y)[r, o], tangent(x)[r, o] * o * (o + 1) / 2),
)
narrow = Op(
    "narrow",
    forward=Eq(v[e], Max(0, u[e])),
    vjp=Eq(cotangent(u)[e], If(u[e] > 0, cotangent(v)[e], 0)),
)
large = Op(
    "large",
    requires=(N >= 1,),
    forward=Eq(z[i], (10**5000 + 7) * w[i]),
    vjp=Eq(cotangent(w)[i], 10**5000 * cotangent(z)[i]),
)
"""
SAID = {
    "unknown": ("It took ", " to the solver", "Left to show: ", "--timeout"),
    "narrow": ("Narrower than asked.", 'say scope="ranks 1 to 3"'),
    "large": ("10000000…00000007 (5001 digits)",),
}


def test_pages_of_what_is_open_refuted_or_large_fit_too(browser, tmp_path):
    """A page of a number of 5000 digits was 40,000 pixels wide."""
    built = {}
    exec(OPEN, built)
    with of_any_length():
        settled = [(built[name], verify(built[name])) for name in SAID]
        write_all(files(settled, tmp_path, ()))
    for name, texts in SAID.items():
        for width, height in (WIDE, PHONE):
            metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
            browser.get((tmp_path / f"{name}.html").as_uri())
            text = measure(browser, "document.body.textContent")
            assert [said for said in texts if said not in text] == []
            assert browser.execute_script(OVERFLOWS) == []
            shown = width > 640
            graph = browser.find_element(By.ID, "graph")
            assert graph.is_displayed() is shown


def test_markup_in_names_shows_as_text(browser, tmp_path):
    write_all(files([evil()], tmp_path, ()))
    for path in sorted(tmp_path.glob("*.html")):
        browser.get(path.as_uri())
        text = measure(browser, "document.body.innerText")
        assert EVIL in text
        assert SLY in text
        assert measure(browser, "document.images.length") == 0
        assert measure(browser, "document.scripts.length") == 1
        assert browser.get_log("browser") == []


@pytest.fixture(scope="module")
def network(site):
    """The page of a graph with weights in its boxes, and an arrow past some of them."""
    g = Graph("network")
    H, W = integers("H W")
    g.assume(H >= 1, W >= 1)
    x, weights = g.input("image", 3, H, W), g.input("a_weight_with_a_long_name", 3, 3, 3, 3)
    y = g.relu(g.conv2d(x, weights, g.input("bias", 3), padding=1))
    g.output(g.add(x, g.add(y, g.relu(y))))
    folder = site.with_name(f"{site.name}-of-graphs")
    folder.mkdir()
    write_all(files([(g.wiring(), g.verify())], folder, (), True))
    return f"../{folder.name}/network.html"


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_graph_is_drawn_on_its_page(show, network, size, scheme):
    browser = show(network, size, scheme)
    assert browser.get_log("browser") == []
    assert browser.execute_script(OVERFLOWS) == []
    boxes = measure(
        browser,
        "[...document.querySelectorAll('.network rect')].map(b => b.getBoundingClientRect().width)",
    )
    assert len(boxes) == 6
    assert min(boxes) > 20
    colours = measure(
        browser,
        "[document.body, document.querySelector('.network text')].map((e, n) => n "
        "? getComputedStyle(e).fill : getComputedStyle(e).backgroundColor)",
    )
    assert colours[0] != colours[1]
    assert measure(browser, "document.querySelector('.network rect').getAttribute('stroke')")
