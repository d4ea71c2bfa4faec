// undici with p-retry, as somebody would write it: POST, three tries 50 ms apart, and 429 is an error.
//
//   node peer_undici.mjs URL AT-ONCE CALLS WARM-UP
//   node --expose-gc peer_undici.mjs waiting CALLS   the memory of a call that p-retry has wait: bytes=N on the heap,
//                                                    rss=N resident
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

// The modules are installed beside what is built, not beside this file.
const modules = createRequire(join(process.env.BENCH_NODE_MODULES, "package.json"));
const load = (name) => import(pathToFileURL(modules.resolve(name)));
const { Pool } = await load("undici");
const { default: pRetry } = await load("p-retry");

if (process.argv[2] === "waiting") {
  await waiting(Number(process.argv[3]));
}

const [url, atOnceText, callsText, warmUpText] = process.argv.slice(2);
const { origin, pathname } = new URL(url);
const atOnce = Number(atOnceText);
const warmUp = Number(warmUpText);
const all = warmUp + Number(callsText);
const retries = { retries: 2, minTimeout: 50, maxTimeout: 50, factor: 1, randomize: false };

async function waiting(calls) {
  const hour = { retries: 2, minTimeout: 3600000, maxTimeout: 3600000, factor: 1, randomize: false };
  global.gc();
  const before = process.memoryUsage();
  for (let id = 0; id < calls; id++) {
    pRetry(async () => { throw new Error(`later: ${id}`); }, hour).catch(() => {});
  }
  await new Promise((done) => setTimeout(done, 500));
  global.gc();
  const after = process.memoryUsage();
  const each = (name) => Math.round((after[name] - before[name]) / calls);
  console.log(`bytes=${each("heapUsed")} rss=${each("rss")}`);
  process.exit(0);
}

const residentKb = () => Math.round(process.memoryUsage.rss() / 1024);
const statusKb = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync("/proc/self/status", "utf8"))[1]);

const idleKb = residentKb();
const pool = new Pool(origin, { connections: atOnce });

async function once(id) {
  const { statusCode, body } = await pool.request({
    path: pathname,
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ id }),
  });
  const text = await body.text();
  if (statusCode !== 200) {
    throw new Error(`status ${statusCode}: ${text}`);
  }
  return text;
}

let started = 0;
let ended = 0;
let cpu;
let wall;

async function worker() {
  while (started < all) {
    const id = started++;
    await pRetry(() => once(id), retries);
    if (++ended === warmUp) {
      cpu = process.cpuUsage();
      wall = process.hrtime.bigint();
    }
  }
}

await Promise.all(Array.from({ length: atOnce }, worker));
const spent = process.cpuUsage(cpu);
const wallUs = (process.hrtime.bigint() - wall) / 1000n;
const memory = `idle_kb=${idleKb} peak_kb=${statusKb("VmHWM")} own_kb=${statusKb("RssAnon")}`;
console.log(`cpu_us=${spent.user + spent.system} wall_us=${wallUs} ${memory}`);
await pool.close();
