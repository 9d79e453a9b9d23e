/**
 * The process that makes the requests of the bench. `saturate` sends with autocannon as fast as the server answers.
 * `pace` sends at a fixed rate in even intervals. autocannon's own `overallRate` sends all requests of a second at
 * once, so its latencies would be those of a burst.
 */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import autocannon from 'autocannon'
import { percentile, round } from '../../../bench/figures.ts'
import type { Answered, Latency, Load, LoadQuestion, Pace, Saturation } from '../../../bench/load.ts'
import type { Question, Report } from '../../../bench/processes.ts'

const CONNECTIONS = 16

/** One request, and what to do with the body of its response. */
interface Exchange {
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly headers: Record<string, string>
  readonly body?: string
  readonly settle?: (body: string) => void
}

/** The next request. Undefined while all forms wait for their responses. */
type NextExchange = () => Exchange | undefined

/** Requests continue where the previous round ended. */
const sources = new Map<string, NextExchange>()

process.on('message', ({ number, ask, about }: Question<LoadQuestion>) => {
  const work = ask === 'saturate' ? saturate(about as Saturation) : pace(about as Pace)
  void work.then((value) => report({ number, value }))
})
process.once('disconnect', () => process.exit())
report({ ready: true })

function report(message: Report): void {
  process.send?.(message)
}

async function saturate({ load, seconds, amount }: Saturation): Promise<Answered> {
  const next = sourceOf(load)
  const started = performance.now()
  const result = await autocannon({
    url: load.url,
    connections: CONNECTIONS,
    sampleInt: 20,
    ...(amount === undefined ? { duration: seconds } : { amount }),
    requests: [
      {
        setupRequest(defaults, context: { exchange?: Exchange }) {
          const exchange = next()
          if (!exchange) throw new Error('there are fewer forms than connections')
          context.exchange = exchange
          return { ...defaults, ...exchange }
        },
        ...(load.refreshes
          ? {
              onResponse(status: number, body: string, context: { exchange?: Exchange }) {
                if (status === 200) context.exchange?.settle?.(body)
              },
            }
          : {}),
      },
    ],
  })
  if (result.non2xx > 0 || result.errors > 0) {
    const statuses = JSON.stringify(result.statusCodeStats)
    throw new Error(`${load.url}: ${result.errors} errors, status codes ${statuses}`)
  }
  return { requests: result['2xx'], seconds: (performance.now() - started) / 1000 }
}

async function pace({ load, seconds, rate }: Pace): Promise<Latency> {
  const next = sourceOf(load)
  const agent = new Agent({ keepAlive: true, maxSockets: 256 })
  const started = performance.now()
  const total = rate * seconds
  const pending: Promise<number>[] = []
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(total, ((performance.now() - started) / 1000) * rate)
      while (pending.length < due) {
        const exchange = next()
        if (!exchange) return
        pending.push(send(load, exchange, agent))
      }
      if (pending.length < total) return
      clearInterval(timer)
      resolve()
    }, 1)
  })
  const latencies = await Promise.all(pending)
  agent.destroy()
  const [p50 = 0, p99 = 0, p999 = 0] = [0.5, 0.99, 0.999].map((share) => round(percentile(latencies, share)))
  return { rate, p50, p99, p999 }
}

/** @returns the milliseconds until the end of the response */
function send({ url }: Load, { settle, body, ...init }: Exchange, agent: Agent): Promise<number> {
  const { hostname, port } = new URL(url)
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, agent, ...init }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode !== 200) {
          reject(new Error(`${url}: HTTP ${response.statusCode} ${text}`))
          return
        }
        settle?.(text)
        resolve(performance.now() - started)
      })
    })
    outgoing.on('error', reject).end(body)
  })
}

function sourceOf(load: Load): NextExchange {
  const key = JSON.stringify(load)
  const known = sources.get(key)
  if (known) return known
  const source = load.refreshes ? refreshes(load) : inTurn(load)
  sources.set(key, source)
  return source
}

function inTurn({ url, tokens, forms }: Load): NextExchange {
  const { pathname } = new URL(url)
  const [first = '', second] = pathname.split(':id')
  const path =
    second === undefined ? () => pathname : (count: number) => `${first}${count % 1_000_000}${second}`
  let count = 0
  if (forms !== undefined) {
    const lines = linesOf(forms)
    return () => {
      count += 1
      return post(path(count), lines[count % lines.length])
    }
  }
  const headers =
    tokens === undefined ? [{}] : linesOf(tokens).map((token) => ({ authorization: `Bearer ${token}` }))
  return () => {
    count += 1
    return { method: 'GET', path: path(count), headers: { ...headers[count % headers.length] } }
  }
}

/** Sends each form again as soon as its response has arrived, with the refresh token of the response. */
function refreshes({ url, forms = '' }: Load): NextExchange {
  const { pathname } = new URL(url)
  const idle = linesOf(forms)
  return () => {
    const form = idle.shift()
    if (form === undefined) return undefined
    return {
      ...post(pathname, form),
      settle(answer) {
        const { refresh_token: token } = JSON.parse(answer) as { refresh_token: string }
        idle.push(form.slice(0, form.lastIndexOf('=') + 1) + token)
      },
    }
  }
}

function post(path: string, body = ''): Exchange {
  return {
    method: 'POST',
    path,
    body,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  }
}

function linesOf(file: string): string[] {
  return readFileSync(file, 'utf8').split('\n')
}
