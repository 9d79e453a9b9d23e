import { parseJson } from '../validation/parse-json.ts'
import { must, type Rule } from '../validation/rules.ts'

/** Creates the cursors of a list: places in it, as texts for the caller. @param rule of a place */
export function createCursors<P extends object>(rule: Rule<P>) {
  const read = (cursor: unknown): P | undefined => {
    const place =
      typeof cursor === 'string' ? parseJson(Buffer.from(cursor, 'base64url').toString()) : undefined
    return rule(place) === undefined ? (place as P) : undefined
  }
  return {
    /** Undefined for any other text. */
    read,
    write: (place: P): string => Buffer.from(JSON.stringify(place)).toString('base64url'),
    /** @param what such as `the cursor of the previous page` */
    rule: (what: string): Rule => must(what, (cursor) => read(cursor) !== undefined),
  }
}
