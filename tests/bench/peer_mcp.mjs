// The official TypeScript SDK's client, calling one tool.
//
//   node peer_mcp.mjs URL|PROGRAM AT-ONCE CALLS WARM-UP
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

// The modules are installed beside what is built, not beside this file.
const modules = createRequire(join(process.env.BENCH_MCP_MODULES, "package.json"));
const load = (name) => import(pathToFileURL(modules.resolve(name).replace(/\.cjs$/, ".mjs")));
const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");

const [server, atOnceText, callsText, warmUpText] = process.argv.slice(2);
const atOnce = Number(atOnceText);
const warmUp = Number(warmUpText);
const all = warmUp + Number(callsText);

const residentKb = () => Math.round(process.memoryUsage.rss() / 1024);
const peakKb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]);

const client = new Client({ name: "bench", version: "1.0.0" });
await client.connect(
  server.startsWith("http")
    ? new StreamableHTTPClientTransport(new URL(server))
    : new StdioClientTransport({ command: server, args: ["lookup", "text=found"] }),
);
await client.listTools();
const idleKb = residentKb();

let started = 0;
let ended = 0;
let cpu;
let wall;

async function worker() {
  while (started < all) {
    const { content, isError } = await client.callTool({ name: "lookup", arguments: { id: started++ } });
    if (isError || content[0].text !== "found") {
      throw new Error("a call failed");
    }
    if (++ended === warmUp) {
      cpu = process.cpuUsage();
      wall = process.hrtime.bigint();
    }
  }
}

await Promise.all(Array.from({ length: atOnce }, worker));
const spent = process.cpuUsage(cpu);
const wallUs = (process.hrtime.bigint() - wall) / 1000n;
console.log(`cpu_us=${spent.user + spent.system} wall_us=${wallUs} idle_kb=${idleKb} peak_kb=${peakKb()}`);
await client.close();
