import { GatehouseError } from '../../errors.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { partsOf } from '../../gateway/registered-parts.ts'
import type { Logger } from '../../host/logger.ts'
import { formatBasicCredentials } from '../../http/basic-credentials.ts'
import { endpointProblem } from '../../options/urls.ts'
import { anyValue, checkInput, optional, textRule, wholeNumber } from '../../validation/rules.ts'
import { createCallCounts, type CountedDay } from './call-counts.ts'
import { observeCalls } from './observe-calls.ts'
import { INTERVAL_SECONDS, storePeriodically } from './store-counts.ts'

const TIMEOUT_MS = 5_000
/** The service accepts four times as many bytes. */
const MAX_CHARACTERS = 1_000_000

/** Options of `reportUsage()`. */
export interface ReportUsageOptions {
  /**
   * The address of the receiver (`usage.middleware()`): `https:`, or `http:` on loopback; `{auth_url}/oauth2/usage`.
   */
  readonly uri: string
  /** An API key that is marked as a resource server (`apiKeys.setResourceServer`). */
  readonly clientId: string
  readonly clientSecret: string
  /** Seconds between two requests, 1 to 3600. @default 10 */
  readonly intervalSeconds?: number | undefined
  /** Receives a warning if the usage cannot be sent. @default the logger of the gateway */
  readonly logger?: Logger | undefined
}

/**
 * Counts the API calls of a gateway in another process, and sends the counts to the authorization service every few
 * seconds. While they cannot be sent, the gateway counts on. The last counts are sent when the gateway closes.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options, if `gateway` is not from `createGateway()`, or
 *   if its usage is counted already
 */
export function reportUsage(gateway: Pick<Gateway, 'close'>, options: ReportUsageOptions): void {
  checkInput('reportUsage()', options, {
    uri: (value) => endpointProblem(value, 'https://example.com/auth/oauth2/usage'),
    clientId: textRule,
    clientSecret: textRule,
    intervalSeconds: optional(wholeNumber(1, 3600)),
    logger: anyValue,
  })
  const parts = partsOf(gateway)
  if (!parts || parts.hooks.observer) {
    const problem = parts
      ? 'the usage of this gateway is counted already'
      : 'it takes a gateway of createGateway()'
    throw new GatehouseError('ERR_INVALID_ARGUMENT', `reportUsage(): ${problem}`)
  }
  const { hooks, dependencies } = parts
  const { intervalSeconds = INTERVAL_SECONDS, logger = dependencies.logger } = options
  const counts = createCallCounts(Date.now)
  hooks.observer = observeCalls(counts)
  async function send(totals: readonly CountedDay[]): Promise<void> {
    for (const some of inRequests(totals)) await sendTotals(options, some, logger)
  }
  const { end } = storePeriodically({ counts, send, intervalMs: intervalSeconds * 1000, logger })
  hooks.closing.push(end)
}

function inRequests(totals: readonly CountedDay[]): CountedDay[][] {
  const requests: CountedDay[][] = []
  let characters = Infinity
  for (const each of totals) {
    if (characters + each.hours.length > MAX_CHARACTERS) {
      requests.push([])
      characters = 0
    }
    characters += each.hours.length
    requests.at(-1)?.push(each)
  }
  return requests
}

/** After these answers, the same request may succeed later. */
const LATER = [401, 403, 404, 408, 429]

async function sendTotals(
  { uri, clientId, clientSecret }: ReportUsageOptions,
  totals: readonly CountedDay[],
  logger: Logger,
): Promise<void> {
  const entries = totals.map(({ hours, ...others }) => ({ ...others, hours: JSON.parse(hours) as unknown }))
  const response = await fetch(uri, {
    method: 'POST',
    // A redirect is not followed, so that the secret is sent to `uri` alone.
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      'Content-Type': 'application/json',
      Authorization: formatBasicCredentials({ clientId, clientSecrets: [clientSecret] }),
    },
    body: JSON.stringify({ totals: entries }),
  })
  const text = await response.text()
  const { status } = response
  if (status >= 400 && status < 500 && !LATER.includes(status)) {
    logger.warn({ status, text: text.slice(0, 300) }, 'the service rejected usage, which is dropped')
    return
  }
  if (status !== 204) {
    throw new GatehouseError('ERR_NOT_READY', `${uri} answered HTTP ${status}: ${text.slice(0, 300)}`)
  }
}
