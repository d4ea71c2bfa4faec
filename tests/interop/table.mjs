// A table of calls and of what comes of them, see README.md:
//   table.mjs calls TABLE               the calls, as a message of Anthropic's has them
//   table.mjs check NAME TABLE REPORT   each call that came out otherwise; then how many did as they should, and how many not
import { readFileSync } from "node:fs";

const what = process.argv[2];
const [tablePath, reportPath] = process.argv.slice(what === "calls" ? 3 : 4);
const rows = [];

for (const line of readFileSync(tablePath, "utf8").split("\n")) {
  if (line.startsWith("  ")) {
    rows.at(-1).expected.push(line.trim());
  } else if (line !== "" && !line.startsWith("#")) {
    const blank = line.indexOf(" ");
    rows.push({ tool: line.slice(0, blank), input: line.slice(blank + 1), expected: [] });
  }
}

// Integers that a double has no room for stay as they are written.
const read = (text) =>
  JSON.parse(text, (_, value, { source }) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? JSON.rawJSON(source) : value);

function outcome({ scenario, failure, effect, trail, content, structured }) {
  const words = [scenario, failure, failure && effect].filter((word) => word);
  const steps = trail.map(({ row }) => row).join(" ");
  const lines = [`${words.join(" ")} [${steps}] ${JSON.stringify(content).slice(1, -1).replaceAll('\\"', '"')}`];
  return structured === null ? lines : [...lines, `= ${JSON.stringify(structured)}`];
}

if (what === "calls") {
  const calls = rows.map(({ tool, input }, i) => `{"type":"tool_use","id":"c${i + 1}","name":"${tool}","input":${input}}`);
  console.log(`{"role":"assistant","content":[${calls.join(",\n")}]}`);
} else {
  const { results } = read(readFileSync(reportPath, "utf8"));
  let passed = 0;
  rows.forEach(({ tool, input, expected }, i) => {
    const lines = results[i]?.call === `c${i + 1}` && results[i].tool === tool ? outcome(results[i]) : ["no result"];
    if (lines.join("\n") === expected.join("\n")) {
      passed++;
    } else {
      console.log(`${process.argv[3]}: ${tool} ${input}\n  is:  ${lines.join("\n       ")}\n  not: ${expected.join("\n       ")}`);
    }
  });
  console.log(`${passed} ${rows.length - passed + Math.abs(results.length - rows.length)}`);
}
