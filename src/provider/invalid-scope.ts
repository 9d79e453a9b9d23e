import { errors } from 'oidc-provider'

/** An `invalid_scope` error (RFC 6749 4.1.2.1, 5.2); `scope` names the one that is refused, if it is one. */
export function invalidScope(description: string, scope?: string): Error {
  // The type asks for a scope, but one that is empty would be answered to the client as `"scope": ""`.
  return new errors.InvalidScope(description, scope as string)
}
