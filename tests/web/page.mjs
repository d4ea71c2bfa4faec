// The page of `recourse explain --html` in a browser, against `recourse simulate`. Arguments: the command, the folder with
// node_modules, policies. Pages and screenshots are left in the folder.
import { execFileSync } from "node:child_process";
import { deepStrictEqual, ok, strictEqual } from "node:assert";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [recourse, folder, ...specs] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(folder + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const shots = folder + "/shots";
const RANDOM_RUNS = 60;

let passed = 0;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    passed++;
  } catch (error) {
    failed++;
    console.log("web: FAILED: " + name + "\n    " + String(error.stack || error).replaceAll("\n", "\n    "));
  }
}

function simulate(spec, words) {
  return JSON.parse(execFileSync(recourse, ["simulate", "--json", spec, ...words], { encoding: "utf8" }));
}

function nameOf(spec) {
  return spec.replace(/.*\//, "").replace(/\.policy\.md$/, "");
}

function make(spec, name) {
  const html = folder + "/" + name + ".html";
  execFileSync(recourse, ["explain", "--html", "-o", html, spec]);
  return { spec, name, url: pathToFileURL(html).href };
}

// A page whose every complaint counts, and that asks for nothing but its file.
async function open(browser, made, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.complaints = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || page.complaints.push("asked for " + request.url()));
  await page.goto(made.url + (made.hash || ""));
  return page;
}

// Until it is so. (Playwright's own waitForFunction is evaluated in the page, where the page's policy allows no eval.)
async function until(page, condition, argument) {
  for (const end = Date.now() + 10000; !(await page.evaluate(condition, argument)); ) {
    ok(Date.now() < end, "in 10 s it has not come to " + condition);
    await page.waitForTimeout(20);
  }
}

// ---- what the page shows ----

const shownSteps = (page) => page.evaluate(() =>
  [...document.querySelectorAll("#steps tbody tr")].map((row) => [...row.cells].map((cell) => cell.textContent)));

function duration(ms) {
  if (ms < 1000) return ms + " ms";
  return ms % 60000 === 0 ? ms / 60000 + " min" : ms / 1000 + " s";
}

function waitOf(step) {
  if (step.wait_ms === null) return "-";
  const range = " (" + duration(step.wait_min_ms) + " to " + duration(step.wait_max_ms) + ")";
  return duration(step.wait_ms) + (step.wait_min_ms === step.wait_max_ms ? "" : range);
}

function expectedSteps(run) {
  return run.steps.map((step) => [step.state, step.event, step.row, String(step.line), step.next, waitOf(step), step.scenario ?? "-"]);
}

async function goTo(page, words) {
  await page.evaluate((hash) => new Promise((done) => {
    if (location.hash === hash) return done();
    window.addEventListener("hashchange", () => done(), { once: true });
    location.hash = hash;
  }), "#run=" + words.join(","));
}

async function compare(page, made, words) {
  const expected = simulate(made.spec, words);
  deepStrictEqual(await page.evaluate((list) => window.simulate(list), words), expected);
  deepStrictEqual(await shownSteps(page), expectedSteps(expected));
  strictEqual(await page.evaluate(() => document.querySelectorAll("#line .wait").length), expected.waits_ms.length);
  strictEqual(await page.evaluate(() => document.querySelectorAll("#line .try").length), expected.tries);
  const title = await page.evaluate(() => document.querySelector("#end h3")?.textContent);
  strictEqual(title, expected.end === "reported" ? "Reported as " + expected.scenario : undefined);
}

function examplesOf(page) {
  return page.evaluate(() => machine.examples.map((one) => one.words.split(", ")));
}

// ---- by keyboard ----

async function tabTo(page, selector) {
  for (let i = 0; i < 400; i++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error("the Tab key does not come to " + selector);
}

async function setBox(page, id, on) {
  if (await page.evaluate((box) => document.getElementById(box).checked, id) !== on) {
    await tabTo(page, "#" + id);
    await page.keyboard.press("Space");
  }
}

async function setDelay(page, delay) {
  const texts = await page.evaluate(() => [...document.getElementById("delay").options].map((option) => option.value));
  if (await page.evaluate(() => document.getElementById("delay").value) === delay) return;
  await tabTo(page, "#delay");
  await page.keyboard.press("Home");
  for (let i = texts.indexOf(delay); i > 0; i--) await page.keyboard.press("ArrowDown");
  strictEqual(await page.evaluate(() => document.getElementById("delay").value), delay);
}

async function type(page, word) {
  const button = `#words button[data-word="${word}"]`;
  if (await page.evaluate((wanted) => !document.querySelector(wanted), button)) {
    const parts = /^[a-z0-9_]+(:safe)?(?:@([0-9]+m?s))?(!time)?$/.exec(word);
    await setBox(page, "safe", Boolean(parts[1]));
    await setBox(page, "no-time", Boolean(parts[3]));
    await setDelay(page, parts[2] ?? "");
  }
  const before = await page.evaluate(() => location.hash);
  await tabTo(page, button);
  await page.keyboard.press("Enter");
  await until(page, (hash) => location.hash !== hash, before);
  await until(page, (wanted) => document.querySelector("#share a")?.getAttribute("href").endsWith(wanted), word);
}

// An example for each scenario, of words that have buttons.
async function byKeyboard(page, made) {
  const examples = await examplesOf(page);
  const offered = await page.evaluate(() => machine.delays.filter((one) => one.offered).map((one) => one.word));
  const labels = new Set();
  for (const words of examples) {
    const { scenario } = simulate(made.spec, words);
    const reachable = words.every((word) => !word.includes("@") || offered.includes(/@([0-9]+m?s)/.exec(word)[1]));
    if (labels.has(scenario) || !reachable) continue;
    labels.add(scenario);
    await check(made.name + ": by keyboard alone: " + words, async () => {
      if (await page.evaluate(() => !document.getElementById("restart").disabled)) {
        await tabTo(page, "#restart");
        await page.keyboard.press("Enter");
        await until(page, () => document.querySelectorAll("#steps tbody tr").length === 0);
      }
      for (const word of words) await type(page, word);
      await compare(page, made, words);
    });
  }
  await check(made.name + ": each ending was come to by keyboard", async () => {
    const endings = await page.evaluate(() => machine.scenarios.filter((one) => one.tell !== "-").map((one) => one.label));
    deepStrictEqual([...labels].sort(), endings.sort());
  });
}

// ---- what is checked of each page ----

async function draws(browser, made) {
  await check(made.name + ": the diagram alone is well-formed, and its texts are in their boxes", async () => {
    const svg = folder + "/" + made.name + ".svg";
    execFileSync(recourse, ["explain", "--svg", "-o", svg, made.spec]);
    const page = await open(browser, { url: pathToFileURL(svg).href });
    deepStrictEqual(await page.evaluate(() => [document.documentElement.nodeName, document.querySelector("parsererror")]), ["svg", null]);
    deepStrictEqual(await page.evaluate(() => [...document.querySelectorAll("text")].filter((text) => {
      const box = text.closest(".card, .place, .model, .reminder, .host").querySelector("rect").getBoundingClientRect();
      const at = text.getBoundingClientRect();
      return at.left < box.left || at.right > box.right || at.top < box.top || at.bottom > box.bottom;
    }).map((text) => text.textContent)), []);
    deepStrictEqual(page.complaints, []);
    await page.close();
  });
}

async function loads(browser, made) {
  const page = await open(browser, made);
  await check(made.name + ": loads from its file without a complaint", async () => {
    deepStrictEqual(page.complaints, []);
    strictEqual(await page.evaluate(() => document.querySelectorAll("#words button").length > 0), true);
    strictEqual(await page.evaluate(() => document.querySelectorAll(".picture svg .place").length), 4);
  });
  await check(made.name + ": links within the page lead somewhere", async () => {
    deepStrictEqual(await page.evaluate(() => [...document.querySelectorAll("a[href^='#row-'], nav a, .skip")]
      .filter((link) => !document.getElementById(link.getAttribute("href").slice(1))).map((link) => link.outerHTML)), []);
  });
  for (const words of await examplesOf(page)) {
    await check(made.name + ": " + words, async () => {
      await goTo(page, words);
      await compare(page, made, words);
    });
  }
  await check(made.name + ": runs linked in the text are runs", async () => {
    const runs = await page.evaluate(() => [...document.querySelectorAll("a.run")].map((link) => link.hash.slice(5).split(",")));
    ok(runs.length > 0);
    for (const words of runs) {
      await goTo(page, words);
      await compare(page, made, words);
    }
  });
  await check(made.name + ": no complaint after all of it", () => deepStrictEqual(page.complaints, []));
  await page.close();
}

// A generator of its own, so that a failure can be had again.
function randomFrom(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

async function random(browser, made) {
  const page = await open(browser, made);
  const below = randomFrom(7);
  for (let run = 0; run < RANDOM_RUNS; run++) {
    const words = [];
    await check(made.name + ": random run " + run, async () => {
      await page.evaluate(() => { location.hash = "run"; draw([]); });
      for (;;) {
        const offered = await page.evaluate(([safe, noTime, delay]) => {
          document.getElementById("safe").checked = safe;
          document.getElementById("no-time").checked = noTime;
          document.getElementById("delay").selectedIndex = delay % document.getElementById("delay").options.length;
          document.getElementById("safe").dispatchEvent(new Event("change"));
          return [...document.querySelectorAll("#words button")].map((button) => button.dataset.word);
        }, [below(2) === 0, below(8) === 0, below(3) === 0 ? below(64) : 0]);
        if (offered.length === 0) break;
        words.push(offered[below(offered.length)]);
        await page.evaluate((list) => draw(list), words);
      }
      await compare(page, made, words);
    });
  }
  await page.close();
}

async function accessible(page, name) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  deepStrictEqual(found.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.target).join(" ")), [], name);
}

async function looks(browser, made) {
  const views = [
    ["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }],
    ["phone", { colorScheme: "light", viewport: { width: 390, height: 844 }, hasTouch: true }],
    ["phone-dark", { colorScheme: "dark", viewport: { width: 390, height: 844 }, hasTouch: true }],
  ];
  for (const [name, options] of views) {
    const page = await open(browser, made, options);
    const examples = await examplesOf(page);
    const longest = examples.reduce((a, b) => b.length > a.length ? b : a);
    for (const [state, words] of [["start", []], ["end", longest], ["middle", longest.slice(0, 1)]]) {
      await check(made.name + ": axe-core finds nothing: " + name + ", " + state, async () => {
        await page.evaluate((list) => draw(list), words);
        await accessible(page, name);
      });
      await page.screenshot({ path: `${shots}/${made.name}-${name}-${state}.png`, fullPage: state === "end" });
    }
    await check(made.name + ": nothing is wider than the screen: " + name, async () => {
      const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      ok(wide <= screen, `${wide} of ${screen} px`);
    });
    await page.close();
  }
}

async function links(browser, made) {
  await check("links: a run that is shared is shown", async () => {
    const page = await open(browser, { ...made, hash: "#run=transient,rate_limited,permanent" });
    await compare(page, made, ["transient", "rate_limited", "permanent"]);
    strictEqual(await page.evaluate(() => document.querySelector("#end .told").textContent),
      "Tool 'tool' execution failed after 3 attempt(s): reason. Do not retry this exact tool call.");
    strictEqual(await page.evaluate(() => document.querySelector("#share code").textContent),
      `recourse simulate ${made.spec} transient rate_limited permanent`);
    await page.click("#back");
    await until(page, () => location.hash === "#run=transient,rate_limited");
    await page.goBack();
    await until(page, () => document.querySelectorAll("#steps tbody tr").length === 6);
    await page.click("#steps a.row");
    strictEqual(await page.evaluate(() => location.hash), "#row-P1");
    strictEqual((await shownSteps(page)).length, 6); // the run stays
    deepStrictEqual(page.complaints, []);
    await page.close();
  });
  await check("links: a message without its reminder ends where it does", async () => {
    const page = await open(browser, { ...made, hash: "#run=permanent" });
    strictEqual(await page.evaluate(() => document.querySelector("#end .told").textContent),
      "Tool 'tool' execution failed after 1 attempt(s): reason.");
    await page.close();
  });
  for (const [hash, used, wrong] of [
    ["#run=transient,elapsed,elapsed,ok", 3, "elapsed"], ["#run=ok,ok", 2, "ok"], ["#run=nonsense", 0, "nonsense"],
    ["#run=transient@7s", 0, "transient@7s"], ["#run=%3Cimg%20src=x%3E", 0, "<img src=x>"], ["#run=ready!time", 0, "ready!time"],
    ["#run=constructor", 0, "constructor"], ["#run=__proto__", 0, "__proto__"]]) {
    await check("links: a wrong one: " + hash, async () => {
      const page = await open(browser, { ...made, hash });
      strictEqual((await shownSteps(page)).length, used);
      ok((await page.evaluate(() => document.getElementById("now").textContent)).startsWith(`'${wrong}' can't follow here`));
      deepStrictEqual(page.complaints, []);
      await page.close();
    });
  }
}

// A policy that would break out of the page if anything of it were not escaped.
async function hostile(browser, spec) {
  const text = readFileSync(spec, "utf8").replace(/## Examples[^]*/, "")
    .replace("What becomes of a failed tool call of", "\\</p>\\<script>broken=1\\</script> \\& *a \\<b>* `'\\\"`")
    .replace("the tool answered", "\\</title>\\</script>\\<script>broken=2\\</script> 'it' \\& \\\"that\\\"")
    .replace('"Error: {reason}.', '"\\</script>\\<script>broken=3\\</script> \\<img src=x onerror=broken=4> \\\\ \'\\"\\" {reason}.')
    .replace('"Do not retry this exact tool call."', '"\\<!-- \\</script> {{script}} $\\& \\"now\\""');
  mkdirSync(folder + "/hostile", { recursive: true });
  const path = folder + "/hostile/lightspeed.policy.md";
  writeFileSync(path, text);
  const made = make(path, "hostile");
  const page = await open(browser, { ...made, hash: "#run=unknown_tool" });
  await check("hostile: nothing of a policy is markup or script", async () => {
    deepStrictEqual(page.complaints, []);
    strictEqual(await page.evaluate(() => typeof window.broken), "undefined");
    strictEqual(await page.evaluate(() => document.scripts.length), 2);
    strictEqual(await page.evaluate(() => document.querySelectorAll("main img, main script").length), 0);
    strictEqual(await page.evaluate(() => document.querySelector("#end .told").textContent),
      "</script><script>broken=3</script> <img src=x onerror=broken=4> \\ '\"\" reason. <!-- </script> {{script}} $& \"now\"");
    ok((await page.evaluate(() => document.getElementById("policy").textContent)).includes("</p><script>broken=1</script> &"));
    await compare(page, made, ["unknown_tool"]);
  });
  await check("hostile: what is put into the page does not run", async () => {
    const before = page.complaints.length;
    await page.evaluate(() => {
      const script = document.createElement("script");
      script.textContent = "window.broken = 5";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.broken = 6'><p style='color:red' id='styled'>x</p>");
    });
    await page.waitForTimeout(0);
    strictEqual(await page.evaluate(() => typeof window.broken), "undefined");
    ok(page.complaints.length > before); // the browser says what the policy of the page forbids
  });
  await page.close();
}

mkdirSync(shots, { recursive: true });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium" });
for (const spec of specs) {
  const made = make(spec, nameOf(spec));
  await draws(browser, made);
  await loads(browser, made);
  await random(browser, made);
  const page = await open(browser, made);
  await byKeyboard(page, made);
  await page.close();
  await looks(browser, made);
  if (made.name === "lightspeed") {
    await links(browser, made);
    await hostile(browser, spec);
  }
}
await browser.close();
console.log(`web: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
