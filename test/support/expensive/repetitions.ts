import {
  field,
  fill,
  header,
  json,
  letters,
  parameter,
  path,
  type Change,
  type Target,
  type Text,
} from './changes.ts'

// Long values of one text that is repeated, with something before it and a line terminator after it. A regular expression
// that gives back one character at a time, because `.` and `$` do not match a line terminator, needs time in proportion
// to the square of such a value.

const UNITS = { colons: ':', semicolons: ';', letters: 'a', slashes: '/', spaces: ' ' }
const ENDS = { 'no end': '', '\\n': '\n', '\\r': '\r', 'U+2028': '\u2028', 'U+2029': '\u2029' }
/** The ends that a header can have. U+2028 is sent as its bytes in UTF-8. */
const HEADER_ENDS = { 'no end': '', 'U+2028': '\u00e2\u0080\u00a8' }

/** The start of an address, whose host goes on with the repetition. */
const ADDRESS = 'http://a'

/** Headers that a host or the library may read, beside those of the valid request. */
// prettier-ignore
const HEADERS = [
  'accept', 'accept-language', 'accept-encoding', 'content-type', 'cookie', 'authorization', 'origin', 'referer',
  'user-agent', 'x-forwarded-for', 'x-forwarded-host', 'forwarded', 'if-match', 'if-none-match', 'idempotency-key',
  'x-csrf-token',
]

/**
 * Every repetition in one value.
 *
 * @param place the name of the value
 * @param starts what may come before the repetition
 * @param change puts a value in its place
 * @param write encodes a text for its place
 */
function repetitionsIn(
  place: string,
  starts: readonly string[],
  change: (value: Text) => Change,
  write: (text: string) => string = encodeURIComponent,
  ends: Readonly<Record<string, string>> = ENDS,
): [string, Change][] {
  const kinds: [string, Change][] = []
  for (const start of new Set(starts)) {
    if (start === ADDRESS) {
      const text: Text = (room) => write('http://') + letters(room - 30, write)
      kinds.push([`${place}: an address of many letters`, change(text)])
    }
    for (const [unitName, unit] of Object.entries(UNITS)) {
      for (const [endName, end] of Object.entries(ends)) {
        const [before, after] = [write(start), write(end)]
        // These characters need no encoding in a query, a form or a path, and are longer with it.
        const repeated = unit === ' ' ? write(unit) : unit
        kinds.push([
          `${place}: ${start.slice(0, 20)} + ${unitName} + ${endName}`,
          change((room) => before + fill(repeated, room - before.length - after.length) + after),
        ])
      }
    }
  }
  return kinds
}

const asIs = (text: string) => text
const inPath = (text: string) => encodeURIComponent(text).replaceAll('%2F', '/')
const inJson = (text: string) => JSON.stringify(text).slice(1, -1)
const base64 = (text: string) => Buffer.from(text).toString('base64')

/** The repetitions in the path, and in each parameter, header, field and member that a request to the target may have. */
function createRepetitions({ query, form, headers, members = [], reads }: Target): [string, Change][] {
  const inValues = (place: string, values: Target['form'], change: (name: string, value: Text) => Change) =>
    Object.entries(values).flatMap(([name, value]) =>
      repetitionsIn(`${place} ${name}`, [value, ADDRESS], (text) => change(name, text)),
    )
  return [
    ...repetitionsIn('path', ['/'], path, inPath),
    ...inValues('query', { resource: '', ...query }, parameter),
    ...inValues('form', reads === 'form' ? { resource: '', ...form } : {}, field),
    ...members.flatMap((member) =>
      repetitionsIn(`JSON ${member[0]}`, ['a', ADDRESS], (text) => inMember(member, text), inJson),
    ),
    ...HEADERS.flatMap((name) =>
      repetitionsIn(
        name,
        [headers[name]?.concat(name === 'cookie' ? '; a=' : '') ?? 'a'],
        (text) => header(name, text),
        asIs,
        HEADER_ENDS,
      ),
    ),
    ...repetitionsIn('Basic', ['a', 'a:'], inBasic),
  ]
}

const inBasic = (text: Text) =>
  header(
    'authorization',
    (room, kid) => `Basic ${base64(decodeURIComponent(text(Math.floor(room * 0.74) - 10, kid)))}`,
  )

const inMember = ([before, after]: readonly [string, string], text: Text) =>
  json((room, kid) => before + text(room - before.length - after.length, kid) + after)

const known = new WeakMap<Target, Readonly<Record<string, Change>>>()

/** The repetitions that may cost something at a target, by name. */
export function repetitionsFor(target: Target): Readonly<Record<string, Change>> {
  const repetitions = known.get(target) ?? Object.fromEntries(createRepetitions(target))
  known.set(target, repetitions)
  return repetitions
}
