import { deepFreeze } from '../catalog/deep-freeze.ts'
import { GRACE_SECONDS } from '../grants/refresh-tokens/grace-period.ts'
import { gatehouseRule } from './gatehouse-schema.ts'
import type { GatehouseOptions } from './options.ts'
import { randomSecret } from './secret.ts'
import { readOptions } from './shared-schema.ts'

export type ResolvedOptions = ReturnType<typeof resolveOptions>

/**
 * Checks the options of `createGatehouse`, adds the defaults and freezes the result. Plain data is copied, so that
 * later changes to the host's object have no effect. The catalog checks the products.
 * @throws {GatehouseError} `ERR_OPTIONS` with all problems, each with its path and the remedy
 */
export function resolveOptions(options: GatehouseOptions) {
  const parsed = readOptions('the options of createGatehouse are not valid', gatehouseRule, options)
  const { store, products, accounts, logger, secret = [randomSecret()], ...data } = parsed
  const { hostname, pathname } = new URL(data.issuer)
  const {
    claims,
    branding,
    mountPath = pathname,
    refreshTokenGraceSeconds,
    ...others
  } = structuredClone(data)
  const { lifetimes, publicApplications, privateKeyJwt, clientDocuments } = others
  const hasDocuments = clientDocuments.length > 0
  const plainData = deepFreeze({
    ...others,
    claims,
    lifetimes: { ...lifetimes, publicRefreshToken: lifetimes.publicRefreshToken ?? lifetimes.refreshToken },
    refreshTokenGraceSeconds: refreshTokenGraceSeconds ?? GRACE_SECONDS.confidential,
    /** `refreshTokenGraceSeconds` for public applications. */
    publicGraceSeconds: refreshTokenGraceSeconds ?? GRACE_SECONDS.public,
    /** Whether clients without a secret and without a key may authenticate. */
    publicClients: publicApplications || hasDocuments,
    /** Whether clients may authenticate with keys: their own ones, or those of their documents. */
    clientKeys: privateKeyJwt || hasDocuments,
    /** The scopes of OpenID Connect: `openid`, and the scopes that are keys of `claims`. */
    openIdScopes: ['openid', ...Object.keys(claims)],
    /** Whether accounts may have users: `accounts.find` then has the parameter `userId`. */
    namesUsers: accounts.find.length > 1,
    branding: { ...branding, name: branding.name ?? hostname },
    /** The mount path without a trailing slash; empty if the authorization service is at the root. */
    mountPath: mountPath === '/' ? '' : mountPath,
    /** The secrets, newest first; at least one. */
    secrets: secret,
  })
  return Object.freeze({ ...plainData, store, products, accounts, logger })
}
