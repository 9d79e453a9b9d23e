import type { SigningKeyInfo } from '../../keys/signing-keys.ts'
import type { TextName } from '../texts.ts'

/** The words and the colour of each state. */
export const KEY_STATES = {
  next: ['operatorKeyNext', undefined],
  current: ['operatorKeyCurrent', 'good'],
  previous: ['operatorKeyPrevious', 'warn'],
  retired: ['operatorKeyRetired', undefined],
  revoked: ['operatorKeyRevoked', 'bad'],
} as const satisfies Record<SigningKeyInfo['state'], readonly [TextName, 'good' | 'warn' | 'bad' | undefined]>
