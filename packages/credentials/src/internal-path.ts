const maxLength = 2_048
/** An arbitrary origin, which a path must not leave. */
const base = 'http://here.invalid'

/**
 * Checks a path from a request before a redirect to it. Returns the path unchanged if it leads to a page of this
 * server, otherwise undefined. An accepted path starts with a single "/" and is visible ASCII without a backslash, at
 * most 2,048 characters. The part before "?" or "#" must not lead to another host when dot segments are resolved, nor
 * when intermediaries decode it up to three times.
 */
export function internalPath(path: string | null | undefined): string | undefined {
  if (!path || path.length > maxLength || !/^\/[\x21-\x5b\x5d-\x7e]*$/.test(path)) return undefined
  let current = path.split(/[?#]/, 1)[0] ?? ''
  for (let decoding = 0; decoding < 3; decoding++) {
    if (!staysOnHost(current)) return undefined
    const decoded = decodeOnce(current)
    if (decoded === undefined) return undefined
    if (decoded === current) return path
    current = decoded
  }
  return staysOnHost(current) ? path : undefined
}

function staysOnHost(path: string): boolean {
  if (path.startsWith('//') || /[\\\x00-\x1f\x7f]/.test(path) || !URL.canParse(path, base)) return false
  const { origin, pathname } = new URL(path, base)
  return origin === base && !pathname.startsWith('//')
}

function decodeOnce(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
