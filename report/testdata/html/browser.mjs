// A headless Chromium, driven over the DevTools protocol.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, existsSync, writeFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const sleep = ms => new Promise(r => setTimeout(r, ms));

// open starts a browser and gives what a test does with its one page.
export async function open(chromium) {
  let doing = "start";
  const profile = mkdtempSync(join(tmpdir(), "explore-"));
  // A process group of its own, so that its children end with it. It asks nothing of the network by itself.
  const browser = spawn(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "about:blank"], { stdio: "ignore", detached: true });
  const gone = new Promise(r => browser.on("exit", r));
  const end = () => {
    try { process.kill(-browser.pid, "SIGKILL"); } catch { /* it has ended */ }
  };
  setTimeout(() => { console.error("no end after 90 s, at " + doing); end(); process.exit(2); }, 90_000).unref();
  const portFile = join(profile, "DevToolsActivePort");
  let port = "", targets = [];
  for (let i = 0; i < 600 && !targets.length; i++) { // up to a minute, on a busy machine
    await sleep(100);
    port ||= existsSync(portFile) ? readFileSync(portFile, "utf8").split("\n")[0] : "";
    if (port) targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()).filter(t => t.type === "page");
  }
  if (!targets.length) throw new Error(`${chromium} shows no page`);
  const ws = new WebSocket(targets[0].webSocketDebuggerUrl);
  await new Promise((ok, no) => { ws.onopen = ok; ws.onerror = no; });

  const waiting = new Map(), complaints = [], requests = [];
  let id = 0, loaded = () => {};
  ws.onmessage = e => {
    const m = JSON.parse(e.data);
    if (m.id) return waiting.get(m.id)(m);
    if (m.method === "Runtime.exceptionThrown") complaints.push(m.params.exceptionDetails.exception?.description ?? m.params.exceptionDetails.text);
    if (m.method === "Runtime.consoleAPICalled" || m.method === "Log.entryAdded") complaints.push(JSON.stringify(m.params));
    if (m.method === "Network.requestWillBeSent") requests.push(m.params.request.url);
    if (m.method === "Page.loadEventFired") loaded();
  };
  const send = (method, params = {}) => new Promise((ok, no) => {
    doing = method;
    waiting.set(++id, m => m.error ? no(new Error(method + ": " + m.error.message)) : ok(m.result));
    ws.send(JSON.stringify({ id, method, params }));
  });
  const evaluate = async expression => {
    const r = await send("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
    if (r.exceptionDetails) throw new Error((r.exceptionDetails.exception?.description ?? r.exceptionDetails.text) + " in " + expression);
    return r.result.value;
  };
  const size = (width, height, mobile = false) => send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile });
  const show = async page => {
    for (const d of ["Page", "Runtime", "Log", "Network"]) await send(d + ".enable");
    await size(1200, 1300);
    const done = new Promise(ok => { loaded = ok; });
    await send("Page.navigate", { url: pathToFileURL(page).href });
    await done;
  };
  const dark = () => send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: "dark" }] });
  const shot = async file => {
    const captureBeyondViewport = await evaluate(`document.documentElement.scrollHeight`) < 8000;
    writeFileSync(file, Buffer.from((await send("Page.captureScreenshot", { captureBeyondViewport })).data, "base64"));
  };
  const close = async () => {
    ws.close();
    end();
    await gone;
    try {
      rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    } catch (e) { // what it leaves in the folder for temporary files says nothing of the page
      console.error(String(e));
    }
  };
  return { send, evaluate, size, show, dark, shot, close, complaints, requests };
}
