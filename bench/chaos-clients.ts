/** The clients of `chaos.ts`: each connects, refreshes again and again, and notes all that it is answered. */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApplicationClient } from './chaos-process.ts'
import { ACCOUNT_COOKIE, CALLBACK, SCOPES } from './host.ts'

/** One request, and how it ended. */
export interface Answer {
  readonly what: 'authorize' | 'code' | 'refresh' | 'introspect'
  readonly client: number
  /** 0 where there was none. */
  readonly status: number
  /** `performance.now()` when it was sent, and when its answer was there. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** Whether it says when to try again. */
  readonly retryAfter: boolean
}

/** The refresh tokens of one grant, in the order in which they were given out. */
export interface Connection {
  readonly client: number
  readonly tokens: string[]
}

/** What the clients have seen. */
export interface Ledger {
  readonly answers: Answer[]
  readonly connections: Connection[]
  /** What was given out for each refresh token; more than one is a broken promise. */
  readonly successors: Map<string, Set<string>>
  /** Refresh tokens that were exchanged for another one. */
  readonly accepted: Set<string>
  /** Codes that were rejected although nobody had used them. */
  readonly codesLost: string[]
  /** Refresh tokens that were rejected although they were the last: the client has to connect anew. */
  readonly stuck: { readonly client: number; readonly at: number; readonly what: string }[]
}

/** Refreshes after which a client connects anew. */
const REFRESHES = 20
/** Milliseconds until something that failed is tried again: on average. */
const AGAIN_AFTER = 200
/** Out of a hundred refreshes, those that two workers of a client send at the same time. */
const DOUBLED = 15
/** Milliseconds without an answer after which a request counts as hanging. */
const HANGING = 20_000
/** Milliseconds after which a client gives up trying again. */
const GIVES_UP = 40_000

export function createLedger(): Ledger {
  return {
    answers: [],
    connections: [],
    successors: new Map(),
    accepted: new Set(),
    codesLost: [],
    stuck: [],
  }
}

/**
 * Runs one client until `isOver`.
 *
 * @param options.ports of the processes, which are asked in turn
 * @param options.pauseMs milliseconds between two refreshes, on average
 */
export function createClient(options: {
  readonly number: number
  readonly application: ApplicationClient
  readonly ports: readonly number[]
  readonly pauseMs: number
  readonly ledger: Ledger
  readonly isOver: () => boolean
}) {
  const { number, application, ports, pauseMs, ledger, isOver } = options
  const cookies = new Map([[ACCOUNT_COOKIE, `user-${number}`]])
  let turn = number
  const nextOrigin = () => `http://127.0.0.1:${ports[(turn += 1) % ports.length]}`

  async function ask(what: Answer['what'], url: string, init: RequestInit): Promise<Answer & Got> {
    const from = performance.now()
    let got: Got = { headers: new Headers() }
    let [status, text] = [0, '']
    try {
      const signal = AbortSignal.timeout(HANGING)
      const response = await fetch(url, { ...init, signal, redirect: 'manual' })
      got = { headers: response.headers }
      ;[status, text] = [response.status, await response.text()]
    } catch (error) {
      ;[status, text] = [0, String((error as Error).cause ?? error)]
    }
    const times = { from, to: performance.now() }
    const answer = { what, client: number, status, ...times, retryAfter: got.headers.has('retry-after') }
    ledger.answers.push({ ...answer, text: text.slice(0, 200) })
    return { ...answer, ...got, text }
  }

  function post(what: Answer['what'], path: string, parameters: Record<string, string>) {
    const body = new URLSearchParams({ ...application, ...parameters })
    return ask(what, `${nextOrigin()}/auth/oauth2/${path}`, { method: 'POST', body })
  }

  const refresh = (token: string) =>
    post('refresh', 'token', { grant_type: 'refresh_token', refresh_token: token })

  /** Goes where a browser would; undefined if it got no code, for which it has to start anew. */
  async function authorize(): Promise<string | undefined> {
    const query = new URLSearchParams({
      client_id: application.client_id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: SCOPES,
    })
    let path = `/auth/oauth2/authorize?${query.toString()}`
    for (let hop = 0; hop < 10; hop += 1) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      const { headers } = await ask('authorize', nextOrigin() + path, { headers: { cookie } })
      for (const line of headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
      }
      const location = headers.get('location')
      if (location === null) return undefined
      const url = new URL(location, 'http://127.0.0.1')
      if (url.href.startsWith(CALLBACK)) return url.searchParams.get('code') ?? undefined
      path = url.pathname + url.search
    }
    return undefined
  }

  /** Until it is answered for good: with tokens, or with a rejection. Undefined if it gave up. */
  async function untilAnswered(send: () => Promise<Answer>): Promise<Answer | undefined> {
    const started = performance.now()
    while (performance.now() - started < GIVES_UP) {
      const answer = await send()
      if (answer.status === 200 || (answer.status >= 400 && answer.status < 500)) return answer
      await jitter(AGAIN_AFTER)
    }
    return undefined
  }

  async function connect(): Promise<Connection | undefined> {
    const code = await authorize()
    if (code === undefined) {
      await jitter(AGAIN_AFTER)
      return undefined
    }
    const answer = await untilAnswered(() =>
      post('code', 'token', { grant_type: 'authorization_code', code }),
    )
    const token = answer && refreshTokenOf(answer)
    if (token === undefined) {
      ledger.codesLost.push(`client ${number}: ${answer?.text ?? 'no answer'}`)
      return undefined
    }
    const connection = { client: number, tokens: [token] }
    ledger.connections.push(connection)
    return connection
  }

  /** Notes what was given out for a token. */
  function note(token: string, answer: Answer | undefined): string | undefined {
    const next = answer && refreshTokenOf(answer)
    if (next === undefined) return undefined
    ledger.successors.set(token, (ledger.successors.get(token) ?? new Set()).add(next))
    ledger.accepted.add(token)
    return next
  }

  /** @returns whether the connection can go on */
  async function refreshOnce(connection: Connection): Promise<boolean> {
    const token = connection.tokens.at(-1) ?? ''
    const isDoubled = randomInt(100) < DOUBLED
    const sent = isDoubled ? [refresh(token), refresh(token)] : [refresh(token)]
    const answers = await Promise.all(sent)
    let next = answers.map((answer) => note(token, answer)).find((each) => each !== undefined)
    let last: Answer | undefined = answers.find(({ status }) => status >= 400 && status < 500)
    if (next === undefined && last === undefined) {
      await jitter(AGAIN_AFTER)
      last = await untilAnswered(() => refresh(token))
      next = note(token, last)
    }
    if (next !== undefined) {
      connection.tokens.push(next)
      return true
    }
    ledger.stuck.push({
      client: number,
      at: performance.now(),
      what: `refresh ${connection.tokens.length}: ${last ? `${last.status} ${last.text}` : 'no answer'}`,
    })
    return false
  }

  return {
    async run(): Promise<void> {
      while (!isOver()) {
        const connection = await connect()
        for (let count = 0; connection && count < REFRESHES && !isOver(); count += 1) {
          await jitter(pauseMs)
          if (!(await refreshOnce(connection))) break
        }
      }
    },

    /** The tokens of a connection that live, as introspection says (RFC 7662). */
    async living(tokens: readonly string[]): Promise<string[]> {
      const alive: string[] = []
      for (const token of tokens) {
        const answer = await untilAnswered(() => post('introspect', 'introspect', { token }))
        if (answer?.status === 200 && isActive(answer.text)) alive.push(token)
      }
      return alive
    },

    /** Exchanges a token at the end. */
    refresh: (token: string) => untilAnswered(() => refresh(token)),
  }
}

interface Got {
  readonly headers: Headers
}

function refreshTokenOf({ status, text }: Answer): string | undefined {
  if (status !== 200) return undefined
  return (JSON.parse(text) as { refresh_token?: string }).refresh_token
}

function isActive(text: string): boolean {
  return (JSON.parse(text) as { active: boolean }).active
}

/** Waits for `milliseconds` on average. */
function jitter(milliseconds: number): Promise<void> {
  return delay(milliseconds * (0.5 + Math.random()))
}
