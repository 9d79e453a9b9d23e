import { expect } from 'vitest'
import type { ManagementHost } from './setup.ts'

/** What a call sends besides its path: the values of the parameters, and the body. */
interface Call {
  readonly params?: {
    readonly path?: Readonly<Record<string, string>>
    readonly query?: Readonly<Record<string, unknown>>
  }
  readonly body?: unknown
}

// oxlint-disable-next-line typescript/no-explicit-any -- tests read any field of an answer
export type Fields = any

interface Answer {
  readonly status: number
  /** The body of an answer without an error. */
  readonly data?: Fields
  /** The problem. */
  readonly error?: Fields
}

/** A client that calls the routes of the OpenAPI document by their templates, as a generated client does. */
export function createClient(host: ManagementHost, person: string, called = new Set<string>()) {
  const send =
    (method: string) =>
    async (template: string, { params = {}, body }: Call = {}): Promise<Answer> => {
      called.add(`${method.toLowerCase()} ${template}`)
      const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        return encodeURIComponent(String(params.path?.[name]))
      })
      const query = new URLSearchParams(params.query as Record<string, string>).toString()
      const target = `${method} ${path}${query && `?${query}`}`
      const answer = await host.api(person).call(target, body)
      // A reader of HTTP does not know the methods and options of the library.
      expect(answer.body?.detail ?? '').not.toMatch(/\w\(|maxClients|signingKeys|clientId,/)
      const { status } = answer
      return status < 400 ? { status, data: answer.body } : { status, error: answer.body }
    }
  return {
    GET: send('GET'),
    POST: send('POST'),
    PUT: send('PUT'),
    PATCH: send('PATCH'),
    DELETE: send('DELETE'),
  }
}
