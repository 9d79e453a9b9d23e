import { addressOf, type StepRequest, type StepResult } from './step.ts'

/**
 * Signs the person out of our session and out of the host's session, so that another person can sign in and
 * decide.
 */
export async function switchAccount(request: StepRequest): Promise<StepResult> {
  const { accounts, port, ctx, pending } = request
  if (accounts.signInUrl && !accounts.signOut) {
    // Without `accounts.signOut`, only the host's sign-in page can replace the host's session.
    return accounts.signInUrl(addressOf(request), ctx, { reauthenticate: true })
  }
  await accounts.signOut?.(ctx)
  return port.restart(ctx, pending, { endSession: true })
}

/**
 * Whether the person of this interaction is still signed in. If the host does not provide `accounts.current`, our session
 * decides.
 */
export async function isPersonSignedIn({ accounts, ctx, pending }: StepRequest): Promise<boolean> {
  const { account } = pending
  if (!account) return false
  if (!accounts.current) return true
  const person = await accounts.current(ctx)
  return person?.accountId === account.accountId && person.userId === account.userId
}
