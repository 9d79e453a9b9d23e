import type { ConsoleHost } from './setup.ts'

export const FORM = 'application/x-www-form-urlencoded'

/** A request with which an attacker tries to make a change, and the status of its answer. */
export type Attack = readonly [status: number, init: RequestInit]

/** Sends a request of a person, or of a browser that is signed out. */
export function send(host: ConsoleHost, person: string | undefined, path: string, init: RequestInit = {}) {
  const { browser } = host.visit(person)
  return browser.request(new URL(host.origin + path), { method: 'POST', ...init })
}

export function encode(fields: Record<string, string | undefined>): string {
  const sent = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) sent.set(name, value)
  return sent.toString()
}

export const form = (body: string, headers: Record<string, string> = {}): RequestInit => ({
  body,
  headers: { 'content-type': FORM, ...headers },
})

/** Sends requests, and returns those that got another answer than expected. */
export async function wrongAnswers(
  host: ConsoleHost,
  person: string,
  path: string,
  attacks: readonly Attack[],
): Promise<string[]> {
  const wrong: string[] = []
  for (const [expected, init] of attacks) {
    const { status, headers } = await send(host, person, path, init)
    if (status === expected && headers.get('cache-control') === 'no-store') continue
    const body = typeof init.body === 'string' ? init.body.slice(0, 300) : typeof init.body
    wrong.push(`${status} instead of ${expected}: ${JSON.stringify(init.headers)} ${body}`)
  }
  return wrong
}
