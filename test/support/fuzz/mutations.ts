import { gzipSync } from 'node:zlib'
import { mutatedPath } from './gateway-requests.ts'
import type { Material } from './material.ts'
import { HOSTILE_NAMES, hostileValue, mutatedText, mutatedToken } from './payloads.ts'
import { weighted, words, type Random } from './random.ts'
import { contentOf, type FuzzBody, type FuzzRequest, type Pair } from './request.ts'

type Mutation = (request: FuzzRequest, random: Random, material: Material) => FuzzRequest

const METHODS = [
  ...words(
    'GET HEAD POST PUT PATCH DELETE OPTIONS TRACE PROPFIND CONNECT QUERY LINK get Get FOO M-SEARCH',
    'PURGE',
  ),
]

const HEADERS: readonly Pair[] = [
  ['Accept', 'text/html;q=0.1, */*;q=x'],
  ['Accept', ','.repeat(500)],
  ['Accept-Language', 'de-DE,de;q=0.9,<fuzz>;q=9'],
  ['Accept-Language', '*,'.repeat(1000)],
  ['Accept-Encoding', 'gzip, br'],
  ['Content-Type', 'application/json'],
  ['Content-Type', 'multipart/form-data; boundary=x'],
  ['Content-Type', 'application/x-www-form-urlencoded; charset=utf-16'],
  ['Content-Type', 'application/x-www-form-urlencoded;;;'],
  ['Content-Type', '/'],
  ['Content-Type', ''],
  ['Content-Encoding', 'gzip'],
  ['Content-Encoding', 'identity'],
  ['Content-Encoding', 'x, gzip'],
  ['Content-Length', '5'],
  ['Content-Length', '-1'],
  ['Transfer-Encoding', 'chunked'],
  ['Transfer-Encoding', 'gzip, chunked'],
  ['Connection', 'close'],
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Expect', '100-continue'],
  ['Expect', '200-ok'],
  ['Host', 'evil.example'],
  ['Host', ''],
  ['Host', 'evil.example:99999/"<fuzz>'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'https'],
  ['X-Forwarded-For', '::1, <fuzz>'],
  ['X-Forwarded-Prefix', '/evil'],
  ['Forwarded', 'host=evil.example;proto=https'],
  ['X-Original-URL', '/api/items'],
  ['X-Rewrite-URL', '/api/items'],
  ['X-HTTP-Method-Override', 'DELETE'],
  ['X-HTTP-Method', 'GET'],
  ['Origin', 'null'],
  ['Origin', 'https://evil.example'],
  ['Referer', 'https://evil.example/<fuzz>'],
  ['Sec-Fetch-Site', 'cross-site'],
  ['Range', 'bytes=0-'],
  ['If-None-Match', '*'],
  ['If-Modified-Since', 'x'],
  ['Cookie', 'gatehouse_session=x; gatehouse_session.sig=y'],
  ['Cookie', `${'a=b; '.repeat(400)}__proto__=x`],
  ['Cookie', 'gatehouse_interaction=__proto__; =; ;;; "'],
  ['Authorization', 'Bearer'],
  ['Authorization', 'Bearer '],
  ['Authorization', 'Basic'],
  ['Authorization', 'Basic Og=='],
  ['Authorization', 'Basic JTpi'],
  ['Authorization', 'Basic !!!'],
  ['Authorization', 'DPoP x'],
  ['Authorization', 'Digest username="fuzz"'],
  ['DPoP', 'eyJ0eXAiOiJkcG9wK2p3dCJ9.e30.x'],
  ['__proto__', 'x'],
  ['constructor', 'x'],
  ['X-Odd', '\x80\xff'],
  ['X-Long', 'x'.repeat(9000)],
  ['X-Too-Long', 'x'.repeat(17_000)],
]

const METHOD: Mutation = (request, random) => ({ ...request, method: random.pick(METHODS) })

const PATH: Mutation = (request, random) => ({ ...request, path: mutatedPath(request.path, random) })

const HEADER: Mutation = (request, random) => {
  const { headers } = request
  const at = random.below(headers.length + 1)
  const one = headers[at]
  if (one === undefined || random.chance(0.5))
    return { ...request, headers: [...headers, random.pick(HEADERS)] }
  const rest = headers.filter((_, index) => index !== at)
  switch (random.below(4)) {
    case 0:
      return { ...request, headers: rest }
    case 1:
      return { ...request, headers: [...headers, one] }
    case 2:
      return { ...request, headers: [...rest, [one[0], lineOf(mutatedText(one[1], random))]] }
    default:
      return {
        ...request,
        headers: [...rest, [random.chance(0.5) ? one[0].toUpperCase() : ` ${one[0]}`, one[1]]],
      }
  }
}

/** Replaces line breaks by spaces, because a header with a line break would be two headers. */
const lineOf = (text: string) => text.replaceAll(/[\r\n\0]/g, ' ')

const COOKIE: Mutation = (request, random, material) => {
  const own = request.headers.find(([name]) => name === 'Cookie')?.[1]
  const text = own ?? (material.sessions.length > 0 ? random.pick(material.sessions) : 'gatehouse_session=x')
  const cookies = text.split('; ')
  const at = random.below(cookies.length)
  const [name = '', value = ''] = (cookies[at] ?? '').split(/=(.*)/s)
  const kind = random.below(4)
  if (kind === 0) cookies.splice(at, 1)
  else if (kind === 1) cookies.push(cookies[at] ?? '')
  else cookies[at] = `${name}=${lineOf(mutatedText(value, random))}`
  const others = request.headers.filter((header) => header[0] !== 'Cookie')
  return { ...request, headers: [...others, ['Cookie', cookies.join('; ')]] }
}

const TOKEN: Mutation = (request, random) => {
  const { headers } = request
  const at = headers.findIndex(([name]) => name === 'Authorization')
  const [name = 'Authorization', value = 'Bearer x'] = headers[at] ?? []
  const [scheme = '', token = ''] = value.split(/ (.*)/s)
  const others = headers.filter((_, index) => index !== at)
  const changed = random.pick([
    `${scheme} ${mutatedToken(token, random)}`,
    `${scheme.toLowerCase()}  ${token}`,
    `${scheme}\t${token}`,
    `${scheme} ${token},${scheme} ${token}`,
    `${scheme} "${token}"`,
    `Basic ${token}`,
    token,
  ])
  return { ...request, headers: [...others, [name, lineOf(changed)]] }
}

/** Changes the parameters of the query or of the body. */
const PARAMETER: Mutation = (request, random) => {
  const { query, body } = request
  if (body && typeof body.content !== 'string' && random.chance(0.85)) {
    return { ...request, body: { ...body, content: mutatedPairs(body.content, random) } }
  }
  if (typeof query === 'string') return request
  return { ...request, query: mutatedPairs(query, random) }
}

function mutatedPairs(pairs: readonly Pair[], random: Random): readonly Pair[] {
  const at = random.below(pairs.length + 1)
  const one = pairs[at]
  if (one === undefined) return [...pairs, [random.pick(HOSTILE_NAMES), hostileValue(random)]]
  const [name, value] = one
  const rest = pairs.filter((_, index) => index !== at)
  switch (random.below(8)) {
    case 0:
      return rest
    case 1:
      return [...pairs, one]
    case 2:
      return [...pairs, [name, hostileValue(random)]]
    case 3:
      return [...rest, [`${name}${random.pick(['[]', '[x]', '[__proto__]', '.x', '%00', ' '])}`, value]]
    case 4:
      return [...rest, [random.pick(HOSTILE_NAMES), value]]
    case 5:
      return [...rest, [name, hostileValue(random)]]
    case 6:
      return [...rest, [name, value.includes('.') ? mutatedToken(value, random) : mutatedText(value, random)]]
    default:
      return [...rest, [name, 'y'.repeat(random.below(9000))]]
  }
}

/** Sends the body in an unexpected place or form. */
const BODY: Mutation = (request, random) => {
  const { query, headers } = request
  const body: FuzzBody = request.body ?? { content: typeof query === 'string' ? query : [...query] }
  const content = contentOf(body)
  const typed = (type: string): readonly Pair[] => [
    ...headers.filter(([name]) => name !== 'Content-Type'),
    ['Content-Type', type],
  ]
  switch (random.below(14)) {
    case 0:
      return { ...request, body: { content: '' } }
    case 1:
      return { ...request, body: { content: content.slice(0, random.below(content.length + 1)) } }
    case 2:
      return { ...request, body: { ...body, missing: 1 + random.below(50) } }
    case 3:
      return { ...request, body: { ...body, isChunked: true } }
    case 4:
      return { ...request, headers: typed('application/json'), body: { content: asJson(body) } }
    case 5:
      return { ...request, headers: typed('application/json'), body: { content } }
    case 6: {
      const coded = gzipSync(Buffer.from(content, 'latin1')).toString('latin1')
      return { ...request, headers: [...headers, ['Content-Encoding', 'gzip']], body: { content: coded } }
    }
    case 7:
      return { ...request, body: { content: mutatedText(content, random) } }
    case 8:
      return {
        ...request,
        body: { content: `${content}&x=${'z'.repeat(random.pick([1000, 60_000, 70_000, 200_000]))}` },
      }
    case 9:
      return {
        ...request,
        body: { content: `${content}${random.pick(['&%', '&%zz=%', '&\0=\0', '&=', '&&&', '\xff', '%00'])}` },
      }
    case 10:
      return { ...request, body: { content: Array.from({ length: 2000 }, (_, i) => `p${i}=${i}`).join('&') } }
    case 11:
      return { ...request, query: content, body: undefined }
    case 12:
      return { ...request, headers: headers.filter(([name]) => name !== 'Content-Type'), body }
    default:
      return {
        ...request,
        headers: typed('multipart/form-data; boundary=x'),
        body: { content: `--x\r\nContent-Disposition: form-data; name="client_id"\r\n\r\nx\r\n--x--\r\n` },
      }
  }
}

function asJson({ content }: FuzzBody): string {
  return typeof content === 'string' ? JSON.stringify(content) : JSON.stringify(Object.fromEntries(content))
}

const ENDPOINT_MUTATIONS = weighted<Mutation>([
  [PARAMETER, 4],
  [HEADER, 2],
  [BODY, 2],
  [COOKIE, 1],
  [TOKEN, 1],
  [METHOD, 1],
  [PATH, 1],
])
const GATEWAY_MUTATIONS = weighted<Mutation>([
  [PATH, 6],
  [HEADER, 1],
  [TOKEN, 1],
  [METHOD, 1],
])

/** For each request, one of these numbers of mutations is picked. */
const MUTATION_COUNTS = [0, 1, 1, 1, 1, 2, 2, 3, 4]

/** Applies zero to four mutations to a request. A valid request stays unchanged. */
export function mutated(
  request: FuzzRequest,
  random: Random,
  material: Material,
  kind: 'endpoint' | 'gateway',
): FuzzRequest {
  if (request.isValid) return request
  const mutations = kind === 'endpoint' ? ENDPOINT_MUTATIONS : GATEWAY_MUTATIONS
  let changed = request
  for (let left = random.pick(MUTATION_COUNTS); left > 0; left -= 1) {
    changed = random.pick(mutations)(changed, random, material)
  }
  return changed
}
