import type { Gatehouse } from 'koa-gatehouse'
import { exportRegistry, importRegistry } from '../../src/backup.ts'

interface KeyRecord {
  client: { clientId: string; name: string }
  listedAt: number
}

/**
 * Imports many API keys of the account `acme`, which is quicker than creating them, and ignores the limit of an
 * account. All have the same secret. Their ids are `<id of the first key>0`, `<id of the first key>1`, …
 *
 * @param first an API key of the account, which the others equal but for name and id
 * @param nameOf the name of a key. @default the name of the first key
 * @returns the ids
 */
export async function importKeys(
  gatehouse: Gatehouse,
  first: string,
  count: number,
  nameOf?: (number: number) => string,
): Promise<string[]> {
  const lines: string[] = []
  for await (const line of exportRegistry(gatehouse)) lines.push(line)
  const template =
    lines.find((line) => line.startsWith('{"is":"client"') && line.includes(`"${first}"`)) ?? ''
  const copies = Array.from({ length: count }, (_, number) => {
    const { record, ...fields } = JSON.parse(template) as { record: KeyRecord }
    const { client, listedAt, ...others } = record
    const clientId = first + number
    const copy = { ...client, clientId, name: nameOf?.(number) ?? client.name }
    const text = JSON.stringify({
      ...fields,
      record: { ...others, client: copy, listedAt: listedAt + 1 + number },
    })
    return { clientId, text: `${text}\n` }
  })
  const [header = '', keys = ''] = lines
  const end = `{"is":"end","lines":{"signing-keys":1,"client":${count}}}\n`
  const file = [header, keys, ...copies.map(({ text }) => text), end]
  await importRegistry(gatehouse, file, { signingKeys: false })
  return copies.map(({ clientId }) => clientId)
}
