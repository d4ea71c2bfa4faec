// The client that the conformance suite tests: the command, given a configuration with the suite's server, does what the scenario
// asks for. The suite runs it as `conformance.mjs URL`; it also tells the scenario by environment variables.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const url = process.argv.at(-1);
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const work = mkdtempSync(join(tmpdir(), "conformance-"));
const tools = join(work, "tools.json");

function recourse(words, input) {
  const { status, stdout, stderr } = spawnSync(process.env.RECOURSE, words, { input, encoding: "utf8" });
  process.stderr.write(stderr);
  if (status !== 0) {
    rmSync(work, { recursive: true });
    process.exit(status ?? 1);
  }
  return stdout;
}

const schemaOf = (list, name) => list.find((tool) => tool.name === name).schema;

// The calls, where a scenario wants others than each tool that there is, once and without arguments.
const calls = {
  initialize: () => [],
  "request-metadata": () => [],
  tools_call: () => [{ name: "add_numbers", arguments: { a: 5, b: 3 } }],
  "http-custom-headers": () => context.toolCalls,
  "http-invalid-tool-headers": (list) => list.map(({ name }) => ({ name, arguments: { region: "eu" } })),
  "json-schema-ref-no-deref": () => [],
  "json-schema-2020-12-preservation": (list) => [
    { name: "json_schema_echo", arguments: { schema: schemaOf(list, "json_schema_2020_12_tool") } },
  ],
};

const peer = { url };
if (scenario === "elicitation-sep1034-client-defaults" || scenario === "sep-2322-client-request-state") {
  peer.elicitation = "defaults";
}
writeFileSync(tools, JSON.stringify({ mcpServers: { peer } }));
const { tools: list } = JSON.parse(recourse(["tools", "--json", "--tools", tools]));
const wanted = calls[scenario]?.(list) ?? list.map(({ name }) => ({ name, arguments: {} }));
const content = wanted.map(({ name, arguments: input }, i) => ({ type: "tool_use", id: `c${i + 1}`, name, input }));
if (content.length > 0) {
  const words = ["run", "--policy", "default", "--tools", tools, "--log"];
  console.log(recourse(words, JSON.stringify({ role: "assistant", content })));
}
rmSync(work, { recursive: true });
