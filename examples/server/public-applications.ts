import type { Gatehouse } from 'koa-gatehouse'

/**
 * Creates the public applications of the developer: programs that cannot keep a secret. In Redis, those of an earlier start
 * still exist.
 *
 * @param spaOrigin the origin of the single-page app
 * @returns the client ids
 */
export async function providePublicApplications(
  { applications }: Pick<Gatehouse<string, 'invoices' | 'reminders'>, 'applications'>,
  accountId: string,
  spaOrigin: string,
): Promise<{ singlePageApp: string; commandLine: string; assistant: string }> {
  async function provide(
    name: string,
    redirectUris: string[],
    products: ('invoices' | 'reminders')[] = ['invoices'],
  ): Promise<string> {
    const { items } = await applications.listByOwner(accountId, { name })
    const known = items.find((each) => each.name === name)
    if (known) return known.clientId
    const { application } = await applications.create({
      accountId,
      name,
      products,
      isPublic: true,
      redirectUris,
    })
    return application.clientId
  }

  // On a loopback host a redirect URI is valid with every port.
  const singlePageApp = await provide('Glance', ['http://localhost/'])
  const commandLine = await provide('Harbour command line', ['http://127.0.0.1/callback'])
  // AI agents on the computer of their user return to one of these addresses.
  const assistant = await provide(
    'AI assistant',
    ['http://localhost/callback', 'http://localhost/oauth/callback', 'http://127.0.0.1/callback'],
    ['invoices', 'reminders'],
  )
  // The pages of this origin may call the token endpoint. The origin of an https redirect URI needs no entry here.
  await applications.update(singlePageApp, { origins: [spaOrigin] })
  return { singlePageApp, commandLine, assistant }
}
