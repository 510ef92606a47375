/** `setting`: the variable that contains the URL. */
export const encodeAdvice = (setting: string): string =>
  `Percent-encode the password in ${setting}: # as %23, / as %2F, ? as %3F, @ as %40, % as %25.`

/**
 * Whether the host of a URL ends too early, at a `#`, `/` or `?` in the password. The part before that character may
 * still look like a host and a port.
 */
export function hostEndsInPassword(url: string): boolean {
  const [, rest = ''] = /^\w+:\/\/[^/?#]*([^=]*)/.exec(url) ?? []
  return rest.includes('@')
}
