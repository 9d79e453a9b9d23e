/** Why the service itself, or a client, revoked or rejected something. The audit trail stores it. */
export type AuditReason =
  /** The client revoked its own token (RFC 7009). */
  | 'client-revoked-token'
  /** The client revoked so many tokens one by one that all its tokens were revoked. */
  | 'client-revoked-too-many-tokens'
  /** A new grant replaced the oldest grant of a person for an application. */
  | 'too-many-grants'
  /** An operator blocked the host of the client's metadata document. */
  | 'host-blocked'
  /** The client is disabled. */
  | 'client-disabled'
  /** The client has expired. */
  | 'client-expired'
  /** The host called `accounts.changed()`. */
  | 'account-changed'
  /** The entry counts the failures of many clients and addresses, because there are too many for an entry each. */
  | 'too-many-different-failures'
