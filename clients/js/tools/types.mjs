// Writes src/generated/ from the documents of the server: its OpenAPI and its AsyncAPI.
//
//   node tools/types.mjs [--out DIRECTORY] [OPENAPI.json ASYNCAPI.json]
//
// Without files it asks the Hubbub of the checkout (`.venv/bin/hubbub openapi`). Equal documents
// make equal bytes, so a test can compare.

import {execFileSync} from "node:child_process";
import {mkdirSync, readFileSync, writeFileSync} from "node:fs";
import {join} from "node:path";
import {fileURLToPath} from "node:url";
import {parseArgs} from "node:util";
import openapiTS, {astToString} from "openapi-typescript";
import ts from "typescript";

const HERE = fileURLToPath(new URL(".", import.meta.url));
const HUBBUB = join(HERE, "../../../.venv/bin/hubbub");
const HEADER =
  "// Generated from the documents of the server. Do not edit it: `make client-types` makes it again.\n\n";

/** What a type in TypeScript is made of. Limits, patterns, formats and examples are not. */
const KEYWORDS = ["$ref", "type", "enum", "const", "required", "description", "deprecated"];
const SCHEMA_REF = "#/components/schemas/";

/* ---- The documents ---- */

function readDocuments([openapi, asyncapi]) {
  return openapi && asyncapi
    ? [openapi, asyncapi].map((file) => JSON.parse(readFileSync(file, "utf8")))
    : ["openapi", "asyncapi"].map((name) => JSON.parse(run(HUBBUB, name)));
}

function run(program, argument) {
  return execFileSync(program, [argument], {encoding: "utf8", maxBuffer: 64 * 1024 * 1024});
}

function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** Reduces a schema to what its type is made of, so that both documents have it in the same form. */
function lean(schema) {
  if (typeof schema !== "object") return schema;
  if (schema.format === "binary") return {$ref: `${SCHEMA_REF}Blob`};
  const kept = Object.fromEntries(KEYWORDS.filter((key) => key in schema).map((key) => [key, schema[key]]));
  if (schema.properties) kept.properties = mapValues(schema.properties, lean);
  if (schema.additionalProperties) kept.additionalProperties = lean(schema.additionalProperties);
  if (schema.items) kept.items = lean(schema.items);
  for (const key of ["oneOf", "anyOf", "allOf"]) {
    if (schema[key]) kept[key] = schema[key].map(lean);
  }
  if (kept.enum && kept.description === undefined) delete kept.description;
  // AsyncAPI has a description beside a reference only in this form.
  return kept.allOf?.length === 1 && !kept.properties ? {...kept.allOf[0], description: kept.description} : kept;
}

/** Joins the schemas of both documents; the same name must mean the same. */
function joinSchemas(openapi, asyncapi) {
  const [rest, realtime] = [openapi, asyncapi].map((document) => mapValues(document.components.schemas, lean));
  const canonical = (value) =>
    JSON.stringify(value, (_, part) =>
      part && typeof part === "object" && !Array.isArray(part)
        ? Object.fromEntries(Object.entries(part).filter(([, x]) => x !== undefined).sort())
        : part,
    );
  for (const name of Object.keys(realtime)) {
    if (rest[name] && canonical(rest[name]) !== canonical(realtime[name])) {
      throw new Error(`The documents disagree on ${name}.`);
    }
  }
  return {...realtime, ...rest};
}

const object = (properties, required = Object.keys(properties)) => ({type: "object", properties, required});
const literals = (values) => ({type: "string", enum: [...new Set(values)].sort()});

/* ---- The socket ---- */

const payloadsOf = (asyncapi) => Object.entries(asyncapi.components.messages).map(([name, {payload, summary}]) => ({
  name,
  summary,
  properties: payload.properties,
  required: payload.required,
  op: payload.properties.op.enum[0],
  event: payload.properties.event?.enum[0],
  method: payload.properties.method?.enum[0],
}));

function eventTypes(messages) {
  const events = messages.filter(({event}) => event);
  return object(
    Object.fromEntries(events.map(({event, summary, properties}) => [event, describe(lean(properties.data), summary)])),
  );
}

/** One member for each method: what it takes, what it answers, and the codes of its refusals. */
function methodTypes(messages, schemas) {
  const byName = Object.fromEntries(messages.map((message) => [message.name, message]));
  const calls = messages.filter(({method}) => method);
  return object(
    Object.fromEntries(
      calls.map((call) => {
        const reply = byName[call.name.replace(/Call$/, "Reply")];
        const refusal = byName[call.name.replace(/Call$/, "Refused")];
        const problem = schemas[refusal.properties.error.$ref.slice(SCHEMA_REF.length)];
        const {data, meta} = reply.properties;
        const parts = {
          params: bare(call.properties.params),
          result: bare(data),
          ...(meta && {meta: bare(meta)}),
          refusal: problem.properties.code,
        };
        const required = Object.keys(parts).filter((part) => part !== "params" || call.required.includes(part));
        return [call.method, describe(object(parts, required), call.summary)];
      }),
    ),
  );
}

/** The frames of the session: all that are neither events nor a method's call or reply. */
function sessionFrames(messages) {
  const special = messages.filter(({event, name, op}) => !event && (name === "Refused" || !["call", "reply"].includes(op)));
  return Object.fromEntries(
    special.map(({name, summary, properties, required}) => [
      name,
      describe(lean({type: "object", properties, required}), summary),
    ]),
  );
}

const describe = (schema, description) => ({...schema, description});
// What the documents say of every `params` and `data` adds nothing to their names.
const bare = (schema) => describe(lean(schema), undefined);

/* ---- REST ---- */

/** One member for each operation: its parameters, its body, its form with files, its answer. */
function operationTypes(openapi) {
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${method.toUpperCase()} ${path}`,
      {...operationParts(operation), description: operation.summary, deprecated: operation.deprecated},
    ]),
  );
  return object(Object.fromEntries(operations));
}

function operationParts({parameters = [], requestBody, responses}) {
  const content = requestBody?.content ?? {};
  const [json, form] = [content["application/json"], content["multipart/form-data"]];
  const optional = [
    ...(parameters.some((one) => one.in === "query" && one.required) ? [] : ["query"]),
    ...(requestBody?.required && !(json && form) ? [] : ["body", "form"]),
  ];
  const parts = {
    ...parameterTypes(parameters, "path"),
    ...parameterTypes(parameters, "query"),
    ...(json && {body: lean(json.schema)}),
    ...(form && {form: lean(form.schema)}),
    answer: lean(responses["200"].content["application/json"].schema),
  };
  return object(parts, Object.keys(parts).filter((part) => !optional.includes(part)));
}

function parameterTypes(parameters, place) {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (!found.length) return {};
  const properties = Object.fromEntries(
    found.map(({name, schema, description}) => [name, {...lean(schema), ...(place === "query" && {description})}]),
  );
  return {[place]: object(properties, found.filter(({required}) => required).map(({name}) => name))};
}

function webhookTypes(openapi) {
  const bodyOf = ({post}) => lean(post.requestBody.content["application/json"].schema);
  return object(mapValues(openapi.webhooks, (item) => describe(bodyOf(item), item.post.summary)));
}

const loggedEvents = (openapi) => object(mapValues(openapi["x-events"], ({data}) => lean(data)));

/** All error codes of both documents. Of REST, only the descriptions of the answers have them. */
function errorCodes(openapi, asyncapi) {
  const answers = Object.values(openapi.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({responses}) => Object.values(responses));
  const described = [...answers, ...Object.values(openapi.components.responses)].flatMap(
    ({description = ""}) => description.match(/(?<=`)(AUTH_)?ERR_[A-Z0-9_]+(?=`)/g) ?? [],
  );
  const listed = Object.entries(asyncapi.components.schemas).flatMap(([name, schema]) =>
    name.endsWith("ErrorCode") ? schema.enum : [],
  );
  return describe(literals([...described, ...listed]), "The code of an error, by which programs go.");
}

/* ---- TypeScript ---- */

/** Finds the names of the schemas that this refers to. */
function referredTo(value) {
  const found = JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...new Set([...found].map(([, name]) => name))].filter((name) => name !== "Blob").sort();
}

/** Finds the names of all schemas that this leads to. */
function reachable(roots, schemas) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    referredTo(schemas[name]).forEach(visit);
  };
  referredTo(roots).forEach(visit);
  return [...found].sort();
}

/** Converts schemas to declarations, by name. */
async function declarations(schemas) {
  const document = {
    openapi: "3.1.0",
    info: {title: "Hubbub", version: "0"},
    paths: {},
    components: {schemas: {...schemas, Blob: {}}},
  };
  const nodes = await openapiTS(document, {silent: true, emptyObjectsUnknown: true, defaultNonNullable: false});
  const components = nodes.find((node) => node.name?.text === "components");
  const {members} = components.members.find((member) => member.name.text === "schemas").type;
  return new Map(members.map((member) => [member.name.text, declaration(member, schemas[member.name.text])]));
}

function declaration(member, schema) {
  const name = member.name.text;
  const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const node = ts.isTypeLiteralNode(member.type)
    ? ts.factory.createInterfaceDeclaration(exported, name, undefined, undefined, member.type.members)
    : ts.factory.createTypeAliasDeclaration(exported, name, undefined, member.type);
  return documentation(schema?.description) + tidy(astToString(node));
}

function documentation(description) {
  if (!description) return "";
  const lines = description.trim().split("\n");
  return lines.length === 1 ? `/** ${lines[0]} */\n` : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** Makes plain references and plain JSDoc of what openapi-typescript writes. */
function tidy(text) {
  return text
    .replace(/components\["schemas"\]\["(\w+)"\]/g, "$1")
    .replace(/^ *\/\*\* @enum \{[^}]*\} \*\/\n/gm, "")
    .replace(/^ *\* @enum \{[^}]*\}\n/gm, "")
    .replace(/@description /g, "")
    .replace(/^( *\*) {5}/gm, "$1 ")
    .replace(/^( *)\/\*\*\n *\* ([^\n]*)\n *\*\/$/gm, "$1/** $2 */")
    .replace(/^ +/gm, (spaces) => " ".repeat(Math.floor(spaces.length / 2) + (spaces.length % 4 === 1 ? 1 : 0)));
}

const listOf = (word, names) => `${word} type {\n${names.map((name) => `  ${name},\n`).join("")}} from "./schemas.js";\n\n`;

const REALTIME = `/** The name of an event. */
export type EventName = keyof Events;

/** The frame of an event. Those of the log have an \`id\` and a \`cursor\`; the others are not sent again. */
export type EventFrame<E extends EventName = EventName> = {
  [Name in E]: {
    op: "event";
    event: Name;
    /** The event's id, the same as in webhooks. */
    id?: string;
    /** The position after this event, to resume from. */
    cursor?: string;
    /** When it happened, in seconds since 1970. */
    at: number;
    data: Events[Name];
  };
}[E];

/** The name of a method. */
export type MethodName = keyof Methods;

/** The call of a method. */
export type CallFrame<M extends MethodName = MethodName> = {
  [Name in M]: {op: "call"; ref: string; method: Name} & Pick<Methods[Name], "params">;
}[M];

/** The answer to the call of a method. */
export type ReplyFrame<M extends MethodName = MethodName> = {
  [Name in M]: {op: "reply"; ref: string; data: Methods[Name]["result"]} & (Methods[Name] extends {meta: infer Meta}
    ? {meta: Meta}
    : {meta?: undefined});
}[M];

/** Whose presence is told: of all, of friends, of no one, or of these roles. */
export type Presence = PresenceParams["presence"];
`;

const REST = `/** An operation: its method and its path. */
export type OperationName = keyof operations;

/** The trigger of a webhook. */
export type TriggerName = keyof Webhooks;
`;

async function writeTypes(openapi, asyncapi, out) {
  const schemas = joinSchemas(openapi, asyncapi);
  const messages = payloadsOf(asyncapi);
  schemas.ErrorCode = errorCodes(openapi, asyncapi);
  const realtime = {
    Events: describe(eventTypes(messages), "The `data` of each event."),
    Methods: describe(methodTypes(messages, schemas), "What each method takes and answers."),
    ...sessionFrames(messages),
  };
  const rest = {
    operations: describe(operationTypes(openapi), "What each operation takes and answers."),
    Webhooks: describe(webhookTypes(openapi), "What a webhook is sent for each trigger."),
    LoggedEvents: describe(loggedEvents(openapi), "The `data` of each event in the log of the app."),
  };
  const common = ["ErrorBody", "ErrorCode"].map((name) => ({$ref: SCHEMA_REF + name}));
  const ofRealtime = reachable([realtime, common], schemas);
  const all = reachable([realtime, rest, common], schemas);
  refuseDoubles([...Object.keys(realtime), ...Object.keys(rest)], schemas);
  const types = await declarations({...schemas, ...realtime, ...rest});
  const print = (names) => names.map((name) => types.get(name)).join("\n");
  const imports = (roots) => listOf("import", referredTo(roots));
  const write = (name, text) => writeFileSync(join(out, name), HEADER + text);

  mkdirSync(out, {recursive: true});
  write("schemas.ts", print(all));
  write(
    "realtime.ts",
    `${imports(realtime)}${listOf("export", ofRealtime)}${print(Object.keys(realtime))}\n${REALTIME}`,
  );
  write("rest.ts", `${imports(rest)}${print(Object.keys(rest))}\n${REST}`);
}

function refuseDoubles(names, schemas) {
  const doubles = names.filter((name) => schemas[name]);
  if (doubles.length) throw new Error(`Schemas have these names, too: ${doubles.join(", ")}.`);
}

const {values, positionals} = parseArgs({allowPositionals: true, options: {out: {type: "string"}}});
const [openapi, asyncapi] = readDocuments(positionals);
await writeTypes(openapi, asyncapi, values.out ?? join(HERE, "../src/generated"));
