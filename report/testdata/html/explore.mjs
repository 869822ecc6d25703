// Drives the HTML report in a headless Chromium over the DevTools protocol.
// usage: node explore.mjs CHROMIUM PAGE OUT
// Prints one JSON object: what the page complained of, and where each key led.
import { pathToFileURL } from "node:url";
import { open } from "./browser.mjs";

const [chromium, page, out] = process.argv.slice(2);
const browser = await open(chromium);
const { send, evaluate } = browser;
const shot = name => browser.shot(`${out}-${name}.png`);
const codes = { j: 74, k: 75,  ArrowRight: 39, ArrowLeft: 37, Home: 36, End: 35, Tab: 9, " ": 32 };
const press = async key => {
  for (const type of ["keyDown", "keyUp"]) await send("Input.dispatchKeyEvent", { type, key, windowsVirtualKeyCode: codes[key], text: key.length === 1 && type === "keyDown" ? key : undefined });
};
const at = `(() => { const e = document.querySelector(".explorer"); return { step: +e.querySelector(".step.now").value, output: e.querySelector("output").textContent, caption: e.querySelector(".caption").textContent,
  nodes: e.querySelectorAll(".node").length, pods: e.querySelectorAll(".zones .pod").length, waiting: e.querySelectorAll(".tray .pod").length, moved: e.querySelectorAll(".moved").length }; })()`;

const result = { steps: {} };
try {
  await browser.show(page);
  // An explorer is made in a frame after the page has loaded, which may be late on a busy machine.
  await evaluate(`new Promise(done => {
    const until = Date.now() + 20000, look = () => !document.querySelector(".explorer") || document.querySelector(".explorer.live") || Date.now() > until ? done() : setTimeout(look, 50);
    look();
  })`);
  result.explorers = await evaluate(`document.querySelectorAll(".explorer.live").length`);
  result.total = await evaluate(`document.querySelectorAll(".explorer.live .step").length`);
  // Tab goes from top to bottom through what can be used, and shows where it is.
  await evaluate(`window.scrollTo(0, 0)`);
  result.tabs = [];
  for (let n = 0; n < 12; n++) {
    await press("Tab");
    result.tabs.push(await evaluate(`(() => { const e = document.activeElement, s = getComputedStyle(e); return { what: e.getAttribute("aria-label") || e.textContent.trim().slice(0, 40),
      seen: e === document.body || s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0, y: Math.round(e.getBoundingClientRect().top + scrollY), body: e === document.body }; })()`));
  }
  await evaluate(`document.activeElement.blur()`);
  if (result.total === 1) { // the picture is there at once, and nothing to step through
    result.alone = await evaluate(`(() => { const e = document.querySelector(".explorer"); return e.querySelectorAll(".node").length > 0 && getComputedStyle(e.querySelector(".controls")).display === "none"; })()`);
    result.explorers = 0;
  }
  if (result.explorers) {
    result.steps.opens = await evaluate(at); // where it decides, loops or ends
    await evaluate(`document.querySelector('.explorer [data-do="first"]').click()`);
    await evaluate(`document.activeElement.blur()`);
    result.steps.start = await evaluate(at);
    const total = result.total = await evaluate(`document.querySelector(".explorer").querySelectorAll(".step").length`);
    await press("ArrowRight");
    result.steps.right = await evaluate(at);
    await press("ArrowLeft");
    result.steps.left = await evaluate(at);
    await evaluate(`document.querySelector(".explorer").focus()`);
    await press("End");
    result.steps.end = await evaluate(at);
    await shot("light");
    await press("ArrowRight");
    result.steps.past = await evaluate(at);
    await press("Home");
    result.steps.home = await evaluate(at);
    await evaluate(`document.querySelector('.explorer [data-do="next"]').click()`);
    result.steps.button = await evaluate(at);
    await evaluate(`document.querySelectorAll('.explorer .step')[${total - 1}].click()`);
    result.steps.click = await evaluate(at);
    await press("Tab");
    result.tab = await evaluate(`document.activeElement.getAttribute("aria-label")`);
  }
  if (result.explorers) {
    // From finding to finding, and to a step of the last one by its address.
    await evaluate(`document.activeElement.blur()`);
    const heading = `(document.activeElement.closest(".finding") || {}).id || ""`;
    await press("j");
    await press("j");
    result.second = await evaluate(heading);
    await press("k");
    result.first = await evaluate(heading);
    const step = result.link = await evaluate(`[...document.querySelectorAll(".explorer")].pop().querySelectorAll(".step")[1].id`);
    await evaluate(`location.hash = "#" + ${JSON.stringify(step)}`);
    await evaluate(`new Promise(r => setTimeout(r, 300))`);
    result.linked = await evaluate(`(() => { const s = document.getElementById(${JSON.stringify(step)}), b = s.closest(".explorer").getBoundingClientRect(); return s.classList.contains("now") && b.height > 0 && b.top < innerHeight && b.bottom > 0; })()`);
    // On paper nothing is folded, and the controls are gone.
    await send("Emulation.setEmulatedMedia", { media: "print" });
    await evaluate(`window.dispatchEvent(new Event("beforeprint"))`);
    result.paper = await evaluate(`document.querySelectorAll("details:not(.help):not([open])").length === 0 && [...document.querySelectorAll(".controls,nav,.here")].every(e => getComputedStyle(e).display === "none")`);
    await evaluate(`window.dispatchEvent(new Event("afterprint"))`);
    // As a stream: the paper of a large report is more than one message may hold.
    const { stream } = await send("Page.printToPDF", { transferMode: "ReturnAsStream" });
    result.paper &&= (await send("IO.read", { handle: stream, size: 65536 })).data.length > 1000;
    await send("IO.close", { handle: stream });
    await send("Emulation.setEmulatedMedia", { media: "" });
  }
  // The last finding is a line, and can be linked to.
  const lines = await evaluate(`document.querySelectorAll(".lines li").length`);
  if (lines) {
    result.line = await evaluate(`(async () => { const l = [...document.querySelectorAll(".lines li")].pop(); location.hash = "#" + l.id; await new Promise(r => setTimeout(r, 300)); const b = l.getBoundingClientRect(); return b.height > 0 && b.top < innerHeight && b.bottom > 0; })()`);
  }
  result.elements = await evaluate(`document.querySelectorAll("*").length`);
  result.ready = await evaluate(`(() => { const t = performance.getEntriesByType("navigation")[0]; return Math.round(t.loadEventEnd - t.responseEnd); })()`);
  result.styled = await evaluate(`getComputedStyle(document.querySelector(".badge")).borderRadius`);
  await browser.dark();
  result.dark = await evaluate(`getComputedStyle(document.body).backgroundColor`);
  await shot("dark");
  await browser.size(360, 900, true);
  result.overflow = await evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  await shot("narrow");
  result.complaints = browser.complaints;
  result.requests = browser.requests.filter(u => u !== pathToFileURL(page).href);
  console.log(JSON.stringify(result, null, 1));
} finally {
  await browser.close();
}
