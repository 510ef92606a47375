/** Returns a path of this server to open after sign-in; undefined for anything else, such as a URL of another site. */
export function ownPath(given: string | null | undefined, origin: string): string | undefined {
  if (!given?.startsWith('/') || !URL.canParse(given, origin)) return undefined
  const url = new URL(given, origin)
  // "/.//elsewhere" resolves to "//elsewhere", which would be read as a URL of another host.
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : undefined
}

export const isClientPath = (path: string): boolean => /^\/(?:$|[?#]|(?:chat|manage)(?:[/?#]|$))/.test(path)
