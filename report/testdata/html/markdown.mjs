// Shows rendered Markdown in a headless Chromium, its diagrams drawn by Mermaid itself.
// usage: node markdown.mjs CHROMIUM PAGE OUT
// Prints one JSON object: the diagrams that were drawn, and what was complained of.
import { pathToFileURL } from "node:url";
import { open } from "./browser.mjs";

const [chromium, page, out] = process.argv.slice(2);
const browser = await open(chromium);
try {
  await browser.show(page);
  const result = await browser.evaluate(`(async () => {
    const drawn = { diagrams: 0, wrong: [] };
    mermaid.initialize({ startOnLoad: false, securityLevel: "strict" });
    for (const code of document.querySelectorAll("code.language-mermaid")) {
      const text = code.textContent;
      try {
        const { svg } = await mermaid.render("d" + drawn.diagrams, text);
        const box = document.createElement("div");
        box.className = "mermaid";
        box.innerHTML = svg;
        code.parentElement.replaceWith(box);
        drawn.diagrams++;
      } catch (e) {
        drawn.wrong.push(String(e) + " in " + text);
      }
    }
    return drawn;
  })()`);
  result.overflow = await browser.evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`);
  await browser.shot(out + "-light.png");
  await browser.dark();
  await browser.shot(out + "-dark.png");
  result.complaints = browser.complaints;
  result.requests = browser.requests.filter(u => u !== pathToFileURL(page).href && !u.endsWith("/mermaid.min.js"));
  console.log(JSON.stringify(result, null, 1));
} finally {
  await browser.close();
}
