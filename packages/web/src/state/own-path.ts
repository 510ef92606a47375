/** A path of this server to go on to after sign-in; undefined for anything that would lead to another site. */
export function ownPath(given: string | null | undefined, origin: string): string | undefined {
  if (!given?.startsWith('/') || !URL.canParse(given, origin)) return undefined
  const url = new URL(given, origin)
  // "/.//elsewhere" resolves to a path that the next reader would take for another host.
  return url.origin === origin && !url.pathname.startsWith('//') ? url.pathname + url.search + url.hash : undefined
}

/** Whether this client shows a path itself. */
export const isClientPath = (path: string): boolean => /^\/(?:$|[?#]|(?:chat|manage)(?:[/?#]|$))/.test(path)
