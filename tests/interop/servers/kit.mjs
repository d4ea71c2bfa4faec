// What the servers on the SDKs share.
import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

// What a server saw or did, a line each, into the file INTEROP_LOG.
export function log(line) {
  if (process.env.INTEROP_LOG) {
    appendFileSync(process.env.INTEROP_LOG, `${line}\n`);
  }
}

const numbers = new Map();

// The number `n` as it stood in the call with this id: the SDKs' own numbers have lost it.
export const numberAsSent = (id) => numbers.get(id) ?? "none";

function keep(message) {
  const number = /"n":\s*([^,}\s]+)/.exec(message);
  if (number !== null) {
    numbers.set(JSON.parse(message).id, number[1]);
  }
}

// Over stdio what comes in is seen beside the SDK, which reads it as well.
export function keepStdin() {
  createInterface({ input: process.stdin }).on("line", keep);
}

// Serves on 127.0.0.1, prints the port, ends with stdin. `handle` gets request, response and the parsed body.
export function serve(handle) {
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) {
      text += chunk;
    }
    keep(text);
    const { method, headers } = request;
    const body = text === "" ? undefined : JSON.parse(text);
    log(`${method} ${body?.method ?? "-"} ${headers["mcp-protocol-version"] ?? "-"}`);
    await handle(request, response, body);
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
}

export const text = (words) => ({ content: [{ type: "text", text: words }] });

// Until `ms` have gone, or the call is aborted: true then.
export function wait(ms, signal) {
  return new Promise((done) => {
    const timer = setTimeout(() => done(false), ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      done(true);
    });
  });
}
