// The error codes of both documents, in one type.

import { describe, literals } from "./schemas.mjs";

/** All error codes. Of REST, only the descriptions of the answers have them. */
export function errorCodes(openapi, asyncapi) {
  const answers = Object.values(openapi.paths)
    .flatMap((methods) => Object.values(methods))
    .flatMap(({ responses }) => Object.values(responses));
  const described = [...answers, ...Object.values(openapi.components.responses)].flatMap(
    ({ description = "" }) => description.match(/(?<=`)(AUTH_)?ERR_[A-Z0-9_]+(?=`)/g) ?? [],
  );
  const listed = Object.entries(asyncapi.components.schemas).flatMap(([name, schema]) =>
    name.endsWith("ErrorCode") ? schema.enum : [],
  );
  return describe(literals([...described, ...listed]), "The code of an error, by which programs go.");
}
