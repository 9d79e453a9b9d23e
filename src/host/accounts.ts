import type { Context } from 'koa'
import type { Awaitable, None, Nullable } from '../validation/host-callback.ts'

/** What the host knows of one of its accounts. */
export interface Account<Level extends string = string> {
  /**
   * The host's own identifier; becomes `account_id` of tokens, and `sub` of delegated ones together with the user if
   * there is one. Never changes.
   */
  readonly id: string
  /** How well the host knows the account, one of `kycLevels`; the lowest one if left out or unknown. */
  readonly kycLevel?: Level | undefined
  /**
   * Claims about the person or company for the user info endpoint, by their OpenID Connect names: `name`,
   * `email`, `email_verified`, `picture`, … (OpenID Connect Core 5.1). `name` or `email` is also how the
   * pages address the account.
   */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
}

/** Who is signed in at the host in this browser. */
export interface SignedIn {
  /** `id` of the account that the person belongs to. */
  readonly accountId: string
  /**
   * Which user of the account is acting, where accounts have several. Part of the subject (`sub`): a host that starts to
   * name users changes it. Account and user together make a subject of at most 255 characters, percent-escaped.
   */
  readonly userId?: string | undefined
  /**
   * When this person last proved who they are, in epoch seconds. Needed to answer `prompt=login` and
   * `max_age` truthfully (`auth_time`, OpenID Connect Core 2); without it such requests end in
   * `login_required`.
   */
  readonly signedInAt?: number | undefined
}

/**
 * The host's accounts: gatehouse asks, and stores nothing about them but their ids.
 *
 * Answers are checked: one that cannot be, such as a number for an id, fails the request with a GatehouseError
 * `ERR_HOST_CALLBACK` that names the callback. Fields that may be left out may be null.
 */
export interface Accounts<Level extends string = string> {
  /**
   * Looks up the account of exactly this id; a falsy value if there is none (any more). With `userId`, wherever the
   * host has named one, the account as this user acts for it, with the claims of the user; a falsy value if the account
   * has no such user (any more). Called at consent, code exchange, refresh and user info, so it should be quick.
   */
  find(accountId: string, userId?: string): Awaitable<Nullable<Account<Level>> | None>
  /**
   * Who is signed in at the host in this browser, from the host's own session; a falsy value for nobody.
   * Needs `signInUrl`.
   */
  current?: ((ctx: Context) => Awaitable<Nullable<SignedIn> | None>) | undefined
  /**
   * Where the host signs people in. The host sends the browser to `returnTo` afterwards, which is always an
   * address below `issuer`. With `reauthenticate` the person must prove anew who they are, even if they are
   * signed in.
   */
  signInUrl?:
    | ((returnTo: URL, ctx: Context, options: { reauthenticate: boolean }) => Awaitable<string | URL>)
    | undefined
  /** Ends the host's own session in this browser: at sign-out, and when a person switches accounts. */
  signOut?: ((ctx: Context) => Awaitable<void>) | undefined
  /**
   * For trials and small hosts: checks what a person typed into the built-in sign-in page; a falsy value refuses.
   * Used only where `current` is absent.
   */
  authenticate?:
    | ((
        credentials: { identifier: string; password: string },
        ctx: Context,
      ) => Awaitable<Nullable<SignedIn> | None>)
    | undefined
}
