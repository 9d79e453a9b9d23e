import type { JWTVerifyGetKey } from 'jose'
import type { Logger } from '../host/logger.ts'
import type { Principal } from './principal.ts'

/** What a gateway is handed: embedded it comes from the gatehouse itself, elsewhere over HTTP. */
export interface GatewayDependencies {
  /** {auth_url}: `iss` of the tokens. */
  readonly issuer: string
  /** {base_url}: `aud` of the tokens, and what `middleware()` guards. */
  readonly audience: string
  /** The public keys that access tokens may be signed with. */
  readonly getKey: JWTVerifyGetKey
  /** The scope of the operation that a request is; undefined if no operation claims it. */
  findScope(method: string, path: string): string | undefined
  /** Whether a scope is known at all, so that a typing error in `requireScope` throws at construction. */
  isKnownScope(scope: string): boolean
  /** Whether a verified token has been taken back. In memory, no I/O. */
  isRevoked(principal: Principal): boolean
  /** Settles when keys and operations are there. */
  ready(): Promise<void>
  close(): Promise<void>
  readonly logger: Logger
}
