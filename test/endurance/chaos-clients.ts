/**
 * The clients of `chaos.ts`. Each client connects, which means that it requests a code and exchanges it. Then
 * it refreshes repeatedly. It records every response.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { ApplicationClient } from './chaos-process.ts'
import { ACCOUNT_COOKIE } from '../../bench/authorize.ts'
import { CALLBACK, SCOPES } from '../../bench/host.ts'

/** One request and its response. */
export interface Answer {
  readonly what: 'authorize' | 'code' | 'refresh' | 'introspect'
  readonly client: number
  /** The HTTP status; 0 if no response arrived. */
  readonly status: number
  /** `performance.now()` when the request was sent, and when its response had arrived. */
  readonly from: number
  readonly to: number
  readonly text: string
  /** Whether the response has a Retry-After header. */
  readonly retryAfter: boolean
}

/** The refresh tokens of one grant, in the order in which they were issued. */
export interface Connection {
  readonly client: number
  readonly tokens: string[]
}

/** The record of all clients. */
export interface Ledger {
  readonly answers: Answer[]
  readonly connections: Connection[]
  /** For each refresh token, the tokens that replaced it. More than one is a violation. */
  readonly successors: Map<string, Set<string>>
  /** Refresh tokens that were exchanged for a new refresh token. */
  readonly accepted: Set<string>
  /** Codes that gave their client no tokens: the exchange was rejected, or the client stopped retrying. */
  readonly codesLost: string[]
  /**
   * Refreshes with the current token that were rejected or never answered. After each, the client had to
   * connect again.
   */
  readonly stuck: { readonly client: number; readonly at: number; readonly what: string }[]
}

/** The number of refreshes after which a client connects again. */
const REFRESHES_PER_CONNECTION = 20
/** Milliseconds before a retry, on average. */
const RETRY_DELAY_MS = 200
/** The percentage of refreshes that two workers of a client send at the same time. */
const DOUBLED_PERCENT = 15
/** Milliseconds after which a request without a response is aborted. */
const REQUEST_TIMEOUT_MS = 20_000
/** Milliseconds after which a client stops retrying. */
const RETRY_TIMEOUT_MS = 40_000

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
 * Creates one client. Its `run()` sends requests until `isOver()` returns true.
 *
 * @param options.ports the ports of the processes, which are used in turn
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
  const { post, refresh, authorize, retryUntilFinal } = createRequests({ number, application, ports, ledger })

  async function connect(): Promise<Connection | undefined> {
    const code = await authorize()
    if (code === undefined) {
      await jitter(RETRY_DELAY_MS)
      return undefined
    }
    const answer = await retryUntilFinal(() =>
      post('code', 'token', { grant_type: 'authorization_code', code }),
    )
    const token = answer && refreshTokenOf(answer)
    if (token === undefined) {
      ledger.codesLost.push(`client ${number}: ${answer?.text ?? 'no response'}`)
      return undefined
    }
    const connection = { client: number, tokens: [token] }
    ledger.connections.push(connection)
    return connection
  }

  /** Returns the refresh token of a response, and records that it replaced `token`. */
  function record(token: string, answer: Answer | undefined): string | undefined {
    const next = answer && refreshTokenOf(answer)
    if (next === undefined) return undefined
    ledger.successors.set(token, (ledger.successors.get(token) ?? new Set()).add(next))
    ledger.accepted.add(token)
    return next
  }

  /**
   * Refreshes a connection. Some refreshes are sent twice at the same time.
   * @returns whether the connection is still usable
   */
  async function refreshOnce(connection: Connection): Promise<boolean> {
    const token = connection.tokens.at(-1) ?? ''
    const isDoubled = randomInt(100) < DOUBLED_PERCENT
    const sent = isDoubled ? [refresh(token), refresh(token)] : [refresh(token)]
    const answers = await Promise.all(sent)
    let next = answers.map((answer) => record(token, answer)).find((each) => each !== undefined)
    let last: Answer | undefined = answers.find(({ status }) => status >= 400 && status < 500)
    if (next === undefined && last === undefined) {
      await jitter(RETRY_DELAY_MS)
      last = await retryUntilFinal(() => refresh(token))
      next = record(token, last)
    }
    if (next !== undefined) {
      connection.tokens.push(next)
      return true
    }
    ledger.stuck.push({
      client: number,
      at: performance.now(),
      what: `refresh ${connection.tokens.length}: ${last ? `${last.status} ${last.text}` : 'no response'}`,
    })
    return false
  }

  return {
    async run(): Promise<void> {
      while (!isOver()) {
        const connection = await connect()
        for (let count = 0; connection && count < REFRESHES_PER_CONNECTION && !isOver(); count += 1) {
          await jitter(pauseMs)
          if (!(await refreshOnce(connection))) break
        }
      }
    },

    /** Introspects tokens of a connection (RFC 7662), and returns those that are active. */
    async activeTokens(tokens: readonly string[]): Promise<string[]> {
      const active: string[] = []
      for (const token of tokens) {
        const answer = await retryUntilFinal(() => post('introspect', 'introspect', { token }))
        if (answer?.status === 200 && isActive(answer.text)) active.push(token)
      }
      return active
    },

    /** Exchanges a refresh token after the run. */
    refresh: (token: string) => retryUntilFinal(() => refresh(token)),
  }
}

/** Creates the functions that send the requests of one client, and record every response. */
function createRequests(options: {
  readonly number: number
  readonly application: ApplicationClient
  readonly ports: readonly number[]
  readonly ledger: Ledger
}) {
  const { number, application, ports, ledger } = options
  const cookies = new Map([[ACCOUNT_COOKIE, `user-${number}`]])
  let turn = number
  let authorizations = 0
  const nextOrigin = () => `http://127.0.0.1:${ports[(turn += 1) % ports.length]}`

  async function send(what: Answer['what'], url: string, init: RequestInit): Promise<Answer & Received> {
    const from = performance.now()
    let received: Received = { headers: new Headers() }
    let [status, text] = [0, '']
    try {
      const signal = AbortSignal.timeout(REQUEST_TIMEOUT_MS)
      const response = await fetch(url, { ...init, signal, redirect: 'manual' })
      received = { headers: response.headers }
      ;[status, text] = [response.status, await response.text()]
    } catch (error) {
      ;[status, text] = [0, String((error as Error).cause ?? error)]
    }
    const times = { from, to: performance.now() }
    const answer = { what, client: number, status, ...times, retryAfter: received.headers.has('retry-after') }
    ledger.answers.push({ ...answer, text: text.slice(0, 200) })
    return { ...answer, ...received, text }
  }

  function post(what: Answer['what'], path: string, parameters: Record<string, string>) {
    const body = new URLSearchParams({ ...application, ...parameters })
    return send(what, `${nextOrigin()}/auth/oauth2/${path}`, { method: 'POST', body })
  }

  const refresh = (token: string) =>
    post('refresh', 'token', { grant_type: 'refresh_token', refresh_token: token })

  /** Follows the redirects as a browser would. Returns the code, or undefined if the last address has none. */
  async function authorize(): Promise<string | undefined> {
    authorizations += 1
    // A person may start 60 grants an hour, so another person continues.
    if (authorizations % 50 === 0) {
      cookies.clear()
      cookies.set(ACCOUNT_COOKIE, `user-${number}-${authorizations}`)
    }
    const query = new URLSearchParams({
      client_id: application.client_id,
      response_type: 'code',
      redirect_uri: CALLBACK,
      scope: SCOPES,
    })
    let path = `/auth/oauth2/authorize?${query.toString()}`
    for (let hop = 0; hop < 10; hop += 1) {
      const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
      const { headers } = await send('authorize', nextOrigin() + path, { headers: { cookie } })
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

  /**
   * Retries until the response is final: tokens or a rejection. Returns undefined if the client stopped
   * retrying.
   */
  async function retryUntilFinal(send: () => Promise<Answer>): Promise<Answer | undefined> {
    const started = performance.now()
    while (performance.now() - started < RETRY_TIMEOUT_MS) {
      const answer = await send()
      if (answer.status === 200 || (answer.status >= 400 && answer.status < 500)) return answer
      await jitter(RETRY_DELAY_MS)
    }
    return undefined
  }

  return { post, refresh, authorize, retryUntilFinal }
}

interface Received {
  readonly headers: Headers
}

function refreshTokenOf({ status, text }: Answer): string | undefined {
  if (status !== 200) return undefined
  return (JSON.parse(text) as { refresh_token?: string }).refresh_token
}

function isActive(text: string): boolean {
  return (JSON.parse(text) as { active: boolean }).active
}

/** Waits `milliseconds` on average. */
function jitter(milliseconds: number): Promise<void> {
  return delay(milliseconds * (0.5 + Math.random()))
}
