import type { Context } from 'koa'
import type { Awaitable, None, Nullable } from '../validation/host-callback.ts'

/** The host's data about one of its accounts. */
export interface Account<Level extends string = string> {
  /**
   * The host's own identifier. It becomes `account_id` of tokens. Together with the user, if there is one, it
   * also becomes `sub` of delegated tokens. It never changes.
   */
  readonly id: string
  /** The KYC level of the account, one of `kycLevels`; the lowest one if absent or unknown. */
  readonly kycLevel?: Level | undefined
  /**
   * Claims about the person or company for the user info endpoint, by their OpenID Connect names: `name`,
   * `email`, `email_verified`, `picture`, … (OpenID Connect Core 5.1). The pages address the account by `name`
   * or `email`.
   */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** Who is signed in at the host in this browser. */
export interface SignedIn {
  /** `id` of the account that the person belongs to. */
  readonly accountId: string
  /**
   * The acting user, where accounts have several. It is part of the subject (`sub`), so a host that starts to
   * name users changes the subject. Account and user together make a subject of at most 255 characters,
   * percent-escaped.
   */
  readonly userId?: string | undefined
  /**
   * When this person last authenticated, in epoch seconds. It is needed to answer `prompt=login` and `max_age`
   * truthfully (`auth_time`, OpenID Connect Core 2). Without it such requests fail with `login_required`.
   */
  readonly signedInAt?: number | undefined
}

/**
 * The host's accounts. gatehouse queries them, and stores only their ids.
 *
 * Results are validated. An impossible result, such as a number for an id, fails the request with a
 * GatehouseError `ERR_HOST_CALLBACK` that names the callback. Optional fields may be null.
 */
export interface Accounts<Level extends string = string> {
  /**
   * Looks up the account of exactly this id; a falsy value if it does not exist or exists no longer. `userId`
   * is passed if the host has named a user. The result is then the account as this user acts for it, with the
   * claims of the user, or a falsy value if the account has no such user. Called at consent, code exchange,
   * refresh and user info, so it should be fast.
   */
  find(accountId: string, userId?: string): Awaitable<Nullable<Account<Level>> | None>
  /**
   * Who is signed in at the host in this browser, from the host's own session; a falsy value if no one is.
   * Needs `signInUrl`.
   */
  current?: ((ctx: Context) => Awaitable<Nullable<SignedIn> | None>) | undefined
  /**
   * The host's sign-in page. The host sends the browser to `returnTo` afterwards, which is always an address
   * below `issuer`. With `reauthenticate` the person must authenticate again, even if they are signed in.
   */
  signInUrl?:
    | ((returnTo: URL, ctx: Context, options: { reauthenticate: boolean }) => Awaitable<string | URL>)
    | undefined
  /** Ends the host's own session in this browser, at sign-out and when a person switches accounts. */
  signOut?: ((ctx: Context) => Awaitable<void>) | undefined
  /**
   * For trials and small hosts: checks the credentials of the built-in sign-in page; a falsy value rejects
   * them. Used only if `current` is absent.
   */
  authenticate?:
    | ((
        credentials: { identifier: string; password: string },
        ctx: Context,
      ) => Awaitable<Nullable<SignedIn> | None>)
    | undefined
}
