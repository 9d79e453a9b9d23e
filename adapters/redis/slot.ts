export const SLOTS = 16_384

/**
 * The slot of a key: the CRC16 of its UTF-8 bytes. If there is a non-empty text between the first `{` and the
 * next `}`, only that text counts.
 * <https://redis.io/docs/latest/operate/oss_and_stack/reference/cluster-spec/#key-distribution-model>
 */
export function slotOf(key: string): number {
  const start = key.indexOf('{')
  const end = start === -1 ? -1 : key.indexOf('}', start + 1)
  return crc16(Buffer.from(end > start + 1 ? key.slice(start + 1, end) : key)) % SLOTS
}

/** CRC-16/XMODEM: the polynomial 0x1021, and the initial value 0. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc
}
