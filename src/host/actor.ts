import type { Person } from './subject.ts'

/** The actor of a change, as the console and the management API name it: the account, or `account/user`. */
export function actorOf({ accountId, userId }: Person): string {
  return userId === undefined ? accountId : `${accountId}/${userId}`
}

/** Whether an actor is the account, or one of its users. */
export function isActorOf(actor: string, accountId: string): boolean {
  return actor === accountId || actor.startsWith(`${accountId}/`)
}

/** Ids may contain a slash, so only the account id tells where that of the user begins. Any other is an account. */
export function personOfActor(actor: string, accountId: string | undefined): Person {
  if (accountId === undefined || actor === accountId || !isActorOf(actor, accountId))
    return { accountId: actor }
  return { accountId, userId: actor.slice(accountId.length + 1) }
}

/** How the trail names people: all whom an actor may name, if the account is not known. */
export function possiblePeopleOf(actor: string): Person[] {
  const slashes = [...actor.matchAll(/\//g)].map(({ index }) => index)
  const users = slashes.map((at) => ({ accountId: actor.slice(0, at), userId: actor.slice(at + 1) }))
  return [{ accountId: actor }, ...users]
}
