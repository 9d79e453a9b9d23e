/**
 * What all candidates of the bench share: their options, and the answers to the bench. A candidate is one
 * script of `bench/peers/` or `test/foreign/bench/peers/` that runs in a process of its own.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { JWK } from 'jose'
import type { Question, Report } from './processes.ts'

const SOCKETS_CLOSE_MS = 200

/** The options of a candidate, passed as JSON. */
export interface PeerOptions {
  /** The port on which the candidate listens. */
  readonly port: number
  readonly issuer: string
  readonly audience: string
  /** The private keys for ES256 and RS256. The key for ES256 is the first key. */
  readonly keys: readonly JWK[]
  /** The address of the public keys. */
  readonly jwksUri: string
  /** The secret of tokens that are signed with HS256. */
  readonly hmacSecret: string
  /** The port of the Redis. Without it, koa-gatehouse uses the memory store. */
  readonly redisPort?: number | undefined
  /** The prefix of the keys in Redis, so that several candidates can share one Redis. */
  readonly keyPrefix?: string | undefined
  /** The number of middlewares that do nothing. Only `koa-open` reads it. @default 0 */
  readonly emptyMiddlewares?: number | undefined
  /** Whether verified tokens are cached, if the candidate has a cache. @default true */
  readonly cachesTokens?: boolean | undefined
  /** The number of operations of koa-gatehouse. @default 10 */
  readonly operations?: number | undefined
  /** The number of revocations that are active. Only koa-gatehouse reads it. @default 0 */
  readonly revocations?: number | undefined
  /** The number of clients of the token endpoint. @default 0 */
  readonly clients?: number | undefined
  /** The number of grants with a refresh token. @default 0 */
  readonly grants?: number | undefined
  /** Whether the grants have the scope `openid`, so that a refresh gives an ID token. @default false */
  readonly openId?: boolean | undefined
}

/** The questions that every candidate answers. */
export type PeerQuestion = 'cpu' | 'memory' | 'forms' | 'refreshForms' | 'close'

/** Memory in bytes. `heap` is measured after a garbage collection, if node runs with `--expose-gc`. */
export interface Memory {
  readonly rss: number
  readonly heap: number
}

/** The options of this process. */
export const options = JSON.parse(process.argv[2] ?? '{}') as PeerOptions

/** Answers to questions that only some candidates can answer. */
export interface PeerAnswers {
  /** The bodies of token requests with `client_credentials`, one for each client. */
  readonly forms?: () => readonly string[] | Promise<readonly string[]>
  /** The bodies of token requests with `refresh_token`, one for each grant. The refresh token comes last. */
  readonly refreshForms?: () => Promise<readonly string[]>
  /** Closes everything that the candidate opened, apart from its server. */
  readonly close?: () => Promise<void>
}

/** Starts an HTTP server, and answers the questions of the bench. */
export async function servePeer(handler: RequestListener, answers: PeerAnswers = {}): Promise<void> {
  const server = createServer(handler)
  server.listen(options.port, '127.0.0.1')
  await once(server, 'listening')
  answerBench({
    ...answers,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
      await answers.close?.()
    },
  })
}

/** Answers the questions of the bench. The HTTP server of the candidate must already listen. */
export function answerBench(answers: PeerAnswers = {}): void {
  const answer = async (question: PeerQuestion): Promise<unknown> => {
    if (question === 'cpu') return process.cpuUsage()
    if (question === 'memory') return memory()
    if (question === 'forms') return answers.forms?.()
    if (question === 'refreshForms') return answers.refreshForms?.()
    await answers.close?.()
    // Sockets are closed after the call that closes them.
    await delay(SOCKETS_CLOSE_MS)
    return process.getActiveResourcesInfo()
  }
  process.on('message', ({ number, ask }: Question<PeerQuestion>) => {
    void answer(ask).then((value) => report({ number, value }))
  })
  // The bench may have been killed, and must not leave its candidates behind.
  process.once('disconnect', () => process.exit())
  report({ ready: true })
}

function memory(): Memory {
  const { rss } = process.memoryUsage()
  globalThis.gc?.()
  return { rss, heap: process.memoryUsage().heapUsed }
}

function report(message: Report): void {
  process.send?.(message)
}
