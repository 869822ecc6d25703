// Takes the pictures of docs/images.
// usage: node pictures.mjs CHROMIUM FOLDER
// FOLDER holds comment.html, summary.html, terminal.html and report.html; beside each comes its PNG.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { open } from "../../report/testdata/html/browser.mjs";

const [chromium, folder] = process.argv.slice(2);
const traces = ["deadlock", "race", "lasso", "blocked-drain", "preemption"];
const widths = { comment: 880, summary: 880, terminal: 1010, report: 1200 };
for (const name of traces) widths[name] = 1200;
for (const [name, width] of Object.entries(widths)) {
  const browser = await open(chromium);
  try {
    await browser.show(join(folder, name + ".html"));
    await browser.size(width, 300);
    if (traces.includes(name)) { // the player of the first finding alone, as it opens
      await browser.evaluate(`document.querySelectorAll(".finding").forEach((f, i) => { if (i) f.remove(); })`);
      await browser.evaluate(`document.querySelectorAll(".top, nav, h2, .help, .lucky ol li:nth-child(n+6)").forEach((e) => e.remove())`);
    }
    const last = `document.querySelector(".finding") || document.body`; // the first finding of a report, or the whole page
    const height = await browser.evaluate(`Math.ceil((${last}).getBoundingClientRect().bottom + scrollY + 16)`);
    await browser.size(width, height);
    await browser.evaluate(`scrollTo(0, 0)`);
    const { data } = await browser.send("Page.captureScreenshot", { clip: { x: 0, y: 0, width, height, scale: 1 } });
    writeFileSync(join(folder, name + ".png"), Buffer.from(data, "base64"));
  } finally {
    await browser.close();
  }
}
