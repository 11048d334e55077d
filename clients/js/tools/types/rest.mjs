// The types of REST: operations, webhooks, and the events of the log.

import { describe, lean, mapValues, object } from "./schemas.mjs";

/** Returns the types that the document has, by their names. */
export function restTypes(openapi) {
  return {
    operations: describe(operationTypes(openapi), "What each operation takes and answers."),
    Webhooks: describe(webhookTypes(openapi), "What a webhook is sent for each trigger."),
    LoggedEvents: describe(eventTypes(openapi), "The `data` of each event in the log of the app."),
  };
}

/** Those that only managers of the installation may call are left out: no key or token of an app opens them. */
function operationTypes(openapi) {
  const operations = Object.entries(openapi.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security }]) => security.some(({ key }) => !key))
      .map(([method, operation]) => [`${method.toUpperCase()} ${path}`, operationType(operation)]),
  );
  return object(Object.fromEntries(operations));
}

/** The parameters of an operation, its body, its form with files, its answer. */
function operationType({ parameters = [], requestBody, responses, summary, deprecated }) {
  const json = requestBody?.content["application/json"];
  const form = requestBody?.content["multipart/form-data"];
  const parts = {
    ...parameterTypes(parameters, "path"),
    ...parameterTypes(parameters, "query"),
    ...(json && { body: lean(json.schema) }),
    ...(form && { form: lean(form.schema) }),
    answer: lean(responses["200"].content["application/json"].schema),
  };
  const isEither = json && form;
  const isRequired = {
    path: true,
    query: parameters.some((one) => one.in === "query" && one.required),
    body: requestBody?.required && !isEither,
    form: requestBody?.required && !isEither,
    answer: true,
  };
  const type = object(
    parts,
    Object.keys(parts).filter((part) => isRequired[part]),
  );
  return { ...type, description: summary, deprecated };
}

function parameterTypes(parameters, place) {
  const found = parameters.filter((parameter) => parameter.in === place);
  if (!found.length) return {};
  const named = found.map(({ name, schema, description }) => [
    name,
    describe(lean(schema), place === "query" && description),
  ]);
  const required = found.filter((one) => one.required).map(({ name }) => name);
  return { [place]: object(Object.fromEntries(named), required) };
}

function webhookTypes(openapi) {
  const bodyOf = ({ post }) => lean(post.requestBody.content["application/json"].schema);
  return object(mapValues(openapi.webhooks, (item) => describe(bodyOf(item), item.post.summary)));
}

function eventTypes(openapi) {
  return object(mapValues(openapi["x-events"], ({ data }) => lean(data)));
}

/** The types that are made of the others. */
export const REST = `/** An operation: its method and its path. */
export type OperationName = keyof operations;

/** The trigger of a webhook. */
export type TriggerName = keyof Webhooks;
`;
