/** The programs that people recognize, each with what its user agent contains. More specific ones come first. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
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

/**
 * The program and the system of a user agent, as people know them. For other programs than browsers, the first
 * word, such as `curl/8.5.0`.
 */
export function readUserAgent(userAgent: string): { program: string; system?: string | undefined } {
  const program = find(PROGRAMS, userAgent)
  if (program === undefined) return { program: userAgent.split(' ', 1)[0] ?? '' }
  return { program, system: find(SYSTEMS, userAgent) }
}
