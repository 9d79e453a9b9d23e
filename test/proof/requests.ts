/** The requests of a run: each is recorded with what its answer means. */
import { createHash } from 'node:crypto'
import { authorize } from '../../bench/authorize.ts'
import { CALLBACK, SCOPES } from '../../bench/host.ts'
import type { Fleet, Member } from './fleet.ts'
import type { Answer, Asks } from './host.ts'
import type { Recorder } from './history.ts'

/** Milliseconds after which a request without a response is given up. Its outcome is unknown. */
const TIMEOUT_MS = 5000

/** What an application has. A public application has no secret, and proves with a code verifier who it is (RFC 7636). */
export interface Credentials {
  readonly clientId: string
  readonly clientSecret?: string | undefined
}

const CODE_VERIFIER = 'v'.repeat(43)
const CODE_CHALLENGE = createHash('sha256').update(CODE_VERIFIER).digest('base64url')

const CODE_GRANT = { grant_type: 'authorization_code', redirect_uri: CALLBACK }
const VERIFIER = { code_verifier: CODE_VERIFIER }

export type Requests = ReturnType<typeof createRequests>

/**
 * @param options.surprises receives each answer that no promise allows, such as a 500
 */
export function createRequests(options: {
  readonly fleet: Fleet
  readonly recorder: Recorder
  readonly surprises: string[]
}) {
  const { fleet, recorder, surprises } = options
  const { run } = recorder
  /** Short names of tokens, so that a history has none. */
  const names = new Map<string, string>()
  const nameOf = (token: string) => {
    const name = names.get(token) ?? `t${names.size + 1}`
    names.set(token, name)
    return name
  }

  /** Sends a request. Returns the status 0 if there was no response. */
  async function send(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
    try {
      const response = await fetch(url, {
        ...init,
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      return { status: response.status, text: await response.text() }
    } catch {
      return { status: 0, text: '' }
    }
  }

  /** Posts to an endpoint, and says what the answer means. */
  async function post(
    member: Member,
    path: string,
    { clientId, clientSecret }: Credentials,
    fields: Record<string, string>,
  ) {
    const secret = clientSecret === undefined ? {} : { client_secret: clientSecret }
    const body = new URLSearchParams({ client_id: clientId, ...secret, ...fields })
    const { status, text } = await send(`${originOf(member)}/auth/oauth2/${path}`, { method: 'POST', body })
    const isRejected = status === 400 && text.includes('invalid_grant')
    const isUnknown = status === 0 || status === 503
    if (status !== 200 && !isRejected && !isUnknown) surprises.push(`${path} was answered ${status} ${text}`)
    const outcome = status === 200 ? 'ok' : isRejected ? 'fail' : 'unknown'
    return { outcome, text } as const
  }

  return {
    /** Gets a code as a browser does. @returns undefined if that failed */
    async code(
      member: Member,
      { clientId, clientSecret }: Credentials,
      accountId: string,
    ): Promise<string | undefined> {
      const { port } = fleet.services[0] ?? member
      const request = {
        issuer: `http://127.0.0.1:${port}/auth`,
        clientId,
        redirectUri: CALLBACK,
        scope: SCOPES,
        accountId,
        codeChallenge: clientSecret === undefined ? CODE_CHALLENGE : undefined,
      }
      return authorize({ ...request, pickPort: () => member.port }).catch(() => undefined)
    },

    /** Exchanges a code or a refresh token. @returns the outcome and the refresh token */
    async exchange(member: Member, client: Credentials, family: string, credential: string, isCode: boolean) {
      let next: string | undefined
      const { outcome } = await run('exchange', member.number, async () => {
        const fields = isCode
          ? { ...CODE_GRANT, code: credential, ...(client.clientSecret === undefined && VERIFIER) }
          : { grant_type: 'refresh_token', refresh_token: credential }
        const { outcome, text } = await post(member, 'token', client, fields)
        const common = { outcome, family, credential: nameOf(credential), isCode }
        if (outcome !== 'ok') return common
        const answer = JSON.parse(text) as { refresh_token: string; access_token: string }
        next = answer.refresh_token
        return { ...common, next: nameOf(next), accessToken: nameOf(answer.access_token) }
      })
      return { outcome, next }
    },

    /** Revokes a family by its refresh token (RFC 7009). */
    endFamily: (member: Member, client: Credentials, family: string, token: string) =>
      run('end-family', member.number, async () => {
        const { outcome } = await post(member, 'revoke', client, { token, token_type_hint: 'refresh_token' })
        return { outcome, family }
      }),

    /** Gets an access token of an API key. */
    async issue(member: Member, key: Credentials): Promise<string | undefined> {
      let accessToken: string | undefined
      await run('issue', member.number, async () => {
        const { outcome, text } = await post(member, 'token', key, { grant_type: 'client_credentials' })
        if (outcome !== 'ok') return { outcome, client: key.clientId }
        accessToken = (JSON.parse(text) as { access_token: string }).access_token
        return { outcome, client: key.clientId, accessToken: nameOf(accessToken) }
      })
      return accessToken
    },

    /** Calls the API. */
    call: (member: Member, accessToken: string) =>
      run('call', member.number, async () => {
        const headers = { authorization: `Bearer ${accessToken}` }
        const { status, text } = await send(`${originOf(member)}/api/invoices/1`, { headers })
        if (![0, 200, 401, 503].includes(status)) surprises.push(`a call was answered ${status} ${text}`)
        const outcome = status === 200 ? 'ok' : status === 401 ? 'fail' : 'unknown'
        return { outcome, accessToken: nameOf(accessToken) }
      }),

    revoke: (member: Member, of: { accessToken: string } | { client: string }, actor: string) =>
      run('revoke', member.number, async () => {
        const isToken = 'accessToken' in of
        const about = isToken ? { accessToken: of.accessToken, actor } : { clientId: of.client, actor }
        const answer = await member.ask('revoke', about)
        const named = isToken ? { accessToken: nameOf(of.accessToken) } : of
        return { outcome: outcomeOf(answer), of: named, actor }
      }),

    /** @param name null deletes the API key */
    change: (member: Member, client: string, name: string | null, actor?: string) =>
      run('change', member.number, async () => {
        const named = actor === undefined ? { name } : { name, actor }
        const answer = await member.ask('change', { clientId: client, ...named })
        // A repeated deletion finds that it is done.
        const isDone = name === null && 'error' in answer && answer.error === 'ERR_NOT_FOUND'
        return { outcome: isDone ? 'ok' : outcomeOf(answer), client, ...named }
      }),

    /** Adds an entry to the store below the library, or removes it. It is recorded as a client whose name is the entry. */
    putEntry: (member: Member, entry: string, isIn: boolean) =>
      run('change', member.number, async () => {
        const answer = await member.ask('putMember', { member: entry, isIn })
        return { outcome: outcomeOf(answer), client: entry, name: isIn ? entry : null }
      }),

    readEntry: (member: Member, entry: string) =>
      run('read', member.number, async () => {
        const answer = await member.ask('hasMember', { member: entry })
        const found = 'value' in answer && { name: answer.value ? entry : null }
        return { outcome: outcomeOf(answer), client: entry, ...found }
      }),

    read: (member: Member, client: string) =>
      run('read', member.number, async () => {
        const answer = await member.ask('read', { clientId: client })
        const outcome = outcomeOf(answer)
        return { outcome, client, ...('value' in answer && { name: answer.value }) }
      }),
  }

  function outcomeOf(answer: Answer<keyof Asks>): 'ok' | 'unknown' {
    if ('value' in answer) return 'ok'
    const isKnown = ['no answer', 'ERR_STORE_UNAVAILABLE', 'ERR_NOT_READY', 'ERR_CLOSED'].includes(
      answer.error,
    )
    if (!isKnown) surprises.push(`a call of the library rejected with ${answer.error} ${answer.message}`)
    return 'unknown'
  }
}

function originOf({ port }: Member): string {
  return `http://127.0.0.1:${port}`
}
