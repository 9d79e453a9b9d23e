import type { Context } from 'koa'
import type { Awaitable, None, Nullable } from '../validation/host-callback.ts'

/** The host's data about one of its accounts. */
export interface Account<Level extends string = string> {
  /**
   * The host's own identifier. It becomes `account_id` of tokens. It also becomes `sub` of delegated tokens,
   * together with the user if there is one. The identifier must never change.
   */
  readonly id: string
  /** The KYC level of the account, one of `kycLevels`. If the level is absent or unknown, the lowest level counts. */
  readonly kycLevel?: Level | undefined
  /**
   * Claims about the person or company for the user info endpoint, by their OpenID Connect names: `name`,
   * `email`, `email_verified`, `picture`, … (OpenID Connect Core 5.1). The sign-in and consent
   * pages show `name` and `email`, so that the person recognizes the account.
   */
  readonly claims?: Readonly<Record<string, unknown>> | undefined
  /**
   * The operations that the person may use, by their scopes: at most 10,000. `find` returns this list if the role of a
   * user, or the account, does not cover every operation. The consent page offers only these operations. The tokens of
   * applications for this person carry only these operations, and so do the tokens of an API key with this `userId`.
   * Names that are in no product are ignored, and logged once. OpenID Connect scopes, such as `openid`, are not
   * operations, and are never limited. An empty list allows no operation. @default all operations
   */
  readonly operations?: readonly string[] | undefined
}

/** An account, or a user of an account, that a search found. */
export interface FoundAccount {
  readonly accountId: string
  /** @default the account itself was found */
  readonly userId?: string | undefined
  /** The name that operators see. @default the ids */
  readonly name?: string | undefined
}

/** Who is signed in at the host in this browser. */
export interface SignedIn {
  /** `id` of the account that the person belongs to. */
  readonly accountId: string
  /**
   * The acting user, if accounts have several users. The user is part of the subject (`sub`). When a host begins to
   * return `userId` for a person, the subject of this person changes. The percent-escaped subject of account and user
   * must have at most 255 characters.
   */
  readonly userId?: string | undefined
  /**
   * When this person last authenticated, in epoch seconds. gatehouse needs this time to answer requests with
   * `prompt=login` or `max_age` (`auth_time`, OpenID Connect Core 2). Without this time, such requests fail
   * with `login_required`.
   */
  readonly signedInAt?: number | undefined
  /**
   * How this request proved the identity of the caller. `session`: by a cookie or by anything else that a browser sends
   * by itself. `token`: by a header that a browser never sends by itself, such as `Authorization: Bearer`. Only the
   * management API uses this field: it demands a CSRF token for `session`.
   * @default 'session'
   */
  readonly via?: 'session' | 'token' | undefined
}

/** What a caller of the management API or the console wants to do with its own account. */
export type Permission =
  | `${'keys' | 'applications'}:${'read' | 'create' | 'write' | 'rotate' | 'delete'}`
  | 'authorizations:read'
  | 'authorizations:revoke'
  | 'audit:read'

/** What a caller may have to confirm: `operator` is something that only operators may do. */
export type ConfirmedPermission = `${'keys' | 'applications'}:${'create' | 'rotate' | 'delete'}` | 'operator'

/** When a caller last proved again who they are, and the page where they can prove it again. */
export interface Confirmation {
  /** The time of the last proof for this permission, in epoch seconds; undefined if there was none. */
  readonly confirmedAt?: number | undefined
  /** The page where the host asks again. It may have another origin than the host. */
  readonly url: string | URL
}

/** The object for which a permission is checked. It always belongs to the account of the caller. */
export interface PermissionTarget {
  /** The account of the caller. */
  readonly accountId: string
  /** The API key or application; undefined for lists, for new clients, and for authorizations. */
  readonly clientId?: string | undefined
  /** The user to whom the client belongs; undefined if it belongs to the account, and without a client. */
  readonly userId?: string | undefined
  /** The authorization; undefined for lists and for clients. */
  readonly grantId?: string | undefined
}

/**
 * The host's accounts. gatehouse queries them, and stores only their ids.
 *
 * Results are validated. An impossible result, such as a number for an id, fails the request with a
 * GatehouseError `ERR_HOST_CALLBACK` that names the callback. Optional fields may be null.
 */
export interface Accounts<Level extends string = string> {
  /**
   * Finds the account with exactly this id. Returns a falsy value if the account does not exist, or no longer exists.
   * If `userId` is passed, returns the account with the claims and operations of this user. Returns a falsy value if
   * the account does not have this user. `userId` comes from an earlier result of `current` or `authenticate`.
   * gatehouse calls `find` at every token request, authorization request, introspection and user info, and in
   * `accounts.changed`. So `find` should be fast.
   */
  find(accountId: string, userId?: string): Awaitable<Nullable<Account<Level>> | None>
  /**
   * Returns who is signed in at the host in this browser, from the host's own session. Returns a falsy value
   * if no person is signed in. A host that provides `current` must also provide `signInUrl`.
   */
  current?: ((ctx: Context) => Awaitable<Nullable<SignedIn> | None>) | undefined
  /**
   * Returns the address of the host's sign-in page. After sign-in, the host sends the browser to `returnTo`. This is
   * always an address below `issuer`, or a page of the console at the origin of `issuer`. If `reauthenticate` is true,
   * the person must authenticate again, even if they are signed in.
   */
  signInUrl?:
    | ((returnTo: URL, ctx: Context, options: { reauthenticate: boolean }) => Awaitable<string | URL>)
    | undefined
  /** Ends the host's own session in this browser, at sign-out and when a person switches accounts. */
  signOut?: ((ctx: Context) => Awaitable<void>) | undefined
  /**
   * Checks the credentials from the built-in sign-in page, which is meant for trials and small hosts. A falsy
   * result rejects the credentials. This callback is used only if `current` is absent.
   */
  authenticate?:
    | ((
        credentials: { identifier: string; password: string },
        ctx: Context,
      ) => Awaitable<Nullable<SignedIn> | None>)
    | undefined
  /**
   * Returns whether the caller of a request to the management API or the console has a permission. The caller is the
   * person that `current` returns. Even if this function returns true, a caller never gets access to another account.
   * No member gets a secret of an API key of another user, or of a key with operations that the member may not use.
   * @default every caller may do everything with its own account
   */
  can?:
    | ((
        ctx: Context,
        permission: Permission,
        target: PermissionTarget,
      ) => Awaitable<boolean | null | undefined>)
    | undefined
  /**
   * Returns whether the caller has just proved again who they are, by their password or a second factor. The console
   * and the management API ask before they show a new secret (`keys:create`, `keys:rotate` and the same of
   * `applications`), hand over an API key (`keys:rotate`) or delete a client. They also ask before an operator revokes
   * a signing key, or revokes or erases everything of an account or user (`operator`). Returns `true`, or the address
   * of the page where the host asks, or this address with the time of the last proof: `{ confirmedAt, url }`. A proof
   * at most 5 minutes old is then enough. Remember a proof for its `permission` only.
   *
   * This function may be called any number of times for one act: the console calls it before it shows the page of the
   * act, and again when the form of this page is sent. So a proof must be accepted for some minutes. If `true` is
   * returned only once for a proof, the person has to prove twice.
   *
   * `returnTo` is the page of the console to which the host must send the browser afterwards. It is undefined for the
   * management API, whose caller gets 403 `ERR_CONFIRM` with the address.
   * @default no caller is asked again
   */
  confirm?:
    | ((
        ctx: Context,
        permission: ConfirmedPermission,
        options: { returnTo: URL | undefined },
      ) => Awaitable<true | string | URL | Confirmation>)
    | undefined
  /**
   * Finds accounts and users by a text that an operator typed, such as a part of a name, an e-mail address or a
   * customer number. The first 20 results are shown. Operators search in the console and the management API.
   * @default operators find accounts and users by their exact ids
   */
  search?: ((text: string) => Awaitable<readonly Nullable<FoundAccount>[] | None>) | undefined
  /**
   * Who owns an API key or application that a user creates in the console or the management API. If the account owns
   * the client, the client stays when the user leaves. If the user owns the client, it gets no tokens once the user has
   * left. @default 'account'
   */
  clientsBelongTo?: 'account' | 'user' | undefined
  /**
   * Whether the caller of a request to the management API or the console is an operator, who may read and revoke
   * everything.
   * @default no caller is an operator
   */
  isOperator?: ((ctx: Context) => Awaitable<boolean | null | undefined>) | undefined
}
