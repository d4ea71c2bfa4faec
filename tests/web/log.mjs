// The page of `recourse audit show --html` in a browser: a log of 10,000 calls that is made here. Arguments: the command, the
// folder with node_modules. The page and screenshots are left in the folder.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { deepStrictEqual, ok, strictEqual } from "node:assert";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [recourse, folder] = process.argv.slice(2).map((path) => resolve(path));
const require = createRequire(folder + "/");
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const shots = folder + "/shots";
const CALLS = 10000;
const HOSTILE = "</script><script>broken=1</script><img src=x onerror=broken=2>";
const TOOLS = ["search", "read_file", HOSTILE];

let passed = 0;
let failed = 0;

async function check(name, body) {
  try {
    await body();
    passed++;
  } catch (error) {
    failed++;
    console.log("web: FAILED: log: " + name + "\n    " + String(error.stack || error).replaceAll("\n", "\n    "));
  }
}

// ---- a log ----

class Log {
  hash = Buffer.alloc(32);
  lines = [];

  add(record) {
    const sorted = Object.fromEntries(Object.entries(record).sort(([a], [b]) => a < b ? -1 : 1));
    const body = Buffer.from(JSON.stringify(sorted));
    const size = Buffer.alloc(8);
    size.writeBigUInt64LE(BigInt(body.length));
    this.hash = createHash("sha256").update("recourse audit 1\n").update(this.hash).update(size).update(body).digest();
    this.lines.push(`{"body":${body},"hash":"${this.hash.toString("hex")}"}\n`);
  }

  segment(behaviour, writer, at) {
    this.add({ kind: "segment", at, format: 1, segment: 1, log: "ab".repeat(16), count: this.lines.length, writer: writer.repeat(16),
      previous: this.hash.toString("hex"), name: "lightspeed", behaviour, file: "cd".repeat(32), recourse: "0", sync: "batch",
      wall: 1700000000 });
  }
}

// What a call comes to, by its number: 5 are ok at once, 2 after a wait, 1 fails, 1 is told to the host, 1 has no end.
const ENDS = ["ok", "ok", "ok", "ok", "ok", "ok", "ok", "error_2", "host_1", ""];
const toolOf = (call) => TOOLS[call % 3];
const endOf = (call) => ENDS[call % 10];
const waits = (call) => [5, 6].includes(call % 10);

function outcome(log, call, number, at, event) {
  const failure = event === "ok" ? {} : { failure: event, fact_row: "F1", random: "0".repeat(16), http: 503 };
  log.add({ kind: "outcome", at, call, try: number, event, row: event === "ok" ? "A1" : "A2", state: "attempt",
    next: event === "ok" ? "reported" : "backoff", effect: event === "ok" ? "done" : "unknown", ...failure });
}

function addCall(log, call) {
  const at = 1000 + Math.floor(call / 4) * 40;
  const move = (time, number, row, state, event, next) => ({ at: time, call, try: number, row, state, event, next });
  log.add({ kind: "precondition", ...move(at, 0, "P1", "precondition", "ready", "attempt"), policy: 0, tool: toolOf(call),
    id: `call_${call}`, arguments: "ef".repeat(32), began: at, deadline: at + 60000, safe: true });
  log.add({ kind: "attempt", ...move(at, 1, "P1", "precondition", "ready", "attempt"), end: at + 30000 });
  let time = at + 50 + call % 70;
  let tries = 1;
  if (waits(call)) {
    outcome(log, call, 1, time, "transient");
    log.add({ kind: "wait", ...move(time, 1, "A2", "attempt", "transient", "backoff"), wait: "short", wait_ms: 200, wait_min: 200,
      wait_max: 200, wait_base: 200, end: time + 200, scenario: "retry" });
    time += 200;
    tries++;
    log.add({ kind: "attempt", ...move(time, 2, "B1", "backoff", "elapsed", "attempt"), end: time + 30000 });
    time += 50;
  }
  if (endOf(call) === "") return;
  const event = endOf(call) === "ok" ? "ok" : "permanent";
  outcome(log, call, tries, time, event);
  const tell = endOf(call).startsWith("host") ? "host" : "model";
  log.add({ kind: "reported", ...move(time, tries, event === "ok" ? "A1" : "A2", "attempt", event, "reported"), scenario: endOf(call),
    tell, reminder: event === "ok" ? "-" : "yes" });
}

// By the built-in policy, so that its rows are known; a second writer whose clock began anew has one call more.
function makeLog(path) {
  const spec = resolve("spec/lightspeed.policy.md");
  writeFileSync(path, "");
  let judged;
  try {
    judged = execFileSync(recourse, ["audit", "verify", "--json", "--require", "empty", "--spec", spec, path], { encoding: "utf8" });
  } catch (error) {
    judged = error.stdout;
  }
  const log = new Log();
  const behaviour = JSON.parse(judged).policies[0].behaviour_sha256;
  log.segment(behaviour, "01", 1000);
  for (let call = 1; call < CALLS; call++) addCall(log, call);
  log.segment("00".repeat(32), "02", 500);
  addCall(log, 1);
  writeFileSync(path, log.lines.join(""));
}

// ---- the page ----

async function open(browser, url, options = {}) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1100 }, ...options });
  page.complaints = [];
  page.on("console", (message) => message.type() === "error" && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || page.complaints.push("asked for " + request.url()));
  await page.goto(url);
  return page;
}

const settled = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Not Playwright's own, which evaluates text within the page: its security policy forbids that.
async function until(page, holds) {
  for (let i = 0; i < 200; i++) {
    if (await page.evaluate(holds)) return;
    await settled(page);
  }
  throw new Error("it never holds: " + holds);
}

async function countOf(page) {
  await settled(page);
  return /^([0-9]+) of ([0-9]+) calls match, ([0-9]+) in view/.exec(await page.textContent("#count")).slice(1).map(Number);
}

function numbers(wanted) {
  let count = wanted(1) ? 1 : 0; // the second writer's
  for (let call = 1; call < CALLS; call++) count += wanted(call) ? 1 : 0;
  return count;
}

async function filters(page) {
  const cases = [
    ["by nothing", {}, () => true],
    ["by tool", { tool: "search" }, (call) => toolOf(call) === "search"],
    ["by a tool that would be markup", { tool: HOSTILE }, (call) => toolOf(call) === HOSTILE],
    ["by ending", { ending: "ok" }, (call) => endOf(call) === "ok"],
    ["without an end", { ending: "without an end" }, (call) => endOf(call) === ""],
    ["by failure", { failure: "transient" }, waits],
    ["by text", { text: " CALL_123" }, (call) => `call_${call}`.includes("call_123")],
    ["by row", { text: "waits 200 ms" }, waits],
    ["by all", { tool: "read_file", ending: "host_1", failure: "permanent", text: "call_9" },
      (call) => toolOf(call) === "read_file" && endOf(call) === "host_1" && `call_${call}`.includes("call_9")],
    ["to none", { text: "no such thing" }, () => false],
  ];
  for (const [name, values, wanted] of cases) {
    await check("filtered " + name, async () => {
      await page.click("#filters button[type=reset]");
      await settled(page);
      for (const [id, value] of Object.entries(values)) {
        if (id === "text") await page.fill("#text", value);
        else await page.selectOption("#" + id, value);
      }
      const matching = numbers(wanted);
      deepStrictEqual(await countOf(page), [matching, CALLS, matching]);
      strictEqual(await page.locator("#list tbody tr").count(), Math.min(25, matching));
    });
  }
  await page.click("#filters button[type=reset]");
}

async function moves(page) {
  await check("by keyboard: zoomed, moved, and all of it again", async () => {
    await page.focus("#time");
    for (let i = 0; i < 6; i++) await page.keyboard.press("+");
    await page.keyboard.press("Home");
    const near = (await countOf(page))[2];
    ok(near > 0 && near < CALLS / 32, String(near));
    await page.keyboard.press("End");
    await settled(page);
    const late = await page.textContent("#list tbody tr:first-child td");
    ok(Number(late.slice(5)) > CALLS / 2, late);
    await page.keyboard.press("ArrowLeft");
    await settled(page);
    ok(await page.textContent("#list tbody tr:first-child td") !== late);
    await page.keyboard.press("0");
    deepStrictEqual(await countOf(page), [CALLS, CALLS, CALLS]);
  });
  await check("by keyboard: a call's story", async () => {
    await page.fill("#text", "call_15");
    await settled(page);
    await page.focus("#list tbody a");
    await page.keyboard.press("Enter");
    await until(page, () => document.activeElement.id === "story-title");
    strictEqual(await page.textContent("#story-title"), "Story of call_15");
    const story = await page.evaluate(() => [...document.querySelectorAll("#story tbody tr")].map((row) => row.cells[1].firstChild.data));
    deepStrictEqual(story.map((text) => text.split(",")[0].split(" (")[0]), ["begins: search", "try 1 begins", "try 1 ends: transient",
      "waits 200 ms", "try 2 begins", "try 2 ends: ok", "reported as ok to model"]);
    ok((await page.textContent("#story tbody tr:nth-child(3)")).includes("tried again"));
    await page.fill("#text", "");
  });
  await check("a click on the time line picks a call", async () => {
    await page.evaluate(() => { look(byKey.get("1.40").begin, byKey.get("1.40").end); });
    await settled(page);
    const [x, y] = await page.evaluate(() => {
      const { lane, scale } = geometry();
      const call = byKey.get("1.40");
      const box = document.getElementById("time").getBoundingClientRect();
      return [box.left + (call.end - call.begin) / 2 * scale, box.top + TOP + (call.lane + 0.5) * lane];
    });
    await page.mouse.click(x, y);
    await until(page, () => location.hash === "#call=1.40");
    strictEqual(await page.textContent("#story-title"), "Story of call_40");
  });
  await check("a policy that is not known is said to be so", async () => {
    await page.evaluate(() => { location.hash = "#call=2.1"; });
    await until(page, () => document.getElementById("story").textContent.includes("of writer 2"));
    ok((await page.textContent("#story")).includes("The policy is not known here"));
  });
}

async function looks(browser, url) {
  for (const [name, options] of [["light", { colorScheme: "light" }], ["dark", { colorScheme: "dark" }],
    ["phone", { colorScheme: "light", viewport: { width: 390, height: 844 } }]]) {
    const page = await open(browser, url + "#call=1.15", options);
    await check("axe-core finds nothing: " + name, async () => {
      await page.evaluate(axe);
      const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      deepStrictEqual(found.violations.map((one) => one.id + ": " + one.nodes.map((node) => node.target).join(" ")), []);
    });
    await page.screenshot({ path: `${shots}/log-${name}-all.png` });
    await page.evaluate(() => look(byKey.get("1.15").begin - 300, byKey.get("1.15").end + 700));
    await page.screenshot({ path: `${shots}/log-${name}-near.png`, fullPage: name !== "phone" });
    await check("nothing is wider than the screen: " + name, async () => {
      const [wide, screen] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      ok(wide <= screen, `${wide} of ${screen} px`);
    });
    await page.close();
  }
}

mkdirSync(shots, { recursive: true });
makeLog(folder + "/many.log");
execFileSync(recourse, ["audit", "show", "--html", "-o", folder + "/log.html", folder + "/many.log"]);
const url = pathToFileURL(folder + "/log.html").href;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || "/usr/bin/chromium" });
const page = await open(browser, url);
await filters(page);
await moves(page);
await check("no complaint, and nothing of a log is markup or script", async () => {
  deepStrictEqual(page.complaints, []);
  strictEqual(await page.evaluate(() => typeof window.broken), "undefined");
  strictEqual(await page.evaluate(() => document.scripts.length), 2);
  strictEqual(await page.evaluate(() => document.querySelectorAll("img").length), 0);
});
await page.close();
await looks(browser, url);
await browser.close();
console.log(`web: log: ${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
