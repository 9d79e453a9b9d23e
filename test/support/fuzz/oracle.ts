import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { headerOf, type Answer } from './answer.ts'
import type { Incident, Outcome, Run } from './driver.ts'
import type { Material } from './material.ts'
import { INJECTED_HEADER, INJECTED_HTML } from './payloads.ts'
import { contentOf, saidIn, type FuzzRequest } from './request.ts'
import { UNCLAIMED } from './api.ts'
import { CALLBACK, FASTIFY, ISSUER, ORIGIN, SIGNED_OUT } from './stand.ts'
import { payloadOf, type KnownToken } from './tokens.ts'

/** What must never happen, whatever is sent. */
export type FindingClass =
  | '5xx'
  | 'no answer'
  | 'unguarded handler'
  | 'good request rejected'
  | 'secret in an answer'
  | 'secret in a log'
  | 'client id of another'
  | 'markup from a request'
  | 'header from a request'
  | 'redirect elsewhere'
  | 'issued without a secret'
  | 'told without a right'
  | 'error'

export interface Finding {
  readonly class: FindingClass
  /** The same for the same cause, as far as one can say. */
  readonly detail: string
}

/** Judges what a request led to. */
export function judge(request: FuzzRequest, outcome: Outcome, material: Material): Finding[] {
  const said = saidBy(request)
  const findings: Finding[] = [
    ...judgeRuns(request, outcome, material),
    ...judgeSecrets(outcome, said, material),
    ...outcome.incidents.flatMap(judgeIncident),
    ...outcome.answers.flatMap((answer) => judgeAnswer(answer, said, material)),
  ]
  if (outcome.isUnanswered) findings.push({ class: 'no answer', detail: request.server })
  if (request.isGood && /"(invalid_token|insufficient_scope|not_found)"/.test(outcome.received)) {
    findings.push({ class: 'good request rejected', detail: `${request.server} ${request.path}` })
  }
  return findings
}

/** All that the sender said, with what it encoded. */
function saidBy(request: FuzzRequest): string {
  const basics = request.headers.flatMap(([, value]) =>
    [...value.matchAll(/basic\s+([\w+/=-]+)/gi)].map(([, text = '']) =>
      Buffer.from(text, 'base64').toString(),
    ),
  )
  return [saidIn(request), ...basics, inflated(request)].join('\n')
}

function inflated({ headers, body }: FuzzRequest): string {
  const isCoded = headers.some(([name]) => name.toLowerCase() === 'content-encoding')
  try {
    return body && isCoded
      ? decodeURIComponent(gunzipSync(Buffer.from(contentOf(body), 'latin1')).toString())
      : ''
  } catch {
    return ''
  }
}

const JWT = /\beyJ[\w-]*\.[\w-]+\.[\w-]*/g

/** Handlers of an operation run only for a token of its scope, and see the client that it was issued to. */
function judgeRuns(request: FuzzRequest, { runs }: Outcome, { tokenOf, options }: Material): Finding[] {
  if (runs.length === 0) return []
  const fields = request.headers
    .filter(([name]) => name.trim().toLowerCase() === 'authorization')
    .map(([, value]) => value)
  const tokens = fields
    .flatMap((value) => value.match(JWT) ?? [])
    .flatMap((text): readonly KnownToken[] => [tokenOf(text) ?? []].flat())
  const isOpen = options.isOpen && request.server !== FASTIFY
  const hasNoToken = !fields.some((value) => /^\s*bearer(?: |$)/i.test(value))

  return runs
    .filter((run) => !mayRun(run))
    .map(({ handler }) => ({
      class: 'unguarded handler',
      detail: `${handler} behind ${request.server}`,
    }))

  function mayRun({ handler, clientId }: Run): boolean {
    if (handler.startsWith('public ')) return true
    if (isOpen && UNCLAIMED.has(handler)) return true
    if (isOpen && OPEN_OPERATIONS.has(handler) && hasNoToken && clientId === undefined) return true
    return tokens.some((token) => token.scopes?.has(handler) && token.clientId === clientId)
  }
}

/** Operations of optional routes. */
const OPEN_OPERATIONS = new Set(['banks:items', 'items:list'])

function judgeSecrets({ received, incidents }: Outcome, said: string, { secrets, clients }: Material) {
  const findings: Finding[] = []
  // Logs hold nothing of it at all; a browser may see its own cookies again.
  const logs = incidents.map(({ value }) => inspect(value, { depth: 8, maxStringLength: null })).join('\n')
  // A form that was posted goes on as an address to the same endpoint, which has what was in it.
  const answered = received.replaceAll(
    /^location: http:\/\/localhost:3000\/auth\/oauth2\/(authorize|logout)\?.*/gim,
    '',
  )
  for (const [secret, label] of secrets) {
    const isOwn = label.startsWith('cookie ') && said.includes(secret)
    if (!isOwn && answered.includes(secret)) findings.push({ class: 'secret in an answer', detail: label })
    if (logs.includes(secret)) findings.push({ class: 'secret in a log', detail: label })
  }
  for (const { clientId, label } of clients) {
    if (!received.includes(clientId) || said.includes(clientId)) continue
    const isTokens = (said.match(JWT) ?? []).some((text) => payloadOf(text).includes(clientId))
    // The feed names those whose tokens were revoked, the pages and the sign-out whose they are.
    const isFeed = received.includes('"revocations":') || received.includes('/logout/success?client_id=')
    const isPage = said.includes('/interaction/') || said.includes('/oauth2/authorize/')
    if (!isTokens && !isFeed && !isPage) findings.push({ class: 'client id of another', detail: label })
  }
  return findings
}

function judgeIncident({ kind, level, value }: Incident): Finding[] {
  if (kind === 'log' && level !== 'error') return []
  const { status = 500, expose, code } = Object(value) as { status?: number; expose?: boolean; code?: string }
  // The sender has gone before it had sent all.
  const isCut =
    kind === 'app error' &&
    /^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+)$/.test(code ?? '')
  if (kind === 'app error' && ((expose && status < 500) || isCut)) return []
  const text = inspect(value, { depth: 4 }).replaceAll(/[\w-]{30,}/g, '…')
  return [{ class: 'error', detail: `${kind}: ${text.slice(0, 600)}` }]
}

function judgeAnswer(answer: Answer, said: string, material: Material): Finding[] {
  const findings: Finding[] = []
  const { status, headers, body } = answer
  if (status >= 500) findings.push({ class: '5xx', detail: `${status} ${body.slice(0, 120)}` })
  if (headers.some(([name]) => name.toLowerCase() === INJECTED_HEADER)) {
    findings.push({ class: 'header from a request', detail: String(status) })
  }
  if (headerOf(answer, 'content-type').includes('html') && INJECTED_HTML.test(body)) {
    findings.push({ class: 'markup from a request', detail: INJECTED_HTML.exec(body)?.[0] ?? '' })
  }
  const location = headerOf(answer, 'location')
  if (location !== '' && !isOurs(location)) findings.push({ class: 'redirect elsewhere', detail: location })
  if (status === 200) findings.push(...judgeSuccess(body, said, material))
  return findings
}

/** Tokens and what is known of them are for clients with their secret, and for whom a token names. */
function judgeSuccess(body: string, said: string, { clients, tokenOf }: Material): Finding[] {
  const tells = /^\{"(access_token|active|sub|revocations)":(?!false)/.exec(body)?.[1]
  if (tells === undefined) return []
  const holder = clients.find((one) => said.includes(one.clientId) && said.includes(one.clientSecret))
  if (tells === 'sub') {
    const may = (said.match(JWT) ?? []).some((text) => tokenOf(text)?.scopes?.has('openid'))
    return may ? [] : [{ class: 'told without a right', detail: 'user info' }]
  }
  if (holder && (holder.isGood || tells !== 'access_token')) return []
  return tells === 'access_token'
    ? [{ class: 'issued without a secret', detail: holder?.label ?? 'nobody' }]
    : [{ class: 'told without a right', detail: tells }]
}

/** Where an answer may send a browser: our own addresses, the host's sign-in page, what an application has registered. */
function isOurs(location: string): boolean {
  const url = URL.parse(location, ORIGIN)
  if (!url) return false
  const address = url.origin + url.pathname
  return (
    address === CALLBACK ||
    address === SIGNED_OUT ||
    address === `${ORIGIN}/login` ||
    url.href.startsWith(`${ISSUER}/`)
  )
}
