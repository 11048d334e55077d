// Declarations in TypeScript, made of schemas by openapi-typescript.

import openapiTS, { astToString } from "openapi-typescript";
import ts from "typescript";

/** Converts schemas; returns the text of each declaration by its name. */
export async function declarations(schemas) {
  const document = {
    openapi: "3.1.0",
    info: { title: "Hubbub", version: "0" },
    paths: {},
    components: { schemas: { ...schemas, Blob: {} } },
  };
  // A property with a default may be left out of a request, so a default makes nothing required.
  const options = { silent: true, emptyObjectsUnknown: true, defaultNonNullable: false };
  const nodes = await openapiTS(document, options);
  const components = nodes.find((node) => node.name?.text === "components");
  const { members } = components.members.find((member) => member.name.text === "schemas").type;
  return new Map(members.map(({ name: { text: name }, type }) => [name, declare(name, type, schemas[name])]));
}

function declare(name, type, schema) {
  const exported = [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)];
  const node = ts.isTypeLiteralNode(type)
    ? ts.factory.createInterfaceDeclaration(exported, name, undefined, undefined, type.members)
    : ts.factory.createTypeAliasDeclaration(exported, name, undefined, type);
  return documentation(schema?.description) + tidy(astToString(node));
}

function documentation(description) {
  if (!description) return "";
  const lines = description.trim().split("\n");
  if (lines.length === 1) return `/** ${lines[0]} */\n`;
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** Makes plain references, plain JSDoc and indents of two spaces of what openapi-typescript writes. */
function tidy(text) {
  return text
    .replace(/components\["schemas"\]\["(\w+)"\]/g, "$1")
    .replace(/^ *\/\*\* @enum \{[^}]*\} \*\/\n/gm, "")
    .replace(/^ *\* @enum \{[^}]*\}\n/gm, "")
    .replace(/@description /g, "")
    .replace(/^( *\*) {5}/gm, "$1 ")
    .replace(/^( *)\/\*\*\n *\* ([^\n]*)\n *\*\/$/gm, "$1/** $2 */")
    .replace(/^( {4})+/gm, (indent) => indent.slice(indent.length / 2));
}
