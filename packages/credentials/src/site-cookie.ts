const hostPrefix = '__Host-'

/** Name of a cookie of this site alone: over https no other host of the domain can set or change it. */
export const siteCookieName = (name: string, { secure }: { secure: boolean }): string =>
  secure ? `${hostPrefix}${name}` : name

/** The values of the cookies of this very name in a `Cookie` header. */
export function readCookies(header: string | undefined, name: string): string[] {
  const pairs = (header?.split(';') ?? []).map((pair) => pair.trim())
  return pairs.filter((pair) => pair.startsWith(`${name}=`)).map((pair) => pair.slice(name.length + 1))
}

/**
 * The values of a lasting cookie of this site: first those that no other host of the domain can have set, then those of the
 * plain name, which is the one over http and was the one over https before.
 */
export const readSiteCookies = (header: string | undefined, name: string): string[] => [
  ...readCookies(header, hostPrefix + name),
  ...readCookies(header, name),
]
