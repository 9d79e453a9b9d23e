import { isIP } from 'node:net'
import { rejected } from './outgoing-problem.ts'

/** Maximum number of characters of a URL that is requested. */
const MAX_URL_LENGTH = 2048

/** A domain name with at least two labels. A single label, such as `localhost`, is not a name of the internet. */
const DOMAIN_NAME = /^[a-z\d_-]+(\.[a-z\d_-]+)+$/

/**
 * Parses a URL that a stranger has named.
 *
 * @throws {OutgoingProblem} `rejected` if no request may be made to this URL
 */
export function parseTarget(text: string): URL {
  if (text.length > MAX_URL_LENGTH) throw rejected(`the URL has more than ${MAX_URL_LENGTH} characters`)
  const url = parse(text)
  if (url.protocol !== 'https:') throw rejected('the URL does not start with https://')
  if (url.username !== '' || url.password !== '') throw rejected('the URL contains a user name or password')
  if (url.hash !== '') throw rejected('the URL contains a fragment')
  // The URL parser writes all forms of IPv4 addresses, such as `0x7f.1` and `2130706433`, as `127.0.0.1`.
  if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) {
    throw rejected('the URL contains an IP address instead of a domain name')
  }
  if (!DOMAIN_NAME.test(url.hostname))
    throw rejected('the host of the URL is not a domain name of the internet')
  return url
}

function parse(text: string): URL {
  try {
    return new URL(text)
  } catch {
    throw rejected('the URL is not valid')
  }
}
