/** The path of a request target; proxies may send the whole URL, which names the same thing. */
export function pathOf(target: string | undefined): string {
  const path = (target ?? '/').replace(/^https?:\/\/[^/?#]*/i, '').split(/[?#]/, 1)[0]
  return path === undefined || path === '' ? '/' : path
}
