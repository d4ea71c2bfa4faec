// A server on the SDK's first version: sdk1.mjs stdio | http | json. Its tools do what high-level ones cannot.
import { randomUUID } from "node:crypto";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";
import { keepStdin, log, numberAsSent, serve, text, wait } from "./kit.mjs";

const mode = process.argv[2];
const sessions = new Map();
const listened = Promise.withResolvers();
const question = [{ method: "roots/list" }, { parse: (value) => value }, { timeout: 3000 }];
let count = 0;

const tools = {
  number: (_, { requestId }) => text(numberAsSent(requestId)),
  structured: () => ({ ...text("see it"), structuredContent: { n: JSON.rawJSON("9007199254740993"), list: [] } }),
  blob: () => ({ content: [{ type: "resource", resource: { uri: "seven:bytes", mimeType: "image/x", blob: "c2V2ZW4gYg==" } }] }),
  count: () => text(String(++count)),
  fail: () => ({ ...text("no such customer"), isError: true }),
  code: () => { throw new McpError(-32050, "shelf is empty", { shelf: 7 }); },
  plain_throw: () => { throw new Error("went wrong"); },
  // The answer still goes out, the session is not there afterwards.
  forget: () => { sessions.clear(); return text("forgotten"); },
  crash: () => process.exit(7),
  slow: async (_, { signal }) => {
    log("slow begins");
    const aborted = await wait(20000, signal);
    log(aborted ? "slow is aborted" : "slow ends");
    return text("at last");
  },
  // On the stream of the call; answering in JSON, the SDK drops it.
  ask: async (_, { sendRequest }) => text(JSON.stringify(await sendRequest(...question))),
  // On the stream that the client's GET asks for.
  ask_aside: async (_, __, server) => {
    await listened.promise;
    return text(JSON.stringify(await server.request(...question)));
  },
};

function create() {
  const server = new Server({ name: "sdk1", version: "1.0.0" }, { capabilities: { tools: {} } });
  // Two pages.
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const list = Object.keys(tools).map((name) => ({
      name,
      inputSchema: { type: "object" },
      annotations: { readOnlyHint: name === "number", idempotentHint: name === "forget" },
    }));
    return params?.cursor === undefined ? { tools: list.slice(0, 4), nextCursor: "" } : { tools: list.slice(4) };
  });
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    log(`call ${params.name}`);
    if (!Object.hasOwn(tools, params.name)) {
      throw new McpError(-32602, `there is no ${params.name}`);
    }
    return tools[params.name](params.arguments, extra, server);
  });
  return server;
}

async function handle(request, response, body) {
  const id = request.headers["mcp-session-id"];
  if (id !== undefined && !sessions.has(id)) {
    const error = { code: -32001, message: "Session not found" };
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
    return;
  }
  let transport = sessions.get(id);
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      enableJsonResponse: mode === "json",
      onsessioninitialized: (name) => sessions.set(name, transport),
    });
    await create().connect(transport);
  }
  if (request.method === "GET") {
    // Once its head is written the SDK has the stream.
    const { writeHead } = response;
    response.writeHead = (...words) => {
      setImmediate(listened.resolve);
      return writeHead.apply(response, words);
    };
  }
  await transport.handleRequest(request, response, body);
}

if (mode === "stdio") {
  log("begins");
  listened.resolve();
  keepStdin();
  await create().connect(new StdioServerTransport());
} else {
  serve(handle);
}
