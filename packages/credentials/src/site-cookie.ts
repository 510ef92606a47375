const hostPrefix = '__Host-'

/** Name of a cookie that belongs to this host alone: over https no other host of the domain can set or change it. */
export const siteCookieName = (name: string, { secure }: { secure: boolean }): string =>
  secure ? `${hostPrefix}${name}` : name

/** The values of the cookies with exactly this name in a `Cookie` header. */
export function readCookies(header: string | undefined, name: string): string[] {
  const pairs = (header?.split(';') ?? []).map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}

/**
 * Values of a persistent cookie of this site: first those that no other host of the domain can have set, then those
 * with the plain name, used over http and formerly over https.
 */
export const readSiteCookies = (header: string | undefined, name: string): string[] => [
  ...readCookies(header, hostPrefix + name),
  ...readCookies(header, name),
]
