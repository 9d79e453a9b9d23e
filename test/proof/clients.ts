/** The clients of a run. Each asks and asks until the run is over. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/fuzz/random.ts'
import type { Fleet, Member } from './fleet.ts'
import type { Settings } from './history.ts'
import type { Credentials, Requests } from './requests.ts'

export interface ClientOptions {
  /** The number of the client, which is its account too. */
  readonly number: number
  readonly fleet: Fleet
  readonly requests: Requests
  readonly random: Random
  readonly settings: Settings
  /** Milliseconds between two requests of a client, on average. */
  readonly pauseMs: number
  readonly isOver: () => boolean
  /** Whether some changes name no actor, so that equal ones are counted in one audit entry. */
  readonly hasEqualChanges: boolean
  /** Receives each API key with its first name. */
  readonly onKey: (clientId: string, name: string) => void
  /** Receives each access token that is revoked. */
  readonly onRevoked: (accessToken: string) => void
}

const REFRESHES = 15
/** The number of rounds after which an API key is deleted. */
const ROUNDS = 3
/** How often each of two people renames an API key. */
const RENAMES = 20
/** How often a user connects the application before another user does: less than one user may in an hour. */
const CONNECTIONS = 50
/** How often a client sends a request whose outcome is unknown again. */
const ATTEMPTS = 12
const RETRY_MS = 250
/** The number of revoked tokens that a client goes on to try. */
const REMEMBERED = 20

/** A user who connects an application: code, then refreshes, some of them doubled, late or of a used token. */
export async function connectAndRefresh(options: ClientOptions, application: Credentials): Promise<void> {
  const { number, fleet, requests, random, settings, pauseMs, isOver } = options
  const service = () => random.pick(fleet.services)

  /** Exchanges until the outcome is known. */
  async function exchange(family: string, credential: string, isCode: boolean) {
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const result = await requests.exchange(service(), application, family, credential, isCode)
      if (result.outcome !== 'unknown' || isOver()) return result
      await pause(random, RETRY_MS)
    }
    return { outcome: 'unknown' as const, next: undefined }
  }

  for (let round = 0; !isOver(); round += 1) {
    const user = `user-${number}-${Math.floor(round / CONNECTIONS)}`
    const code = await requests.code(service(), application, user)
    if (code === undefined) {
      await pause(random, RETRY_MS)
      continue
    }
    const family = `${number}.${round}`
    let { next: token } = await exchange(family, code, true)
    let used = ''
    for (let count = 0; token !== undefined && count < REFRESHES && !isOver(); count += 1) {
      await pause(random, pauseMs)
      const choice = random.below(100)
      if (choice < 3) await requests.endFamily(service(), application, family, token)
      if (choice >= 3 && choice < 6) await requests.exchange(service(), application, family, code, true)
      if (choice >= 6 && choice < 12 && used !== '') {
        // Within the grace period, or after it.
        await delay(random.chance(0.3) ? settings.graceSeconds * 1000 + 1000 : random.below(1000))
        await requests.exchange(service(), application, family, used, false)
      }
      const isDoubled = choice >= 80
      const current: string = token
      const [first, second] = await Promise.all([
        exchange(family, current, false),
        ...(isDoubled ? [requests.exchange(service(), application, family, current, false)] : []),
      ])
      used = current
      token = first?.next ?? second?.next
    }
  }
}

/** The owner of API keys: tokens, calls, revocations, changes, and calls with what must not work. */
export async function useKeys(options: ClientOptions): Promise<void> {
  const { number, fleet, requests, random, pauseMs, isOver, hasEqualChanges, onRevoked } = options
  const service = () => random.pick(fleet.services)
  /** Tokens that are revoked, or may be. */
  const revoked: string[] = []
  let count = 0
  const unique = () => `${number}-${(count += 1)}`

  /** Revokes until the answer says that it is done. */
  async function revoke(of: { accessToken: string } | { client: string }): Promise<Member> {
    for (;;) {
      const member = service()
      const { outcome } = await requests.revoke(member, of, `revoker-${unique()}`)
      if (outcome === 'ok' || isOver()) return member
      await pause(random, RETRY_MS)
    }
  }

  /** Deletes an API key, until the answer says that it is done. */
  async function remove(client: string): Promise<void> {
    for (;;) {
      const { outcome } = await requests.change(service(), client, null, `remover-${unique()}`)
      await requests.read(service(), client)
      if (outcome === 'ok' || isOver()) return
      await pause(random, RETRY_MS)
    }
  }

  /** Calls with a token at all processes, until all have rejected it once. */
  async function callUntilRejected(token: string, first: Member): Promise<void> {
    await requests.call(first, token)
    let left = [...fleet.members]
    for (let attempt = 0; left.length > 0 && attempt < 150 && !isOver(); attempt += 1) {
      const outcomes = await Promise.all(left.map((member) => requests.call(member, token)))
      left = left.filter((_, at) => outcomes[at]?.outcome !== 'fail')
      if (left.length > 0) await pause(random, pauseMs)
    }
  }

  while (!isOver()) {
    const key = await createKey(options, unique())
    if (!key) {
      await pause(random, RETRY_MS)
      continue
    }
    const client = key.clientId
    for (let round = 0; round < ROUNDS && !isOver(); round += 1) {
      const token = await requests.issue(service(), key)
      if (token === undefined) {
        await pause(random, RETRY_MS)
        continue
      }
      await requests.call(random.pick(fleet.members), token)
      await requests.call(random.pick(fleet.members), forge(token, random))
      const actor = hasEqualChanges && random.chance(0.3) ? undefined : `renamer-${unique()}`
      await requests.change(service(), client, `name-${unique()}`, actor)
      await requests.read(service(), client)
      const old = revoked.length === 0 ? undefined : random.pick(revoked)
      if (old !== undefined) await requests.call(random.pick(fleet.members), old)
      if (random.chance(0.35)) {
        const member = await revoke(random.chance(0.5) ? { accessToken: token } : { client })
        onRevoked(token)
        revoked.push(token)
        if (revoked.length > REMEMBERED) revoked.shift()
        await callUntilRejected(token, member)
      }
      await pause(random, pauseMs)
    }
    if (!isOver()) await remove(client)
  }
}

/** Two people who rename one API key at the same time. */
export async function renameTogether(options: ClientOptions): Promise<void> {
  const { number, fleet, requests, random, pauseMs, isOver } = options
  const service = () => random.pick(fleet.services)
  for (let round = 0; !isOver(); round += 1) {
    const key = await createKey(options, `${number}.${round}`)
    if (!key) {
      await pause(random, RETRY_MS)
      continue
    }
    const rename = async (person: number) => {
      for (let count = 0; count < RENAMES && !isOver(); count += 1) {
        const unique = `${number}.${round}-${person}-${count}`
        const { outcome } = await requests.change(
          service(),
          key.clientId,
          `name-${unique}`,
          `renamer-${unique}`,
        )
        await requests.read(service(), key.clientId)
        await pause(random, outcome === 'unknown' ? RETRY_MS : pauseMs)
      }
    }
    await Promise.all([rename(1), rename(2)])
  }
}

/**
 * Creates an API key. Each key has an account of its own: an account with too many changes within an hour would have
 * entries that count the changes of all its keys together, without naming them.
 * @returns undefined if it is not known whether that worked
 */
async function createKey(
  { fleet, random, onKey }: ClientOptions,
  name: string,
): Promise<Credentials | undefined> {
  const answer = await random.pick(fleet.services).ask('createKey', { accountId: `owner-of-${name}`, name })
  if ('error' in answer) return undefined
  onKey(answer.value.clientId, name)
  return answer.value
}

/** Writes below the library: what the store has answered is there, also if it was there before. */
export async function useStore({
  number,
  fleet,
  requests,
  random,
  pauseMs,
  isOver,
}: ClientOptions): Promise<void> {
  const service = () => random.pick(fleet.services)
  for (let round = 0; !isOver(); round += 1) {
    const entry = `${number}-entry-${round}`
    for (const isIn of [true, false]) {
      let outcome = ''
      while (outcome !== 'ok' && !isOver()) {
        ;({ outcome } = await requests.putEntry(service(), entry, isIn))
        await pause(random, outcome === 'ok' ? pauseMs : RETRY_MS)
      }
      if (random.chance(0.5)) await delay(random.below(3000))
      await requests.readEntry(service(), entry)
    }
  }
}

/** A token that no service issued: another account, with the signature of a token that was issued. */
function forge(token: string, random: Random): string {
  const [header = '', payload = '', signature = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  const forged = Buffer.from(JSON.stringify({ ...claims, jti: String(random.below(1e9)) })).toString(
    'base64url',
  )
  return [header, forged, signature].join('.')
}

function pause(random: Random, milliseconds: number): Promise<void> {
  return delay(milliseconds / 2 + random.below(milliseconds))
}
