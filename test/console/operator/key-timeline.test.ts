import { expect, it } from 'vitest'
import type { SigningKeyInfo } from 'koa-gatehouse'
import { keyTimeline } from '../../../src/console/operator/key-timeline.ts'
import { createReaders } from '../../../src/console/reader.ts'
import { createConsoleTexts } from '../../../src/console/texts.ts'
import { silentLogger } from '../../../src/host/logger.ts'

const DAY = 86_400
const NOW = 1000 * DAY
const readers = createReaders()
const texts = createConsoleTexts({
  texts: { ar: { operatorTimelineNow: 'الآن' } },
  defaultLocale: 'en',
  logger: silentLogger,
})
const draw = (keys: SigningKeyInfo[], lang = 'en') =>
  keyTimeline({ texts: readers(texts.forReader([lang])) }, keys, NOW).toString()

const key = (state: SigningKeyInfo['state'], days: [created: number, since: number, until?: number]) => ({
  kid: `${state}-key-with-a-long-id`,
  alg: 'ES256' as const,
  state,
  createdAt: NOW + days[0] * DAY,
  since: NOW + days[1] * DAY,
  ...(days[2] !== undefined && { until: NOW + days[2] * DAY }),
})

/** The bars of a picture: phase, place and width. */
const barsOf = (picture: string) =>
  [...picture.matchAll(/<rect\s+class="(\w+)"\s+x="([\d.]+)"\s+y="\d+"\s+width="([\d.]+)"/g)].map(
    ([, phase, x, width]) => [phase, Number(x), Number(width)] as const,
  )

it('the life of a key is published before it signs, and the bars are in proportion to the time', () => {
  const bars = barsOf(draw([key('current', [-100, -50, 100])]))
  expect(bars.map(([phase]) => phase)).toEqual(['published', 'signing'])
  const [published = 0, signing = 0] = bars.map(([, , width]) => width)
  expect(signing / published).toBeCloseTo(3, 1)
})

it('each key has a title in words, and every state is drawn', () => {
  const picture = draw([
    key('next', [0, 0, 30]),
    key('current', [-60, -30, 30]),
    key('previous', [-90, -10, 10]),
    key('retired', [-90, -20]),
    key('revoked', [-90, -5, 5]),
  ])
  expect(picture).toContain('current-key-with-a-long-id, ES256: Signs now since')
  for (const phase of ['published', 'signing', 'previous', 'past', 'revoked']) {
    expect(barsOf(picture).map(([name]) => name)).toContain(phase)
  }
  expect(picture).not.toContain('style=')
})

it('in a language from right to left, the time goes from right to left', () => {
  const keys = [key('current', [-100, -50, 100])]
  const placesOf = (lang: string) => barsOf(draw(keys, lang)).map(([, x]) => x)
  expect(placesOf('en')).toEqual(placesOf('en').toSorted((one, other) => one - other))
  expect(placesOf('ar')).toEqual(placesOf('ar').toSorted((one, other) => other - one))
  expect(placesOf('ar')).toHaveLength(2)
})

it('a single key, and keys that the host manages, are drawn without an error', () => {
  expect(draw([key('current', [0, 0])])).not.toMatch(/NaN|Infinity/)
  expect(draw([{ kid: 'own', alg: 'ES256', state: 'current' }])).not.toMatch(/NaN|Infinity/)
})
