import type { StoreCheck } from '../../../src/store/contract.ts'
import { fail, pass, unknown, warn } from '../../../src/store/check-results.ts'
import type { Fields } from './server-answers.ts'

/** Checks whether the data survives a restart of the server. */
export function checkPersistence(info: Fields, settings: Fields): StoreCheck {
  const name = 'persistence'
  const appendOnly = info.get('aof_enabled')
  const [save, fsync] = [settings.get('save'), settings.get('appendfsync')]
  if (appendOnly === '1') {
    if (fsync === 'no') {
      return warn(
        name,
        'the operating system decides when the append-only file is synced to disk, often after half a minute: if the ' +
          'machine fails, the last writes are lost',
        'CONFIG SET appendfsync everysec, and the same in redis.conf',
      )
    }
    return pass(
      name,
      fsync === undefined
        ? 'an append-only file is written; how often it is synced to disk cannot be read ' +
            '(appendfsync should be everysec or always)'
        : `an append-only file is written (appendfsync ${fsync})`,
    )
  }
  const hasSaved = Number(info.get('rdb_saves') ?? 0) > 0
  if (save === undefined ? hasSaved : save !== '') {
    return warn(
      name,
      'only snapshots are written: after a crash the last minutes are lost, so used refresh tokens are valid ' +
        'again, newer refresh tokens are invalid, and revocations are lost',
      APPEND_ONLY,
    )
  }
  if (appendOnly === undefined || save === undefined) {
    return unknown(
      name,
      'Redis does not report whether it persists its data',
      `Permit CONFIG GET save, or ask your provider. ${APPEND_ONLY}`,
    )
  }
  return fail(
    name,
    'the data is not persisted: a restart loses the signing keys, all API keys, applications and grants',
    APPEND_ONLY,
  )
}

const APPEND_ONLY = 'Enable the append-only file: CONFIG SET appendonly yes, and the same in redis.conf'
