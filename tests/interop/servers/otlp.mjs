// A tool, an MCP server and a collector, with OpenTelemetry's own packages: otlp.mjs | otlp.mjs stdio. What comes to /v1/traces is
// read by the protocol's definitions and written again, and its spans are written by the official exporter: both have to come to
// what was sent. What tools are told of their trace is read by the official propagator.
import { deepEqual } from "node:assert/strict";
import { createRequire } from "node:module";
import { createServer } from "node:http";
import { ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { TraceState, W3CTraceContextPropagator } from "@opentelemetry/core";
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { log, text } from "./kit.mjs";

const require = createRequire(import.meta.url);
const { opentelemetry } = require("./node_modules/@opentelemetry/otlp-transformer/build/src/generated/root.js");
const Request = opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
const propagator = new W3CTraceContextPropagator();
const getter = { keys: Object.keys, get: (carrier, key) => carrier[key] };
const told = new Set();

function hear(who, carrier) {
  const context = trace.getSpanContext(propagator.extract(ROOT_CONTEXT, carrier, getter));
  told.add(context?.spanId);
  log(`${who} ${context?.traceId} ${context?.traceFlags} ${context?.traceState?.serialize() ?? "-"}`);
}

// ---- the collector ----

// A copy in which some values are others: `change(key, value)`.
const changed = (value, change) => JSON.parse(JSON.stringify(value, (key, part) => change(key, part)));
const isId = (key) => ["traceId", "spanId", "parentSpanId"].includes(key);

// In JSON, OTLP's ids are hex, where those of protobuf are base64.
const toBase64 = (key, part) => (isId(key) ? Buffer.from(part, "hex").toString("base64") : part);
const toHex = (key, part) => (isId(key) ? Buffer.from(part, "base64").toString("hex") : part);

function throughProtobuf(sent) {
  const message = Request.fromObject(changed(sent, toBase64));
  const problem = Request.verify(message);
  if (problem) {
    throw new Error(problem);
  }
  const read = Request.decode(Request.encode(message).finish());
  return changed(Request.toObject(read, { longs: String, bytes: String, arrays: false }), toHex);
}

// Lists that are empty are none in protobuf.
const withoutEmpty = (key, part) => (Array.isArray(part) && part.length === 0 ? undefined : part);

const valueOf = ({ stringValue, intValue, boolValue }) => stringValue ?? boolValue ?? Number(intValue);
const attributesOf = (list) => Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]));
const timeOf = (ns) => [Number(BigInt(ns) / 1000000000n), Number(BigInt(ns) % 1000000000n)];

// A span as the SDK would have it at its end.
function asEnded(span, resource, scope) {
  const traceState = span.traceState ? new TraceState(span.traceState) : undefined;
  const context = { traceId: span.traceId, traceFlags: span.flags & 0xff, traceState };
  return {
    name: span.name,
    kind: span.kind - 1,
    spanContext: () => ({ ...context, spanId: span.spanId }),
    parentSpanContext: span.parentSpanId && { ...context, spanId: span.parentSpanId, isRemote: (span.flags & 0x200) !== 0 },
    startTime: timeOf(span.startTimeUnixNano),
    endTime: timeOf(span.endTimeUnixNano),
    status: { code: span.status.code ?? 0 },
    attributes: attributesOf(span.attributes),
    events: (span.events ?? []).map((event) => ({
      name: event.name, time: timeOf(event.timeUnixNano), attributes: attributesOf(event.attributes), droppedAttributesCount: 0,
    })),
    links: [],
    resource,
    instrumentationScope: scope,
    droppedAttributesCount: 0, droppedEventsCount: 0, droppedLinksCount: 0,
  };
}

// What says nothing is left out by us, and written by the SDK; its whole numbers are numbers.
function bare(key, part) {
  if (part === 0 && (key.startsWith("dropped") || key === "code")) {
    return undefined;
  }
  return key === "intValue" ? Number(part) : withoutEmpty(key, part);
}

function throughExporter(sent) {
  const { resource: { attributes }, scopeSpans: [{ scope, spans }] } = sent.resourceSpans[0];
  const resource = { attributes: attributesOf(attributes) }; // one for all: the exporter groups by it
  const written = JsonTraceSerializer.serializeRequest(spans.map((span) => asEnded(span, resource, scope)));
  return JSON.parse(new TextDecoder().decode(written));
}

function compare(what, one, other) {
  try {
    deepEqual(one, other);
    log(`the same ${what}`);
  } catch (error) {
    log(`not the same ${what}: ${error.message}`);
  }
}

function collect(sent) {
  const spans = sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
  const calls = new Set(spans.filter(({ kind }) => kind === 1).map(({ spanId }) => spanId));
  compare("by the protocol's definitions", throughProtobuf(sent), changed(sent, withoutEmpty));
  compare("by the official exporter", changed(throughExporter(sent), bare), changed(sent, bare));
  for (const { name, kind, parentSpanId, spanId, status } of spans) {
    const whose = calls.has(parentSpanId) ? "of a call" : parentSpanId;
    log(`span ${name}, kind ${kind}, ${status.code ?? "unset"}, ${whose}${told.delete(spanId) ? ", told" : ""}`);
  }
}

// ---- the tools ----

function create(who) {
  const server = new Server({ name: "otlp", version: "1.0.0" }, { capabilities: { tools: {} } });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: [{ name: "where", inputSchema: { type: "object" } }] }));
  server.setRequestHandler(CallToolRequestSchema, (_, { _meta }) => {
    hear(who, _meta);
    return text("here");
  });
  return server;
}

let tries = 0;
const paths = {
  "/v1/traces": (_, response, body) => {
    collect(body);
    response.setHeader("content-type", "application/json").end(JSON.stringify({ partialSuccess: {} }));
  },
  "/lookup": ({ headers }, response) => {
    hear("lookup", headers);
    response.writeHead(tries++ === 0 ? 503 : 200).end("three");
  },
  "/mcp": async (request, response, body) => {
    if (body?.method === "tools/call") {
      hear("mcp headers", request.headers);
    }
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    await create("mcp http").connect(transport);
    await transport.handleRequest(request, response, body);
  },
};

if (process.argv[2] === "stdio") {
  await create("mcp stdio").connect(new StdioServerTransport());
} else {
  const server = createServer(async (request, response) => {
    let sent = "";
    for await (const chunk of request) {
      sent += chunk;
    }
    await paths[request.url](request, response, sent === "" ? undefined : JSON.parse(sent));
  });
  server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  process.stdin.on("end", () => process.exit(0)).resume();
}
