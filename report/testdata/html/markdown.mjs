// Shows rendered Markdown in a headless Chromium.
// usage: node markdown.mjs CHROMIUM PAGE OUT MERMAID
// Prints one JSON object: what overflows, how many diagrams were drawn, what was asked for and what was complained of.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { open } from "./browser.mjs";

const [chromium, page, out, mermaid] = process.argv.slice(2);
const browser = await open(chromium);
try {
  await browser.show(page);
  const result = {};
  await browser.evaluate(readFileSync(mermaid, "utf8") + "; 0");
  result.drawn = await browser.evaluate(`(async () => {
    for (const d of document.querySelectorAll("details")) d.open = true;
    globalThis.mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
    let drawn = 0;
    for (const code of document.querySelectorAll("code.language-mermaid")) {
      const { svg } = await globalThis.mermaid.render("diagram" + drawn++, code.textContent);
      const div = document.createElement("div");
      div.innerHTML = svg;
      code.parentElement.replaceWith(div);
    }
    return drawn;
  })()`);
  result.overflow = await browser.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  await browser.shot(out + "-light.png");
  await browser.dark();
  await browser.shot(out + "-dark.png");
  result.complaints = browser.complaints;
  result.requests = browser.requests.filter(u => u !== pathToFileURL(page).href);
  console.log(JSON.stringify(result, null, 1));
} finally {
  await browser.close();
}
