import fc from 'fast-check'

const letters = fc.string({ unit: fc.constantFrom(...'abcxyz019-_.~!$&+,;=:@ABZ%'.split('')), maxLength: 8 })
const escaped = fc.constantFrom('%20', '%2e', '%2F', '%C3%BC', '%F0%9F%98%80')
const text = fc.array(fc.oneof(letters, escaped), { maxLength: 3 }).map((parts) => parts.join(''))
const part = (sign: string) =>
  fc.oneof(
    fc.constant(''),
    text.map((each) => sign + each),
  )

/**
 * Any web address of a domain name, with a path, a query and a fragment.
 *
 * `fc.webUrl()` gives such an address too, but it first makes a table of a million characters, which takes a second.
 */
export const webUrl = (): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom('https', 'http'),
      fc.domain(),
      fc.array(text, { maxLength: 4 }),
      part('?'),
      part('#'),
    )
    .map(
      ([scheme, host, path, query, fragment]) =>
        `${scheme}://${host}${path.map((each) => `/${each}`).join('')}${query}${fragment}`,
    )
