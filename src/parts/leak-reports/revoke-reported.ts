import type { FoundSecret, LeakedSecrets } from '../../clients/leaked-secrets.ts'
import type { ChangeOptions } from '../../host/change-options.ts'
import { parseJson } from '../../validation/parse-json.ts'
import { isObject, isText } from '../../validation/predicates.ts'

const REVOKED_AT_ONCE = 10

interface Match {
  readonly token: string
  readonly type: string
  readonly url: unknown
  readonly source: unknown
}

export function parseReport(body: Buffer): readonly Match[] | undefined {
  const list = parseJson(body.toString())
  return Array.isArray(list) && list.every(isMatch) ? list : undefined
}

function isMatch(value: unknown): value is Match {
  return isObject(value) && isText(value['token']) && typeof value['type'] === 'string'
}

/**
 * Revokes the secrets of a report that belong or belonged to a client, each once, even if one cannot be
 * revoked.
 */
export async function revokeSecrets(
  secrets: Pick<LeakedSecrets, 'findEach' | 'revoke'>,
  matches: readonly Match[],
  requester: ChangeOptions,
): Promise<readonly (FoundSecret | undefined)[]> {
  const found = await secrets.findEach(matches.map(({ token }) => token))
  const revocations = new Map<string, () => Promise<void>>()
  for (const [at, { token, url, source }] of matches.entries()) {
    const secret = found[at]
    if (!secret || revocations.has(token)) continue
    const leak = {
      leakUrl: isText(url) ? url : undefined,
      leakSource: isText(source) ? source.toLowerCase() : undefined,
    }
    revocations.set(token, () => secrets.revoke(secret, token, { ...requester, ...leak }))
  }
  const each = [...revocations.values()]
  const failures: unknown[] = []
  for (let from = 0; from < each.length; from += REVOKED_AT_ONCE) {
    const batch = each.slice(from, from + REVOKED_AT_ONCE)
    await Promise.all(batch.map((revoke) => revoke().catch((error: unknown) => failures.push(error))))
  }
  if (failures.length > 0) throw failures[0]
  return found
}
