/** What several processes of the long tests do: they answer questions, and make API keys and tokens. */
import type { Question, Report } from '../../bench/processes.ts'
import type { Gatehouse } from '../../src/gatehouse/gatehouse.ts'

/** An API key, as parameters of a token request. */
export interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** Tells the test that this process is ready, and answers its questions until the test ends. */
export function answerQuestions(answers: Record<string, (about: never) => Promise<unknown>>): void {
  process.on('message', ({ number, ask, about }: Question) => {
    void answers[ask]?.(about as never).then((value) => process.send?.({ number, value } satisfies Report))
  })
  process.once('disconnect', () => process.exit())
  process.send?.({ ready: true } satisfies Report)
}

/** Creates an API key of all products of the host. */
export async function createKey({ apiKeys }: Gatehouse, accountId = 'acme'): Promise<Credentials> {
  const key = { accountId, name: 'Key', products: ['invoices', 'payments'] }
  const { apiKey, clientSecret } = await apiKeys.create(key)
  return { client_id: apiKey.clientId, client_secret: clientSecret }
}

/** Creates API keys of 50 accounts, and requests a token of each. */
export async function createTokens(
  { gatehouse, issuer }: { readonly gatehouse: Gatehouse; readonly issuer: string },
  count: number,
): Promise<{ clientId: string; token: string }[]> {
  const tokens: { clientId: string; token: string }[] = []
  for (let at = 0; at < count; at += 1) {
    const key = await createKey(gatehouse, `account-${at % 50}`)
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...key })
    const response = await fetch(`${issuer}/oauth2/token`, { method: 'POST', body })
    const { access_token: token } = (await response.json()) as { access_token: string }
    tokens.push({ clientId: key.client_id, token })
  }
  return tokens
}
