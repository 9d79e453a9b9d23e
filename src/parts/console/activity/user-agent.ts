/** More specific patterns come first. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/^(?=.*\bVersion\/\d).*\bSafari\//, 'Safari'],
]

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

function find(list: typeof PROGRAMS, userAgent: string): string | undefined {
  return list.find(([pattern]) => pattern.test(userAgent))?.[1]
}

/** Nearly every browser and many other programs name them. */
const COMMON = /^(Mozilla|AppleWebKit|Gecko|Mobile|Safari|Version)\//

const PRODUCT = /(?<![\w.+-])[\w.+-]+\/[^\s;,()]+/g

/** The program and the system of a user agent. An unknown program is the first product that identifies it. */
export function readUserAgent(userAgent: string): { program: string; system?: string | undefined } {
  const program = find(PROGRAMS, userAgent)
  if (program === undefined) {
    const products = userAgent.match(PRODUCT) ?? []
    return { program: products.find((product) => !COMMON.test(product)) ?? userAgent.split(' ', 1)[0] ?? '' }
  }
  return { program, system: find(SYSTEMS, userAgent) }
}
