import { expect, it } from 'vitest'
import { readUserAgent } from '../../../../src/parts/console/activity/user-agent.ts'

it('a user agent is shown as its program and its system', () => {
  const webKit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
  const cases: readonly [userAgent: string, program: string, system?: string][] = [
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/126.0 Safari/537.36`, 'Chrome', 'Linux'],
    ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0', 'Edge', 'Windows'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Version/17.0 Safari/604.1', 'Safari', 'iOS'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 14.0; rv:127.0) Gecko/20100101 Firefox/127.0',
      'Firefox',
      'macOS',
    ],
    [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/140.0.0.0 Safari/537.36`, 'Chrome', 'Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/126.0 Safari/537.36 OPR/112.0', 'Opera', 'Windows'],
    ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://a.example/bot)', 'Googlebot/2.1'],
    ['Mozilla/5.0 (X11) AppleWebKit/605.1 (KHTML, like Gecko) Reader/3.1', 'Reader/3.1'],
    ['Mozilla/5.0', 'Mozilla/5.0'],
    ['a program', 'a'],
    ['curl/8.5.0', 'curl/8.5.0'],
    ['my-client/2.0 (contact: x)', 'my-client/2.0'],
  ]
  const expected = cases.map(([, program, system]) =>
    system === undefined ? { program } : { program, system },
  )
  expect(cases.map(([userAgent]) => readUserAgent(userAgent))).toEqual(expected)
})
