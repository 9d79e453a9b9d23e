import { expect, it } from 'vitest'
import { actorOf, isActorOf, personOfActor, possiblePeopleOf } from '../../src/host/actor.ts'

it('the actor of a person names this person to the account', () => {
  for (const person of [
    { accountId: 'acme' },
    { accountId: 'acme', userId: 'nina' },
    { accountId: 'a/b', userId: 'c/d' },
    { accountId: 'a/b' },
  ]) {
    const actor = actorOf(person)
    expect(isActorOf(actor, person.accountId)).toBe(true)
    expect(personOfActor(actor, person.accountId)).toEqual(person)
    expect(possiblePeopleOf(actor)).toContainEqual(person)
  }
})

it('an actor of another account, or without a known account, counts as an account', () => {
  expect(isActorOf('acme-2/nina', 'acme')).toBe(false)
  expect(personOfActor('acme-2/nina', 'acme')).toEqual({ accountId: 'acme-2/nina' })
  expect(personOfActor('acme/nina', undefined)).toEqual({ accountId: 'acme/nina' })
})
