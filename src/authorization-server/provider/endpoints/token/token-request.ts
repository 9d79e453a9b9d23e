import type { Context } from 'koa'
import type { Provider, TokenEndpointGrantContext } from 'oidc-provider'
import type { Client } from '../../../../clients/client.ts'
import type { UsedCredential } from '../../../../clients/stored-secrets.ts'
import type { KnownAccounts } from '../../../../host/find-once.ts'
import { recordOf, requestState, type RefreshReads } from '../../request-state.ts'

/** A token request of a client that has authenticated: to the fast path, or to oidc-provider. */
export interface TokenRequest {
  readonly host: Context
  readonly client: Client
  readonly credential: UsedCredential | undefined
  readonly scope: string | undefined
  /** A value, or a list if it is repeated. */
  readonly resource: unknown
  /** The refresh token, if there is one. */
  readonly token: string | undefined
  readonly reads: RefreshReads | undefined
  readonly accounts: KnownAccounts
  /** See `rollbackDeadline`. */
  readonly deadline: number
  /** Whether the calling thread signs, so that the other cores are free. */
  readonly signsHere: boolean
}

/** Resolves with the body of RFC 6749 5.1. */
export type AnswerTokenRequest = (request: TokenRequest) => Promise<object>

/** What answers each grant type of ours, on both ways. */
export type TokenAnswers = Readonly<Record<'client_credentials' | 'refresh_token', AnswerTokenRequest>>

/**
 * Registers our grant types, for all requests that the fast path does not answer. If the fast path has failed,
 * oidc-provider writes its error.
 *
 * Relies on: a grant type that is registered again replaces the built-in one.
 */
export function registerGrants(provider: Provider, answers: TokenAnswers): void {
  type Parameters = { scope?: string; resource?: string | string[]; refresh_token?: string }
  function register(name: keyof TokenAnswers, parameters: (keyof Parameters)[], repeatable?: string): void {
    async function answer(ctx: TokenEndpointGrantContext<Parameters>): Promise<void> {
      const { early, host, credential, accounts, deadline, refreshReads: reads } = requestState(ctx)
      const { scope, resource, refresh_token: token } = ctx.oidc.params
      const request = { host, credential, accounts, deadline, reads, scope, resource, token, signsHere: true }
      const client = recordOf(ctx.oidc.client)
      ctx.body = await (early?.answer ?? answers[name]({ ...request, client }))
    }
    provider.registerGrantType(name, answer, parameters, repeatable)
  }
  register('client_credentials', ['scope', 'resource'])
  register('refresh_token', ['scope', 'resource', 'refresh_token'], 'resource')
}
