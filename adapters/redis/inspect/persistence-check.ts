import type { StoreCheck } from '../../../src/store/contract.ts'
import { fail, pass, unknown, warn } from '../../../src/store/check-results.ts'
import type { Fields } from './server-answers.ts'

/** Whether what is stored outlives a restart of the server. */
export function checkPersistence(info: Fields, settings: Fields): StoreCheck {
  const name = 'persistence'
  const appendOnly = info.get('aof_enabled')
  const [save, fsync] = [settings.get('save'), settings.get('appendfsync')]
  if (appendOnly === '1') {
    if (fsync === 'no') {
      return warn(
        name,
        'the append-only file reaches the disk when the system likes, often after half a minute: a ' +
          'machine that fails takes that with it',
        'CONFIG SET appendfsync everysec, and the same in redis.conf',
      )
    }
    return pass(
      name,
      fsync === undefined
        ? 'an append-only file is written; how often it reaches the disk cannot be looked at ' +
            '(appendfsync should be everysec or always)'
        : `an append-only file is written (appendfsync ${fsync})`,
    )
  }
  const hasSaved = Number(info.get('rdb_saves') ?? 0) > 0
  if (save === undefined ? hasSaved : save !== '') {
    return warn(
      name,
      'only snapshots are written: after a crash the last minutes are missing, so refresh tokens ' +
        'that were used are good again, newer ones are not, and revocations are forgotten',
      APPEND_ONLY,
    )
  }
  if (appendOnly === undefined || save === undefined) {
    return unknown(
      name,
      'Redis does not tell whether it keeps its data on disk',
      `Permit CONFIG GET save, or look at what your provider says. ${APPEND_ONLY}`,
    )
  }
  return fail(
    name,
    'nothing is kept on disk: a restart loses the signing keys, all API keys, applications and grants',
    APPEND_ONLY,
  )
}

const APPEND_ONLY = 'Keep an append-only file: CONFIG SET appendonly yes, and the same in redis.conf'
