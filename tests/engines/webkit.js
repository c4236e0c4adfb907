// WebKit is spoken to in W3C WebDriver: JSON over HTTP to WebKitWebDriver, which starts MiniBrowser.
import { freePort, start } from "./server.js";
import { until } from "./until.js";

/** The key under which WebDriver names an element. */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";
const CONTROL = "\ue009";
const SCREEN = ["-screen", "0", "1920x1400x24", "-nolisten", "tcp"];

/**
 * WebKit on a screen of its own.
 * @returns {Promise<import('./engines.js').Engine>}
 */
export async function startWebKit() {
  const screen = start("Xvfb", ["-displayfd", "1", ...SCREEN]);
  const display = await until(() => /^\d+$/m.exec(screen.said())?.[0], () => `a screen: ${screen.said()}`);
  const port = await freePort();
  const driver = start("WebKitWebDriver", ["-p", String(port)], { ...process.env, DISPLAY: `:${display}`, GDK_BACKEND: "x11" });
  const address = `http://127.0.0.1:${port}`;
  await until(() => fetch(`${address}/status`).then(({ ok }) => ok, () => false), () => `WebKitWebDriver: ${driver.said()}`);
  const { sessionId } = await ask("POST", `${address}/session`, { capabilities: { alwaysMatch: {} } });
  return {
    name: "WebKit",
    page: pageOf(`${address}/session/${sessionId}`),
    async stop() {
      await ask("DELETE", `${address}/session/${sessionId}`);
      await driver.stop();
      await screen.stop();
    },
  };
}

/**
 * @param {'GET' | 'POST' | 'DELETE'} method
 * @param {string} url
 * @param {unknown} [body]
 */
async function ask(method, url, body) {
  const answer = await fetch(url, { method, body: body === undefined ? null : JSON.stringify(body) });
  const { value } = await answer.json();
  if (!answer.ok) throw new Error(`${url.replace(/.*session\/[^/]*/, "")}: ${value.error}: ${value.message}`);
  return value;
}

/**
 * @param {string} session
 * @returns {import('./engines.js').EnginePage}
 */
function pageOf(session) {
  /** @type {import('./engines.js').EnginePage['run']} */
  const run = (code, ...given) => ask("POST", `${session}/execute/sync`, { script: `return (${code}).apply(null, arguments)`, args: given });
  /** @param {string} selector @returns {Promise<string>} */
  const find = async (selector) => (await ask("POST", `${session}/element`, { using: "css selector", value: selector }))[ELEMENT];
  /** @param {{type: string, value: string}[]} actions of the keyboard @returns {Promise<void>} */
  const type = (actions) => ask("POST", `${session}/actions`, { actions: [{ type: "key", id: "keyboard", actions }] });
  return {
    run,
    async go(url) {
      await ask("POST", `${session}/url`, { url });
      await run(watchErrors);
    },
    async click(selector, x_css, y_css) {
      const id = await find(selector);
      if (x_css === undefined || y_css === undefined) {
        await ask("POST", `${session}/element/${id}/click`, {});
        return;
      }
      const [left, top] = await run(cornerOf, selector);
      const point = { x: Math.round(left + x_css), y: Math.round(top + y_css), origin: "viewport" };
      const actions = [{ type: "pointerMove", ...point }, { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 }];
      await ask("POST", `${session}/actions`, { actions: [{ type: "pointer", id: "mouse", actions }] });
    },
    keys: (text) => type([...text].flatMap((value) => [{ type: "keyDown", value }, { type: "keyUp", value }])),
    chord: (key) => type([
      { type: "keyDown", value: CONTROL },
      { type: "keyDown", value: key },
      { type: "keyUp", value: key },
      { type: "keyUp", value: CONTROL },
    ]),
    async resize(width, height) {
      // The window's frame and toolbar take room of their own, which is known once it has a size.
      await ask("POST", `${session}/window/rect`, { width, height });
      const [inner_width, inner_height] = await run(() => [innerWidth, innerHeight]);
      await ask("POST", `${session}/window/rect`, { width: 2 * width - inner_width, height: 2 * height - inner_height });
    },
    screenshot: async () => Buffer.from(await ask("GET", `${session}/screenshot`), "base64"),
    complaints: () => run(() => /** @type {{complaints?: string[]}} */ (window).complaints ?? ["the page was loaded again"]),
  };
}

/** WebDriver has no list of errors: what comes after the page is loaded is kept by the page itself. */
function watchErrors() {
  /** @type {string[]} */
  const complaints = [];
  Object.assign(window, { complaints });
  window.addEventListener("error", ({ message }) => complaints.push(message));
  window.addEventListener("unhandledrejection", ({ reason }) => complaints.push(String(reason)));
}

/** @param {string} selector */
function cornerOf(selector) {
  const element = document.querySelector(selector);
  element?.scrollIntoView({ block: "nearest" });
  const { left, top } = element?.getBoundingClientRect() ?? { left: 0, top: 0 };
  return [left, top];
}
