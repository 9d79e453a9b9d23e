import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
// `html` is imported under another name, so that no formatter reformats the templates as pages.
import { html as markup, trustedHtml, type HtmlValue } from '../../src/http/html.ts'
import { anyText } from '../support/any-text.ts'

describe('html', () => {
  it('html escapes values in text and in attributes', () => {
    const value = `<b a="1" b='2'>&amp;</b>`
    const escaped = '&lt;b a=&quot;1&quot; b=&#39;2&#39;&gt;&amp;amp;&lt;/b&gt;'
    expect(markup`<p title="${value}">${value}</p>`.toString()).toBe(`<p title="${escaped}">${escaped}</p>`)
  })

  it('html does not escape markup that html has created, alone and in lists', () => {
    const items = ['<', 'b'].map((item) => markup`<li>${item}</li>`)
    expect(markup`<ul>${items}</ul>`.toString()).toBe('<ul><li>&lt;</li><li>b</li></ul>')
    expect(markup`${['<', ['>', [markup`<br>`]]]}`.toString()).toBe('&lt;&gt;<br>')
  })

  it('html renders nothing for undefined, null and false, and renders numbers unchanged', () => {
    expect(markup`[${undefined}${null}${false}]${0}${''}`.toString()).toBe('[]0')
  })

  it('html escapes an object that only looks like markup', () => {
    const forged = { toString: () => '<script>' } as unknown as HtmlValue
    expect(markup`${forged}`.toString()).toBe('&lt;script&gt;')
    expect(markup`${JSON.parse('"<i>"') as string}`.toString()).toBe('&lt;i&gt;')
  })

  it('html does not interpret escape sequences twice', () => {
    expect(markup`a\n${'\\n'}`.toString()).toBe('a\n\\n')
  })

  it('html leaves out the indentation of a template, and keeps the lines of values', () => {
    const value = 'a\n    b'
    expect(
      markup`<ul>
        <li>
          <pre>${value}</pre></li>
      </ul>`.toString(),
    ).toBe('<ul>\n<li>\n<pre>a\n    b</pre></li>\n</ul>')
  })

  it('trustedHtml keeps its markup unchanged', () => {
    expect(markup`<style>${trustedHtml('a > b {}')}</style>`.toString()).toBe('<style>a > b {}</style>')
  })

  it('a text in html cannot end the element or the attribute that contains the text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const inner = markup`${text}`.toString()
        expect(inner).not.toMatch(/[<>"']/)
        expect(inner.replaceAll(/&(amp|lt|gt|quot|#39);/g, '')).not.toContain('&')
      }),
    )
  })
})
