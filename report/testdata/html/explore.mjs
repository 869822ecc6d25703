// Drives the HTML report in a headless Chromium over the DevTools protocol.
// usage: node explore.mjs CHROMIUM PAGE OUT
// Prints one JSON object: what the page complained of, and where each key led.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, existsSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [chromium, page, out] = process.argv.slice(2);
setTimeout(() => { console.error("no end after 90 s, at " + doing); browser.kill("SIGKILL"); process.exit(2); }, 90_000).unref();
let doing = "start";
const profile = mkdtempSync(join(tmpdir(), "explore-"));
const browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"], { stdio: "ignore" });
const sleep = ms => new Promise(r => setTimeout(r, ms));
const portFile = join(profile, "DevToolsActivePort");
for (let i = 0; i < 300 && !existsSync(portFile); i++) await sleep(100);
const port = readFileSync(portFile, "utf8").split("\n")[0];
let targets = [];
for (let i = 0; i < 100 && !targets.length; i++) {
  targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()).filter(t => t.type === "page");
  if (!targets.length) await sleep(100);
}
const ws = new WebSocket(targets[0].webSocketDebuggerUrl);
await new Promise((ok, no) => { ws.onopen = ok; ws.onerror = no; });

const waiting = new Map(), complaints = [], requests = [];
let id = 0;
ws.onmessage = e => {
  const m = JSON.parse(e.data);
  if (m.id) return waiting.get(m.id)(m);
  if (m.method === "Runtime.exceptionThrown") complaints.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
  if (m.method === "Runtime.consoleAPICalled" || m.method === "Log.entryAdded") complaints.push(JSON.stringify(m.params));
  if (m.method === "Network.requestWillBeSent") requests.push(m.params.request.url);
};
const send = (method, params = {}) => new Promise((ok, no) => {
  doing = method;
  waiting.set(++id, m => m.error ? no(new Error(method + ": " + m.error.message)) : ok(m.result));
  ws.send(JSON.stringify({ id, method, params }));
});
const evaluate = async expression => {
  const r = await send("Runtime.evaluate", { expression, returnByValue: true });
  if (r.exceptionDetails) throw new Error(r.exceptionDetails.text + " in " + expression);
  return r.result.value;
};
const codes = { ArrowRight: 39, ArrowLeft: 37, Home: 36, End: 35, Tab: 9, " ": 32 };
const press = async key => {
  for (const type of ["keyDown", "keyUp"]) await send("Input.dispatchKeyEvent", { type, key, windowsVirtualKeyCode: codes[key], text: key === " " && type === "keyDown" ? " " : undefined });
};
const shot = async name => {
  const captureBeyondViewport = await evaluate(`document.documentElement.scrollHeight`) < 8000;
  writeFileSync(`${out}-${name}.png`, Buffer.from((await send("Page.captureScreenshot", { captureBeyondViewport })).data, "base64"));
};
const at = `(() => { const e = document.querySelector(".explorer"); return { step: +e.querySelector(".now").value, output: e.querySelector("output").textContent, caption: e.querySelector(".caption").textContent,
  nodes: e.querySelectorAll(".node").length, pods: e.querySelectorAll(".zones .pod").length, waiting: e.querySelectorAll(".tray .pod").length, moved: e.querySelectorAll(".moved").length }; })()`;

const result = { steps: {} };
try {
  for (const d of ["Page", "Runtime", "Log", "Network"]) await send(d + ".enable");
  await send("Emulation.setDeviceMetricsOverride", { width: 1200, height: 1300, deviceScaleFactor: 1, mobile: false });
  const loaded = new Promise(ok => { const old = ws.onmessage; ws.onmessage = e => { old(e); if (JSON.parse(e.data).method === "Page.loadEventFired") ok(); }; });
  await send("Page.navigate", { url: pathToFileURL(page).href });
  await loaded;
  result.explorers = await evaluate(`document.querySelectorAll(".explorer.live").length`);
  if (result.explorers) {
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
  result.styled = await evaluate(`getComputedStyle(document.querySelector(".badge")).borderRadius`);
  await send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  result.dark = await evaluate(`getComputedStyle(document.body).backgroundColor`);
  await shot("dark");
  await send("Emulation.setDeviceMetricsOverride", { width: 420, height: 900, deviceScaleFactor: 1, mobile: true });
  result.overflow = await evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  await shot("narrow");
  result.complaints = complaints;
  result.requests = requests.filter(u => u !== pathToFileURL(page).href);
  console.log(JSON.stringify(result, null, 1));
} finally {
  ws.close();
  browser.kill();
  await new Promise(r => browser.on("exit", r));
  rmSync(profile, { recursive: true, force: true });
}
