import type { Context } from 'koa'
import type { EventSink } from '../../host/events.ts'
import { formDecode, readRawCredentials } from '../../http/basic-credentials.ts'
import { readFormText, type FormRejection } from '../../http/form-body.ts'
import type { Features } from '../provider/features/load-features.ts'
import type { ErrorAnswer } from '../../http/error-response.ts'
import { CLIENT_ENDPOINTS, METHODS, normalizePath, ROUTES } from '../provider/routes.ts'

export type CheckedRequest =
  | {
      readonly form: string | undefined
      /** The header `Authorization` for oidc-provider, if it is not that of the request. */
      readonly authorization?: string
      /** Undefined at endpoints where no client authenticates. */
      readonly credentials?: string
    }
  | { readonly rejection: Omit<ErrorAnswer, 'state'> }

/**
 * Reads the form of a POST request. Where clients authenticate, it also rejects requests from browsers, without
 * client authentication, and with what no client may send. The answers are the same for every client id.
 */
export async function checkRequest(
  ctx: Context,
  path: string,
  parts: { readonly issuer: string; readonly events: EventSink; readonly features: Features },
): Promise<CheckedRequest> {
  const { issuer, events, features } = parts
  const route = normalizePath(path)
  // oidc-provider needs a form only from a POST request. The body of any other request is left to the host.
  if (ctx.method !== 'POST' || !METHODS[route]?.includes('POST')) return { form: undefined }
  const isFromClient = CLIENT_ENDPOINTS.has(route)
  const isFromPage = isFromClient && ctx.get('Origin') !== ''

  function reject(description: string, status = 400, error = 'invalid_request'): CheckedRequest {
    if (isFromPage) letPageRead(ctx)
    if (route === ROUTES.token) events.emit('token.rejected', { clientId: undefined, error, description })
    return { rejection: { status, error, description } }
  }

  // oidc-provider checks `Origin` later, which would reveal to strangers which clients exist.
  const { cors } = features
  if (isFromPage) ctx.vary('Origin')
  if (isFromPage && !cors) return reject(NO_PAGES)
  const form = await readFormText(ctx)
  if (typeof form !== 'string') return reject(UNREADABLE[form.status], form.status)
  if (form.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS) return reject(TOO_MANY)
  if (!isFromClient) return { form }
  const sent = withoutEmptySecret({ form, authorization: ctx.get('Authorization') })
  const parameters = new URLSearchParams(sent.form)
  if (isFromPage && !(await cors?.allow(ctx, route, parameters.get('client_id') ?? ''))) {
    const hasSecret = sent.authorization !== '' || Boolean(parameters.get('client_secret'))
    return reject(hasSecret ? NO_PAGES : NO_ORIGIN)
  }
  if (!/^(?:basic\b|$)/i.test(sent.authorization)) return reject(NOT_BASIC)
  const credentials = sent.authorization || senderOf(parameters, sent.form, features)
  const { rawSecret } = readRawCredentials(sent.authorization)
  const hasBreak = /[\r\n]|%0[ad]$/i.test(rawSecret) || /[\r\n]/.test(parameters.get('client_secret') ?? '')
  const assertion = parameters.get('client_assertion') ?? ''
  const inAssertion = features.privateKeyJwt?.findProblemInAssertion(assertion, issuer)
  const problem = hasBreak ? LINE_BREAK : (inAssertion ?? (credentials === '' ? MISSING : undefined))
  if (problem === undefined) return { form: sent.form, authorization: sent.authorization, credentials }
  if (sent.authorization !== '' || credentials === '') ctx.set('WWW-Authenticate', `Basic realm="${issuer}"`)
  return reject(problem, 401, 'invalid_client')
}

/** Several libraries send a public application in this way. Any other client is rejected. */
function withoutEmptySecret(sent: { readonly form: string; readonly authorization: string }) {
  if (sent.authorization === '') return sent
  const { rawId, rawSecret } = readRawCredentials(sent.authorization)
  const id = rawSecret === '' ? formDecode(rawId) : undefined
  const parameters = new URLSearchParams(sent.form)
  const [other = '', ...repeated] = parameters.getAll('client_id')
  const hasCredentials = parameters.get('client_secret') || parameters.get('client_assertion')
  if (id === undefined || hasCredentials || repeated.length > 0 || (other !== '' && other !== id)) return sent
  parameters.set('client_id', id)
  return { form: parameters.toString(), authorization: '' }
}

/** oidc-provider ignores the parameters after the first 1000. */
const MAX_PARAMETERS = 1000

const TOO_MANY = `the form has more than ${MAX_PARAMETERS} parameters`
const NO_PAGES = 'requests from a browser are rejected: client_secret must stay on a server'
const NO_ORIGIN =
  'requests from this origin are rejected: only the origins of the public application may send them'

const NOT_BASIC =
  'the header Authorization must have the scheme Basic here, or be left out: an access token (Bearer) authenticates no client'
const MISSING = 'client_id and client_secret are missing: send them in the body or by HTTP Basic'
const LINE_BREAK =
  'client_secret has a line break: remove it; a secret that is read from a file often ends with one'

/** Otherwise the browser would hide the description from the page. It contains nothing about a client. */
export function letPageRead(ctx: Context): void {
  ctx.vary('Origin')
  if (!ctx.response.get('Access-Control-Allow-Origin')) ctx.set('Access-Control-Allow-Origin', '*')
  ctx.set('Access-Control-Expose-Headers', 'Retry-After')
}

/** Everybody knows the id of a public application, so the whole form identifies its sender. */
function senderOf(parameters: URLSearchParams, form: string, { privateKeyJwt }: Features): string {
  const [id, secret, assertion] = ['client_id', 'client_secret', 'client_assertion'].map((name) =>
    parameters.getAll(name).join(' ').trim(),
  )
  if (secret) return `${id} ${secret}`.trim()
  return id || (assertion && privateKeyJwt) ? form : ''
}

const UNREADABLE: Readonly<Record<FormRejection['status'], string>> = {
  400: 'the form could not be read',
  413: 'the form is too large',
  415: 'send a form with Content-Type: application/x-www-form-urlencoded and without Content-Encoding',
}
