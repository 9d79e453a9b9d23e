import fc from 'fast-check'
import { expect, it } from 'vitest'
import { personOf, subjectOf, subjectProblem } from '../../src/host/subject.ts'
import { anyText } from '../support/any-text.ts'

const id = anyText()
const person = fc.record({ accountId: id, userId: fc.option(id, { nil: undefined }) })

it('the account and the user can be read back from a subject', () => {
  fc.assert(
    fc.property(person, ({ accountId, userId }) => {
      expect(personOf(subjectOf({ accountId, userId }))).toEqual({
        accountId,
        ...(userId !== undefined && { userId }),
      })
    }),
    { numRuns: 500 },
  )
})

it('two persons never have the same subject', () => {
  // The texts have only a few different characters, so that many similar pairs are generated.
  const alike = fc.string({ unit: fc.constantFrom('a', '!', '%', '2', '1', '/', 'ä'), maxLength: 4 })
  const lookalike = fc.record({ accountId: alike, userId: fc.option(alike, { nil: undefined }) })
  fc.assert(
    fc.property(lookalike, lookalike, (one, other) => {
      const areSame = one.accountId === other.accountId && one.userId === other.userId
      expect(subjectOf(one) === subjectOf(other)).toBe(areSame)
    }),
    { numRuns: 1000 },
  )
})

it('a subject is printable ASCII without spaces (OpenID Connect Core 2)', () => {
  fc.assert(
    fc.property(person, (whom) => {
      expect(subjectOf(whom)).toMatch(/^[\x21-\x7e]*$/)
    }),
  )
})

it('the subject of an account is the account id, and other characters are escaped', () => {
  const ids =
    'alice 42 3f0e7a52-7d0c-4b0e-9f1a-0c1d2e3f4a5b anna.smith+news@example.com auth0|5f7c8ec7c33c6c004bbafe82 urn:example:account:7 org/7 dGVzdA=='
  for (const accountId of ids.split(' ')) expect(subjectOf({ accountId })).toBe(accountId)
  expect(subjectOf({ accountId: 'firm', userId: 'intern' })).toBe('firm!intern')
  expect(subjectOf({ accountId: 'firm!intern' })).toBe('firm%21intern')
  expect(subjectOf({ accountId: 'a b', userId: 'ä%' })).toBe('a%20b!%C3%A4%25')
})

it('a subject has at most 255 characters after escaping', () => {
  expect(subjectProblem({ accountId: 'x'.repeat(255) })).toBeUndefined()
  expect(subjectProblem({ accountId: 'x'.repeat(256) })).toContain('255')
  expect(subjectProblem({ accountId: 'x'.repeat(127), userId: 'y'.repeat(127) })).toBeUndefined()
  expect(subjectProblem({ accountId: 'x'.repeat(127), userId: 'y'.repeat(128) })).toContain('255')
  expect(subjectProblem({ accountId: 'ä'.repeat(43) })).toContain('255')
})

it('an id with half a surrogate pair has no subject', () => {
  expect(subjectProblem({ accountId: 'a\ud800' })).toContain('Unicode')
  expect(subjectProblem({ accountId: 'a\ud83d', userId: '\ude00' })).toContain('Unicode')
  expect(subjectProblem({ accountId: '😀' })).toBeUndefined()
})
