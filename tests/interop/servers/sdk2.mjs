// A server on the SDK's second version, of both eras, or with `modern` of the newer alone: sdk2.mjs stdio | http [modern]
import { createMcpHandler, inputRequired, McpServer } from "@modelcontextprotocol/server";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { toNodeHandler } from "@modelcontextprotocol/node";
import { z } from "zod";
import { keepStdin, log, numberAsSent, serve, text, wait } from "./kit.mjs";

const [mode, eras] = process.argv.slice(2);
const legacy = eras === "modern" ? "reject" : undefined;
let count = 0;

function create({ era }) {
  const server = new McpServer({ name: "sdk2", version: "1.0.0" });
  const tool = (name, inputSchema, call, annotations) =>
    server.registerTool(name, { inputSchema: z.object(inputSchema), annotations }, (args, context) => {
      log(`call ${name} ${era}`);
      return call(args, context);
    });

  tool("add", { a: z.number(), b: z.number() }, ({ a, b }) => text(String(a + b)), { readOnlyHint: true });
  tool("number", { n: z.number() }, (_, { mcpReq }) => text(numberAsSent(mcpReq.id)));
  tool("count", {}, () => text(String(++count)));
  tool("fail", {}, () => ({ ...text("no such customer"), isError: true }));
  tool("region", { region: z.string().meta({ "x-mcp-header": "Region" }) }, ({ region }, { http }) =>
    text(`${region} ${http?.req?.headers.get("mcp-param-region") ?? "-"}`));
  tool("list", {}, () => ({ ...text("[1,2]"), structuredContent: [1, 2] }));
  tool("slow", {}, async (_, { mcpReq }) => {
    log("slow begins");
    const aborted = await wait(20000, mcpReq.signal);
    log(aborted ? "slow is aborted" : "slow ends");
    return text("at last");
  });
  tool("busy", {}, (_, { mcpReq }) =>
    mcpReq.requestState() === undefined ? inputRequired({ requestState: 'as "it" is/+=' }) : text(mcpReq.requestState()));
  tool("confirm", {}, (_, { mcpReq }) => {
    const answer = mcpReq.inputResponses?.sure;
    if (answer !== undefined) {
      return text(JSON.stringify(answer));
    }
    const requestedSchema = z.object({ sure: z.boolean().default(true) });
    return inputRequired({ inputRequests: { sure: inputRequired.elicit({ message: "Are you sure?", requestedSchema }) } });
  });
  return server;
}

if (mode === "stdio") {
  log("begins");
  keepStdin();
  serveStdio(create, { legacy: legacy ?? "serve" });
} else {
  serve(toNodeHandler(createMcpHandler(create, { legacy })));
}
