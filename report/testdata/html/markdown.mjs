// Shows rendered Markdown in a headless Chromium.
// usage: node markdown.mjs CHROMIUM PAGE OUT
// Prints one JSON object: what overflows, what was asked for and what was complained of.
import { pathToFileURL } from "node:url";
import { open } from "./browser.mjs";

const [chromium, page, out] = process.argv.slice(2);
const browser = await open(chromium);
try {
  await browser.show(page);
  const result = {};
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
