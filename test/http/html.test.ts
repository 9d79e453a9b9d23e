import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
// By another name, so that no formatter takes the templates for pages and lays them out anew.
import { html as markup, trustedHtml, type HtmlValue } from '../../src/http/html.ts'

describe('html', () => {
  it('escapes values in text and in attributes', () => {
    const value = `<b a="1" b='2'>&amp;</b>`
    const escaped = '&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;'
    expect(markup`<p title="${value}">${value}</p>`.toString()).toBe(`<p title="${escaped}">${escaped}</p>`)
  })

  it('keeps markup that it made itself, alone and in lists', () => {
    const items = ['<', 'b'].map((item) => markup`<li>${item}</li>`)
    expect(markup`<ul>${items}</ul>`.toString()).toBe('<ul><li>&lt;</li><li>b</li></ul>')
    expect(markup`${['<', ['>', [markup`<br>`]]]}`.toString()).toBe('&lt;&gt;<br>')
  })

  it('renders nothing for undefined, null and false, and numbers as they are', () => {
    expect(markup`[${undefined}${null}${false}]${0}${''}`.toString()).toBe('[]0')
  })

  it('takes no object for markup that only looks like it', () => {
    const forged = { toString: () => '<script>' } as unknown as HtmlValue
    expect(markup`${forged}`.toString()).toBe('&lt;script&gt;')
    expect(markup`${JSON.parse('"<i>"') as string}`.toString()).toBe('&lt;i&gt;')
  })

  it('does not read escapes twice', () => {
    expect(markup`a\n${'\\n'}`.toString()).toBe('a\n\\n')
  })

  it('keeps what is trusted', () => {
    expect(markup`<style>${trustedHtml('a > b {}')}</style>`.toString()).toBe('<style>a > b {}</style>')
  })

  it('lets no text end its element or attribute', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const inner = markup`${text}`.toString()
        expect(inner).not.toMatch(/[<>"']/)
        expect(inner.replaceAll(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&')
      }),
    )
  })
})
