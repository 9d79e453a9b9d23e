import { expect, it } from 'vitest'
import { describeEachKind } from './each-kind.ts'

describeEachKind('findOwn()', (context) => {
  it('finds the client of its account, and rejects that of another account like an unknown one', async () => {
    const process = context.start()
    const { client } = await context.created(process)
    expect(await process.service.findOwn('acme', client.clientId)).toEqual(client)
    const rejections = await Promise.all(
      [
        ['bob', client.clientId],
        ['', client.clientId],
        ['bob', 'key_unknown'],
        ['acme', 'not an id'],
      ].map(([accountId = '', clientId = '']) =>
        process.service.findOwn(accountId, clientId).catch((error: { code: string }) => error.code),
      ),
    )
    expect(rejections).toEqual(['ERR_NOT_FOUND', 'ERR_NOT_FOUND', 'ERR_NOT_FOUND', 'ERR_NOT_FOUND'])
  })
})
