/** One process of `token-flood.ts`: the host, or the sender of a flood. */
import { connect } from 'node:net'
import { setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { redisStore } from '../../adapters/redis.ts'
import { startHost } from '../../bench/host.ts'
import { answerQuestions, createKey } from './key-process.ts'

/** The options of a process, passed as JSON. */
export interface ProcessOptions {
  readonly port: number
  /** The Redis of the host. Without it, the process sends floods. */
  readonly redisUrl?: string
  readonly maxTokenRequests?: number | undefined
}

/** What a process can be asked for: the clients of the host, or a flood. */
export type Ask = 'clients' | 'flood'

/**
 * Token requests on many connections. Each connection sends the next request as soon as it has its answer, whatever
 * `Retry-After` says.
 */
export interface Flood {
  readonly port: number
  readonly connections: number
  readonly seconds: number
  /** What the connections send, and from which addresses, in turn. */
  readonly requests: readonly { readonly form: string; readonly address: string }[]
}

/** The answers to a flood. */
export interface FloodAnswers {
  /** The number of answers by status. */
  readonly statuses: Readonly<Record<string, number>>
  readonly perSecond: number
}

const { port, redisUrl, maxTokenRequests } = JSON.parse(process.argv[2] ?? '') as ProcessOptions
if (redisUrl !== undefined) {
  const gatehouseOptions = maxTokenRequests === undefined ? {} : { maxTokenRequests }
  const store = redisStore(new Redis(redisUrl))
  const { gatehouse } = await startHost({ store, port, gatehouse: gatehouseOptions })
  const accounts = [0, 1, 2, 3].map((at) => `account-${at}`)
  answerQuestions({ clients: () => Promise.all(accounts.map((account) => createKey(gatehouse, account))) })
} else answerQuestions({ flood: sendFlood })

async function sendFlood({ port, connections, seconds, requests }: Flood): Promise<FloodAnswers> {
  const statuses: Record<string, number> = {}
  let isOver = false
  // A flood comes from other machines, so it must not take the processor from those that are measured.
  setPriority(19)
  // Plain sockets cost less CPU time than an HTTP client, so the host has more to do.
  function open(request: Flood['requests'][number]): void {
    if (isOver) return
    const { form, address } = request
    const text = [
      'POST /auth/oauth2/token HTTP/1.1',
      'Host: 127.0.0.1',
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
      '',
      form,
    ].join('\r\n')
    const socket = connect({ port, host: '127.0.0.1', localAddress: address }, () => socket.write(text))
    socket.setEncoding('latin1')
    let received = ''
    socket.on('data', (chunk: string) => {
      received += chunk
      // The answers are JSON objects without nested objects.
      if (!received.endsWith('}')) return
      const status = received.slice(9, 12)
      statuses[status] = (statuses[status] ?? 0) + 1
      received = ''
      if (isOver) socket.destroy()
      else socket.write(text)
    })
    socket.on('error', () => {})
    socket.on('close', () => setImmediate(open, request))
  }
  for (let opened = 0; opened < connections;) {
    const some = requests.slice(0, connections - opened)
    some.forEach(open)
    opened += some.length
  }
  await delay(seconds * 1000)
  isOver = true
  const all = Object.values(statuses).reduce((sum, count) => sum + count, 0)
  return { statuses, perSecond: Math.round(all / seconds) }
}
