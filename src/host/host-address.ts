import { invalidResult } from '../validation/host-callback.ts'
import { isText, kindOf } from '../validation/predicates.ts'

/** The address that a callback returned, relative to `base`; `ERR_HOST_CALLBACK` if it is none. */
export function addressOf(callback: string, result: unknown, base: string): URL {
  const address = result instanceof URL ? result.href : result
  const url = isText(address) ? URL.parse(address, base) : null
  if (url && /^https?:$/.test(url.protocol)) return url
  throw invalidResult(callback, `${kindOf(result)} that is not an address; it must be a URL or a path`)
}
