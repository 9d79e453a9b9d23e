import { createHash, verify, type KeyObject } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Context, Middleware } from 'koa'
import { inBatches } from '../../async/in-batches.ts'
import { requesterOf } from '../../audit/entry.ts'
import type { FoundSecret, LeakedSecrets } from '../../clients/leaked-secrets.ts'
import { GatehouseError, isStoreUnavailable } from '../../errors.ts'
import type { AnyGatehouse } from '../../gatehouse/gatehouse.ts'
import { internalsOf } from '../../gatehouse/internals.ts'
import { reject } from '../../http/error-response.ts'
import { answerWithMethods } from '../../http/public-document.ts'
import { readBody, type BodyRejection } from '../../http/read-body.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import { pathBelow } from '../../http/request-path.ts'
import { endpointProblem } from '../../options/urls.ts'
import { callHost, type Awaitable } from '../../validation/host-callback.ts'
import { mountPathProblem, pathsOf } from '../../validation/mount-path.ts'
import { parseJson } from '../../validation/parse-json.ts'
import { isObject, isText } from '../../validation/predicates.ts'
import {
  checkInput,
  exactObjectOf,
  functionRule,
  listOf,
  must,
  notEmpty,
  optional,
  textRule,
} from '../../validation/rules.ts'
import { fetchedKeys, fixedKeys, isPublicKey, type ReporterKey, type ReporterKeys } from './reporter-keys.ts'

export type { ReporterKey } from './reporter-keys.ts'

/** Options of the endpoint for leak reports. Pass at most one of `keys`, `keysUrl` and `verify`. */
export interface LeakReportsOptions {
  /** Path of the endpoint as the scanner sees it. Tell the scanner this address. @default '/leak-reports' */
  readonly path?: string | undefined
  /** Path at which the host's app receives reports, if a proxy changes paths. @default `path` */
  readonly mountPath?: string | undefined
  /** The address of the scanner's public keys. @default GitHub's keys for secret scanning */
  readonly keysUrl?: string | undefined
  /** The public keys of the scanner, for a host that must not make requests to other servers. */
  readonly keys?: readonly ReporterKey[] | undefined
  /**
   * Checks that a report comes from the scanner, for scanners with another signature.
   *
   * @param body the bytes of the report, as they were sent
   */
  readonly verify?: ((ctx: Context, body: Uint8Array) => Awaitable<boolean>) | undefined
}

const GITHUB_KEYS = 'https://api.github.com/meta/public_keys/secret_scanning'
const DEFAULT_PATH = '/leak-reports'

/** Bounds the memory that strangers can use. */
const MAX_BYTES_AT_ONCE = 64 * 1024 * 1024
/** A report of 10,000 secrets has about 2 MB. */
const MAX_REPORT_BYTES = 8 * 1024 * 1024
const ARRIVAL_MS = 15_000
const RETRY_SECONDS = 60
const REVOKED_AT_ONCE = 10

/**
 * Creates an endpoint to which a scanner reports leaked secrets, with the protocol of GitHub's secret scanning partner
 * program. Each secret of this service is revoked (`secrets.reportLeaked`). The answer says for each secret whether it
 * is or was one of this service. A report that is sent again changes nothing. Mount the endpoint before body parsers.
 * Starts the gatehouse in the background.
 *
 * @throws {GatehouseError} `ERR_INVALID_ARGUMENT` for invalid options, or if `gatehouse` is not from
 *   `createGatehouse()`
 */
export function createLeakReports(gatehouse: AnyGatehouse, options: LeakReportsOptions = {}): Middleware {
  const parts = internalsOf(gatehouse, 'createLeakReports()')
  checkInput('createLeakReports()', options, {
    path: optional(mountPathProblem),
    mountPath: optional(mountPathProblem),
    keysUrl: optional((value) => endpointProblem(value, GITHUB_KEYS)),
    keys: optional(
      notEmpty(
        listOf(
          exactObjectOf({ id: textRule, key: must('a public key for ECDSA on P-256, as PEM', isPublicKey) }),
        ),
      ),
    ),
    verify: optional(functionRule),
  })
  const { keysUrl, keys, verify: isGenuine } = options
  if ([keysUrl, keys, isGenuine].filter((option) => option !== undefined).length > 1) {
    throw new GatehouseError('ERR_INVALID_ARGUMENT', 'pass at most one of keysUrl, keys and verify')
  }
  const { mountPath } = pathsOf({ ...options, path: options.path ?? DEFAULT_PATH })
  const reporterKeys = keys ? fixedKeys(keys) : fetchedKeys(keysUrl ?? GITHUB_KEYS, parts.logger)
  /** The bytes of the reports that arrive or are checked now, the oldest report first. */
  const reports = new Map<IncomingMessage, number>()
  parts.begin()

  async function answer(ctx: Context): Promise<void> {
    if (answerWithMethods(ctx, ['POST'])) return
    const key = isGenuine ? undefined : await findKey(ctx, reporterKeys)
    if (!isGenuine && !key) {
      const description = 'the header Github-Public-Key-Identifier names no key of the scanner'
      return reject(ctx, 401, 'invalid_signature', description)
    }
    reports.set(ctx.req, 0)
    try {
      await answerReport(ctx, key)
    } finally {
      reports.delete(ctx.req)
    }
  }

  /** Counts the bytes of a report, and ends the oldest reports that still arrive if all reports have too many. */
  function count(arriving: IncomingMessage, length: number): void {
    if (reports.has(arriving)) reports.set(arriving, (reports.get(arriving) ?? 0) + length)
    let inAll = [...reports.values()].reduce((sum, bytes) => sum + bytes, 0)
    for (const [request, bytes] of reports) {
      if (inAll <= MAX_BYTES_AT_ONCE) return
      if (request.complete) continue
      inAll -= bytes
      reports.delete(request)
      request.destroy()
    }
  }

  async function answerReport(ctx: Context, key: KeyObject | undefined): Promise<void> {
    const late = setTimeout(() => ctx.req.destroy(), ARRIVAL_MS)
    ctx.req.on('data', (chunk: Buffer) => count(ctx.req, chunk.length))
    const body = await readReport(ctx).finally(() => clearTimeout(late))
    if (!Buffer.isBuffer(body)) {
      const description = body.status === 413 ? 'the report is too large' : 'the report is incomplete'
      return reject(ctx, body.status, 'invalid_request', description)
    }
    const isSigned: unknown = isGenuine
      ? await callHost('verify', () => isGenuine(ctx, body))
      : key !== undefined &&
        verify('sha256', body, { key }, Buffer.from(ctx.get('Github-Public-Key-Signature'), 'base64'))
    // A host's function may return any value.
    if (isSigned !== true)
      return reject(ctx, 401, 'invalid_signature', 'the signature does not fit the report')
    const matches = parseReport(body)
    if (!matches) return reject(ctx, 400, 'invalid_request', 'the report is not a list of secrets')
    await parts.ready()
    const found = await revokeSecrets(parts.secrets, matches, requesterOf(ctx))
    ctx.set('Cache-Control', 'no-store')
    ctx.type = 'application/json'
    ctx.body = JSON.stringify(
      matches.map(({ token, type }, at) => ({
        token_hash: createHash('sha256').update(token).digest('hex'),
        token_type: type,
        label: found[at] ? 'true_positive' : 'false_positive',
      })),
    )
  }

  return async function leakReports(ctx: Context, next) {
    // Only the path itself is served, with or without a slash at the end.
    if (pathBelow(ctx, mountPath) !== '/') {
      await next()
      return
    }
    try {
      await answer(ctx)
    } catch (error) {
      if (!(error instanceof GatehouseError)) throw error
      if (!isStoreUnavailable(error)) parts.logger.error({ err: error }, 'a leak report failed')
      ctx.set('Retry-After', String(RETRY_SECONDS))
      reject(ctx, 503, 'temporarily_unavailable', 'the report could not be processed')
    }
  }
}

async function findKey(ctx: Context, keys: ReporterKeys) {
  const id = ctx.get('Github-Public-Key-Identifier')
  return id === '' ? undefined : keys.find(id)
}

async function readReport(ctx: Context): Promise<Buffer | BodyRejection> {
  if (Number(ctx.get('Content-Length')) > MAX_REPORT_BYTES) return { status: 413 }
  if (ctx.req.readable && !ctx.req.readableDidRead) return readBody(ctx.req, MAX_REPORT_BYTES)
  const { rawBody } = ctx.request as { rawBody?: unknown }
  if (typeof rawBody !== 'string' && !(rawBody instanceof Uint8Array)) {
    throw new GatehouseError(
      'ERR_OPTIONS',
      'a body parser of the host read a leak report before createLeakReports(), and kept no raw body: mount createLeakReports() first',
    )
  }
  const raw = Buffer.from(rawBody)
  return raw.length > MAX_REPORT_BYTES ? { status: 413 } : raw
}

interface Match {
  readonly token: string
  readonly type: string
  readonly url: unknown
  readonly source: unknown
}

function parseReport(body: Buffer): readonly Match[] | undefined {
  const list = parseJson(body.toString())
  return Array.isArray(list) && list.every(isMatch) ? list : undefined
}

function isMatch(value: unknown): value is Match {
  return isObject(value) && isText(value['token']) && typeof value['type'] === 'string'
}

/** Each secret of a client once, even if one cannot be revoked. */
async function revokeSecrets(
  secrets: Pick<LeakedSecrets, 'findEach' | 'revoke'>,
  matches: readonly Match[],
  requester: ChangeOptions,
): Promise<readonly (FoundSecret | undefined)[]> {
  const found = await secrets.findEach(matches.map(({ token }) => token))
  const revocations = new Map<string, () => Promise<void>>()
  for (const [at, { token, url, source }] of matches.entries()) {
    const secret = found[at]
    if (!secret || revocations.has(token)) continue
    const leak = {
      leakUrl: isText(url) ? url : undefined,
      leakSource: isText(source) ? source.toLowerCase() : undefined,
    }
    revocations.set(token, () => secrets.revoke(secret, token, { ...requester, ...leak }))
  }
  const failures: unknown[] = []
  await inBatches([...revocations.values()], REVOKED_AT_ONCE, (revoke) =>
    revoke().catch((error: unknown) => failures.push(error)),
  )
  if (failures.length > 0) throw failures[0]
  return found
}
