/** Names of a browser and an operating system. */
export type UserAgent = { browser: string; system: string }

// A user agent also names other browsers that it is compatible with, so the order matters: the first match is right.
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ (?:Mobile\/\S+ )?Safari\//, 'Safari'],
]
const systems: readonly (readonly [RegExp, string])[] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]
const firstOf = (known: readonly (readonly [RegExp, string])[], text: string): string =>
  known.find(([pattern]) => pattern.test(text))?.[1] ?? ''

/**
 * If the browser is unknown, `browser` is the first product name, without the version. An unknown `system` is empty.
 */
export function parseUserAgent(userAgent: string): UserAgent {
  const browser = firstOf(browsers, userAgent)
  const own = browser === '' ? (/^[\w.-]+/.exec(userAgent)?.[0] ?? '') : browser
  return { browser: own, system: firstOf(systems, userAgent) }
}
