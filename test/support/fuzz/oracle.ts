import { inspect } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { headerOf, type Answer } from './answer.ts'
import type { Incident, Outcome, Run } from './driver.ts'
import type { Material } from './material.ts'
import { INJECTED_HEADER, INJECTED_HTML } from './payloads.ts'
import { contentOf, textOf, type FuzzRequest } from './request.ts'
import { UNCLAIMED } from './api.ts'
import { CALLBACK, FASTIFY, ISSUER, ORIGIN, SIGNED_OUT } from './fuzz-host.ts'
import { payloadOf, type KnownToken } from './tokens.ts'

/** The results that no request may ever have. */
export type FindingClass =
  | '5xx'
  | 'no answer'
  | 'unguarded handler'
  | 'valid request rejected'
  | 'secret in an answer'
  | 'secret in a log'
  | 'client id of another'
  | 'markup from a request'
  | 'header from a request'
  | 'redirect elsewhere'
  | 'issued without a secret'
  | 'information without permission'
  | 'error'

export interface Finding {
  readonly class: FindingClass
  /** A description that is equal for findings with the same cause, as far as possible. */
  readonly detail: string
}

/** Judges the outcome of a request. */
export function judge(request: FuzzRequest, outcome: Outcome, material: Material): Finding[] {
  const sent = sentText(request)
  const findings: Finding[] = [
    ...judgeRuns(request, outcome, material),
    ...judgeSecrets(outcome, sent, material),
    ...outcome.incidents.flatMap(judgeIncident),
    ...outcome.answers.flatMap((answer) => judgeAnswer(answer, sent, material)),
  ]
  if (outcome.isUnanswered) findings.push({ class: 'no answer', detail: request.server })
  if (request.isValid && /"(invalid_token|insufficient_scope|not_found)"/.test(outcome.received)) {
    findings.push({ class: 'valid request rejected', detail: `${request.server} ${request.path}` })
  }
  return findings
}

/** All text that the sender put into a request, with Basic credentials and compressed bodies decoded. */
function sentText(request: FuzzRequest): string {
  const basics = request.headers.flatMap(([, value]) =>
    [...value.matchAll(/basic\s+([\w+/=-]+)/gi)].map(([, text = '']) =>
      Buffer.from(text, 'base64').toString(),
    ),
  )
  return [textOf(request), ...basics, inflated(request)].join('\n')
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

/** Checks that each operation runs only for a token with its scope, and gets the client id of the token. */
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

function judgeSecrets({ received, incidents }: Outcome, sent: string, { secrets, clients }: Material) {
  const findings: Finding[] = []
  // A log must not contain any secret. A response may repeat the browser's own cookies.
  const logs = incidents.map(({ value }) => inspect(value, { depth: 8, maxStringLength: null })).join('\n')
  // The authorization and sign-out endpoints redirect a posted form to themselves. The address of this
  // redirect contains the parameters of the form, so the oracle ignores the `Location` header.
  const answered = received.replaceAll(
    /^location: http:\/\/localhost:3000\/auth\/oauth2\/(authorize|logout)\?.*/gim,
    '',
  )
  for (const [secret, label] of secrets) {
    const isOwnCookie = label.startsWith('cookie ') && sent.includes(secret)
    if (!isOwnCookie && answered.includes(secret))
      findings.push({ class: 'secret in an answer', detail: label })
    if (logs.includes(secret)) findings.push({ class: 'secret in a log', detail: label })
  }
  for (const { clientId, label } of clients) {
    if (!received.includes(clientId) || sent.includes(clientId)) continue
    const isOfToken = (sent.match(JWT) ?? []).some((text) => payloadOf(text).includes(clientId))
    // Three kinds of responses may contain a client id that the request did not send: the revocation feed,
    // the redirect after a sign-out, and the responses of an interaction.
    const isFeed = received.includes('"revocations":') || received.includes('/logout/success?client_id=')
    const isPage = sent.includes('/interaction/') || sent.includes('/oauth2/authorize/')
    if (!isOfToken && !isFeed && !isPage) findings.push({ class: 'client id of another', detail: label })
  }
  return findings
}

function judgeIncident({ kind, level, value }: Incident): Finding[] {
  if (kind === 'log' && level !== 'error') return []
  const { status = 500, expose, code } = Object(value) as { status?: number; expose?: boolean; code?: string }
  // These codes mean that the sender closed the connection before the end of its request.
  const isCut =
    kind === 'app error' &&
    /^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+)$/.test(code ?? '')
  if (kind === 'app error' && ((expose && status < 500) || isCut)) return []
  const text = inspect(value, { depth: 4 }).replaceAll(/[\w-]{30,}/g, '…')
  return [{ class: 'error', detail: `${kind}: ${text.slice(0, 600)}` }]
}

function judgeAnswer(answer: Answer, sent: string, material: Material): Finding[] {
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
  if (location !== '' && !isAllowedRedirect(location))
    findings.push({ class: 'redirect elsewhere', detail: location })
  if (status === 200) findings.push(...judgeSuccess(body, sent, material))
  return findings
}

/**
 * Checks that only a client with its secret gets tokens. Only such a client or the user of a token may get
 * information about the token.
 */
function judgeSuccess(body: string, sent: string, { clients, tokenOf }: Material): Finding[] {
  const kind = /^\{"(access_token|active|sub|revocations)":(?!false)/.exec(body)?.[1]
  if (kind === undefined) return []
  const holder = clients.find((one) => sent.includes(one.clientId) && sent.includes(one.clientSecret))
  if (kind === 'sub') {
    const may = (sent.match(JWT) ?? []).some((text) => tokenOf(text)?.scopes?.has('openid'))
    return may ? [] : [{ class: 'information without permission', detail: 'user info' }]
  }
  if (holder && (holder.canGetTokens || kind !== 'access_token')) return []
  return kind === 'access_token'
    ? [{ class: 'issued without a secret', detail: holder?.label ?? 'no client' }]
    : [{ class: 'information without permission', detail: kind }]
}

/** Returns whether a redirect leads to gatehouse, to the host's sign-in page, or to a registered address. */
function isAllowedRedirect(location: string): boolean {
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
