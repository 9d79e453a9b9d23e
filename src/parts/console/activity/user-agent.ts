/** The programs that people recognize, each with a pattern for its user agent. More specific patterns come first. */
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

/** Products that nearly every browser and many other programs name. They do not identify a program. */
const COMMON = /^(Mozilla|AppleWebKit|Gecko|Mobile|Safari|Version)\//

/** A product with its version, such as `curl/8.5.0`. */
const PRODUCT = /(?<![\w.+-])[\w.+-]+\/[^\s;,()]+/g

/**
 * The program and the system of a user agent, as people know them. If the program is not a known browser, the result is
 * the first product that identifies it, such as `curl/8.5.0`.
 */
export function readUserAgent(userAgent: string): { program: string; system?: string | undefined } {
  const program = find(PROGRAMS, userAgent)
  if (program === undefined) {
    const products = userAgent.match(PRODUCT) ?? []
    return { program: products.find((product) => !COMMON.test(product)) ?? userAgent.split(' ', 1)[0] ?? '' }
  }
  return { program, system: find(SYSTEMS, userAgent) }
}
