import type { Context } from 'koa'
import type {
  InteractionPort,
  PendingInteraction,
} from '../../../src/authorization-server/interaction/port.ts'

/** One call of the port, with its arguments except the context and the interaction. */
export type PortCall = readonly [method: string, ...args: unknown[]]

export const startedAt = 1_800_000_000

/** An interaction that waits for the consent of Alice. */
export const pendingConsent: PendingInteraction = {
  uid: 'uid-1',
  prompt: 'consent',
  startedAt,
  application: {
    clientId: 'app-1',
    name: 'Ledgerly',
    homepageUri: 'https://ledgerly.example/about',
    logoUri: 'https://cdn.ledgerly.example/logo.png',
    privacyUri: 'https://ledgerly.example/privacy',
    termsUri: 'https://ledgerly.example/terms',
    developerName: 'Ledgerly Ltd',
  },
  destination: { origin: 'https://ledgerly.example' },
  account: { accountId: 'alice', name: 'Alice Example' },
  requestedScopes: ['openid', 'email', 'invoices:read', 'invoices:create', 'payments:list'],
  storedConsent: { granted: [], denied: [] },
  uiLocales: [],
  reauthenticate: false,
  accessLifetime: 2_592_000,
}

const { account: _account, ...withoutAccount } = pendingConsent

/** An interaction that waits for a sign-in. */
export const pendingLogin: PendingInteraction = { ...withoutAccount, prompt: 'login' }

/**
 * A port in memory with one interaction. Tests may replace this interaction by setting `pending`. Each returned
 * address contains the name of the called method. `calls` and `contexts` record the arguments and contexts of
 * all calls.
 */
export function fakePort(pending: PendingInteraction | undefined, issuer: string) {
  const calls: PortCall[] = []
  const contexts: Context[] = []
  const answer = (ctx: Context, method: string, ...args: unknown[]) => {
    calls.push([method, ...args])
    contexts.push(ctx)
    return Promise.resolve(new URL(`${issuer}/next/${method}`))
  }
  const port: InteractionPort = {
    find: (_ctx, uid) => Promise.resolve(uid === fake.pending?.uid ? fake.pending : undefined),
    signedIn: (ctx, _pending, who) => answer(ctx, 'signedIn', who),
    signInRejected: () => {},
    approved: (ctx, _pending, decision) => answer(ctx, 'approved', decision),
    failed: (ctx, _pending, error, description) => answer(ctx, 'failed', error, description),
    restart: (ctx, _pending, options) => answer(ctx, 'restart', options),
  }
  const fake = { port, calls, contexts, pending }
  return fake
}
