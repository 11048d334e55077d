// The types of the socket: events, methods, and the frames of the session.

import { describe, lean, mapValues, nameOf, object } from "./schemas.mjs";

/** Returns the types that the document has, by their names. */
export function realtimeTypes(asyncapi, schemas) {
  const messages = mapValues(asyncapi.components.messages, ({ payload, summary }, name) => ({
    ...payload,
    name,
    summary,
    op: payload.properties.op.enum[0],
  }));
  return {
    Events: describe(eventTypes(messages), "The `data` of each event."),
    Methods: describe(methodTypes(messages, schemas), "What each method takes and answers."),
    ...sessionFrames(messages),
  };
}

function eventTypes(messages) {
  const events = Object.values(messages).filter(({ op }) => op === "event");
  const named = events.map(({ properties: { event, data }, summary }) => [
    event.enum[0],
    describe(lean(data), summary),
  ]);
  return object(Object.fromEntries(named));
}

function methodTypes(messages, schemas) {
  const calls = Object.values(messages).filter(({ op }) => op === "call");
  const named = calls.map((call) => {
    const [reply, refusal] = ["Reply", "Refused"].map((end) => messages[call.name.replace(/Call$/, end)]);
    const problem = schemas[nameOf(refusal.properties.error)];
    return [call.properties.method.enum[0], describe(methodType(call, reply, problem), call.summary)];
  });
  return object(Object.fromEntries(named));
}

/** What a method takes, what it answers, and the codes of its refusals. */
function methodType(call, reply, problem) {
  const parts = {
    params: bare(call.properties.params),
    result: bare(reply.properties.data),
    ...(reply.properties.meta && { meta: bare(reply.properties.meta) }),
    refusal: problem.properties.code,
  };
  const isRequired = (part) => part !== "params" || call.required.includes(part);
  return object(parts, Object.keys(parts).filter(isRequired));
}

/** What the document says of every `params` and `data` adds nothing to their names. */
function bare(schema) {
  return { ...lean(schema), description: undefined };
}

/** The frames that are neither events nor a method's call or reply. */
function sessionFrames(messages) {
  const special = Object.values(messages).filter(
    ({ op, name }) => !["event", "call", "reply"].includes(op) || name === "Refused",
  );
  return Object.fromEntries(special.map((frame) => [frame.name, describe(lean(frame), frame.summary)]));
}

/** The types that are made of the others. */
export const REALTIME = `/** The name of an event. */
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
  [Name in M]: { op: "call"; ref: string; method: Name } & Pick<Methods[Name], "params">;
}[M];

/** The answer to the call of a method. */
export type ReplyFrame<M extends MethodName = MethodName> = {
  [Name in M]: { op: "reply"; ref: string; data: Methods[Name]["result"] } & MetaOf<Methods[Name]>;
}[M];

type MetaOf<M> = M extends { meta: infer Meta } ? { meta: Meta } : { meta?: undefined };

/** Whose presence is told: of all, of friends, of no one, or of these roles. */
export type Presence = PresenceParams["presence"];
`;
