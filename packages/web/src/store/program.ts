/** Name of a browser and system; empty if the user agent does not show it. */
export type Program = { browser: string; system: string }

// Programs name others that they want to be treated like: the first that fits is the one.
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

/** Reads a `User-Agent`. A program of another kind is called what it calls itself, without its version. */
export function programOf(userAgent: string): Program {
  const browser = firstOf(browsers, userAgent)
  const own = browser === '' ? (/^[\w.-]+/.exec(userAgent)?.[0] ?? '') : browser
  return { browser: own, system: firstOf(systems, userAgent) }
}
