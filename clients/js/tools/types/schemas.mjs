// JSON Schemas: reduced to what a type is made of, joined, made, and searched for references.

import { isDeepStrictEqual } from "node:util";

/** What a type in TypeScript is made of. Limits, patterns, formats and examples are not. */
const KEYWORDS = ["$ref", "type", "enum", "const", "required", "description", "deprecated"];
const REF = "#/components/schemas/";

export const refTo = (name) => ({ $ref: REF + name });
export const nameOf = ({ $ref }) => $ref.slice(REF.length);
export const describe = (schema, description) => (description ? { ...schema, description } : schema);

/** Makes the schema of an object. */
export function object(properties, required = Object.keys(properties)) {
  return { type: "object", properties, required };
}

/** Makes the schema of one of these texts. */
export function literals(texts) {
  return { type: "string", enum: [...new Set(texts)].sort() };
}

export function mapValues(record, change) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}

/** Reduces a schema to what its type is made of, so that both documents have it in the same form. */
export function lean(schema) {
  if (typeof schema !== "object") return schema;
  if (schema.format === "binary") return refTo("Blob");
  const kept = Object.fromEntries(KEYWORDS.filter((key) => key in schema).map((key) => [key, schema[key]]));
  if (schema.properties) kept.properties = mapValues(schema.properties, lean);
  if (schema.additionalProperties) kept.additionalProperties = lean(schema.additionalProperties);
  if (schema.items) kept.items = lean(schema.items);
  for (const key of ["oneOf", "anyOf", "allOf"]) {
    if (schema[key]) kept[key] = schema[key].map(lean);
  }
  // AsyncAPI has a description beside a reference only in this form.
  return kept.allOf?.length === 1 ? describe(kept.allOf[0], kept.description) : kept;
}

/** Joins the schemas of both documents; the same name must mean the same. */
export function joinSchemas(openapi, asyncapi) {
  const [rest, realtime] = [openapi, asyncapi].map(({ components }) => mapValues(components.schemas, lean));
  const differ = Object.keys(realtime).filter(
    (name) => rest[name] && !isDeepStrictEqual(rest[name], realtime[name]),
  );
  if (differ.length) throw new Error(`The documents disagree on ${differ.join(", ")}.`);
  return { ...realtime, ...rest };
}

/** Finds the names of the schemas that this refers to. */
export function referredTo(value) {
  const found = JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g);
  return [...new Set([...found].map(([, name]) => name))].filter((name) => name !== "Blob").sort();
}

/** Finds the names of all schemas that this leads to. */
export function reachable(roots, schemas) {
  const found = new Set();
  const visit = (name) => {
    if (found.has(name)) return;
    found.add(name);
    referredTo(schemas[name]).forEach(visit);
  };
  referredTo(roots).forEach(visit);
  return [...found].sort();
}
