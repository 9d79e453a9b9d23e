import { expect, it, vi } from 'vitest'
import { createSecrets } from '../../src/clients/leaked-secrets.ts'
import { createSecretOwners } from '../../src/clients/secret-owners.ts'
import { hashSecret } from '../../src/clients/stored-secrets.ts'
import { newSecret } from '../support/secrets.ts'
import { describeApiKeys, failure, START } from './each-kind.ts'

describeApiKeys('finding the client of a secret', (context) => {
  const { kind } = context
  function start() {
    const store = context.stores.open()
    const process = context.start(store)
    return { ...process, store, secrets: createSecrets({ ...process, store }) }
  }

  async function withSecrets() {
    const process = start()
    return { ...process, ...(await context.created(process)) }
  }

  it('a new secret, a rotated secret, and an imported secret lead to their client', async () => {
    const process = start()
    const { secrets } = process
    const { clientId, clientSecret } = await context.created(process)
    const { clientSecret: second } = await process.service.rotateSecret(clientId)
    for (const secret of [clientSecret, second, ` ${second}\n`]) {
      expect(await secrets.find(secret)).toMatchObject({
        kind,
        clientId,
        isValid: true,
        client: { clientId },
      })
    }
    const imported = newSecret()
    await process.service.setSecretHash(clientId, hashSecret(imported))
    expect(await secrets.find(imported)).toMatchObject({ kind, clientId, isValid: true })
    for (const secret of [clientSecret, second]) {
      expect(await secrets.find(secret)).toMatchObject({ kind, clientId, isValid: false })
    }
  })

  it('an unknown secret, a short text and look-alikes lead nowhere, and a value that is no text is an error', async () => {
    const process = start()
    const { secrets } = process
    const { clientSecret } = await context.created(process)
    const wide = clientSecret.replaceAll(/[a-z]/g, (c) => String.fromCodePoint(c.codePointAt(0)! + 0xfee0))
    const cyrillic = clientSecret.replaceAll('a', 'а').replaceAll('e', 'е')
    expect(wide).not.toBe(clientSecret)
    for (const text of [newSecret(), 'x', '', wide, `${cyrillic}а`, clientSecret.slice(0, -1)]) {
      expect(await secrets.find(text)).toBeUndefined()
      expect(await secrets.reportLeaked(text)).toBeUndefined()
    }
    await expect(secrets.find(7 as never)).rejects.toEqual(failure('ERR_INVALID_ARGUMENT'))
  })

  it('a leaked secret is revoked, and where it was found is in the audit trail without the secret', async () => {
    const process = start()
    const { secrets } = process
    const { clientId, clientSecret } = await context.created(process)
    process.emitted.length = 0
    const leakUrl = `https://code.example/blob/x?q=${clientSecret}#${clientSecret}`
    const found = await secrets.reportLeaked(clientSecret, {
      actor: 'scanner',
      leakSource: 'commit',
      leakUrl,
    })
    expect(found).toMatchObject({ kind, clientId, isValid: true })
    expect(await process.service.listSecrets(clientId)).toEqual([])
    const where = { leakSource: 'commit', leakUrl: 'https://code.example/…' }
    expect(process.emitted).toMatchObject([
      { event: 'client.compromised', clientId, actor: 'scanner', ...where },
    ])
    const { items: entries } = await process.audit.list({ clientId, limit: 1 })
    expect(entries).toMatchObject([{ name: 'client.compromised', clientId, actor: 'scanner', ...where }])
    expect(JSON.stringify(entries)).not.toContain(clientSecret)
  })

  it('a leak of a secret that was replaced revokes the tokens once, and keeps the new secret', async () => {
    const process = start()
    const { secrets, service } = process
    const { clientId, clientSecret } = await context.created(process)
    const { clientSecret: second } = await service.rotateSecret(clientId, { overlapSeconds: 0 })
    process.emitted.length = 0
    const found = await secrets.reportLeaked(clientSecret, { leakSource: 'log' })
    expect(found).toMatchObject({ clientId, isValid: false })
    expect(await service.find(clientId)).toMatchObject({ epoch: 1 })
    expect(await secrets.find(second)).toMatchObject({ isValid: true })
    expect(process.emitted).toMatchObject([{ event: 'client.compromised', clientId, leakSource: 'log' }])
    expect(await secrets.find(clientSecret)).toMatchObject({ isValid: false, reported: true })
    for (const options of [{}, { actor: 'again' }]) await secrets.reportLeaked(clientSecret, options)
    for (const isLost of [true, false]) {
      await service.reportCompromised(clientId, { secretHash: hashSecret(clientSecret), isLost })
    }
    expect(await service.find(clientId)).toMatchObject({ epoch: 1 })
    expect(process.emitted).toHaveLength(1)
  })

  it.each([
    ['old', 0],
    ['new', 1],
  ] as const)(
    'a leak of the %s of two secrets keeps the other, and revokes the tokens',
    async (_which, at) => {
      const process = start()
      const { secrets, service } = process
      const { clientId, clientSecret } = await context.created(process)
      const { clientSecret: second } = await service.rotateSecret(clientId)
      const both = [clientSecret, second]
      await secrets.reportLeaked(both[at]!)
      expect((await secrets.findEach(both)).map((each) => each?.isValid)).toEqual([at !== 0, at !== 1])
      expect(await service.find(clientId)).toMatchObject({ epoch: 1 })
      expect(await service.listSecrets(clientId)).toHaveLength(1)
    },
  )

  it('the same report again, and the hash of another secret, change nothing, not even after a rotation', async () => {
    const process = start()
    const { secrets } = process
    const { clientId, clientSecret } = await context.created(process)
    await secrets.reportLeaked(clientSecret)
    process.emitted.length = 0
    expect(await secrets.reportLeaked(clientSecret)).toMatchObject({ clientId, isValid: false })
    expect(process.emitted).toEqual([])
    const { clientSecret: next } = await process.service.rotateSecret(clientId)
    process.emitted.length = 0
    process.revoked.length = 0
    expect(await secrets.reportLeaked(clientSecret)).toMatchObject({ clientId, isValid: false })
    expect(process.emitted).toEqual([])
    expect(process.revoked).toEqual([])
    const other = await context.created(process)
    for (const secret of [other.clientSecret, newSecret()]) {
      const hashed = { secretHash: hashSecret(secret), isLost: true }
      await process.service.reportCompromised(clientId, hashed)
    }
    expect(process.emitted).toEqual([])
    expect(await process.service.find(clientId)).toMatchObject({ epoch: 1 })
    expect(await secrets.find(next)).toMatchObject({ isValid: true })
  })

  it('the secret of a deleted client still leads to its id, and changes nothing', async () => {
    const process = start()
    const { secrets } = process
    const { clientId, clientSecret } = await context.created(process)
    await process.service.delete(clientId)
    process.emitted.length = 0
    expect(await secrets.reportLeaked(clientSecret)).toEqual({
      kind,
      clientId,
      client: undefined,
      isValid: false,
    })
    expect(process.emitted).toEqual([])
  })

  it('a lost secret leads to its client for a year, and a secret that the client gets back does so for good', async () => {
    const { service, secrets, clientId } = await withSecrets()
    const [lost, kept] = [newSecret(), newSecret()]
    for (const secret of [lost, kept]) await service.setSecretHash(clientId, hashSecret(secret))
    await service.rotateSecret(clientId, { overlapSeconds: 0 })
    await service.setSecretHash(clientId, hashSecret(kept))
    vi.setSystemTime(START + 364 * 86_400_000)
    expect((await secrets.findEach([lost, kept])).map((each) => each?.isValid)).toEqual([false, true])
    vi.setSystemTime(START + 366 * 86_400_000)
    expect((await secrets.findEach([lost, kept])).map((each) => each?.isValid)).toEqual([undefined, true])
  })

  it('a rejected creation and a rejected rotation leave no secret that leads to a client', async () => {
    const process = start()
    const { secrets } = process
    const owners = createSecretOwners(process.store)
    const { clientId } = await context.created(process)
    const imported = newSecret()
    const again = () => context.created(process, { clientId, secretHash: hashSecret(imported) })
    await expect(again()).rejects.toEqual(failure('ERR_CONFLICT'))
    await expect(process.service.setSecretHash('unknown', hashSecret(imported))).rejects.toEqual(
      failure('ERR_NOT_FOUND'),
    )
    expect(await owners.find([hashSecret(imported)])).toEqual([undefined])
    // The secret of an import that is repeated stays.
    await process.service.setSecretHash(clientId, hashSecret(imported))
    await expect(again()).rejects.toEqual(failure('ERR_CONFLICT'))
    expect(await secrets.find(imported)).toMatchObject({ clientId, isValid: true })
  })
})
