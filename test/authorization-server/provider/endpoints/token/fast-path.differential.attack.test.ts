import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { generateSigningKey } from '../../../../../src/keys/generate-key.ts'
import { tokenRequest } from '../../../../support/direct-access/requests.ts'
import {
  startTwoWays,
  VARIANTS,
  type Observation,
  type TwoWays,
} from '../../../../support/direct-access/two-ways.ts'

/** Generated requests for each variant of the host: together at least 700. */
const REQUESTS = 150

const FORM = 'grant_type=client_credentials&client_id=key_plain&client_secret=secret-of-key_plain-0123456789'

function post(body: string, ...headers: string[]): string {
  const lines = ['POST /auth/oauth2/token HTTP/1.1', 'Host: localhost:3000', ...headers]
  return `${lines.join('\r\n')}\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n${body}`
}

const sized = (body: string) => post(body, `Content-Length: ${body.length}`)
const chunked = (...parts: string[]) =>
  post(
    [...parts, ''].map((part) => `${part.length.toString(16)}\r\n${part}\r\n`).join(''),
    'Transfer-Encoding: chunked',
  )

/** Requests on one connection that stays open. */
const CONNECTIONS: Readonly<Record<string, readonly string[]>> = {
  'two usual requests on one connection': [sized(FORM), sized(FORM)],
  'a usual request between two wrong requests': [sized(`${FORM}x`), sized(FORM), sized(`${FORM}&scope=x`)],
  'a request in many chunks, and a usual request': [chunked(...FORM.split(/(?=[a-z])/)), sized(FORM)],
  'a request with another body than announced': [
    post(`${FORM}&scope=invoices:read`, `Content-Length: ${FORM.length}`),
  ],
  'a request with a parameter that is cut off': [sized(FORM.slice(0, -1)), sized(FORM)],
  'a form that is too large, and a usual request': [sized(`${FORM}&x=${'x'.repeat(57 * 1024)}`), sized(FORM)],
}

/** The requests of one connection are handled at the same time, so the order between them may differ. */
function withoutOrder({ answers, happened }: Observation) {
  return { answers, happened: happened.map((entry) => JSON.stringify(entry)).toSorted() }
}

describe.each(VARIANTS.map((variant, index) => ({ variant, index, name: JSON.stringify(variant) })))(
  'generated token requests to a host with $name',
  ({ variant, index }) => {
    let ways: TwoWays
    beforeAll(async () => {
      const keys = await Promise.all([generateSigningKey('ES256'), generateSigningKey('RS256')])
      ways = await startTwoWays(variant, keys)
    })
    afterAll(() => ways.close())

    it('have the same responses, events, calls of the host and writes with and without the fast path', async () => {
      let fast = 0
      await fc.assert(
        fc.asyncProperty(tokenRequest(), async (bytes) => {
          const { on, off, fast: answered } = await ways.send(Buffer.from(bytes, 'latin1'))
          fast += answered
          expect(on.answers).toHaveLength(1)
          expect({ ...on }).toEqual({ ...off })
        }),
        { numRuns: REQUESTS, seed: 20_261_122 + index },
      )
      // A host that sets one of these headers gets no fast answers. At other hosts, many requests get one.
      const isNeverFast = Object.keys(variant.headers).some((name) => /^(access-|content-type)/i.test(name))
      if (isNeverFast) expect(fast).toBe(0)
      else expect(fast).toBeGreaterThan(REQUESTS / 10)
    })

    it.each(Object.entries(CONNECTIONS))(
      '%s have the same responses with and without the fast path',
      async (_name, requests) => {
        const { on, off } = await ways.send(Buffer.from(requests.join('')))
        expect(on.answers).toHaveLength(requests.length)
        expect(withoutOrder(on)).toEqual(withoutOrder(off))
      },
    )
  },
)
