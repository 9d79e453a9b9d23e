import { ROUTES, type ApiRoute } from './api.ts'
import type { Material } from './material.ts'
import { mutatedToken } from './payloads.ts'
import { words, type Random } from './random.ts'
import { utf8, type FuzzRequest, type Pair } from './request.ts'
import { BASE } from './routers.ts'
import { ORIGIN } from './fuzz-host.ts'

/** Values for the parameter of a route, including the literal names of other routes. */
const PARAMETERS = [
  ...words(
    '7 keys KEYS sign items list a,b a%2Cb c%20d secrets kicks %E2%84%AAeys fix health %2e%2e .. .',
    'key%73 x;y %ff a%2Fb stra%C3%9Fe sync 100%25',
  ),
]

/** Makes a request to the API behind one of the routers, with or without a token for the operation. */
export function gatewayRequest(random: Random, material: Material, servers: readonly string[]): FuzzRequest {
  if (random.chance(0.03)) return validRequest(random, material, servers)
  const route = random.pick(ROUTES)
  const path = route.path.replaceAll(/:\w+/g, () => random.pick(PARAMETERS))
  return {
    server: random.pick(servers),
    method: route.method,
    path: `${BASE}${path === '/' && random.chance(0.5) ? '' : path}`,
    query: random.chance(0.1) ? [['page', '2']] : [],
    headers: [['Host', 'localhost:3000'], ...authorization(random, material, route)],
  }
}

/** Makes a valid request that every gateway must accept. */
function validRequest(random: Random, { steady }: Material, servers: readonly string[]): FuzzRequest {
  const route = random.pick(ROUTES.filter(({ handler }) => !/^(public|unlisted) /.test(handler)))
  const fitting = steady.filter(({ scopes }) => scopes?.has(route.handler))
  return {
    server: random.pick(servers),
    method: route.method,
    path: `${BASE}${route.path.replaceAll(/:\w+/g, '7')}`,
    query: [],
    headers: [
      ['Host', 'localhost:3000'],
      ['Authorization', `Bearer ${random.pick(fitting).text}`],
    ],
    isValid: true,
  }
}

/**
 * Mostly picks a valid token, often for an operation other than that of the request. Sometimes picks a forged
 * token, or no token.
 */
function authorization(
  random: Random,
  { steady, revocable, forged }: Material,
  { handler }: ApiRoute,
): Pair[] {
  const kind = random.below(20)
  if (kind < 3) return []
  const others = steady.filter(({ scopes }) => !scopes?.has(handler))
  const { text } = random.pick(
    kind < 10 && others.length > 0 ? others : kind < 16 ? [...steady, ...revocable] : forged,
  )
  return [['Authorization', `Bearer ${kind === 19 ? mutatedToken(text, random) : text}`]]
}

/** Maps a letter to the letters that fold to it by lower case, upper case or NFKC. */
const FOLDINGS: Readonly<Record<string, readonly string[]>> = {
  k: ['\u212a', '\uff4b', '\u{1d424}', '\u1d4f'],
  s: ['\u017f', '\uff53', '\u02e2', '\u{1d42c}'],
  i: ['\u0131', '\u0130', '\uff49', '\u2170', '\u2071'],
  a: ['\u00aa', '\uff41', '\u1d43'],
  f: ['\uff46', '\ufb01', '\ufb00'],
  e: ['\uff45', '\u212f', '\u1d49'],
  t: ['\uff54', '\u1d57'],
  n: ['\u207f', '\uff4e'],
  p: ['\uff50', '\u1d56'],
  '/': ['\uff0f', '\u2044', '\u2215'],
  '.': ['\uff0e', '\u2024'],
  ',': ['\uff0c', '\ufe10'],
}
const SEQUENCES: Readonly<Record<string, string>> = {
  fi: '\ufb01',
  ss: '\u00df',
  st: '\ufb06',
  ff: '\ufb00',
  '%C3%9F': 'SS',
  '%C3%A9': 'e\u0301',
  'c%C3%A9': 'C%C3%89',
}
const INSERTED = [
  ...words(
    '/ // /./ /../ /x/../ /%2e/ /%2e%2e/ /.%2e/ /..;/ ; ;x=1 ;/ \\ %5c %2f %2F %00 %0a %20 %09 %7f',
    '% %zz %c0%af %25 %252f %3f %23 %3b ? # . .json * + ~ ! @ : | ^ \t \x0b \x80 \xff',
  ),
  utf8('\u200b'),
]
const PREFIXES = [
  ...words(
    '/ // /. /x/.. /site/.. /auth/.. /auth/oauth2/../.. /%2e%2e /x%2f.. /x\\.. \\ //localhost:3000',
    '//evil.example HTTP://LOCALHOST http://evil.example http: foo: http:/ http://a:b@localhost',
    'http://[::1 http://localhost:port /http://localhost ; /; * %2f',
  ),
  '',
  ORIGIN,
]

/** Returns a path in another form, which some router may treat as the same path. */
export function mutatedPath(path: string, random: Random): string {
  if (path === '') return random.pick(INSERTED)
  const at = random.below(path.length)
  const put = (text: string, length: number) => path.slice(0, at) + text + path.slice(at + length)
  switch (random.below(14)) {
    case 0:
      return path.replace(/[a-z]/gi, (letter) => (random.chance(0.5) ? letter.toUpperCase() : letter))
    case 1:
      return put(percent(path[at] ?? '', random), 1)
    case 2:
      return path.replaceAll('%', '%25')
    case 3:
      return put(random.pick(INSERTED), 0)
    case 4:
      return put(random.pick(INSERTED), 1)
    case 5:
    case 6:
    case 7:
      return folded(path, random)
    case 8: {
      const [from, to] = random.pick(Object.entries(SEQUENCES))
      return path.replace(from, asBytes(to, random))
    }
    case 9:
      return random.pick(PREFIXES) + path
    case 10:
      return path + random.pick([...INSERTED, '/', '/'])
    case 11: {
      const segments = path.split('/')
      segments[random.below(segments.length)] = random.pick(PARAMETERS)
      return segments.join('/')
    }
    case 12:
      return random.chance(0.2)
        ? path + '/x'.repeat(random.below(3000))
        : path.replace('/', '/'.repeat(2 + random.below(3)))
    default:
      return path.slice(0, at)
  }
}

/** Replaces one letter, or all equal letters, by a letter that folds to the replaced letter. */
function folded(path: string, random: Random): string {
  const letters = Object.keys(FOLDINGS).filter((letter) => path.toLowerCase().includes(letter))
  if (letters.length === 0) return path
  const letter = random.pick(letters)
  const other = asBytes(random.pick(FOLDINGS[letter] ?? []), random)
  if (random.chance(0.3)) return path.replaceAll(new RegExp(`[${letter}]`, 'gi'), other)
  const places = path.split('').flatMap((one, at) => (one.toLowerCase() === letter ? [at] : []))
  const at = random.pick(places)
  return path.slice(0, at) + other + path.slice(at + 1)
}

/** Returns the UTF-8 bytes of a text, raw or percent-encoded. */
function asBytes(text: string, random: Random): string {
  const bytes = utf8(text)
  if (random.chance(0.15)) return bytes
  return bytes.replaceAll(/[\x80-\xff]/g, (byte) => percent(byte, random))
}

function percent(byte: string, random: Random): string {
  const hex = byte.charCodeAt(0).toString(16).padStart(2, '0')
  const encoded = `%${random.chance(0.5) ? hex.toUpperCase() : hex}`
  return random.chance(0.1) ? encoded.replace('%', '%25') : encoded
}
