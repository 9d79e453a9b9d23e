import { describe, expect, it } from 'vitest'
import type { AuditEntry } from 'koa-gatehouse'
import { createCatalog } from '../../../../src/catalog/create-catalog.ts'
import { SENTENCES, sentenceOf } from '../../../../src/parts/console/activity/sentence.ts'
import { createReaders } from '../../../../src/parts/console/reader-formats.ts'
import { createConsoleTexts } from '../../../../src/parts/console/texts.ts'
import { silentLogger } from '../../../../src/host/logger.ts'
import { kycLevels, products } from '../../../fixtures/products.ts'

const texts = createConsoleTexts({ texts: {}, defaultLocale: 'en', logger: silentLogger })
const catalog = createCatalog(products, { kycLevels })
const say = (entry: Partial<AuditEntry>, lang = 'en') => {
  const reader = createReaders()(texts.forReader([lang]))
  const whole = { id: 'x', at: 0, name: 'client.changed', outcome: 'success', ...entry } as const
  return sentenceOf(whole, reader, catalog)
    .toString()
    .replaceAll(/<\/?(bdi|code)( dir="ltr")?>/g, '')
}

describe('sentences of the audit trail', () => {
  it('each event has a sentence of its own in English and in German', () => {
    const wrong = Object.keys(SENTENCES).filter((name) => {
      const [inEnglish, inGerman] = [say({ name, change: 'name' }), say({ name, change: 'name' }, 'de')]
      const isSentence = /^[A-Z][^{}]{3,}$/
      return !isSentence.test(inEnglish) || !isSentence.test(inGerman) || inGerman === inEnglish
    })
    expect(wrong).toEqual([])
  })

  it('each kind of change reads as a sentence with its target', () => {
    const sentences = [
      [{ change: 'name' }, 'Changed: name'],
      [{ change: 'name,logoUri,homepageUri' }, 'Changed: name, logo, and home page'],
      [{ change: 'product.added', target: 'invoices' }, 'Product “Invoices” added'],
      [{ change: 'product.removed', target: 'gone' }, 'Product “gone” removed, and its tokens revoked'],
      [
        { change: 'operation.removed', target: 'payments:transfer' },
        'Operation “Move money” removed, and its tokens revoked',
      ],
      [{ change: 'operation.restored', target: 'x:y' }, 'Operation “x:y” allowed again'],
      [{ change: 'secret.rotated' }, 'New secret created'],
      [{ change: 'secret.revoked', target: 'old' }, 'Old secret revoked'],
      [{ change: 'secret.revoked', target: 'new' }, 'New secret revoked; the old one stays valid'],
      [{ change: 'key.added', target: 'march' }, 'Public key march added'],
      [{ change: 'key.removed', target: '<i>' }, 'Public key &lt;i&gt; removed'],
      [{ change: 'origins' }, 'Changed: origins'],
      [{ change: 'disabled' }, 'Disabled, and its tokens revoked'],
      [{ change: 'enabled' }, 'Enabled'],
      [{ change: 'tokens.revoked' }, 'All access tokens revoked'],
      [{ change: 'tokens.revoked', target: 'a b' }, 'Access tokens with certain operations revoked'],
    ] as const
    expect(sentences.map(([entry]) => say(entry))).toEqual(sentences.map(([, sentence]) => sentence))
    expect(sentences.filter(([entry, sentence]) => say(entry, 'de') === sentence)).toEqual([])
  })

  it('an unknown event or change shows its name, escaped and without invisible characters', () => {
    expect(say({ name: 'moon.landed' })).toBe('moon.landed')
    expect(say({ name: '<b>\u202Ex' })).toBe('&lt;b&gt;x')
    expect(say({ change: '__proto__,<i>' })).toBe('Changed: __proto__ and &lt;i&gt;')
  })
})
